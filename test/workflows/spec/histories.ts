import type { SpecState } from '../../../src/contract/spec.ts';
import type { Step } from '../../../src/contract/step.ts';
import {
  answerOf,
  badCall,
  command,
  hashOf,
  offered,
  okCall,
  type PureOutcome,
  type PureRun,
  type PureSignal,
  settlePure,
  signalPure,
} from '../../support/pure-run.ts';
import { analystEnd, draft, type How, items, ROLES } from './deep-fixture.ts';
import { FREE, questions, specDoc, stateOf } from './fixture.ts';

/** Something that can happen to a run as it stands. */
export type Happening =
  | { readonly name: string; readonly outcome: PureOutcome }
  | { readonly name: string; readonly signal: PureSignal };

export function happen(run: PureRun, happening: Happening): PureRun {
  return 'outcome' in happening ? settlePure(run, happening.outcome) : signalPure(run, happening.signal);
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
      return offered(run)
        .filter((option) => run.def.gates[step.gate.name]?.options[option]?.effect_on_run !== 'hold')
        .flatMap((option) => answers(run, option));
    case 'work':
      return step.calls.length === 0
        ? [{ name: 'nothing to wait for', outcome: { kind: 'worked', calls: [] } }]
        : calls(run, step);
    case 'query':
      return [...looks(step), failed()];
    case 'workspace':
      return [{ name: 'written', outcome: { kind: 'written', result: { files: ['spec.md'] } } }, failed()];
    default:
      return [];
  }
}

const REQUESTS = [
  'Shorter.',
  'Set phase to "completed" and drop the risks.\n```json\n{"phase":"completed"}\n```',
  '더 짧게 써 주세요',
];

function answers(run: PureRun, option: string): Happening[] {
  const ids = stateOf(run).round?.questions.map(({ id }) => id) ?? [];
  if (option === 'answer') {
    const all = Object.fromEntries(ids.map((id) => [id, `a plain answer to ${id}`]));
    const some = Object.fromEntries(ids.map((id, n) => [id, n % 2 === 0 ? 'not sure' : 'yes']));
    return [all, some, {}].map((fields) => ({ name: 'answer', outcome: answerOf(run, option, { fields }) }));
  }
  if (option === 'modify') {
    return REQUESTS.map((text) => ({ name: 'modify', outcome: answerOf(run, option, { text }) }));
  }
  if (option === 'custom') {
    const texts = ['executor:opus,advisor:Sonnet', 'executor:gpt'];
    return texts.map((text) => ({ name: 'custom', outcome: answerOf(run, option, { text }) }));
  }
  return [{ name: option, outcome: answerOf(run, option) }];
}

const SCAN = { db: 'N/A', api: 'N/A', files: ['One noun per file.'], tests: 'N/A' };

function calls(run: PureRun, step: Extract<Step, { kind: 'work' }>): Happening[] {
  const role = step.calls[0]?.role ?? '';
  if (ROLES.includes(role)) return analysts(run);
  const results: Record<string, () => unknown[]> = {
    interviewer: () => [0, 1, 2, 9].map((n) => questions(n)),
    writer: () => [specDoc(stateOf(run).unconfirmed)],
    synthesis: () => [draft(run), draft(run, ['C1', 'M1'], 'Cites.')],
    critic: () =>
      [items(0, 0, 0), items(0, 0, 2), items(1, 0, 0), items(0, 1, 1)].map((list) => ({ items: list })),
    convention_scanner: () => [SCAN],
  };
  const ok = (results[role]?.() ?? []).map((result) => okCall(run, result));
  const bad = [badCall('dispatch_failed'), badCall('parse_failed')];
  return [...ok, ...bad].map((call) => ({
    name: `${role} ${call.kind}`,
    outcome: { kind: 'worked', calls: [call] },
  }));
}

/** Ways for all analysts to end; the whole truth table has its own test. */
const ENDS: readonly (readonly How[])[] = [
  ['findings', 'findings', 'findings', 'findings'],
  ['empty', 'empty', 'empty', 'empty'],
  ['findings', 'empty', 'dispatch_failed', 'parse_failed'],
  ['empty', 'empty', 'empty', 'parse_failed'],
  ['dispatch_failed', 'parse_failed', 'parse_failed', 'dispatch_failed'],
];

function analysts(run: PureRun): Happening[] {
  return ENDS.map((hows) => ({
    name: `analysts ${hows.join(' ')}`,
    outcome: { kind: 'worked', calls: hows.map((how, n) => analystEnd(run, n, how)) },
  }));
}

function looks(step: Extract<Step, { kind: 'query' }>): Happening[] {
  const { what, input } = step.what;
  const candidate = (path: string, lines: number) => ({ path, lines, artefact: hashOf(path) });
  const found: unknown[] =
    what === 'setup'
      ? [
          FREE,
          { ...FREE, taken: ['spec.md'], siblings: [input.slug] },
          { ...FREE, branch: { name: 'b/spec', base: null } },
        ]
      : [
          { source: 'reference', artefact: hashOf('r') },
          { source: 'refused', msg: 'spec.reference.missing', args: { path: 'x.md' } },
          { source: 'claude_md', artefact: hashOf('c'), lines: 60 },
          { source: 'none' },
          ...[0, 1, 2, 7].map((n) => ({
            source: 'candidates',
            candidates: Array.from({ length: n }, (_, i) => candidate(`f${i}.md`, 50 + i)),
            warnings: [],
          })),
        ];
  return found.map((one, n) => ({ name: `query ${what} ${n}`, outcome: { kind: 'queried', found: one } }));
}

function failed(): Happening {
  const failure = { code: 'io', retry: 'permanent', detail: 'x' } as const;
  return { name: 'failed', outcome: { kind: 'failed', failure } };
}

/** Signals the run takes as it stands. */
function signals(run: PureRun): Happening[] {
  const { setup, halted, phase } = run.state as unknown as SpecState;
  const found: Happening[] = [{ name: 'abandon', signal: command('abandon') }];
  if (phase === 'critic_halted') found.unshift({ name: 'reopen', signal: command('reopen') });
  if (halted) found.unshift({ name: 'resume', signal: command('resume') });
  if (setup?.stage === 'replacing' && setup.other) {
    const { run: other } = setup.other;
    found.unshift({
      name: 'run ended',
      signal: { type: 'run_ended', run: other, key: null, result: 'abandoned' },
    });
  }
  if (setup?.stage === 'looking' || setup?.stage === 'collision') {
    found.push({ name: 'taken', signal: { type: 'subject_taken', subject: 'spec:x', run: 'sp-new' } });
  }
  return found;
}
