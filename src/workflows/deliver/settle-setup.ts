import type { Answer } from '../../contract/answer.ts';
import { type DeliverState, MODES } from '../../contract/deliver.ts';
import { SetupFound } from '../../contract/deliver-found.ts';
import type { Instant } from '../../contract/ids.ts';
import type { Move, MoveRecord } from '../../contract/move.ts';
import type { Outcome, Signal } from '../../contract/outcome.ts';
import { cutText } from '../../engine/cut-text.ts';
import { InvariantError } from '../../engine/errors.ts';
import { subjectOf } from './locations.ts';
import { say } from './messages.ts';
import { PRESETS, parseModels, presetConfig } from './models.ts';
import { go, warning, worldFailed } from './moves.ts';
import { onward, setupOf, stage } from './setup-stage.ts';

type OnOption = (state: DeliverState, answer: Answer) => Move<DeliverState>;
type Options = Readonly<Record<string, OnOption>>;

/** Another live run owns the subject. Resume and View do not touch it. Restart and Stop abandon it (WF-26). */
export const onSession: Options = {
  resume: (state, { at }) => giveWay(state, at, 'deliver.end.resumed'),
  view: (state, { at }) => giveWay(state, at, 'deliver.end.viewed'),
  stop: (state, { at }) => {
    const run = otherOf(state);
    const ended = { why: say('deliver.end.other_stopped', { run }), successor: null };
    return withdraw(state, at, ended, [{ kind: 'command', to: run, command: 'abandon' }]);
  },
  restart: replace,
};

/** A live run of another workflow works in the same folder (WF-25). Its log stays either way. */
export const onConflict: Options = {
  delete_and_start: replace,
  cancel: (state, { at }) => withdraw(state, at, { why: say('deliver.end.withdrawn'), successor: null }),
};

export const onMode: Options = Object.fromEntries(
  MODES.map((mode): [string, OnOption] => [mode, (state, { at }) => onward({ ...state, mode }, at)]),
);

/** After this many unreadable forms, the recommended preset is used (WF-79). */
const MAX_BAD = 3;

/** A preset or a readable typed form is final. For an unreadable form, the gate names the wrong part and asks again. */
export const onModel: Options = {
  ...Object.fromEntries(
    (Object.keys(PRESETS) as (keyof typeof PRESETS)[]).map((preset): [string, OnOption] => [
      preset,
      (state, { at }) => onward({ ...state, model_config: presetConfig(preset, verifierOf(state)) }, at),
    ]),
  ),
  custom: (state, { at, text }) => {
    const model_config = parseModels(text ?? '', verifierOf(state));
    if (!('bad' in model_config)) return onward({ ...state, model_config }, at);
    const bad_models = setupOf(state).bad_models + 1;
    if (bad_models < MAX_BAD)
      return stage(state, at, { bad_models, bad_model: cutText(model_config.bad, 60) });
    const balanced = presetConfig('balanced', verifierOf(state));
    return onward({ ...state, model_config: balanced }, at, {}, [
      { kind: 'decision', name: 'model_config', data: balanced, by_rule: 'WF-79' },
      warning(say('deliver.notice.models_bad', { n: bad_models })),
    ]);
  },
};

/** The other run has ended. This run continues where the session gate stopped it. */
export function afterSession(state: DeliverState, at: Instant): Move<DeliverState> {
  return onward(state, at, { other: null });
}

/** Another run claimed the subject first. Setup asks as if that run had existed at the start. */
export function subjectTaken(
  state: DeliverState,
  taken: Extract<Signal, { type: 'subject_taken' }>,
): Move<DeliverState> {
  const { run, at, workflow = null, phase = null, title = null } = taken;
  const other = { run, workflow, phase, title };
  return { ...stage(state, at, { stage: 'session', other }), interrupt: true };
}

/** The branch is known. The run claims its subject, and only now may it write anything. */
export function onSetupQuery(state: DeliverState, outcome: Outcome): Move<DeliverState> {
  const { at } = outcome;
  if (outcome.kind === 'failed') return worldFailed(state, at, 'query setup', outcome.failure);
  if (outcome.kind !== 'queried') throw new InvariantError(`query setup gave '${outcome.kind}'`);
  const { branch } = SetupFound.parse(outcome.found);
  const changes = {
    phase: 'plan_ready',
    setup: null,
    branch: branch?.name ?? null,
    base: state.from_spec?.base ?? branch?.base ?? null,
    prepare: 'open_tree',
  } as const;
  return go(state, at, changes, [{ kind: 'claim', subject: subjectOf(state) }]);
}

function verifierOf({ cli_flags }: DeliverState) {
  return cli_flags.verifier_model ?? undefined;
}

function replace(state: DeliverState, { at }: Answer): Move<DeliverState> {
  const to = otherOf(state);
  return stage(state, at, { stage: 'replacing' }, [{ kind: 'command', to, command: 'abandon' }]);
}

function giveWay(state: DeliverState, at: Instant, msg: 'deliver.end.resumed' | 'deliver.end.viewed') {
  const run = otherOf(state);
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

function otherOf(state: DeliverState): string {
  const run = setupOf(state).other?.run;
  if (!run) throw new InvariantError('a session answer without another run');
  return run;
}
