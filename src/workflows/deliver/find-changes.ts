import type { Msg } from '../../contract/brief.ts';
import type { DeliverState } from '../../contract/deliver.ts';
import type { ChangeSetFound, LineCount } from '../../contract/deliver-found.ts';
import { type Changes, FILES_JUDGED, SHOWN } from '../../contract/deliver-report.ts';
import type { Instant } from '../../contract/ids.ts';
import type { Move, MoveRecord } from '../../contract/move.ts';
import { cutText } from '../../engine/cut-text.ts';
import { query } from '../../engine/decide.ts';
import { commandsOf } from './checks.ts';
import { hasOwnTree } from './locations.ts';
import { say } from './messages.ts';
import { changedPaths, go, haltFailed, type Next, notice, oneLine, warning } from './moves.ts';
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

/** The size of the whole change, and of each file shown to a person. */
function linesOf({ lines, ...found }: ChangeSetFound): Pick<Changes, 'lines' | 'lines_of'> {
  if (lines === null) return {};
  const counts = Object.values(lines);
  const sum = (key: keyof LineCount) => counts.reduce((total, count) => total + count[key], 0);
  const shown = new Set(changedPaths({ changes: found }).slice(0, SHOWN.items));
  return {
    lines: { added: sum('added'), removed: sum('removed') },
    lines_of: Object.fromEntries(Object.entries(lines).filter(([path]) => shown.has(path))),
  };
}

/** Maximum length of a name that was not written for people to read. */
const NAME_SHOWN = 100;

/**
 * The change set as the run stores it. The query compares with the git directory that the last worker found. Changes
 * made there by earlier workers are taken from the previous set.
 */
function toChanges(found: ChangeSetFound, touched: readonly string[]): Changes {
  const git = [...new Set([...touched, ...found.git])].slice(0, SHOWN.items);
  const { modified, created, deleted, outside, too_many, tree, todo } = found;
  const room = { left: FILES_JUDGED };
  const take = (paths: readonly string[]) => {
    const taken = paths.slice(0, room.left);
    room.left -= taken.length;
    return taken;
  };
  return {
    modified: take(modified),
    created: take(created),
    deleted: take(deleted),
    cut: modified.length + created.length + deleted.length > FILES_JUDGED,
    tree,
    content: found.content,
    diff: found.diff,
    ...linesOf(found),
    outside: outside.slice(0, SHOWN.items),
    too_many,
    alters_checks: found.alters_checks.slice(0, SHOWN.items),
    ...(git.length > 0 && { git }),
    ...(found.ignored.length > 0 && {
      ignored: found.ignored.slice(0, SHOWN.items).map((name) => cutText(name, NAME_SHOWN)),
      ignored_total: found.ignored_total,
    }),
    ...(found.hooks && {
      hooks: {
        names: found.hooks.names.slice(0, SHOWN.items),
        files: found.hooks.files.slice(0, SHOWN.items),
        total: found.hooks.files.length,
      },
    }),
    ...(found.secrets.length > 0 && {
      secrets: found.secrets.slice(0, SHOWN.failures).map((one) => ({
        ...one,
        path: cutText(one.path, SHOWN.characters),
        what: cutText(one.what, NAME_SHOWN),
      })),
      secrets_total: found.secrets.length,
    }),
    todo: todo?.slice(0, SHOWN.items).map((hit) => ({ ...hit, text: oneLine(hit.text) })) ?? null,
    todo_total: todo?.length ?? 0,
  };
}
