import { expect } from 'vitest';
import * as z from 'zod';
import { ApprovedSpec } from '../../../src/contract/approved-spec.ts';
import type { DeliverChanges, DeliverState } from '../../../src/contract/deliver.ts';
import type { CallOutcome, CheckResult } from '../../../src/contract/outcome.ts';
import type { SlotRef, Step, WorkerCall } from '../../../src/contract/step.ts';
import { renderPrompt } from '../../../src/engine/prompt.ts';
import type { StartFacts } from '../../../src/engine/workflow.ts';
import { withChanges } from '../../../src/workflows/deliver/moves.ts';
import { deliverWorkflow } from '../../../src/workflows/deliver/workflow.ts';
import {
  answerOf,
  entries,
  hashOf,
  type PureOutcome,
  type PureRun,
  settlePure,
  startFacts,
  startPure,
} from '../../support/pure-run.ts';
import { templateOf } from '../../support/texts.ts';
import { resultFor } from './results.ts';

export const TASK = 'Add a --json flag to the export command';
export const SLUG = 'add-a-json-flag-to-the-export-command';
export const GIT = { branch: 'main', head: 'a'.repeat(40) };
const PATHS = { modified: ['src/export.ts'], created: ['test/export.test.ts'], deleted: [] };

export function stateOf(run: PureRun): DeliverState {
  return run.state as unknown as DeliverState;
}

export function withState(run: PureRun, changes: DeliverChanges): PureRun {
  const state = { ...withChanges(stateOf(run), changes) };
  return { ...run, state, step: run.def.next(state), states: [...run.states, state] };
}

export function begin(input: Record<string, unknown> = {}, facts: Partial<StartFacts> = {}): PureRun {
  const { from_spec, ...rest } = input;
  const approved_spec = from_spec
    ? ApprovedSpec.parse({ lang: 'en', path: 'docs/baton/x/spec.md', ...from_spec })
    : null;
  const named = { from_spec: approved_spec?.run ?? null };
  const run = startPure(
    deliverWorkflow,
    { task: TASK, mode: 'single', model_config: 'balanced', ...named, ...rest },
    startFacts({ run: 'de-7k2', git: GIT, folder: 'photo-tool', approved_spec, ...facts }),
  );
  return { ...run, passes: true };
}

/** The name a step is settled by: kind and what it is about. */
export function keyOf(step: Step): string {
  switch (step.kind) {
    case 'gate':
      return `gate ${step.gate.name}`;
    case 'work':
      return `work ${step.calls.map(({ role }) => role).join('+')}`.trim();
    case 'query':
      return `query ${step.what.what}`;
    case 'workspace':
      return `workspace ${step.op.op}`;
    default:
      return step.kind;
  }
}

/** A valid result of the role, made for the state it works on. */
export function resultOf(run: PureRun, call: Pick<WorkerCall, 'role'>): unknown {
  return resultFor(stateOf(run), call);
}

/** A worker's valid result: it has passed schema and check of its role, as the runtime would see to. */
export function okCalls(run: PureRun, results: readonly unknown[]): CallOutcome[] {
  if (run.step.kind !== 'work') throw new Error('no worker is at work');
  return run.step.calls.map((call, index) => {
    const role = run.def.roles[call.role];
    const value = role?.result.parse(results[index]);
    expect(role?.check?.(value as never, run.state, call) ?? []).toEqual([]);
    const artefact = hashOf(JSON.stringify(value));
    kept.set(artefact, JSON.stringify(value));
    return { kind: 'ok', result: value, artefact, line: null };
  });
}

/** Texts of artefacts by hash, as the store would have them. */
export const kept = new Map<string, string>();

export function keep(text: string): `sha256:${string}` {
  kept.set(hashOf(text), text);
  return hashOf(text);
}

/** The prompt a call would be sent with, slots filled as the runtime fills them. */
export function promptOf(run: PureRun, call: WorkerCall): string {
  const role = run.def.roles[call.role];
  if (!role) throw new Error(`no role ${call.role}`);
  const slots = role.slots.flatMap(({ name, max, each, preamble }) => {
    const ref = call.slots[name];
    return textsOf(run, ref, each ?? false).map((text) => ({
      name,
      text,
      max,
      ...(preamble ? { preamble } : {}),
    }));
  });
  const schema = JSON.stringify(z.toJSONSchema(role.result, { io: 'input' }));
  return renderPrompt({
    template: templateOf(role),
    slots,
    nonce: 'n0',
    schema,
    result_file: '/out/result.json',
  });
}

function textsOf(run: PureRun, ref: SlotRef | undefined, each: boolean): string[] {
  if (!ref) return each ? [] : [''];
  if ('text' in ref) return [ref.text];
  if ('artefact' in ref) return [kept.get(ref.artefact) ?? ref.artefact];
  if ('json' in ref) return [JSON.stringify(ref.json)];
  if ('brief' in ref) return [JSON.stringify(ref.brief)];
  const found = entries(run, ref.records);
  return each ? found.map((entry) => (entry as { text: string }).text) : [JSON.stringify(found)];
}

export function worked(run: PureRun, ...results: unknown[]): PureOutcome {
  return { kind: 'worked', calls: okCalls(run, results) };
}

export function failedCalls(
  run: PureRun,
  kind: 'dispatch_failed' | 'parse_failed' = 'parse_failed',
): PureOutcome {
  const text = kind === 'parse_failed' ? hashOf('garbage') : null;
  const calls = run.step.kind === 'work' ? run.step.calls : [];
  return { kind: 'worked', calls: calls.map(() => ({ kind, detail: 'nothing', text, attempts: 3 })) };
}

/** One command's end. A failing one names `failures` by file, unless it names none. */
export function checkResult(
  name: string,
  result: CheckResult['result'],
  failures: readonly string[] = [],
): CheckResult {
  const fails = result === 'fail';
  const keys = failures.map((text) => `e ${text}`);
  return {
    name,
    result,
    exit: result === 'pass' ? 0 : fails ? 1 : result === 'unavailable' ? 127 : null,
    timed_out: false,
    seconds: 1,
    output: result === 'skipped' ? null : hashOf(`${name} ${result} ${failures.join()}`),
    note: null,
    tool: null,
    counts: null,
    problems: null,
    failures: failures.map((text) => ({
      file: text.split(' ')[0] ?? null,
      line: 41,
      text,
      key: `e ${text}`,
    })),
    keys,
    complete: keys.length > 0 || !fails,
    fingerprint: fails ? hashOf(`${name} ${failures.join()}`) : null,
  };
}

/** Results of the present check step: all pass, but for those named. */
export function checked(run: PureRun, results: Record<string, CheckResult> = {}): PureOutcome {
  if (run.step.kind !== 'check') throw new Error('no check is running');
  return {
    kind: 'checked',
    checks: run.step.checks.map(({ name }) => results[name] ?? checkResult(name, 'pass')),
  };
}

export const failing = (run: PureRun, ...failures: string[]) =>
  checked(run, { test: checkResult('test', 'fail', failures) });

export const CHANGE_SET = {
  ...PATHS,
  tree: 'tree-1',
  content: 'content-1',
  diff: null,
  outside: [],
  too_many: false,
  alters_checks: [],
  todo: [],
};

export const PROJECT = {
  lang: 'typescript',
  build: { command: 'npm run build', source: 'package.json' },
  test: { command: 'npm test', source: 'package.json' },
  lint: { command: 'npm run lint', source: 'package.json' },
  type_check: null,
};

export const NO_HANDOVER = {
  qa_notes: null,
  critic_findings: null,
  conventions: null,
  spec: null,
  unreadable: [],
};

/** How the world answers when nothing is said: everything works, people go on. */
const WORLD: Readonly<Record<string, (run: PureRun) => PureOutcome>> = {
  'query setup': (run) => ({
    kind: 'queried',
    found: { taken: [], siblings: [], branch: branchIn(run) },
  }),
  'workspace open_tree': () => ({ kind: 'written', result: { snapshot: 'start' } }),
  'workspace take_base': () => ({ kind: 'written', result: { snapshot: 'de-7k2/9/0/base' } }),
  'query project': () => ({ kind: 'queried', found: PROJECT }),
  'query handover': () => ({ kind: 'queried', found: NO_HANDOVER }),
  'query conventions': () => ({
    kind: 'queried',
    found: { source: 'claude_md', artefact: hashOf('rules'), lines: 60 },
  }),
  'query content': (run) => ({ kind: 'queried', found: { content: stateOf(run).attempt.changes?.content } }),
  'query change_set': () => ({ kind: 'queried', found: CHANGE_SET }),
  check: (run) => checked(run),
  'workspace write_documents': () => ({ kind: 'written', result: { files: [] } }),
  'workspace apply_patch': () => ({ kind: 'written', result: { applied: true, files: ['src/export.ts'] } }),
  'workspace commit': () => ({ kind: 'written', result: { commit: 'c'.repeat(40), skipped: [] } }),
  'workspace publish': () => ({ kind: 'written', result: {} }),
  'workspace clean_up': () => ({ kind: 'written', result: {} }),
  'workspace save_patch': () => ({ kind: 'written', result: { patch: hashOf('patch') } }),
  'gate spec': (run) => answerOf(run, 'proceed'),
  'gate conventions': (run) => answerOf(run, 'skip'),
  'gate commit': (run) => answerOf(run, 'code_only'),
};

function branchIn(run: PureRun): { name: string; base: string } | null {
  const name = run.step.kind === 'query' ? run.step.what.input.branch : null;
  return typeof name === 'string' ? { name, base: GIT.head } : null;
}

export function worldOf(run: PureRun): PureOutcome | null {
  const { step } = run;
  if (step.kind === 'work') return worked(run, ...step.calls.map((call) => resultOf(run, call)));
  return WORLD[keyOf(step)]?.(run) ?? null;
}

type Reply = (run: PureRun, nth: number) => PureOutcome | PureRun | null;

/**
 * Goes on from the present step until a step named in `until` is reached or nothing answers. `replies` take the place
 * of the world for a step, with the number of times it was met; null stops there.
 */
export function play(
  run: PureRun,
  replies: Readonly<Record<string, Reply>> = {},
  until: readonly string[] = [],
): PureRun {
  const met = new Map<string, number>();
  let at = run;
  for (let steps = 0; steps < 400; steps += 1) {
    const key = keyOf(at.step);
    if (until.includes(key) || until.includes(`phase ${at.state.phase}`)) return at;
    const nth = (met.get(key) ?? 0) + 1;
    met.set(key, nth);
    const reply = Object.hasOwn(replies, key) ? (replies[key] as Reply)(at, nth) : worldOf(at);
    if (reply === null) return at;
    at = 'def' in reply ? reply : settlePure(at, reply);
  }
  throw new Error('the run does not come to rest');
}

/** Names of all steps from one run to a later one, empty ones left out. */
export function stepsOf(run: PureRun): string[] {
  return run.steps.map(keyOf).filter((key) => key !== 'work');
}

/** The calls of every worker step so far. */
export function callsOf(run: PureRun): WorkerCall[][] {
  return run.steps.flatMap((step) =>
    step.kind === 'work' && step.calls.length > 0 ? [[...step.calls]] : [],
  );
}

export function rolesOf(run: PureRun): string[] {
  return callsOf(run).map((calls) => calls.map(({ role }) => role).join('+'));
}

export function phasesOf(run: PureRun): string[] {
  return run.states.map(({ phase }) => phase).filter((phase, n, all) => phase !== all[n - 1]);
}
