import type { Answer } from '../../contract/answer.ts';
import type { Instant } from '../../contract/ids.ts';
import type { Move, MoveRecord } from '../../contract/move.ts';
import type { Outcome, Signal } from '../../contract/outcome.ts';
import { SetupFound, type SpecState } from '../../contract/spec.ts';
import { CHILD } from '../../contract/step.ts';
import { InvariantError } from '../../engine/errors.ts';
import { type Slug, withTimestamp } from '../../engine/slug.ts';
import { say } from './messages.ts';
import { modelsText } from './models.ts';
import { go, haltFailed, locationsOf, notice, subjectOf } from './moves.ts';
import { onward, setupOf, stage } from './setup-stage.ts';

type OnOption = (state: SpecState, answer: Answer) => Move<SpecState>;

/** Another live run owns the subject. Resume and View do not touch it. Restart and Stop abandon it (WF-26). */
export const onSession: Readonly<Record<string, OnOption>> = {
  resume: (state, { at }) => giveWay(state, at, 'spec.end.resumed'),
  view: (state, { at }) => giveWay(state, at, 'spec.end.viewed'),
  stop: (state, { at }) => {
    const run = otherOf(state);
    const ended = { why: say('spec.end.other_stopped', { run }), successor: null };
    return withdraw(state, at, ended, [{ kind: 'command', to: run, command: 'abandon' }]);
  },
  restart: (state, { at }) =>
    stage(state, at, { stage: 'replacing' }, [{ kind: 'command', to: otherOf(state), command: 'abandon' }]),
};

/**
 * The hint is only an offer. Continue changes nothing. Deliver starts another run with the same task and withdraws this
 * one.
 */
export const onRouting: Readonly<Record<string, OnOption>> = {
  continue: (state, { at }) => onward(state, at, { routing: null }),
  deliver: (state, { at }) => {
    const { task, lang_explicit, user_lang } = state;
    const input = { task, ...(lang_explicit ? { lang: user_lang } : {}) };
    const ended = { why: say('spec.end.switched', { workflow: 'deliver' }), successor: CHILD };
    return withdraw(state, at, ended, [{ kind: 'spawn', key: 'routing', workflow: 'deliver', input }]);
  },
  stop: withdrawn,
};

export const onCollision: Readonly<Record<string, OnOption>> = {
  timestamp: (state, { at }) => stamp(state, at, []),
  overwrite: (state, { at }) => stage({ ...state, overwrite: true }, at, { stage: 'looking', taken: [] }),
  stop: withdrawn,
};

/** The other run has ended. This run continues where the session gate stopped it. */
export function afterSession(state: SpecState, at: Instant): Move<SpecState> {
  return onward(state, at, { other: null });
}

/** Another run claimed the subject first. Setup asks as if that run had existed at the start. */
export function subjectTaken(
  state: SpecState,
  taken: Extract<Signal, { type: 'subject_taken' }>,
): Move<SpecState> {
  const { run, at, phase = null, title = null } = taken;
  const other = { run, phase, title };
  return { ...stage(state, at, { stage: 'session', other }), interrupt: true };
}

/**
 * If the folder is free, the setup commits. If not, the run asks a person. An unattended or already renamed run takes a
 * new name instead (SP-09).
 */
export function onSetupQuery(state: SpecState, outcome: Outcome): Move<SpecState> {
  const { at } = outcome;
  if (outcome.kind === 'failed') return haltFailed(state, at, 'query setup', outcome.failure);
  if (outcome.kind !== 'queried') throw new InvariantError(`query setup gave '${outcome.kind}'`);
  const found = SetupFound.parse(outcome.found);
  if (found.taken.length === 0 || state.overwrite) return commit(state, at, found);
  if (state.unattended || setupOf(state).stamped) return stamp(state, at, found.siblings);
  return stage(state, at, { stage: 'collision', taken: found.taken.slice(0, 8) });
}

function commit(state: SpecState, at: Instant, { branch }: SetupFound): Move<SpecState> {
  const models = state.mode === 'deep' ? setupOf(state).models : null;
  const changes = {
    phase: 'convention_scan_active',
    setup: null,
    model_config: models,
    branch: branch?.name ?? null,
    base: branch?.base ?? null,
    convention_stage: { at: 'query' },
  } as const;
  const summary = say('spec.notice.setup', {
    branch: branch?.name ?? 'none',
    mode: state.mode ?? 'quick',
    models: models ? modelsText(models) : 'none',
    output: `${state.docs_path}spec.md`,
  });
  return go(state, at, changes, [{ kind: 'claim', subject: subjectOf(state.slug) }, notice(summary)]);
}

/** Takes a new name and queries again, because its branch and folder are different. */
function stamp(state: SpecState, at: Instant, siblings: readonly string[]): Move<SpecState> {
  const base = state.slug.replace(/-\d{14}(-\d+)?$/, '') as Slug;
  const time = at.replace(/\D/g, '').slice(0, 14);
  const slug = withTimestamp(base, time, (name) => name === state.slug || siblings.includes(name));
  const { docs_path } = locationsOf(state.namespace, slug);
  const records: MoveRecord[] = [notice(say('spec.notice.timestamped', { path: state.docs_path, slug }))];
  if (state.unattended) {
    records.unshift({ kind: 'decision', name: 'slug', data: { slug }, by_rule: 'SP-09' });
  }
  const changed = { ...state, slug, docs_path };
  return stage(changed, at, { stage: 'looking', taken: [], stamped: true }, records);
}

function giveWay(state: SpecState, at: Instant, msg: 'spec.end.resumed' | 'spec.end.viewed') {
  const run = otherOf(state);
  return withdraw(state, at, { why: say(msg, { run }), successor: run });
}

function withdrawn(state: SpecState, { at }: Answer): Move<SpecState> {
  return withdraw(state, at, { why: say('spec.end.withdrawn'), successor: null });
}

function withdraw(
  state: SpecState,
  at: Instant,
  ended: Pick<NonNullable<SpecState['ended']>, 'why' | 'successor'>,
  records: readonly MoveRecord[] = [],
): Move<SpecState> {
  return go(state, at, { ended: { result: 'withdrawn', ...ended } }, records);
}

function otherOf(state: SpecState): string {
  const run = setupOf(state).other?.run;
  if (!run) throw new InvariantError('a session answer without another run');
  return run;
}
