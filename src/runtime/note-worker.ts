import type { RunId } from '../contract/ids.ts';
import type { TriedByWorker } from '../engine/input.ts';
import { apply } from './apply.ts';
import type { Deps } from './deps.ts';
import { unleased } from './load.ts';

/** A worker that tries in a loop must not fill the log. */
const MOST = 20;

/**
 * Puts on record that a worker or check tried to decide: an event and a notice that change nothing else. The same try
 * is told once. A run that has ended, or is not here, has nobody to tell.
 */
export async function noteWorker(deps: Deps, id: RunId, tried: TriedByWorker): Promise<void> {
  const run = await deps.store.load(id);
  if (!run || run.status === 'ended') return;
  const told = (await deps.store.records(id, 'notice')).flatMap(({ record }) =>
    record.kind === 'notice' && record.text.msg === 'engine.worker_refused' ? [record.text.args] : [],
  );
  const known = told.some((args) => Object.entries(tried).every(([name, value]) => args?.[name] === value));
  if (known || told.length >= MOST) return;
  const by = `worker ${tried.mark}`;
  const input = { kind: 'worker_refused', tried } as const;
  await apply(deps, id, { input: () => input, context: (at) => unleased(deps, at, by) });
}
