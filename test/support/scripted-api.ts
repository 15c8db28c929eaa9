import type { AnswerInput, Person } from '../../src/contract/answer.ts';
import type { Text } from '../../src/contract/brief.ts';
import type { RunEvent } from '../../src/contract/event.ts';
import type { Draft, FieldSpec, Gate, StoredOption } from '../../src/contract/gate.ts';
import type { Run } from '../../src/contract/run.ts';
import { refuseAnswer } from '../../src/engine/answers.ts';
import type { Caller } from '../../src/engine/operation.ts';
import { isRejection, type Rejection, reject } from '../../src/engine/rejection.ts';
import { brief } from '../../src/engine/whole-brief.ts';
import type { Api } from '../../src/runtime/api.ts';
import type {
  Asleep,
  DriveHandle,
  Progress,
  RunView,
  ShownArtefact,
  StopPoint,
} from '../../src/runtime/views.ts';
import { callerOf, TESTER } from './caller.ts';
import { guarded, NEEDS_PERSON, nameOf } from './scripted-guard.ts';
import { NO_DECISIONS, NO_TICKETS } from './scripted-tickets.ts';

const AT = '2026-11-15T10:00:00.000Z';
const DIGEST = `sha256:${'a'.repeat(64)}` as const;
const DOC = `sha256:${'d'.repeat(64)}` as const;

const WORDS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  en: {
    approve: 'Approve',
    modify: 'Modify',
    stop: 'Stop',
    answer: 'Answer',
    skip: 'Skip',
    title: 'Approval',
  },
  ko: {
    approve: '승인',
    modify: '수정',
    stop: '중단',
    answer: '답하기',
    skip: '건너뛰기',
    title: '최종 승인',
  },
};

/** Arguments stand behind the message id, so that a test sees them. */
function translate(lang: string, text: Text): string {
  if (typeof text === 'string') return text;
  const args = Object.values(text.args ?? {}).join(' ');
  return `${WORDS[lang]?.[text.msg] ?? text.msg}${args === '' ? '' : ` ${args}`}`;
}

function option(key: string, more: Partial<StoredOption> = {}): StoredOption {
  return {
    text: 'none',
    effect_on_run: 'settle',
    label: { msg: key },
    description: { msg: `${key} leads here` },
    ...more,
  };
}

/** An approval gate unless told otherwise: approve, modify (bare text), stop. */
export function gate(more: Partial<Gate> = {}): Gate {
  return {
    id: 'sp-3aa.g1',
    run: 'sp-3aa',
    turn: 3,
    name: 'approval',
    class: 'decision',
    title: { msg: 'title' },
    iteration: 1,
    status: 'open',
    digest: DIGEST,
    brief: brief({ decide: 'Build this?' }),
    options: {
      approve: option('approve'),
      modify: option('modify', { text: 'required', bareText: true }),
      stop: option('stop', { effect_on_run: 'end' }),
    },
    fields: [],
    artefacts: { spec: DOC },
    typed: null,
    opened_at: AT,
    closed_at: null,
    ...more,
  };
}

const QUESTIONS: readonly FieldSpec[] = [
  { id: 'q1', text: 'Which photo formats?', why: 'decides the reader', required: false },
  { id: 'q2', text: 'What if two photos share a second?', why: 'names must not collide', required: false },
];

/** One round of questions as one gate. */
export function formGate(more: Partial<Gate> = {}): Gate {
  const options = { answer: option('answer', { fields: true }), skip: option('skip') };
  return gate({ name: 'questions', class: 'question', options, fields: QUESTIONS, artefacts: {}, ...more });
}

export function run(more: Partial<Run> = {}): Run {
  return {
    id: 'sp-3aa',
    workflow: 'spec',
    version: 1,
    parent: null,
    parent_key: null,
    title: 'A tool that renames photos by date',
    lang: 'en',
    policy: {
      namespace: 'baton',
      agent: 'rehearsal',
      script: null,
      in_place: false,
      tree: 'checkout',
      unattended: false,
      budget: { money_usd: 5, tokens: null, worker_minutes: 60, attempts: null },
    },
    created_at: AT,
    subject: 'spec:rename',
    status: 'working',
    phase: 'spec_ready',
    turn: 3,
    step: { kind: 'query', during: 'spec_ready', what: { what: 'setup', input: {} } },
    counters: {},
    trouble: null,
    halt: null,
    state: { branch: 'baton/spec-rename', docs_path: 'docs/baton/rename/' },
    revision: 5,
    seq: 6,
    epoch: 1,
    holder: null,
    updated_at: AT,
    ...more,
  };
}

export function rest(more: Partial<StopPoint> = {}): StopPoint {
  return {
    run: 'sp-3aa',
    parent: null,
    status: 'waiting',
    phase: 'spec_ready',
    gate: null,
    wait: null,
    halt: null,
    outcome: null,
    elsewhere: null,
    successor: null,
    pause: null,
    mode: null,
    ...more,
  };
}

export const ENDED: StopPoint = rest({ status: 'ended', phase: 'completed', outcome: 'approved' });

/** What a test says about the one run there is. The n-th answer or advance leads to the n-th station. */
export interface Script {
  readonly run?: Run;
  readonly runs?: readonly Run[];
  readonly stations?: readonly StopPoint[];
  readonly draft?: Draft;
  readonly progress?: readonly Progress[];
  /** Told while an answer is being taken. */
  readonly followed?: readonly Progress[];
  readonly artefacts?: readonly ShownArtefact[];
  readonly events?: readonly RunEvent[];
  readonly refuse?: Readonly<Record<string, Rejection>>;
  /** The first `advance` never ends by itself. */
  readonly hangs?: boolean;
  readonly drivenElsewhere?: string;
  readonly driven?: string | null;
  /** The call of the run waits by itself. */
  readonly asleep?: Asleep;
  readonly left?: RunView['left'];
}

const LEFT: RunView['left'] = {
  branch: 'baton/spec-rename',
  documents: ['docs/baton/rename/spec.md'],
  commit: null,
  evidence: null,
  criteria: null,
  files: null,
  lines: null,
};

export interface ScriptedApi extends Api {
  readonly calls: unknown[][];
  readonly answers: (AnswerInput & { by: string })[];
  readonly drafts: Draft[];
  /** Somebody else answers the open gate. */
  overtake(event: RunEvent): void;
}

/** The API as a surface sees it, from memory. Answers are checked by the engine's own rule. */
export function createScriptedApi(script: Script = {}): ScriptedApi {
  const row = script.run ?? run();
  const runs = script.runs ?? [row];
  const stations = script.stations ?? [rest({ gate: gate() }), ENDED];
  const calls: unknown[][] = [];
  const answers: ScriptedApi['answers'] = [];
  const drafts: Draft[] = [];
  const events: RunEvent[] = [...(script.events ?? [])];
  const listeners = new Set<(progress: Progress) => void>();
  const changes = new Set<() => void>();
  let at = 0;
  let draft: Draft = script.draft ?? {};

  const station = () => stations[Math.min(at, stations.length - 1)] ?? ENDED;
  const openGate = () => (station().gate?.status === 'open' ? station().gate : null);
  const close = () => {
    at += 1;
    draft = {};
  };
  const viewOf = (id: string): RunView | Rejection => {
    const found = runs.find((one) => one.id === id);
    if (!found) return reject('no_such_run', { run: id });
    return {
      run: found,
      lines: [{ label: { msg: 'mode' }, value: 'quick' }],
      phase_label: { msg: `label of ${found.phase}` },
      gate: openGate() ?? null,
      spend: { money_usd: 1.5, money_unknown: false, tokens: 12, seconds: 90, attempts: 2 },
      left: script.left ?? LEFT,
      driven_by: script.driven === undefined ? 'here:1' : script.driven,
      driver_stopped: null,
      asleep_until: script.asleep?.asleep_until ?? null,
      calls: [
        {
          role: 'risk_auditor',
          attempts: 2,
          done: false,
          since: '2026-11-15T12:59:20.000Z',
          asleep: script.asleep ?? null,
        },
      ],
    };
  };
  const handle: DriveHandle = {
    run: row.id,
    advance: async () => {
      calls.push(['advance']);
      for (const progress of at === 0 ? (script.progress ?? []) : []) {
        for (const listener of listeners) listener(progress);
      }
      return script.hangs ? new Promise(() => undefined) : station();
    },
    changed: (signal) =>
      new Promise((resolve, refuse) => {
        changes.add(resolve);
        signal.addEventListener('abort', () => refuse(signal.reason), { once: true });
      }),
    close: async () => void calls.push(['close']),
  };
  const refusal = (name: string) => script.refuse?.[name];
  const find = async (name: string) =>
    runs.find(({ id }) => id.startsWith(name.replace(/\.g\d+$/, '')))?.id ??
    reject('no_such_run', { run: name });
  const written = (caller: Caller): Writes => ({
    start: async ({ workflow, input, ...options }) => {
      calls.push(['start', workflow, input, { ...options, opened_by: caller.name }]);
      return refusal('start') ?? handle;
    },
    open: async ({ run: id, attended }) => {
      calls.push(['open', id, caller.name, attended]);
      return refusal('open') ?? { ...handle, run: id };
    },
    command: async ({ run: id, command }) => {
      calls.push(['command', id, command, await nameOf(caller, NEEDS_PERSON.has(command))]);
      return refusal('command') ?? { ok: true, run: id };
    },
    changeAgent: async ({ run: id, agent }) => {
      calls.push(['changeAgent', id, agent, await nameOf(caller, true)]);
      return refusal('changeAgent') ?? { ok: true, run: id };
    },
    stop: async ({ run: id }) => {
      calls.push(['stop', id, caller.name]);
      return refusal('stop') ?? { ok: true, run: id };
    },
    answer: async ({ gate: id, answer: input, drive }) => {
      const open = openGate();
      if (!open || open.id !== id) return reject('gate_closed', { gate: id });
      const refused = refusal('answer') ?? refuseAnswer(open, input);
      if (refused) return refused;
      const by = await caller.person(null);
      if (isRejection(by)) return by;
      answers.push({ ...input, by: by.person });
      for (const progress of script.followed ?? []) for (const listener of listeners) listener(progress);
      close();
      const { status } = station();
      return {
        ok: true,
        receipt: 'an-81c',
        repeated: false,
        run: row.id,
        answer: {
          ...input,
          receipt: 'an-81c',
          gate: id,
          run: row.id,
          iteration: 1,
          digest: DIGEST,
          by,
          at: AT,
        },
        status,
        driven_elsewhere: script.drivenElsewhere ?? null,
        handle: drive && !script.drivenElsewhere ? handle : null,
      };
    },
    storeDraft: async ({ gate: id, draft: next }) => {
      drafts.push(next);
      draft = next;
      return openGate()?.id === id;
    },
    permitRemoval: async () => ({ ok: true }),
  });
  const bound = (caller: Caller): ScriptedApi => ({
    ...reads,
    ...guarded({ ...NO_DECISIONS, ...NO_TICKETS, ...written(caller) }, caller, calls),
    as: bound,
  });
  const reads: Reads = {
    calls,
    answers,
    drafts,
    overtake: (event) => {
      events.push(event);
      close();
      for (const resolve of changes) resolve();
    },
    takeOrder: async () => null,
    storeOrder: async () => reject('no_such_order'),
    handIn: async () => reject('no_such_order'),
    giveBack: async () => reject('no_such_order'),
    deciding: async () => null,
    find,
    announce: async () => [],
    findGate: async (name) => refusal('findGate') ?? openGate() ?? reject('no_such_gate', { gate: name }),
    list: async () =>
      runs.map((one) => ({ ...one, gate: one.status === 'waiting' ? (openGate()?.id ?? null) : null })),
    gates: async () => {
      const open = openGate();
      const text = open ? `DECIDE: ${translate(row.lang, open.brief.decide)}` : '';
      return open ? [{ gate: open, draft, title: row.title, lang: row.lang, text }] : [];
    },
    view: async (id) => viewOf(id),
    watch: async () => 'expired',
    log: async (_id, after) => events.filter(({ seq }) => seq > after),
    records: async () => [],
    artefacts: async () => [...(script.artefacts ?? [])],
    translator: async (lang) => (text) => translate(lang, text),
    onProgress: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    doctor: async () => ({ runs: 1, events: 6, problems: [], leftovers: [] }),
    close: async () => void calls.push(['close api']),
  };
  return bound(callerOf(TESTER));
}

type Reads = Omit<
  ScriptedApi,
  keyof Writes | keyof typeof NO_DECISIONS | keyof typeof NO_TICKETS | 'may' | 'as'
>;

type Writes = Pick<
  Api,
  'start' | 'open' | 'command' | 'changeAgent' | 'stop' | 'answer' | 'storeDraft' | 'permitRemoval'
>;

/** The event another process leaves when it answers. */
export function answeredEvent(more: { option: string; person: string; gate?: string }): RunEvent {
  const by: Person = { person: more.person, surface: 'web', proof: 'login' };
  return {
    run: 'sp-3aa',
    seq: 7,
    type: 'gate_answered',
    turn: 3,
    at: AT,
    by: more.person,
    input: { gate: more.gate ?? 'sp-3aa.g1', option: more.option, by },
    patch: { set: {}, unset: [] },
    row: { set: {}, unset: [] },
  };
}

export const SPEC_DOC: ShownArtefact = {
  name: 'spec',
  file: 'spec.md',
  hash: DOC,
  text: '# Spec\n\nGoal.\n',
  at: AT,
};
