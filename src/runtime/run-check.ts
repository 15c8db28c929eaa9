import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import type { Effect } from '../contract/change.ts';
import type { CheckNote, CheckResult } from '../contract/outcome.ts';
import type { Policy } from '../contract/run.ts';
import type { Check } from '../contract/step.ts';
import type { DescribedCommand } from '../engine/checks/describe-command.ts';
import { isContained } from '../engine/containment.ts';
import { AdapterError } from '../engine/errors.ts';
import type { Room } from '../ports/processes.ts';
import { removeFolder, withIo } from './check-file.ts';
import { emptyResult, readCheck } from './check-result.ts';
import type { Deps } from './deps.ts';
import { type EffectEnd, troubleAt } from './job.ts';
import { runCommand } from './run-command.ts';

/** Where a check runs. `own`: the tree belongs to Baton, so all leftover processes that work in it may be killed. */
export interface CheckContext {
  readonly root: string;
  readonly own: boolean;
  readonly signal: AbortSignal;
  /**
   * Resolves the line that runs a check command in the tree, and what the command means there. Default: the command
   * itself.
   */
  readonly describe?: (check: Check) => Promise<DescribedCommand>;
  /** A command to run first in the folder. Absent if there is none. */
  readonly install?: string | null;
  /** Bytes of output after which a check is ended. Default: 256 MB. */
  readonly output_limit?: number;
  /** How the checks of the run are contained. */
  readonly policy?: Pick<Policy, 'containment' | 'sandbox'>;
}

/**
 * The end of a check that must not run because an earlier check of its step failed. Null if it may run. `results` are
 * the results of the step so far.
 */
export function skipCheck(effect: Effect, results: Iterable<unknown>): EffectEnd | null {
  if (effect.kind !== 'check') return null;
  const check = effect.spec as Check;
  const failed = [...results]
    .map((result) => result as CheckResult)
    .filter(({ result }) => result === 'fail');
  const cause = failed.find(({ name }) => check.skip_if_failed?.includes(name));
  if (!cause) return null;
  const note: CheckNote = { code: 'after_failure', detail: cause.name };
  return { kind: 'done', result: emptyResult(check.name, 'skipped', note) };
}

/**
 * Runs one command in the tree with limits of time and output. All processes it started are ended before its result
 * counts. If some cannot be ended, a person is asked. Its raw output is removed. The cleaned output is stored as an
 * artefact.
 */
export async function runCheck(deps: Deps, effect: Effect, location: CheckContext): Promise<EffectEnd> {
  try {
    return await carryOut(deps, effect, location);
  } catch (error) {
    if (!(error instanceof AdapterError)) throw error;
    // A check has no failed outcome. After a system failure a person is asked and the check is repeated.
    throw new AdapterError({ ...error.failure, retry: 'transient' }, { cause: error });
  }
}

async function carryOut(deps: Deps, effect: Effect, location: CheckContext): Promise<EffectEnd> {
  const folder = path.join(deps.calls, effect.run, `${effect.turn}-${effect.n}-check`);
  await withIo(() => mkdir(folder, { recursive: true, mode: 0o700 }));
  try {
    return (
      (await installFirst(folder, deps, effect, location)) ?? (await runIn(folder, deps, effect, location))
    );
  } finally {
    await removeFolder(folder);
  }
}

/**
 * An install needs the network. Other checks have it only if the person allows it. Only an install in the tree itself
 * runs before every worker, so only it may write the packages that other runs read.
 */
function checkRoom({ policy = {}, own, install }: CheckContext, { run, spec }: Effect): Room | null {
  if (!isContained(policy)) return null;
  const isInstall = (spec as Check).name === 'install';
  const network = isInstall || policy.containment?.check_network === true;
  const cache = isInstall && own && !install ? ({ of: 'installs' } as const) : { of: 'checks' as const, run };
  return { own, writes: true, programs: [], show: [], write: [], network, cache };
}

/** Installs packages in a fresh folder. Returns the end of the check if that fails, else null. */
async function installFirst(
  folder: string,
  deps: Deps,
  effect: Effect,
  location: CheckContext,
): Promise<EffectEnd | null> {
  if (!location.install) return null;
  const { name, timeout_seconds } = effect.spec as Check;
  const spec: Check = { name: 'install', command: location.install, source: 'package.json', timeout_seconds };
  const end = await runIn(folder, deps, { ...effect, spec }, location);
  if (end.kind !== 'done') return end;
  const { result, exit } = end.result as CheckResult;
  if (result === 'pass') return null;
  const note: CheckNote = { code: 'install_failed', detail: `${location.install}: exit ${exit ?? 'none'}` };
  return { kind: 'done', result: emptyResult(name, 'unavailable', note) };
}

async function runIn(folder: string, deps: Deps, effect: Effect, location: CheckContext): Promise<EffectEnd> {
  const check = effect.spec as Check;
  const { root, own, signal, output_limit } = location;
  const stdout = path.join(folder, 'stdout');
  const room = checkRoom(location, effect);
  const { line, text } = (await location.describe?.(check)) ?? { line: check.command, text: check.command };
  const end = await runCommand(deps, {
    ...{ line, timeout_seconds: check.timeout_seconds, effect: effect.id, env: {} },
    ...{ cwd: root, stdout, signal, ...(own && { tree: root }), ...(output_limit && { output_limit }) },
    room,
  });
  if (end.note?.code === 'not_started')
    return { kind: 'done', result: emptyResult(check.name, 'unavailable', end.note) };
  if (end.left.length > 0) return troubleAt(effect, 'processes_left', { pids: end.left.join(', ') });
  if (end.interrupted) return { kind: 'interrupted' };
  const sandbox = room && { tree: root, home: deps.environment.HOME ?? '/', network: room.network };
  return { kind: 'done', result: await readCheck(deps, check, { ...end, stdout, root, sandbox, ran: text }) };
}
