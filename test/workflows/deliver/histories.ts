import type { DeliverState } from '../../../src/contract/deliver.ts';
import type { MoveRecord } from '../../../src/contract/move.ts';
import type { CallOutcome, CheckResult, Outcome, Signal } from '../../../src/contract/outcome.ts';
import type { Step } from '../../../src/contract/step.ts';
import { isRejection } from '../../../src/engine/rejection.ts';
import {
  answerOf,
  command,
  hashOf,
  offered,
  type PureOutcome,
  type PureRun,
  type PureSignal,
} from '../../support/pure-run.ts';
import {
  CHANGE_SET,
  checkResult,
  keyOf,
  NO_HANDOVER,
  okCalls,
  PROJECT,
  resultOf,
  stateOf,
  worldOf,
} from './fixture.ts';
import { evaluation, failingL2, failingL3, fix } from './results.ts';

/** Something that can happen to a run as it stands. */
export type Happening =
  | { readonly name: string; readonly outcome: PureOutcome }
  | { readonly name: string; readonly signal: PureSignal };

const AT = '2026-11-15T12:00:00.000Z';

/** One move, checked against schema and phase table; gives null where a signal is refused. */
export function happen(run: PureRun, happening: Happening): PureRun | null {
  const move =
    'outcome' in happening
      ? run.def.settle(run.state, run.step, { ...happening.outcome, at: AT } as Outcome)
      : run.def.receive(run.state, { ...happening.signal, at: AT } as Signal);
  if (isRejection(move)) {
    if ('outcome' in happening) throw new Error(`settle refused ${happening.name} at ${keyOf(run.step)}`);
    return null;
  }
  const parsed = run.def.state.safeParse(move.state);
  if (!parsed.success) throw new Error(`${happening.name} at ${keyOf(run.step)}: ${parsed.error.message}`);
  const [from, to] = [run.state.phase, move.state.phase];
  if (from !== to && !run.def.phases[from]?.to.includes(to))
    throw new Error(`${from} -> ${to} by ${happening.name}`);
  return enter(
    run,
    move.state as PureRun['state'],
    move.records,
    'interrupt' in move && move.interrupt === true,
  );
}

/** Work that runs goes on beside a signal unless the move interrupts it; everything else is asked anew. */
function enter(
  run: PureRun,
  state: PureRun['state'],
  records: readonly MoveRecord[],
  interrupt: boolean,
): PureRun {
  const next = run.def.next(state);
  void interrupt;
  return {
    ...run,
    state,
    step: next,
    records: [...run.records, ...records],
    states: [...run.states, state],
    steps: [...run.steps, next],
  };
}

/** Everything that can happen at the present step; the same list for the same state. */
export function happenings(run: PureRun): Happening[] {
  if (run.step.kind === 'end') return [];
  return [...outcomes(run), ...signals(run)];
}

function outcomes(run: PureRun): Happening[] {
  const { step } = run;
  switch (step.kind) {
    case 'gate':
      return offered(run).flatMap((option) => answers(run, option));
    case 'work':
      return step.calls.length === 0
        ? [{ name: 'pass', outcome: { kind: 'worked', calls: [] } }]
        : calls(run, step);
    case 'check':
      return checks(step);
    case 'query':
      return [...looks(run, step), failed];
    case 'workspace':
      return [...writes(run, step), failed];
    default:
      return [];
  }
}

const failed: Happening = {
  name: 'failed',
  outcome: { kind: 'failed', failure: { code: 'io', retry: 'permanent', detail: 'x' } },
};

/** Options that hold the gate never reach the workflow. */
function answers(run: PureRun, option: string): Happening[] {
  const name = run.step.kind === 'gate' ? run.step.gate.name : '';
  const definition = run.def.gates[name]?.options[option];
  if (definition?.effect_on_run === 'hold') return [];
  const texts =
    definition?.text === 'required' ? ['executor:opus', '더 짧게', 'Set phase to completed.'] : [null];
  return texts.map((text) => ({ name: `${name} ${option}`, outcome: answerOf(run, option, { text }) }));
}

const bad = (kind: 'dispatch_failed' | 'parse_failed'): CallOutcome => ({
  kind,
  detail: 'x',
  text: kind === 'parse_failed' ? hashOf('x') : null,
  attempts: 3,
});

function calls(run: PureRun, step: Extract<Step, { kind: 'work' }>): Happening[] {
  const state = stateOf(run);
  const good = okCalls(
    run,
    step.calls.map((call) => resultOf(run, call)),
  );
  const worked = (name: string, list: CallOutcome[]): Happening => ({
    name,
    outcome: { kind: 'worked', calls: list },
  });
  const variants: Record<string, unknown[]> = {
    evaluator: [failingL2(state), failingL3(state), { ...evaluation(state), verdict: 'FAIL' }],
    auto_fix_proposer: [fix({ diff: '' }), fix({ confidence: 'Low', limitations: 'x' })],
  };
  const role = step.calls[0]?.role ?? '';
  const others = (variants[role] ?? []).map((result, n) =>
    worked(`${role} variant ${n}`, okCalls(run, [result])),
  );
  const broken = (['dispatch_failed', 'parse_failed'] as const).map((kind) =>
    worked(
      `${role} ${kind}`,
      step.calls.map(() => bad(kind)),
    ),
  );
  const mixed =
    step.calls.length > 1
      ? [
          worked(
            `${role} partly`,
            good.map((call, n) => (n === 0 ? bad('parse_failed') : call)),
          ),
        ]
      : [];
  return [worked(`${role} ok`, good), ...others, ...broken, ...mixed];
}

function checks(step: Extract<Step, { kind: 'check' }>): Happening[] {
  const all = (name: string, make: (check: string) => CheckResult): Happening => ({
    name: `checks ${name}`,
    outcome: { kind: 'checked', checks: step.checks.map((check) => make(check.name)) },
  });
  return [
    all('pass', (name) => checkResult(name, 'pass')),
    all('test fails', (name) => checkResult(name, name === 'test' ? 'fail' : 'pass')),
    all('test fails by name', (name) =>
      checkResult(name, name === 'test' ? 'fail' : 'pass', name === 'test' ? ['test/a.ts wrong'] : []),
    ),
    all('lint fails', (name) => checkResult(name, name === 'lint' ? 'fail' : 'pass')),
    all('build fails', (name) => checkResult(name, name === 'build' ? 'fail' : 'skipped')),
    all('gone', (name) => checkResult(name, 'unavailable')),
  ];
}

function looks(run: PureRun, step: Extract<Step, { kind: 'query' }>): Happening[] {
  const { what } = step.what;
  const none = { lang: 'unknown', build: null, test: null, lint: null, type_check: null };
  const found: Record<string, unknown[]> = {
    project: [PROJECT, none],
    handover: [
      NO_HANDOVER,
      { ...NO_HANDOVER, conventions: hashOf('c'), qa_notes: hashOf('n'), unreadable: ['spec.md'] },
    ],
    conventions: [
      { source: 'claude_md', artefact: hashOf('rules'), lines: 60 },
      { source: 'none' },
      { source: 'candidates', candidates: [], warnings: [] },
      { source: 'refused', msg: 'conventions.query_failed', args: { code: 'x', detail: 'x' } },
    ],
    content: [{ content: CHANGE_SET.content }, { content: 'altered' }],
    change_set: [
      CHANGE_SET,
      {
        ...CHANGE_SET,
        tree: 'tree-2',
        outside: [{ path: 'x.env', code: 'outside_scope' }],
        alters_checks: ['package.json'],
      },
      { ...CHANGE_SET, modified: [], created: [], todo: [{ path: 'src/a.ts', line: 1, text: 'TODO' }] },
    ],
  };
  const world = worldOf(run);
  if (what === 'setup') return world ? [{ name: 'query setup', outcome: world }] : [];
  return (found[what] ?? []).map((one, n) => ({
    name: `query ${what} ${n}`,
    outcome: { kind: 'queried', found: one },
  }));
}

function writes(run: PureRun, step: Extract<Step, { op: unknown }>): Happening[] {
  const { op } = step.op;
  const refused = ['failed_hunk', 'path_violation'].map(
    (reason): Happening => ({
      name: `patch ${reason}`,
      outcome: { kind: 'written', result: { applied: false, reason } },
    }),
  );
  const world = worldOf(run);
  const ok: Happening[] = world ? [{ name: `${op} ok`, outcome: world }] : [];
  return op === 'apply_patch' ? [...ok, ...refused] : ok;
}

/** Commands a person could give now; what is refused is left out by the caller. */
function signals(run: PureRun): Happening[] {
  const state = stateOf(run);
  const commands = ['resume', 'generate', 'verify', 'evaluate', 'restart', 'abandon'].map((name) => ({
    name: `command ${name}`,
    signal: command(name),
  }));
  return [...commands, ...otherSignals(state)];
}

function otherSignals({ setup, conventions }: DeliverState): Happening[] {
  const found: Happening[] = [];
  if (setup?.stage === 'replacing' && setup.other) {
    const { run } = setup.other;
    found.push({ name: 'run ended', signal: { type: 'run_ended', run, key: null, result: 'abandoned' } });
  }
  if (setup?.stage === 'looking') {
    found.push({ name: 'taken', signal: { type: 'subject_taken', subject: 'x', run: 'de-new' } });
  }
  if (conventions && conventions !== 'skipped') {
    const value = conventions.artefact;
    found.push({ name: 'missing', signal: { type: 'fact', what: 'artefact_missing', value } });
  }
  return found;
}

/** Ends of the run by giving up: possible everywhere, so a random history takes them rarely. */
export function isGivingUp({ name }: Happening): boolean {
  return name === 'command abandon' || name === 'command restart';
}
