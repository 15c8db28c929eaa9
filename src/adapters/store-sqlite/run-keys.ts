import type { GateId, RunId } from '../../contract/ids.ts';
import { InvariantError } from '../../engine/errors.ts';
import type { Connection } from './connection.ts';

/** Places a run has in a table keyed by run and place: enough for its events and gates, and 2^29 runs stay exact. */
const SPAN = 2 ** 24;

/** The number a row is found by: rows of one run stand side by side. */
export function placeKey(run: number, place: number): number {
  if (place < 0 || place >= SPAN) throw new InvariantError(`place ${place} of run ${run} is not countable`);
  return run * SPAN + place;
}

/** The place within its run. */
export function placeOf(key: number): number {
  return key % SPAN;
}

/** `sp-3aa.g1` is the first gate of `sp-3aa`; null for what is no gate id. */
export function gatePlace(id: GateId): { readonly run: RunId; readonly place: number } | null {
  const dot = id.lastIndexOf('.g');
  const place = Number(id.slice(dot + 2));
  return dot > 0 && Number.isInteger(place) && place >= 0 && place < SPAN
    ? { run: id.slice(0, dot), place }
    : null;
}

/** The number of a gate within the file; undefined for a run that is not there. */
export function gateKey(c: Connection, id: GateId): number | undefined {
  const at = gatePlace(id);
  const run = at ? c.keyOf(at.run) : undefined;
  return at && run !== undefined ? placeKey(run, at.place) : undefined;
}
