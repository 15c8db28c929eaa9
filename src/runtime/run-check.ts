import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import type { Effect } from '../contract/change.ts';
import type { CheckNote, CheckResult } from '../contract/outcome.ts';
import type { Check } from '../contract/step.ts';
import { AdapterError } from '../engine/errors.ts';
import { removeFolder, withIo } from './check-file.ts';
import { emptyResult, readCheck } from './check-result.ts';
import type { Deps } from './deps.ts';
import { type EffectEnd, troubleAt } from './job.ts';
import { runCommand } from './run-command.ts';

/** Where a check runs. `own`: the tree is Baton's, so a sweep may end whatever works in it. */
export interface CheckPlace {
  readonly root: string;
  readonly own: boolean;
  readonly signal: AbortSignal;
  /** Bytes of output after which a check is ended; 256 MB unless given. */
  readonly output_limit?: number;
}

/**
 * The end of a check that must not run because an earlier one of its step failed; null when it may run. `results` are
 * those of the step so far.
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
 * Runs one command in the tree with a limit of time and of output. Whatever it started is ended before its result
 * counts; what would not go is asked about. Its raw output is removed, the cleaned one is an artefact.
 */
export async function runCheck(deps: Deps, effect: Effect, place: CheckPlace): Promise<EffectEnd> {
  try {
    return await carryOut(deps, effect, place);
  } catch (error) {
    if (!(error instanceof AdapterError)) throw error;
    // A check has no failed outcome: what the world broke around it is asked about, and the check repeated.
    throw new AdapterError({ ...error.failure, retry: 'transient' }, { cause: error });
  }
}

async function carryOut(deps: Deps, effect: Effect, place: CheckPlace): Promise<EffectEnd> {
  const folder = path.join(deps.calls, effect.run, `${effect.turn}-${effect.n}-check`);
  await withIo(() => mkdir(folder, { recursive: true, mode: 0o700 }));
  try {
    return await runIn(folder, deps, effect, place);
  } finally {
    await removeFolder(folder);
  }
}

async function runIn(folder: string, deps: Deps, effect: Effect, place: CheckPlace): Promise<EffectEnd> {
  const check = effect.spec as Check;
  const { root, own, signal, output_limit } = place;
  const stdout = path.join(folder, 'stdout');
  const end = await runCommand(deps, {
    ...{ line: check.command, timeout_seconds: check.timeout_seconds, effect: effect.id, env: {} },
    ...{ cwd: root, stdout, signal, ...(own && { tree: root }), ...(output_limit && { output_limit }) },
  });
  if (end.note?.code === 'not_started')
    return { kind: 'done', result: emptyResult(check.name, 'unavailable', end.note) };
  if (end.left.length > 0) return troubleAt(effect, 'processes_left', { pids: end.left.join(', ') });
  if (end.interrupted) return { kind: 'interrupted' };
  return { kind: 'done', result: await readCheck(deps, check, { ...end, stdout, root }) };
}
