import type { AnsweredBy } from '../../contract/answer.ts';
import { ApproveInput, ApproveState, SpecFileFound } from '../../contract/approve.ts';
import type { GateSpec } from '../../contract/gate.ts';
import type { Move } from '../../contract/move.ts';
import type { Outcome, Signal } from '../../contract/outcome.ts';
import type { Step } from '../../contract/step.ts';
import { InvariantError } from '../../engine/errors.ts';
import { detectLanguage } from '../../engine/language.ts';
import { validatePath } from '../../engine/paths.ts';
import { type Rejection, reject } from '../../engine/rejection.ts';
import { toSlug } from '../../engine/slug.ts';
import { brief } from '../../engine/whole-brief.ts';
import { defineWorkflow, type GateTable, type StartFacts } from '../../engine/workflow.ts';
import { say } from './messages.ts';

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
        description: say('approve.approve.leads'),
      },
      stop: {
        text: 'none',
        effect_on_run: 'end',
        label: say('approve.stop'),
        description: say('approve.stop.leads'),
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
  next,
  settle,
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

function next(state: ApproveState): Step {
  if (state.ended) return { kind: 'end', outcome: { result: state.ended.result } };
  if (state.halted)
    return {
      kind: 'wait',
      until: { kind: 'command', commands: ['resume', 'abandon'], why: state.halted.why },
    };
  if (state.phase === 'reading')
    return { kind: 'query', during: 'reading', what: { what: 'spec_file', input: { path: state.path } } };
  return { kind: 'gate', gate: approveGate(state) };
}

function approveGate({ path, spec, criteria }: ApproveState): GateSpec {
  if (!spec) throw new InvariantError('an approval without a text');
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

function settle(state: ApproveState, _: Step, outcome: Outcome): Next | Rejection {
  switch (outcome.kind) {
    case 'queried': {
      const { hash, criteria } = SpecFileFound.parse(outcome.found);
      return {
        state: { ...state, phase: 'asking', spec: hash, criteria: criteria.slice(0, 100) },
        records: [{ kind: 'artefact', name: 'spec', hash }],
      };
    }
    case 'failed': {
      const { code, detail } = outcome.failure;
      const why = say('approve.halt.unreadable', { path: state.path, code, detail: detail.slice(0, 300) });
      return {
        state: { ...state, halted: { why } },
        records: [{ kind: 'notice', level: 'warning', text: why }],
      };
    }
    case 'answered':
      return answered(state, outcome.answer.option, outcome.answer);
    default:
      throw new InvariantError(`an approval gave '${outcome.kind}'`);
  }
}

function answered(
  state: ApproveState,
  option: string,
  { by, at, digest }: { by: AnsweredBy; at: string; digest: string },
): Next | Rejection {
  if (option === 'stop') {
    const text = say('approve.notice.stopped');
    return {
      state: { ...state, ended: { result: 'stopped' } },
      records: [{ kind: 'notice', level: 'info', text }],
    };
  }
  if (option !== 'approve' || !state.spec)
    return reject('no_such_option', { option, allowed: 'approve, stop' });
  const name = ('person' in by ? by.person : by.agent).slice(0, 300);
  const approved = { spec: state.spec, by: name, at };
  const text = say('approve.notice.approved', { by: name, hash: state.spec, path: state.path });
  return {
    state: { ...state, phase: 'completed', approved, ended: { result: 'approved' } },
    records: [
      { kind: 'decision', name: 'spec_approved', data: { ...approved, digest, path: state.path } },
      { kind: 'notice', level: 'info', text },
    ],
  };
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
        records: [{ kind: 'notice', level: 'info', text: say('approve.notice.abandoned', { by }) }],
        interrupt: true,
      };
    default:
      return reject('no_such_command', { command, allowed: 'resume, abandon' });
  }
}
