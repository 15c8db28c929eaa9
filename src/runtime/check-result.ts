import type { Hash } from '../contract/ids.ts';
import type { CheckFailure, CheckNote, CheckResult } from '../contract/outcome.ts';
import type { Check } from '../contract/step.ts';
import { type OutputItem, parseCheckOutput } from '../engine/check-output.ts';
import { fingerprintText, itemKeys } from '../engine/checks/fingerprint.ts';
import { compareTests, type TestNames } from '../engine/checks/test-names.ts';
import { AdapterError } from '../engine/errors.ts';
import { type SandboxContext, sandboxHint } from '../engine/sandbox-hints.ts';
import type { Deps } from './deps.ts';
import { readOutput, shorten } from './read-output.ts';
import type { CommandEnd } from './run-command.ts';

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
export function emptyResult(
  name: string,
  result: CheckResult['result'],
  note: CheckNote | null,
): CheckResult {
  return {
    ...{ name, result, exit: null, timed_out: false, seconds: 0, output: null, note },
    ...{ tool: null, counts: null, problems: null },
    ...{ failures: [], keys: [], complete: true, fingerprint: null },
  };
}

/** Builds the result of an ended command from its exit code and its output file. */
export async function readCheck(deps: Deps, check: Check, end: EndedCheck): Promise<CheckResult> {
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
