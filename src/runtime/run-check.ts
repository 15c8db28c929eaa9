import { mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Effect } from '../contract/change.ts';
import type { CheckResult } from '../contract/outcome.ts';
import type { Check } from '../contract/step.ts';
import { cleanText } from '../engine/clean-text.ts';
import type { Exit } from '../ports/processes.ts';
import type { Deps } from './deps.ts';
import type { EffectEnd } from './job.ts';

/** Words of a check's output that are kept. */
const OUTPUT_LIMIT = 200_000;

/** Runs one command in the tree with a time limit; whatever it started is ended afterwards. */
export async function runCheck(deps: Deps, effect: Effect, signal: AbortSignal): Promise<EffectEnd> {
  const check = effect.spec as Check;
  const dir = path.join(deps.calls, effect.run, `${effect.turn}-${effect.n}-check`);
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const stdout = path.join(dir, 'stdout');
  const started = Date.now();
  const running = await deps.processes.spawn({
    argv: ['/bin/sh', '-c', `exec 2>&1; ${check.command}`],
    cwd: deps.workspace.root,
    mark: `${effect.id}.1`,
    env: deps.environment,
    stdin: '',
    stdout,
    stderr: path.join(dir, 'stderr'),
  });
  const limit = AbortSignal.any([signal, AbortSignal.timeout(check.timeout_seconds * 1000)]);
  const exit = await endOf(running.exit, limit);
  await deps.processes.sweep(effect.id);
  if (signal.aborted) return { kind: 'interrupted' };
  const output = cleanText(await readFile(stdout, 'utf8')).slice(-OUTPUT_LIMIT);
  const result: CheckResult = {
    name: check.name,
    result: exit === null ? 'fail' : exit.code === 127 ? 'unavailable' : exit.code === 0 ? 'pass' : 'fail',
    exit: exit?.code ?? null,
    seconds: (Date.now() - started) / 1000,
    output: await deps.artefacts.put(output),
  };
  return { kind: 'done', result };
}

function endOf(exit: Promise<Exit>, limit: AbortSignal): Promise<Exit | null> {
  return new Promise((resolve, reject) => {
    limit.addEventListener('abort', () => resolve(null), { once: true });
    exit.then(resolve, reject);
  });
}
