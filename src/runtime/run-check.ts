import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import type { Effect } from '../contract/change.ts';
import type { CheckNote, CheckResult } from '../contract/outcome.ts';
import type { Check } from '../contract/step.ts';
import { AdapterError } from '../engine/errors.ts';
import type { Exit, Running } from '../ports/processes.ts';
import { removeFolder, sizeOf, withIo } from './check-file.ts';
import { type CheckEnd, emptyResult, readCheck } from './check-result.ts';
import type { Deps } from './deps.ts';
import { type EffectEnd, troubleAt } from './job.ts';

/** Where a check runs. `own`: the tree is Baton's, so a sweep may end whatever works in it. */
export interface CheckPlace {
  readonly root: string;
  readonly own: boolean;
  readonly signal: AbortSignal;
  /** Bytes of output after which a check is ended; 256 MB unless given. */
  readonly output_limit?: number;
}

const OUTPUT_LIMIT = 256 * 1024 * 1024;
const LOOK_MS = 100;

/** Nobody sits in front of a check: no colours, no watch mode, no questions. */
const UNATTENDED = { CI: 'true', NO_COLOR: '1', TERM: 'dumb' };

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
  const stdout = path.join(folder, 'stdout');
  const started = performance.now();
  const running = await start(deps, effect, place, stdout);
  if ('code' in running) return { kind: 'done', result: emptyResult(check.name, 'unavailable', running) };
  const end = await endOf(running, check, stdout, place);
  const seconds = Math.round(performance.now() - started) / 1000;
  const { left } = await deps.processes.sweep(effect.id, ...(place.own ? [place.root] : []));
  if (left.length > 0) return troubleAt(effect, 'processes_left', { pids: left.join(', ') });
  if (end === 'interrupted') return { kind: 'interrupted' };
  return {
    kind: 'done',
    result: await readCheck(deps, check, { ...end, seconds, stdout, root: place.root }),
  };
}

/** The running command, or why there is none: a command that cannot be started is not there. */
async function start(
  deps: Deps,
  effect: Effect,
  { root, signal }: CheckPlace,
  stdout: string,
): Promise<Running | CheckNote> {
  const { command } = effect.spec as Check;
  try {
    return await deps.processes.spawn({
      // One file for both streams keeps their order.
      argv: ['/bin/sh', '-c', `exec 2>&1\n${command}`],
      cwd: root,
      mark: `${effect.id}.1`,
      env: { ...deps.environment, ...UNATTENDED },
      stdin: '',
      stdout,
      stderr: `${stdout}.err`,
      signal,
    });
  } catch (error) {
    if (!(error instanceof AdapterError) || error.failure.retry === 'transient') throw error;
    // No stored row names a folder of this machine.
    return { code: 'not_started', detail: error.failure.detail.replaceAll(root, '.') };
  }
}

/** Waits for the command, its limits or the person's stop, whichever comes first. */
async function endOf(
  running: Running,
  check: Check,
  stdout: string,
  place: CheckPlace,
): Promise<CheckEnd | 'interrupted'> {
  const { signal, output_limit = OUTPUT_LIMIT } = place;
  const deadline = performance.now() + check.timeout_seconds * 1000;
  const bell = createBell();
  let exit: Exit | null = null;
  void running.exit.then((found) => {
    exit = found;
    bell.ring();
  });
  signal.addEventListener('abort', bell.ring);
  try {
    for (;;) {
      if (signal.aborted) return 'interrupted';
      if ((await sizeOf(stdout)) > output_limit) return stopped('output_limit', `${output_limit} bytes`);
      if (exit) return exited(exit);
      const rest = deadline - performance.now();
      if (rest <= 0) return { ...stopped('time_limit', `${check.timeout_seconds} seconds`), timed_out: true };
      await bell.sleep(Math.min(rest, LOOK_MS));
    }
  } finally {
    signal.removeEventListener('abort', bell.ring);
  }
}

/** A sleep that ends early when somebody rings; a ring while nobody sleeps is lost, so look before sleeping. */
function createBell(): { ring(): void; sleep(ms: number): Promise<void> } {
  let wake: (() => void) | null = null;
  return {
    ring: () => wake?.(),
    sleep: (ms) =>
      new Promise((resolve) => {
        const timer = setTimeout(resolve, ms);
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      }),
  };
}

function exited({ code, signal }: Exit): CheckEnd {
  const note: CheckNote | null = code === null ? { code: 'ended_by_signal', detail: signal ?? '' } : null;
  return { exit: code, timed_out: false, note };
}

function stopped(code: CheckNote['code'], detail: string): CheckEnd {
  return { exit: null, timed_out: false, note: { code, detail } };
}
