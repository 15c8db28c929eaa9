import type { Answer } from '../../contract/answer.ts';
import type { Text } from '../../contract/brief.ts';
import type { DeliverState, SetupStage } from '../../contract/deliver.ts';
import type { GateSpec } from '../../contract/gate.ts';
import type { Instant } from '../../contract/ids.ts';
import type { Move, MoveRecord } from '../../contract/move.ts';
import type { Signal } from '../../contract/outcome.ts';
import { cutText } from '../../engine/cut-text.ts';
import { gate, query, wait } from '../../engine/decide.ts';
import { InvariantError } from '../../engine/errors.ts';
import { brief } from '../../engine/whole-brief.ts';
import { measuredLines } from '../kit/measured.ts';
import { deliverGates } from './gates.ts';
import { branchOf, hasOwnTree, subjectOf } from './locations.ts';
import { say } from './messages.ts';
import { type PRESETS, parseModels, presetConfig } from './models.ts';
import { go, type Next, warning } from './moves.ts';

/** In the phase `setup`, the working part exists. */
type InSetup = DeliverState & { readonly setup: SetupStage };

/** The phase `setup`: another live run, mode, models, then the branch. The run owns nothing until it ends. */
export function setup(state: DeliverState): Next {
  const { setup } = state;
  if (!setup) throw new InvariantError('phase setup without its working part');
  const here = { ...state, setup };
  switch (setup.stage) {
    case 'mode':
      return askMode(here);
    case 'model':
      return askModel(here);
    case 'looking':
      return findBranch(here);
    default:
      if (!setup.other) throw new InvariantError('a session stage without another run');
      return SESSION[setup.stage](here, setup.other);
  }
}

type SessionStage = Extract<SetupStage['stage'], 'session' | 'session_conflict' | 'replacing'>;

const SESSION: Readonly<Record<SessionStage, (state: InSetup, other: Other) => Next>> = {
  /** Another live run owns the subject. Resume and View do not touch it. Restart and Stop abandon it (WF-26). */
  session: (state, other) =>
    gate(deliverGates.session, sessionGate(state, other), {
      resume: ({ at }) => giveWay(state, at, other, 'deliver.end.resumed'),
      view: ({ at }) => giveWay(state, at, other, 'deliver.end.viewed'),
      stop: ({ at }) => {
        const why = say('deliver.end.other_stopped', { run: other.run });
        return withdraw(state, at, { why, successor: null }, [abandon(other)]);
      },
      restart: (answer) => replace(state, answer, other),
    }),
  /** A live run of another workflow works in the same folder (WF-25). Its log stays either way. */
  session_conflict: (state, other) =>
    gate(deliverGates.session_conflict, conflictGate(other), {
      delete_and_start: (answer) => replace(state, answer, other),
      cancel: ({ at }) => withdraw(state, at, { why: say('deliver.end.withdrawn'), successor: null }),
    }),
  replacing: (_, { run }) => wait({ kind: 'run_ended', run, why: say('deliver.session.waiting', { run }) }),
};

function askMode(state: InSetup): Next {
  const choose =
    (mode: NonNullable<DeliverState['mode']>) =>
    ({ at }: Answer) =>
      onward({ ...state, mode }, at);
  return gate(deliverGates.mode, modeGate(state.setup), {
    single: choose('single'),
    standard: choose('standard'),
    multi: choose('multi'),
  });
}

/** After this many unreadable forms, the recommended preset is used (WF-79). */
const MAX_BAD = 3;

/** A preset or a readable typed form is final. For an unreadable form, the gate names the wrong part and asks again. */
function askModel(state: InSetup): Next {
  const verifier = state.cli_flags.verifier_model ?? undefined;
  const choose =
    (preset: keyof typeof PRESETS) =>
    ({ at }: Answer) =>
      onward({ ...state, model_config: presetConfig(preset, verifier) }, at);
  return gate(deliverGates.model, modelGate(state, state.setup), {
    balanced: choose('balanced'),
    default: choose('default'),
    'all-opus': choose('all-opus'),
    economy: choose('economy'),
    custom: ({ at, text }) => {
      const model_config = parseModels(text, verifier);
      if (!('bad' in model_config)) return onward({ ...state, model_config }, at);
      const bad_models = state.setup.bad_models + 1;
      if (bad_models < MAX_BAD)
        return stage(state, at, { bad_models, bad_model: cutText(model_config.bad, 60) });
      const balanced = presetConfig('balanced', verifier);
      return onward({ ...state, model_config: balanced }, at, [
        { kind: 'decision', name: 'model_config', data: balanced, by_rule: 'WF-79' },
        warning(say('deliver.notice.models_bad', { n: bad_models })),
      ]);
    },
  });
}

/** The branch is found. The run claims its subject, and only now may it write anything. */
function findBranch(state: InSetup): Next {
  const { slug, docs_path } = state;
  const branch = hasOwnTree(state) ? branchOf(state) : null;
  return query('setup', { slug, docs_path, branch }, (found, at) => {
    const changes = {
      phase: 'plan_ready',
      setup: null,
      branch: found.branch?.name ?? null,
      base: state.from_spec?.base ?? found.branch?.base ?? null,
      plan: { prepare: 'open_tree' },
    } as const;
    return go(state, at, changes, [{ kind: 'claim', subject: subjectOf(state) }]);
  });
}

/** The other run has ended. This run continues where the session gate stopped it. */
export function afterSession(state: InSetup, at: Instant): Move<DeliverState> {
  return onward({ ...state, setup: { ...state.setup, other: null } }, at);
}

/** Another run claimed the subject first. Setup asks as if that run had existed at the start. */
export function subjectTaken(
  state: InSetup,
  taken: Extract<Signal, { type: 'subject_taken' }>,
): Move<DeliverState> {
  const { run, at, workflow = null, phase = null, title = null } = taken;
  const other = { run, workflow, phase, title };
  return { ...stage(state, at, { stage: 'session', other }), interrupt: true };
}

/** The next stage of setup: another live run, mode, models, then the query. */
export function openStage(
  other: SetupStage['other'],
  { mode, model_config }: Pick<DeliverState, 'mode' | 'model_config'>,
): SetupStage['stage'] {
  if (other) return (other.workflow ?? 'deliver') === 'deliver' ? 'session' : 'session_conflict';
  if (mode === null) return 'mode';
  return model_config === null ? 'model' : 'looking';
}

/** Continues with the next stage that setup has not settled. */
function onward(state: InSetup, at: Instant, records: readonly MoveRecord[] = []): Move<DeliverState> {
  return stage(state, at, { stage: openStage(state.setup.other, state) }, records);
}

function stage(
  state: InSetup,
  at: Instant,
  changes: Partial<SetupStage>,
  records: readonly MoveRecord[] = [],
): Move<DeliverState> {
  return go(state, at, { setup: { ...state.setup, ...changes } }, records);
}

function replace(state: InSetup, { at }: Answer, other: Other): Move<DeliverState> {
  return stage(state, at, { stage: 'replacing' }, [abandon(other)]);
}

function abandon({ run }: Other): MoveRecord {
  return { kind: 'command', to: run, command: 'abandon' };
}

function giveWay(
  state: DeliverState,
  at: Instant,
  { run }: Other,
  msg: 'deliver.end.resumed' | 'deliver.end.viewed',
): Move<DeliverState> {
  return withdraw(state, at, { why: say(msg, { run }), successor: run });
}

function withdraw(
  state: DeliverState,
  at: Instant,
  ended: Pick<NonNullable<DeliverState['ended']>, 'why' | 'successor'>,
  records: readonly MoveRecord[] = [],
): Move<DeliverState> {
  return go(state, at, { ended: { result: 'withdrawn', ...ended } }, records);
}

/** The live run of the same subject. */
type Other = NonNullable<SetupStage['other']>;

/** A live run of this workflow works on the same subject (WF-26). */
function sessionGate(state: DeliverState, { run, phase, title }: Other): GateSpec {
  const context: Text[] = [say('deliver.session.phase', { phase: phase ?? 'other' })];
  if (title !== null) context.unshift(say('deliver.session.other', { title }));
  return {
    name: 'session',
    brief: brief({
      decide: say('deliver.session.decide', { run, subject: subjectOf(state) }),
      recommend: { text: say('deliver.session.resume'), cede: true },
      context,
    }),
  };
}

/** A live run of another workflow owns this folder (WF-25). Nothing has been touched yet. */
function conflictGate({ run, workflow, title }: Other): GateSpec {
  return {
    name: 'session_conflict',
    brief: brief({
      decide: say('deliver.conflict.decide', { run, workflow: workflow ?? '?' }),
      recommend: { text: say('deliver.conflict.cancel'), cede: true },
      context: title === null ? [] : [say('deliver.session.other', { title })],
    }),
  };
}

/** Asks how deep to plan. Without measurements, the gate shows the number of workers as the cost (WF-82). */
function modeGate({ measured }: SetupStage): GateSpec {
  const took = measuredLines(measured, 'mode');
  return {
    name: 'mode',
    brief: brief({
      decide: say('deliver.mode.decide'),
      recommend: { text: say('deliver.mode.standard'), confidence: 'medium' },
      why: [say('deliver.mode.why')],
      context: took.length > 0 ? took : [say('deliver.mode.unmeasured')],
    }),
  };
}

function modelGate({ mode }: DeliverState, { bad_model, measured }: SetupStage): GateSpec {
  return {
    name: 'model',
    brief: brief({
      decide: say('deliver.model.decide', { mode: mode ?? 'single' }),
      recommend: { text: say('deliver.model.balanced'), confidence: 'medium' },
      why: [say('deliver.model.why')],
      context: [say('deliver.model.form'), ...measuredLines(measured, { presets_of: mode })],
      banners: bad_model === null ? [] : [say('deliver.model.bad', { bad: bad_model })],
    }),
  };
}
