import type { GateId, RunId } from '../../contract/ids.ts';
import { InvariantError } from '../../engine/errors.ts';
import type { Connection } from './connection.ts';

/**
 * Locations per run in a table keyed by run and location. This is enough for its gates, and keys stay exact for 2^29
 * runs.
 */
const SPAN = 2 ** 24;

/** The key of a row. Rows of one run are adjacent. */
export function locationKey(run: number, location: number): number {
  if (location < 0 || location >= SPAN)
    throw new InvariantError(`place ${location} of run ${run} is not countable`);
  return run * SPAN + location;
}

/** The location within its run. */
export function locationOf(key: number): number {
  return key % SPAN;
}

/** `sp-3aa.g1` is the first gate of `sp-3aa`. Null if the text is not a gate id. */
export function gateLocation(id: GateId): { readonly run: RunId; readonly location: number } | null {
  const dot = id.lastIndexOf('.g');
  const location = Number(id.slice(dot + 2));
  return dot > 0 && Number.isInteger(location) && location >= 0 && location < SPAN
    ? { run: id.slice(0, dot), location }
    : null;
}

/** The number of a gate within the file. Undefined if the run does not exist. */
export function gateKey(c: Connection, id: GateId): number | undefined {
  const at = gateLocation(id);
  const run = at ? c.keyOf(at.run) : undefined;
  return at && run !== undefined ? locationKey(run, at.location) : undefined;
}
