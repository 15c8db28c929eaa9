import type { RunId } from '../contract/ids.ts';
import { isRejection } from '../engine/rejection.ts';
import type { BaseState } from '../engine/workflow.ts';
import { apply } from './apply.ts';
import type { Deps } from './deps.ts';
import { type Loaded, loadRun } from './load.ts';

/** Watched facts are checked less often than the store, because a check may start a process. */
const WATCH_MS = 2_000;

/** Resolves when the row's revision or a watched fact has changed. Rejects when the signal fires. */
export async function untilChanged(deps: Deps, id: RunId, signal: AbortSignal): Promise<void> {
  const before = (await deps.store.load(id))?.revision;
  let watched = 0;
  while (true) {
    await pause(deps.poll_ms, signal);
    const loaded = await loadRun(deps, id);
    if (isRejection(loaded) || loaded.at.run.revision !== before) return;
    const { step } = loaded.at.run;
    if (step.kind === 'wait' && step.until.kind === 'time' && step.until.at <= deps.clock.now()) return;
    watched += deps.poll_ms;
    if (watched < WATCH_MS) continue;
    watched = 0;
    if (await watchFacts(deps, loaded)) return;
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal.addEventListener('abort', stop, { once: true });
  });
}

/** Sends the run a signal if a fact that its gate depends on has changed. True if the run moved because of it. */
export async function watchFacts(deps: Deps, loaded: Loaded): Promise<boolean> {
  const { def, at } = loaded;
  const step = def.next(at.run.state as unknown as BaseState);
  if (step.kind !== 'gate' || !step.watch) return false;
  for (const fact of step.watch) {
    const value = await deps.treeOf(at.run).query(fact, (text) => deps.artefacts.put(text));
    if (JSON.stringify(value) === JSON.stringify(fact.was)) continue;
    const signal = { type: 'fact', what: fact.what, value, at: deps.clock.now() } as const;
    const applied = await apply(deps, at.run.id, { input: () => ({ kind: 'signal', signal, inbox: null }) });
    return !isRejection(applied) && applied.change.run.turn !== at.run.turn;
  }
  return false;
}
