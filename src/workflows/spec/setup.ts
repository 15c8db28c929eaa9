import type { Answer } from '../../contract/answer.ts';
import type { Instant } from '../../contract/ids.ts';
import type { Move, MoveRecord } from '../../contract/move.ts';
import type { Signal } from '../../contract/outcome.ts';
import type { ModelConfig, SetupFound, SetupStage, SpecState } from '../../contract/spec.ts';
import { CHILD } from '../../contract/step.ts';
import { cutText } from '../../engine/cut-text.ts';
import { gate, query, wait } from '../../engine/decide.ts';
import { InvariantError } from '../../engine/errors.ts';
import { type Slug, withTimestamp } from '../../engine/slug.ts';
import type { AnalystTable } from './analysts.ts';
import { collisionGate, routingGate, sessionGate } from './briefs.ts';
import { modeGate, modelConfirmGate, modelGate } from './deep-briefs.ts';
import { specGates } from './gates.ts';
import { say } from './messages.ts';
import { modelsText, PRESETS, parseModels } from './models.ts';
import { go, locationsOf, type Next, notice, subjectOf } from './moves.ts';

/** A run in its setup. It has the working part of that phase. */
type InSetup = SpecState & { readonly setup: SetupStage };

/** After this many unreadable forms, the recommended preset is used (SP-58). */
const MAX_BAD = 3;

export function setup(state: SpecState, analysts: AnalystTable): Next {
  const run = inSetup(state);
  switch (run.setup.stage) {
    case 'session':
      return session(run);
    case 'replacing': {
      const other = run.setup.other?.run ?? '';
      return wait({ kind: 'run_ended', run: other, why: say('spec.session.waiting', { run: other }) });
    }
    case 'routing':
      return routing(run);
    case 'mode':
      return mode(run, Object.keys(analysts).length);
    case 'model':
      return model(run);
    case 'model_confirm':
      return gate(specGates.model_confirm, modelConfirmGate(run.setup), {
        use: ({ at }) => onward(run, at),
        change: ({ at }) => stage(run, at, { stage: 'model', models: null, bad_model: null }),
      });
    case 'looking':
      return querySetup(run);
    case 'collision':
      return gate(specGates.slug_collision, collisionGate(run, run.setup), {
        timestamp: ({ at }) => stamp(run, at, []),
        overwrite: ({ at }) => stage({ ...run, overwrite: true }, at, { stage: 'looking', taken: [] }),
        stop: ({ at }) => withdrawn(run, at),
      });
  }
}

function inSetup(state: SpecState): InSetup {
  const { setup } = state;
  if (!setup) throw new InvariantError('setup without its working part');
  return { ...state, setup };
}

/** Another live run owns the subject. Resume and View do not touch it. Restart and Stop abandon it (WF-26). */
function session(state: InSetup): Next {
  const { other } = state.setup;
  if (!other) throw new InvariantError('a session gate without another run');
  const { run } = other;
  const abandon = { kind: 'command', to: run, command: 'abandon' } as const;
  return gate(specGates.session, sessionGate(state, other), {
    resume: ({ at }) => withdraw(state, at, { why: say('spec.end.resumed', { run }), successor: run }),
    view: ({ at }) => withdraw(state, at, { why: say('spec.end.viewed', { run }), successor: run }),
    stop: ({ at }) =>
      withdraw(state, at, { why: say('spec.end.other_stopped', { run }), successor: null }, [abandon]),
    restart: ({ at }) => stage(state, at, { stage: 'replacing' }, [abandon]),
  });
}

/**
 * The hint is only an offer. Continue changes nothing. Deliver starts another run with the same task and withdraws this
 * one.
 */
function routing(state: InSetup): Next {
  return gate(specGates.routing, routingGate(state.setup), {
    continue: ({ at }) => onward(state, at, { routing: null }),
    deliver: ({ at }) => {
      const { task, lang_explicit, user_lang } = state;
      const input = { task, ...(lang_explicit ? { lang: user_lang } : {}) };
      const ended = { why: say('spec.end.switched', { workflow: 'deliver' }), successor: CHILD };
      return withdraw(state, at, ended, [{ kind: 'spawn', key: 'routing', workflow: 'deliver', input }]);
    },
    stop: ({ at }) => withdrawn(state, at),
  });
}

/** Quick mode does not store models, even if a flag named some (SP-13). */
function mode(state: InSetup, analysts: number): Next {
  const { models } = state.setup;
  return gate(specGates.mode, modeGate(analysts, state.setup), {
    quick: ({ at }) => {
      const unused = models ? [notice(say('spec.notice.models_unused', { models: modelsText(models) }))] : [];
      return onward({ ...state, mode: 'quick' }, at, { models: null }, unused);
    },
    deep: ({ at }) => onward({ ...state, mode: 'deep' }, at),
  });
}

/** A preset is final. A typed form is first shown for confirmation. For an unreadable form the gate asks again. */
function model(state: InSetup): Next {
  const choose =
    (models: ModelConfig) =>
    ({ at }: Answer) =>
      onward(state, at, { models });
  return gate(specGates.model, modelGate(state.setup), {
    default: choose(PRESETS.default),
    'all-opus': choose(PRESETS['all-opus']),
    balanced: choose(PRESETS.balanced),
    economy: choose(PRESETS.economy),
    custom: ({ at, text }) => {
      const models = parseModels(text);
      if (!('bad' in models)) return stage(state, at, { stage: 'model_confirm', models });
      const bad_models = state.setup.bad_models + 1;
      if (bad_models < MAX_BAD) return stage(state, at, { bad_models, bad_model: cutText(models.bad, 60) });
      return onward(state, at, { models: PRESETS.balanced }, [
        { kind: 'decision', name: 'model_config', data: PRESETS.balanced, by_rule: 'SP-58' },
        notice(say('spec.notice.models_bad', { n: bad_models }), 'warning'),
      ]);
    },
  });
}

/**
 * If the folder is free, the setup commits. If not, the run asks a person. An unattended or already renamed run takes a
 * new name instead (SP-09). It names a branch only if documents are committed and not written into the checkout.
 */
function querySetup(state: InSetup): Next {
  const { slug, docs_path, namespace, has_git, in_place } = state;
  const branch = has_git && !in_place ? locationsOf(namespace, slug).branch : null;
  return query('setup', { slug, docs_path, branch }, (found, at) => {
    if (found.taken.length === 0 || state.overwrite) return commit(state, at, found);
    if (state.unattended || state.setup.stamped) return stamp(state, at, found.siblings);
    return stage(state, at, { stage: 'collision', taken: found.taken.slice(0, 8) });
  });
}

/** The other run has ended. This run continues where the session gate stopped it. */
export function afterSession(state: SpecState, at: Instant): Move<SpecState> {
  return onward(inSetup(state), at, { other: null });
}

/** Another run claimed the subject first. Setup asks as if that run had existed at the start. */
export function subjectTaken(
  state: SpecState,
  taken: Extract<Signal, { type: 'subject_taken' }>,
): Move<SpecState> {
  const { run, at, phase = null, title = null } = taken;
  const other = { run, phase, title };
  return { ...stage(inSetup(state), at, { stage: 'session', other }), interrupt: true };
}

function commit(state: InSetup, at: Instant, { branch }: SetupFound): Move<SpecState> {
  const models = state.mode === 'deep' ? state.setup.models : null;
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
function stamp(state: InSetup, at: Instant, siblings: readonly string[]): Move<SpecState> {
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

function withdrawn(state: SpecState, at: Instant): Move<SpecState> {
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

/** A move inside setup. */
function stage(
  state: InSetup,
  at: Instant,
  changes: Partial<SetupStage>,
  records: readonly MoveRecord[] = [],
): Move<SpecState> {
  return go(state, at, { setup: { ...state.setup, ...changes } }, records);
}

/** The next stage of setup: routing, mode, models, then the query. */
export function openStage(
  setup: Pick<SetupStage, 'routing' | 'models'>,
  mode: SpecState['mode'],
): SetupStage['stage'] {
  if (setup.routing) return 'routing';
  if (mode === null) return 'mode';
  return mode === 'deep' && !setup.models ? 'model' : 'looking';
}

/** Continues with the next stage that setup has not settled. */
function onward(
  state: InSetup,
  at: Instant,
  changes: Partial<SetupStage> = {},
  records: readonly MoveRecord[] = [],
): Move<SpecState> {
  const setup = { ...state.setup, ...changes };
  return stage(state, at, { ...changes, stage: openStage(setup, state.mode) }, records);
}
