import { ApproveInput, ApproveState } from '../../contract/approve.ts';
import type { Msg } from '../../contract/brief.ts';
import type { GateSpec } from '../../contract/gate.ts';
import type { Hash } from '../../contract/ids.ts';
import type { Move, MoveRecord } from '../../contract/move.ts';
import type { Failure, Signal } from '../../contract/outcome.ts';
import { type Decision, end, fromDecide, gate, query, wait } from '../../engine/decide.ts';
import { detectLanguage } from '../../engine/language.ts';
import { validatePath } from '../../engine/paths.ts';
import { type Rejection, reject } from '../../engine/rejection.ts';
import { toSlug } from '../../engine/slug.ts';
import { brief } from '../../engine/whole-brief.ts';
import { defineWorkflow, type GateTable, type StartFacts } from '../../engine/workflow.ts';
import type en from '../../messages/en/approve.json';

type Next = Move<ApproveState>;

const gates = {
  approve: {
    class: 'decision',
    title: say('approve.title'),
    options: {
      approve: {
        text: 'none',
        effect_on_run: 'end',
        label: say('approve.approve'),
        description: say('approve.approve.effect'),
      },
      stop: {
        text: 'none',
        effect_on_run: 'end',
        label: say('approve.stop'),
        description: say('approve.stop.effect'),
      },
    },
  },
} as const satisfies GateTable;

/** A person's approval of a specification that Baton did not write. `deliver` can then start from it. */
export const approveWorkflow = defineWorkflow<ApproveState>({
  name: 'approve',
  prefix: 'as',
  version: 1,
  state: ApproveState,
  input: ApproveInput,
  migrations: [],
  phases: {
    reading: { label: say('approve.phase.reading'), order: 0, to: ['asking'] },
    asking: { label: say('approve.phase.asking'), order: 1, to: ['completed'] },
    completed: { label: say('approve.phase.completed'), order: 2, to: [] },
  },
  roles: {},
  gates,
  documents: { spec: { file: 'spec.md', render: (source) => source as string } },
  start,
  ...fromDecide<ApproveState>({ decide, failed }),
  receive,
  title: ({ path }) => path,
  status: ({ path }) => [{ label: say('approve.status.file'), value: path }],
});

function start(raw: unknown, facts: StartFacts): Next | Rejection {
  const { path, lang } = ApproveInput.parse(raw);
  const { namespace } = facts.policy;
  const checked = validatePath(path, 'spec_input', { namespace });
  if (!checked.ok) return reject('path_refused', { path, source: '<file>' }, { msg: checked.rule });
  return {
    state: {
      phase: 'reading',
      user_lang: lang ?? detectLanguage(path),
      path: checked.path,
      ...locationOf(checked.path, namespace, facts.short_id),
      spec: null,
      criteria: [],
      approved: null,
      halted: null,
      ended: null,
    },
    records: [],
  };
}

/** A file in a folder of documents stays in that folder. Any other file gets a folder named after it. */
function locationOf(path: string, namespace: string, shortId: string): { slug: string; docs_path: string } {
  const base = `docs/${namespace}/`;
  const [folder = '', ...rest] = path.startsWith(base) ? path.slice(base.length).split('/') : [];
  const name = path.split('/').at(-1) ?? '';
  const slug = toSlug(rest.length === 1 ? folder : name.replace(/\.[^.]+$/, ''), shortId);
  return { slug, docs_path: `${base}${slug}/` };
}

function decide(state: ApproveState): Decision<Next> {
  if (state.ended) return end({ result: state.ended.result });
  if (state.halted) return wait({ kind: 'command', commands: ['resume', 'abandon'], why: state.halted.why });
  const { path, spec } = state;
  if (state.phase === 'reading' || !spec)
    return query('spec_file', { path }, ({ hash, criteria }) => ({
      state: { ...state, phase: 'asking', spec: hash, criteria: criteria.slice(0, 100) },
      records: [{ kind: 'artefact', name: 'spec', hash }],
    }));
  return gate(gates.approve, approveGate(state, spec), {
    approve: ({ by, at, digest }) => {
      const name = ('person' in by ? by.person : by.agent).slice(0, 300);
      const approved = { spec, by: name, at };
      return {
        state: { ...state, phase: 'completed', approved, ended: { result: 'approved' } },
        records: [
          { kind: 'decision', name: 'spec_approved', data: { ...approved, digest, path } },
          notice(say('approve.notice.approved', { by: name, hash: spec, path })),
        ],
      };
    },
    stop: () => ({
      state: { ...state, ended: { result: 'stopped' } },
      records: [notice(say('approve.notice.stopped'))],
    }),
  });
}

function approveGate({ path, criteria }: ApproveState, spec: Hash): GateSpec {
  const shown = criteria.slice(0, 20).join(', ');
  return {
    name: 'approve',
    brief: brief({
      decide: say('approve.decide', { path }),
      why: [say('approve.why')],
      context: [say('approve.criteria', { n: criteria.length, ids: shown })],
    }),
    artefacts: { spec },
  };
}

function failed(state: ApproveState, _what: string, { code, detail }: Failure): Next {
  const why = say('approve.halt.unreadable', { path: state.path, code, detail: detail.slice(0, 300) });
  return { state: { ...state, halted: { why } }, records: [notice(why, 'warning')] };
}

function notice(text: Msg, level: 'info' | 'warning' = 'info'): MoveRecord {
  return { kind: 'notice', level, text };
}

function receive(state: ApproveState, signal: Signal): Next | Rejection {
  if (signal.type !== 'command' || state.ended) return reject('wrong_moment');
  const { command, by } = signal;
  switch (command) {
    case 'resume':
      return state.halted
        ? { state: { ...state, halted: null }, records: [] }
        : reject('wrong_moment', { command }, { msg: 'approve.not_halted' });
    case 'abandon':
      return {
        state: { ...state, halted: null, ended: { result: 'abandoned' } },
        records: [notice(say('approve.notice.abandoned', { by }))],
        interrupt: true,
      };
    default:
      return reject('no_such_command', { command, allowed: 'resume, abandon' });
  }
}

function say(msg: keyof typeof en, args: Readonly<Record<string, string | number>> = {}): Msg {
  return { msg, args };
}
