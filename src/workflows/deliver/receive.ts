import type { DeliverState } from '../../contract/deliver.ts';
import { isStepName } from '../../contract/deliver-invocation.ts';
import type { Instant } from '../../contract/ids.ts';
import type { Move } from '../../contract/move.ts';
import type { Signal } from '../../contract/outcome.ts';
import { validatePath } from '../../engine/paths.ts';
import { type Rejection, reject } from '../../engine/rejection.ts';
import { decide } from './decide.ts';
import { say } from './messages.ts';
import { modelsText } from './models.ts';
import { go, notice } from './moves.ts';
import { afterSession, subjectTaken } from './setup.ts';
import { obeyStep } from './step-commands.ts';
import { askWipe } from './wipe.ts';

type Command = Extract<Signal, { type: 'command' }>;
type OnCommand = (state: DeliverState, signal: Command) => Move<DeliverState> | Rejection;

/** Handles input that no step asked for. Input that does not fit the present state is rejected and changes nothing. */
export function receive(state: DeliverState, signal: Signal): Move<DeliverState> | Rejection {
  if (state.ended) return reject('wrong_moment');
  const { setup } = state;
  switch (signal.type) {
    case 'command':
      return obey(state, signal);
    case 'run_ended':
      return setup?.stage === 'replacing' && setup.other?.run === signal.run
        ? afterSession({ ...state, setup }, signal.at)
        : reject('wrong_moment');
    case 'subject_taken':
      return setup ? subjectTaken({ ...state, setup }, signal) : reject('wrong_moment');
    case 'fact':
      return signal.what === 'artefact_missing' ? forget(state, signal) : reject('wrong_moment');
    default:
      return reject('wrong_moment');
  }
}

function obey(state: DeliverState, signal: Command): Move<DeliverState> | Rejection {
  const { command, at } = signal;
  if (isStepName(command)) return refusePath(state) ?? obeyStep(state, command, at);
  const known = Object.hasOwn(COMMANDS, command) ? COMMANDS[command] : undefined;
  const allowed = [...Object.keys(COMMANDS), 'generate', 'verify', 'evaluate'].join(', ');
  return known ? known(state, signal) : reject('no_such_command', { command, allowed });
}

const COMMANDS: Readonly<Record<string, OnCommand>> = {
  wipe: (state, { at }) => {
    const idle = ['gate', 'wait'].includes(decide({ ...state, halted: null }).step.kind);
    if (!idle) return reject('wrong_moment', {}, { msg: 'deliver.wipe_not_now' });
    return refusePath(state) ?? askWipe({ ...state, halted: null }, at);
  },
  resume: (state, signal) => refusePath(state) ?? resume(state, signal),
  abandon: (state, { at, by }) => giveUp(state, at, say('deliver.notice.abandoned', { by })),
  restart: (state, { at }) => {
    const { ticket } = state;
    if (ticket !== null) return reject('wrong_moment', { ticket }, { msg: 'deliver.ticket_restarts' });
    const move = giveUp(state, at, say('deliver.end.restarted'));
    const spawn = { kind: 'spawn', key: 'restart', workflow: 'deliver', input: inputOf(state) } as const;
    return { ...move, records: [...move.records, spawn] };
  },
};

/**
 * Lifts a halt and continues from the same phase. A run of single steps continues to the next halt of style `phase`
 * (WF-86).
 */
function resume(state: DeliverState, { command, at }: Command): Move<DeliverState> | Rejection {
  const { halted } = state;
  if (!halted) return reject('wrong_moment', { command }, { msg: 'deliver.not_halted' });
  const run_style = state.run_style === 'step' ? 'phase' : state.run_style;
  const going = { ...state, run_style, halted: null };
  return go(going, at, halted.kind === 'style' ? { was_idle: true } : {});
}

/**
 * Rejects a docs_path that no longer passes validation, so that it is never read or written. Only a new start helps
 * (WF-28).
 */
function refusePath({ docs_path, namespace }: DeliverState): Rejection | null {
  const checked = validatePath(docs_path, 'output_dir', { namespace });
  if (checked.ok) return null;
  return reject(
    'path_refused',
    { path: docs_path, rule: checked.code },
    { msg: 'deliver.docs_path_refused' },
  );
}

/** An artefact of this run is missing. If it held the conventions, planners wait until they are found again (WF-34). */
function forget(
  state: DeliverState,
  { value, at }: Extract<Signal, { type: 'fact' }>,
): Move<DeliverState> | Rejection {
  const { conventions, phase } = state;
  if (!conventions || conventions === 'skipped' || conventions.artefact !== value)
    return reject('wrong_moment');
  const again = phase === 'plan_ready' || phase === 'planning';
  const changes = { conventions: null, ...(again ? { convention_stage: { at: 'query' } as const } : {}) };
  const move = go(state, at, changes, [notice(say('deliver.notice.conventions_missing'), 'warning')]);
  return again ? { ...move, interrupt: true } : move;
}

function giveUp(state: DeliverState, at: Instant, why: ReturnType<typeof say>): Move<DeliverState> {
  const ended = { result: 'abandoned', why, successor: null } as const;
  return { ...go(state, at, { halted: null, ended }, [notice(why)]), interrupt: true };
}

/** Input of a new run: the same task with everything settled so far. */
function inputOf(state: DeliverState): Record<string, unknown> {
  const { task, mode, model_config, cli_flags, lang_explicit, user_lang } = state;
  const { lint_cmd, type_check_cmd, verifier_model, output_dir, scope, todo_blocking } = cli_flags;
  return {
    step: state.run_style === 'auto' ? null : 'plan',
    task,
    mode,
    model_config: model_config ? modelsText(model_config) : null,
    lint_cmd,
    type_check_cmd,
    verifier_model,
    output_dir,
    scope,
    todo_blocking,
    from_spec: state.from_spec?.run ?? cli_flags.from_spec,
    lang: lang_explicit ? user_lang : null,
  };
}
