import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import type { Effect } from '../contract/change.ts';
import type { Hash } from '../contract/ids.ts';
import type { CheckFailure, CheckNote, CheckResult } from '../contract/outcome.ts';
import type { Policy } from '../contract/run.ts';
import type { Check } from '../contract/step.ts';
import { type OutputItem, parseCheckOutput } from '../engine/check-output.ts';
import type { DescribedCommand } from '../engine/checks/describe-command.ts';
import { fingerprintText, itemKeys } from '../engine/checks/fingerprint.ts';
import { compareTests, type TestNames } from '../engine/checks/test-names.ts';
import { isContained } from '../engine/containment.ts';
import { AdapterError } from '../engine/errors.ts';
import { type SandboxContext, sandboxHint } from '../engine/sandbox-hints.ts';
import type { Room } from '../ports/processes.ts';
import { removeFolder, withIo } from './check-file.ts';
import type { Deps } from './deps.ts';
import { type EffectEnd, troubleAt } from './job.ts';
import { readOutput, shorten } from './read-output.ts';
import { type CommandEnd, runCommand } from './run-command.ts';

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

interface EndedCheck extends CommandEnd {
  readonly seconds: number;
  readonly stdout: string;
  readonly root: string;
  /** The sandbox it ran in. Null: it ran without one. */
  readonly sandbox: SandboxContext | null;
  /** What the command actually runs in its tree. */
  readonly ran: string;
  /** Programs that it left running and Baton ended. */
  readonly programs: readonly string[];
}

const MAX_FAILURES = 40;
const MAX_KEYS = 1_000;
const KEY_DIGITS = 10;

/** A check result without any output. */
function emptyResult(name: string, result: CheckResult['result'], note: CheckNote | null): CheckResult {
  return {
    ...{ name, result, exit: null, timed_out: false, seconds: 0, output: null, note },
    ...{ tool: null, counts: null, problems: null },
    ...{ failures: [], keys: [], complete: true, fingerprint: null },
  };
}

/** Builds the result of an ended command from its exit code and its output file. */
async function readCheck(deps: Deps, check: Check, end: EndedCheck): Promise<CheckResult> {
  const read = await readOutput(end.stdout);
  const { text, left_out } = read;
  const parsed = parseCheckOutput(text, end.root);
  const result = resultOf(end);
  const told: CheckResult = {
    ...emptyResult(check.name, result, end.note),
    ...{ exit: end.exit, timed_out: end.timed_out, seconds: end.seconds },
    output: await deps.artefacts.put(shorten(read)),
    ...{ tool: parsed.tool, counts: parsed.counts, problems: parsed.problems },
    ...(left_out === 0 && parsed.tests && (await namesOf(deps, check, parsed.tests))),
    ran: shortText(deps, end.ran),
    ...(end.programs.length > 0 && { left: end.programs }),
  };
  if (result !== 'fail') return told;
  const hint = end.sandbox && sandboxHint(text, end.sandbox);
  const complete = parsed.complete && left_out === 0 && end.note === null;
  return {
    ...told,
    ...(hint && { hint }),
    ...failuresOf(deps, parsed.items, complete),
    fingerprint: fingerprintOf(deps, parsed.items, text, end),
  };
}

/** Stores the test names. Compares them with those of the untouched tree if these are still stored. */
async function namesOf(
  deps: Deps,
  { names_before }: Check,
  now: TestNames,
): Promise<Pick<CheckResult, 'names' | 'compared'>> {
  const names = await deps.artefacts.put(JSON.stringify(now));
  const before = names_before ? await readNames(deps, names_before) : null;
  return { names, ...(before && { compared: compareTests(before, now) }) };
}

async function readNames(deps: Deps, hash: Hash): Promise<TestNames | null> {
  try {
    return JSON.parse(await deps.artefacts.get(hash)) as TestNames;
  } catch (error) {
    if (!(error instanceof AdapterError)) throw error;
    return null; // the workflow then compares the counts
  }
}

const TEXT_LIMIT = 600;

/** Shortens a text so that two short texts are equal exactly if the whole texts are. */
function shortText(deps: Deps, text: string): string {
  return text.length <= TEXT_LIMIT ? text : `${text.slice(0, 400).toWellFormed()} … ${deps.hash(text)}`;
}

/** The exit code decides. 127 means that the shell did not find the command. */
function resultOf({ exit }: CommandEnd): CheckResult['result'] {
  if (exit === 127) return 'unavailable';
  return exit === 0 ? 'pass' : 'fail';
}

function failuresOf(
  deps: Deps,
  items: readonly OutputItem[],
  complete: boolean,
): Pick<CheckResult, 'failures' | 'keys' | 'complete'> {
  const [errors, warnings] = [ofLevel(items, 'error'), ofLevel(items, 'warning')];
  const short = (text: string) => deps.hash(text).slice('sha256:'.length, 'sha256:'.length + KEY_DIGITS);
  const errorKeys = itemKeys(errors).map(short);
  const warningKeys = itemKeys(warnings).map((text) => `w${short(text)}`);
  const [failing, keys] = errors.length > 0 ? [errors, errorKeys] : [warnings, warningKeys];
  const failures = failing.slice(0, MAX_FAILURES).map(({ file, line, text }, n): CheckFailure => {
    return { file, line, text, key: keys[n] ?? '' };
  });
  return {
    failures,
    keys: [...errorKeys, ...warningKeys].slice(0, MAX_KEYS),
    complete: complete && failing.length <= MAX_KEYS,
  };
}

function fingerprintOf(deps: Deps, items: readonly OutputItem[], output: string, end: CommandEnd) {
  const errors = ofLevel(items, 'error');
  const failing = errors.length > 0 ? errors : items;
  return deps.hash(fingerprintText({ items: failing, output, exit: end.exit, timed_out: end.timed_out }));
}

function ofLevel(items: readonly OutputItem[], level: OutputItem['level']): readonly OutputItem[] {
  return items.filter((item) => item.level === level);
}
