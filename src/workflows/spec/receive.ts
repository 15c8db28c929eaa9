import type { Move } from '../../contract/move.ts';
import type { Signal } from '../../contract/outcome.ts';
import type { SpecState } from '../../contract/spec.ts';
import { type Rejection, reject } from '../../engine/rejection.ts';
import { say } from './messages.ts';
import { modelsText } from './models.ts';
import { go, notice } from './moves.ts';
import { newPass } from './pass.ts';
import { afterSession, subjectTaken } from './setup.ts';

type Command = Extract<Signal, { type: 'command' }>;

/** Handles input that no step asked for. Input that does not fit the present state is rejected and changes nothing. */
export function receive(state: SpecState, signal: Signal): Move<SpecState> | Rejection {
  if (state.ended) return reject('wrong_moment');
  switch (signal.type) {
    case 'command': {
      const { command } = signal;
      const obey = Object.hasOwn(COMMANDS, command) ? COMMANDS[command] : undefined;
      const allowed = Object.keys(COMMANDS).join(', ');
      return obey ? obey(state, signal) : reject('no_such_command', { command, allowed });
    }
    case 'run_ended':
      return state.setup?.stage === 'replacing' && state.setup.other?.run === signal.run
        ? afterSession(state, signal.at)
        : reject('wrong_moment');
    case 'subject_taken':
      return state.setup ? subjectTaken(state, signal) : reject('wrong_moment');
    default:
      return reject('wrong_moment');
  }
}

const COMMANDS: Readonly<Record<string, (state: SpecState, signal: Command) => Move<SpecState> | Rejection>> =
  {
    resume,
    abandon: (state, { at, by }) => {
      const why = isApproved(state) ? 'spec.notice.closed' : 'spec.notice.abandoned';
      return giveUp(state, at, say(why, { by }));
    },
    restart: (state, { at }) => {
      const { task, cli_flags, lang_explicit, user_lang } = state;
      const lang = lang_explicit ? user_lang : null;
      const model_config = state.model_config ? modelsText(state.model_config) : null;
      const input = { task, mode: state.mode, model_config, reference: cli_flags.reference, lang };
      const move = giveUp(state, at, say('spec.end.restarted'));
      const spawn = { kind: 'spawn', key: 'restart', workflow: 'spec', input } as const;
      return { ...move, records: [...move.records, spawn] };
    },
    reopen,
  };

/**
 * Lifts a halt and repeats the halted step. Unset conventions are searched for first, with the whole chain of checks.
 * Phase and answers stay (SP-18, SP-04). A halt of the critic cannot be resumed. It has its own commands (SP-50).
 */
function resume(state: SpecState, { command, at }: Command): Move<SpecState> | Rejection {
  if (state.phase === 'critic_halted') {
    return reject('wrong_moment', { command }, { msg: 'spec.resume_not_now' });
  }
  const unset = state.conventions === null && state.phase !== 'setup';
  if (!state.halted && (!unset || state.convention_stage)) {
    return reject('wrong_moment', { command }, { msg: 'spec.not_halted' });
  }
  return go(state, at, { halted: null, ...(unset ? { convention_stage: { at: 'query' } } : {}) });
}

/**
 * Opens the questions again after a halt of the critic (SP-50). Answers, requests and all artefacts stay. The critic's
 * state is cleared, and conventions that were found are checked again. The next unused round is asked, and the limit
 * stays three.
 */
function reopen(state: SpecState, { command, at, by }: Command): Move<SpecState> | Rejection {
  if (state.phase !== 'critic_halted') {
    return reject('wrong_moment', { command }, { msg: 'spec.reopen_not_now' });
  }
  const { changes, records } = newPass(state, null);
  const again: Partial<SpecState> = {
    ...changes,
    phase: 'qa_active',
    reopened: true,
    qa_round: Math.min(3, state.rounds_closed + 1),
    convention_stage: state.conventions === 'skipped' ? null : { at: 'query' },
  };
  return go(state, at, again, [
    ...records,
    { kind: 'decision', name: 'reopened', data: { by, at } },
    notice(say('spec.notice.reopened')),
  ]);
}

/** True if the documents are approved and written. Abandoning the run then drops only its last question. */
function isApproved({ phase }: SpecState): boolean {
  return phase === 'completed';
}

function giveUp(state: SpecState, at: string, why: ReturnType<typeof say>): Move<SpecState> {
  const result = isApproved(state) ? 'approved' : 'abandoned';
  const ended = { result, why, successor: null } as const;
  return { ...go(state, at, { halted: null, ended }, [notice(why)]), interrupt: true };
}
