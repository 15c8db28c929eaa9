import type { Msg } from '../../contract/brief.ts';
import type { DeliverState } from '../../contract/deliver.ts';
import type { Changes } from '../../contract/deliver-report.ts';
import type { Instant } from '../../contract/ids.ts';
import type { Move, MoveRecord } from '../../contract/move.ts';
import { query } from '../../engine/decide.ts';
import { toChanges } from './changes.ts';
import { commandsOf } from './checks.ts';
import { hasOwnTree } from './locations.ts';
import { say } from './messages.ts';
import { changedPaths, go, haltFailed, type Next, notice, warning } from './moves.ts';
import { gitTouched, ignoredWritten } from './touched.ts';
import { altersChecks, secrets } from './warnings.ts';

/** Continues with the new change set. */
type Onward = (state: DeliverState, at: Instant, records: readonly MoveRecord[]) => Move<DeliverState>;

/**
 * Computes what changed since the start, without the run's own documents. A closed run queries only what it judged and
 * what hooks changed in its commit, because other work continues in the person's own folder.
 */
export function findChanges(state: DeliverState, onward: Onward): Next {
  const { scope, max_files, docs_path, phase, start, run } = state;
  const closed = phase === 'completed';
  const commands = Object.values(commandsOf(state)).filter((command) => command !== null);
  const judged = [...changedPaths(state.attempt), ...(state.finish.rewritten ?? [])];
  const only = closed ? { only: [...new Set(judged)] } : {};
  const input = { since: start, scope, max_files, docs_path, commands, ...(run && { run }), ...only };
  return query('change_set', input, (found, at) => {
    const changes = toChanges(found, state.attempt.changes?.git ?? []);
    const files = changedPaths({ changes }).length;
    const records: MoveRecord[] = [
      { kind: 'entry', name: 'changes', data: { part: 'set', round: state.round, changes } },
      ...(changes.diff ? [{ kind: 'artefact', name: 'diff', hash: changes.diff } as const] : []),
      notice(changedText(files, changes), files === 0 ? 'warning' : 'info', 'outcome'),
      ...[...secrets({ attempt: { changes } }), ...altersChecks({ attempt: { changes } })].map(warning),
      ...gitTouched({ ...found, in_place: !hasOwnTree(state) }).map(warning),
      ...ignoredWritten({ ignored: newIn(changes.ignored, state.attempt.changes?.ignored) }).map(warning),
    ];
    const {
      attempt: { notes, refused },
    } = state;
    if (!closed && files === 0 && notes && refused) return haltRefused(state, at, refused, records);
    return onward({ ...state, attempt: { ...state.attempt, changes } }, at, records);
  });
}

/** The change set before a new pass. */
export function startPass(
  state: DeliverState,
  at: Instant,
  records: readonly MoveRecord[],
): Move<DeliverState> {
  return go(state, at, { checks: { pass_due: false }, phase: 'verifying' }, records);
}

function changedText(n: number, { lines }: Changes): Msg {
  return lines && n > 0
    ? say('deliver.notice.changes_lines', { n, ...lines })
    : say('deliver.notice.changes', { n });
}

function newIn(found: readonly string[] = [], known: readonly string[] = []): string[] {
  return found.filter((name) => !known.includes(name));
}

/**
 * The worker reports that it is done, but it was refused what it needed and changed nothing. A resume asks it again.
 */
function haltRefused(
  state: DeliverState,
  at: Instant,
  refused: readonly string[],
  records: readonly MoveRecord[],
): Move<DeliverState> {
  const why = say('deliver.halt.refused', { what: refused.join(', ') });
  return haltFailed({ ...state, attempt: { ...state.attempt, notes: null } }, at, why, records);
}
