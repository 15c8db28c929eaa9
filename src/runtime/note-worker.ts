import type { RunId } from '../contract/ids.ts';
import type { TriedByWorker } from '../engine/input.ts';
import { apply } from './apply.ts';
import type { Deps } from './deps.ts';
import { unleased } from './load.ts';

/** Limit for one run, so that a worker that tries in a loop cannot fill the log. */
const MOST = 20;

/**
 * Records that a worker or check tried to decide: an event and a notice, without any other change. The same attempt is
 * recorded once. Nothing is recorded for a run that has ended or is not in this store.
 */
export async function noteWorker(deps: Deps, id: RunId, tried: TriedByWorker): Promise<void> {
  // Also recorded in the run of that worker, because its gates repeat what its workers did.
  for (const run of new Set([id, tried.call_id.split('/')[0] ?? id])) await noteIn(deps, run, tried);
}

async function noteIn(deps: Deps, id: RunId, tried: TriedByWorker): Promise<void> {
  const run = await deps.store.load(id);
  if (!run || run.status === 'ended') return;
  const told = (await deps.store.records(id, 'notice')).flatMap(({ record }) =>
    record.kind === 'notice' && record.text.msg === 'engine.worker_refused' ? [record.text.args] : [],
  );
  const known = told.some((args) => Object.entries(tried).every(([name, value]) => args?.[name] === value));
  if (known || told.length >= MOST) return;
  const by = `worker ${tried.call_id}`;
  const input = { kind: 'worker_refused', tried } as const;
  await apply(deps, id, { input: () => input, context: (at) => unleased(deps, at, by) });
}
