import type { Answer, AnsweredBy } from '../../../src/contract/answer.ts';
import type { ConductState } from '../../../src/contract/conduct.ts';
import type { Gate } from '../../../src/contract/gate.ts';
import type { RunId } from '../../../src/contract/ids.ts';
import type { Signal } from '../../../src/contract/outcome.ts';
import { TRUST_LEVELS } from '../../../src/contract/ticket.ts';
import { refuseAnswer } from '../../../src/engine/answers.ts';
import { formatMode, parseMode } from '../../../src/engine/drive-mode.ts';
import type { Input } from '../../../src/engine/input.ts';
import type { Rejection } from '../../../src/engine/rejection.ts';
import { conductWorkflow } from '../../../src/workflows/conduct/workflow.ts';
import { BUILD } from './fixture.ts';
import { outcomes } from './outcomes.ts';
import { type Happening, nowOf, type Scene, stateOf } from './scene.ts';

/** Everything that can happen now; the same list for the same scene. */
export function happenings(scene: Scene): Happening[] {
  const { run, gate } = scene.at;
  if (run.status === 'ended') return [];
  const standing = [...commands(scene), ...signals(scene), ...surroundings];
  return gate
    ? [...delegated(scene, gate), ...answers(scene, gate), ...standing]
    : [...outcomes(scene), ...standing];
}

const signal = (value: Signal): Input => ({
  kind: 'signal',
  signal: value,
  inbox: value.type === 'command' ? null : 'in-1',
});

const surroundings: readonly Happening[] = TRUST_LEVELS.map((trust) => ({
  name: `trust level ${trust}`,
  around: { trust },
}));

/** What the runtime does at a forward gate: only what the policy says, with the mode's own provenance. */
export function delegated(scene: Scene, gate: Gate): Happening[] {
  const { mode, trust } = scene;
  if (!mode || gate.class !== 'forward') return [];
  const said = conductWorkflow.delegate?.(scene.at.run.state as never, {
    mode,
    trust,
    content: JSON.stringify(gate.brief),
  });
  if (said?.kind === 'accept') {
    const by = { agent: formatMode(mode), drive: 'dr-1' };
    const input = answerTo(scene, gate, { option: 'accept', by });
    return [{ name: `drive accept ${gate.name}`, good: true, input }];
  }
  if (said?.kind !== 'judge') return [];
  return [{ name: 'drive judge', good: true, input: signal({ type: 'judge', at: nowOf(scene) }) }];
}

const SURFACES = ['cli', 'web', 'mcp', 'github'] as const;
const EDIT = JSON.stringify({ why: ['A person says so.'] });

function answers(scene: Scene, gate: Gate): Happening[] {
  const surface = SURFACES[scene.minutes % SURFACES.length] ?? 'cli';
  const by: AnsweredBy = { person: 'ada', surface, proof: 'login' };
  return Object.entries(gate.options).map(([option, { text: asks, fields }]) => {
    const text = option === 'edit' ? EDIT : asks === 'required' ? 'make it shorter' : null;
    const remark = asks === 'optional' && scene.minutes % 3 === 0 ? 'mind the tests' : text;
    const form = fields ? Object.fromEntries(gate.fields.map(({ id }) => [id, 'Yes: --json.'])) : {};
    const input = answerTo(scene, gate, { option, by, text: remark, fields: form });
    const good = ['accept', 'answer', 'retry', 'look_again'].includes(option)
      ? ({ good: true } as const)
      : {};
    return { name: `answer ${gate.name} ${option}`, input, ...good };
  });
}

interface RecordedAnswer {
  readonly option: string;
  readonly by: AnsweredBy;
  readonly text?: string | null;
  readonly fields?: Record<string, string>;
}

export function answerTo(scene: Scene, gate: Gate, said: RecordedAnswer): Input | Rejection {
  const { option, by, text = null, fields = {} } = said;
  const { id, run, digest, iteration } = gate;
  const refused = refuseAnswer(gate, { option, text, fields, digest, typed: gate.typed });
  if (refused) return refused;
  const answer = { receipt: 'an-1', gate: id, run, iteration, option, text, fields, digest, by };
  return { kind: 'answer', answer: { ...answer, at: nowOf(scene) } };
}

const MODES = ['unattended', 'escalate', 'partial:design', 'partial:build', 'partial:verify', 'controlled'];

/** `conduct` opens a new drive in its mode (CON-111). */
function commands(scene: Scene): Happening[] {
  const given = (name: string, args: Record<string, unknown> = {}): Input =>
    signal({ type: 'command', command: name, by: 'ada', proof: 'terminal', args, at: nowOf(scene) });
  const unproven = {
    type: 'command',
    command: 'edit',
    by: 'script',
    args: { title: 'Export as CSV' },
  } as const;
  const conducts = MODES.map((mode, n): Happening => {
    const around = { mode: parseMode(mode) };
    return { name: `conduct ${mode}`, input: given('conduct'), around, ...(n === 0 ? { good: true } : {}) };
  });
  const unpark: Happening = {
    name: 'unpark',
    input: given('unpark'),
    ...(isParked(scene) ? { good: true } : {}),
  };
  const fates = Object.fromEntries(
    stateOf(scene).children.map(({ id, key }, n) => [id ?? key, n % 2 === 0 ? 'keep' : 'cancel']),
  );
  const reopens = REOPENS.map(
    (to): Happening => ({
      name: `command reopen ${to}`,
      input: given('reopen', { to, why: 'look again', fates }),
    }),
  );
  const others = COMMANDS.map(([name, args]) => ({ name: `command ${name}`, input: given(name, args) }));
  const edit = { name: 'edit without proof', input: signal({ ...unproven, at: nowOf(scene) }) };
  return [...(isParked(scene) ? [unpark] : []), ...conducts, ...reopens, ...others, edit];
}

const REOPENS = ['clarify', 'decompose', 'design', 'build'] as const;

const isParked = (scene: Scene) => stateOf(scene).phase === 'Parked';
const doc = { decide: 'This way?', items: [], recommend: { text: 'Yes.', confidence: 'high' } };
const composed = (reason: string, pending_activity: string | null, track: string | null = null) =>
  ['compose', { reason, doc, pending_activity, track }] as const;

const COMMANDS: readonly (readonly [string, Record<string, unknown>])[] = [
  ['park', { why: 'later' }],
  ['cancel', { why: null }],
  ['unpark', {}],
  ['resume', {}],
  ['edit', { title: 'Export as YAML' }],
  ['edit', { description: 'needs a migration' }],
  ['edit', { description: 'no more than that' }],
  ['edit', { labels_add: ['decision-only'] }],
  ['edit', { labels_remove: ['decision-only'] }],
  ['edit', { labels_add: ['risk:auth'] }],
  ['criteria', { add: ['it is fast'] }],
  ['criteria', { set: { 'AC-1': '--json prints it' } }],
  ['criteria', { remove: ['AC-1'] }],
  ['tracks', { required: ['product'] }],
  ['tracks', { required: ['product', 'technical'] }],
  ['advance', { activity: 'promoting' }],
  ['advance', { activity: 'researching' }],
  ['advance', { activity: 'verifying' }],
  ['advance', { activity: 'revising-building' }],
  composed('clarification-draft', 'clarifying'),
  composed('clarification-draft', null),
  composed('decomposition-proposal', 'decomposing'),
  composed('design-decision-draft', 'designing', 'technical'),
  composed('plan-draft', 'planning'),
  composed('plan-draft', null),
  composed('release-decision-pending', null),
  composed('verification-ack-pending', 'verifying'),
  composed('stale-patch-review', 'revising-promoting'),
  composed('revise-scope-review', 'revising-decomposing'),
  composed('revise-scope-review', null),
  ['findings', { entries: [{ type: 'business', title: 'Who exports', body: 'x', domains: ['data'] }] }],
  ['adopt', { id: 'B-13', title: 'Part one', state: 'Idea' }],
  ['let_go', { id: 'B-13' }],
  ['reference', { decision: 'D-1' }],
  ['consume_remark', { brief: 'B-12.b1' }],
];

function signals(scene: Scene): Happening[] {
  const at = nowOf(scene);
  const state = stateOf(scene);
  const message = (name: string, data: unknown, from = 'de-1'): Input =>
    signal({ type: 'message', from: from as RunId, name, data, at });
  const told = state.children.flatMap(({ key }, n) =>
    ['Planned', 'Verified', 'Verified', 'Parked', 'Cancelled'].map((to): Happening => {
      const data = { key, id: `B-${13 + n}`, title: `Part ${n}`, state: to, archived: false };
      return {
        name: `child ${to}`,
        input: message('child', data, `B-${13 + n}`),
        ...(to === 'Verified' ? { good: true } : {}),
      };
    }),
  );
  const superseded = { type: 'convention', id: 'D-1', superseded_by: 'D-9' };
  const building = state.building === 'child';
  const told_by = state.build_run !== null;
  const ended = (key: string): Input =>
    signal({ type: 'run_ended', run: 'de-1' as RunId, key, result: 'abandoned', at });
  const builds = [
    BUILD,
    { ...BUILD, result: 'max_rounds' },
    { ...BUILD, checks: [] },
    { ...BUILD, commit: null },
    'x',
  ];
  return [
    ...(building
      ? [
          ...builds.map(
            (report, n): Happening => ({
              name: `built ${n}`,
              input: message('built', report),
              ...(n === 0 && told_by ? { good: true } : {}),
            }),
          ),
          {
            name: 'building',
            input: message('building', null),
            ...(told_by ? {} : { good: true }),
          } satisfies Happening,
        ]
      : [{ name: 'built late', input: message('built', BUILD) }]),
    { name: 'build ended', input: ended(`build-${state.builds}`) },
    { name: 'old build ended', input: ended(`build-${state.builds - 1}`) },
    ...told,
    { name: 'superseded', input: signal({ type: 'fact', what: 'superseded', value: superseded, at }) },
    { name: 'nonsense', input: signal({ type: 'fact', what: 'nonsense', value: 1, at }) },
    { name: 'judge', input: signal({ type: 'judge', at }) },
    { name: 'adopted', input: message('adopted', {}, 'B-2') },
    { name: 'let go', input: message('let_go', {}, 'B-2') },
  ];
}

/** An answer of a drive that asked nobody: made by hand, past every check of the surfaces. */
export function byDrive(scene: Scene, gate: Gate, option: string): Answer {
  const { id, run, digest, iteration } = gate;
  const said = {
    option,
    text: 'x',
    fields: {},
    digest,
    by: { agent: 'unattended', drive: 'dr-1' },
    at: nowOf(scene),
  };
  return { receipt: 'an-1', gate: id, run, iteration, ...said };
}

/** What an awaiting ticket refers to is there. */
export function isThere(state: ConductState, ref: Readonly<Record<string, string | null>>): boolean {
  const { brief, round, build_pr, plan, reopening, parent_ticket } = state;
  switch (ref.type ?? ref.kind) {
    case 'brief':
      return ref.id !== null && ref.id === brief?.id;
    case 'round':
      return ref.id !== null && ref.id === round?.id;
    case 'release-approval':
      return ref.pr_url !== null && ref.pr_url === build_pr?.pr_url;
    case 'build-go':
      return plan !== null;
    case 'reopen':
      return ref.to !== null && ref.to === reopening?.to;
    case 'umbrella-auto-verify':
      return parent_ticket;
    default:
      return false;
  }
}

/** A pure function changes nothing it was given; one that tries throws. */
export function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(deepFreeze);
  return value;
}
