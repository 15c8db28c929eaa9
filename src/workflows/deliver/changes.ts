import type { ChangeSetFound, LineCount } from '../../contract/deliver-found.ts';
import { type Changes, FILES_JUDGED, SHOWN } from '../../contract/deliver-report.ts';
import { cutText } from '../../engine/cut-text.ts';
import { changedPaths, oneLine } from './moves.ts';

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
export function toChanges(found: ChangeSetFound, touched: readonly string[]): Changes {
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
