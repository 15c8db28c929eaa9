import { BUILDING, BUILT } from '../../contract/build-report.ts';
import { type ConductState, StaleRef, TICKET_CAPS } from '../../contract/conduct.ts';
import type { RunId } from '../../contract/ids.ts';
import type { Signal } from '../../contract/outcome.ts';
import { canonicalJson } from '../../engine/canonical-json.ts';
import { isRejection, type Rejection, reject } from '../../engine/rejection.ts';
import { onBuildEnded, onBuilt } from './build.ts';
import { onChild } from './children.ts';
import { COMMANDS } from './commands.ts';
import { WHILE_STALE } from './compose-outside.ts';
import { next } from './decide.ts';
import { say } from './messages.ts';
import { go, type Next, notice } from './moves.ts';
import { withoutGo } from './release.ts';

/**
 * Handles unrequested input: commands of people, messages of children and builds, superseded decisions. If the input
 * changes the current step, running work on the old step is interrupted.
 */
export function receive(state: ConductState, signal: Signal): Next | Rejection {
  const move = take(state, signal);
  if (isRejection(move)) return move;
  const same = canonicalJson(next(move.state)) === canonicalJson(next(state));
  return same ? move : { ...move, interrupt: true };
}

function take(state: ConductState, signal: Signal): Next | Rejection {
  if (state.ended) return reject('wrong_moment', {}, { msg: 'engine.rejection.run_ended' });
  switch (signal.type) {
    case 'command':
      return onCommand(state, signal);
    case 'message':
      return onMessage(state, signal);
    case 'run_ended':
      return isBuild(state, signal) ? onBuildEnded(state, signal.result) : go(state, {});
    case 'fact':
      return signal.what === 'superseded' ? becomeStale(state, signal.value) : reject('wrong_moment');
    case 'judge':
      return state.brief && !state.pending ? go(state, { judging: true }) : reject('wrong_moment');
    default:
      return reject('wrong_moment');
  }
}

function onCommand(state: ConductState, signal: Extract<Signal, { type: 'command' }>): Next | Rejection {
  const { command, args, by, at, proof } = signal;
  const on = Object.hasOwn(COMMANDS, command) ? COMMANDS[command] : undefined;
  if (!on) return reject('no_such_command', { command, allowed: Object.keys(COMMANDS).join(', ') });
  return on(state, args, { by, at, ...(proof ? { proof } : {}) });
}

/** True for the build that the ticket waits for. Earlier builds were abandoned and do not count. */
function isBuild(
  { build_run, builds }: ConductState,
  { run, key }: Extract<Signal, { type: 'run_ended' }>,
): boolean {
  return run === build_run || key === `build-${builds}`;
}

function onMessage(state: ConductState, signal: Extract<Signal, { type: 'message' }>): Next | Rejection {
  switch (signal.name) {
    case 'child':
      return onChild(state, signal.data, signal.at);
    case BUILDING:
      return state.building === 'child' ? go(state, { build_run: signal.from }) : giveUp(state, signal.from);
    case BUILT:
      return state.building === 'child' && state.build_run === signal.from
        ? onBuilt(state, signal.data)
        : reject('wrong_moment');
    case 'adopted':
      return go(state, { parent: signal.from, parent_key: state.run });
    case 'let_go':
      return state.parent === signal.from
        ? go(state, { parent: null, parent_key: null })
        : reject('wrong_moment');
    default:
      return reject('wrong_moment');
  }
}

/** Abandons a build that reports its start after the ticket stopped waiting for it. */
function giveUp(state: ConductState, run: RunId): Next {
  return go(state, {}, [{ kind: 'command', to: run, command: 'abandon' }]);
}

/** If a person revised the withdrawn brief, its next draft gets that fact and their reshape text. */
function setAside({ brief, pending }: ConductState): Pick<ConductState, 'set_aside'> | null {
  return brief?.revised ? { set_aside: { reason: brief.reason, detail: pending?.detail ?? null } } : null;
}

/**
 * A decision that the ticket depends on was superseded. Forward
 * briefs are withdrawn and a patch is drafted instead (S3, CON-93).
 */
function becomeStale(state: ConductState, value: unknown): Next | Rejection {
  const parsed = StaleRef.strip().safeParse(value);
  if (!parsed.success) return reject('bad_input', { field: 'superseded', problem: 'not readable' });
  const stale = parsed.data;
  if (state.stale) return staleAgain(state, stale);
  const forward = state.brief && !WHILE_STALE.includes(state.brief.reason);
  const withdrawn = { brief: null, pending: null, judged: null, judging: false, round: null };
  const changed = { stale, knowledge: null, ...(forward ? { ...withdrawn, ...setAside(state) } : {}) };
  return go(state.phase === 'Built' ? withoutGo(state) : state, changed, [
    { kind: 'entry', name: 'stale', data: { ...stale, withdrawn: forward ? state.brief?.id : null } },
    notice(say('conduct.notice.stale', { run: state.run, id: stale.id }), 'warning'),
  ]);
}

/** The current patch is about another decision. This one waits for a patch of its own (CON-93). */
function staleAgain(state: ConductState, stale: NonNullable<ConductState['stale']>): Next {
  const known = [state.stale, ...state.stale_more].some((one) => one?.id === stale.id);
  if (known) return go(state, {});
  const stale_more = [...state.stale_more, stale].slice(-TICKET_CAPS.stale);
  return go(state, { stale_more }, [
    { kind: 'entry', name: 'stale', data: { ...stale, withdrawn: null } },
    notice(say('conduct.notice.stale', { run: state.run, id: stale.id }), 'warning'),
  ]);
}
