import type { Patch, RunEvent } from '../contract/event.ts';
import type { RunCore } from '../contract/run.ts';

type Document = Readonly<Record<string, unknown>>;

export const NO_PATCH: Patch = { set: {}, unset: [] };

/**
 * The differences of two documents, by top-level key. Compares by identity, because moves copy the state by spreading.
 * An untouched value is the same object. An equal but rebuilt value only costs a few bytes in the log.
 */
export function diff(before: Document, after: Document): Patch {
  const set: Record<string, unknown> = {};
  const unset: string[] = [];
  for (const key of Object.keys(after)) {
    if (after[key] !== before[key] && after[key] !== undefined) set[key] = after[key];
  }
  for (const key of Object.keys(before)) {
    if (after[key] === undefined) unset.push(key);
  }
  return { set, unset };
}

function patched(document: Document, patch: Patch): Document {
  const next: Record<string, unknown> = { ...document, ...patch.set };
  for (const key of patch.unset) delete next[key];
  return next;
}

/**
 * Rebuilds a run from its log alone, without workflow code. The first event carries the whole run, and every prefix of
 * the log is a valid run.
 */
export function fold(events: Iterable<RunEvent>): RunCore {
  let row: Document = {};
  let state: Document = {};
  for (const event of events) {
    row = patched(row, event.row);
    state = patched(state, event.patch);
  }
  return { ...row, state } as unknown as RunCore;
}
