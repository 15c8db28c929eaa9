import type { Person } from '../../../contract/answer.ts';
import type { DriveMode } from '../../../contract/ticket.ts';
import { formatMode } from '../../../engine/drive-mode.ts';
import { isRejection } from '../../../engine/rejection.ts';
import { need, optionText, userName } from '../context.ts';
import type { DriveDeps } from '../drive.ts';
import { EXIT } from '../exit.ts';
import { refuse } from '../refused.ts';
import { showRows } from '../stop-blocks.ts';

interface ChildRow {
  readonly id: string | null;
  readonly key: string;
  readonly title: string;
  readonly state: string;
  readonly archived: boolean;
  readonly after: readonly string[];
}

const DONE = ['Verified', 'Cancelled'];
const OUT = [...DONE, 'Parked'];

/** How much a person hands over, and who that person is. Without a hand-over there is no person. */
export interface HandedOver {
  readonly mode: DriveMode;
  readonly person?: Person;
}

/**
 * Drives the children of a parent in the order of their dependencies,
 * a limited number at once. Shows one overview at the end.
 */
export async function conductChildren(drive: DriveDeps, parent: string, handed: HandedOver): Promise<number> {
  const { api } = drive;
  const bound = optionText(drive, 'at-once') ?? '1';
  if (!/^[1-9]\d?$/.test(bound))
    return refuse(EXIT.usage, [drive.words('cli.bad_number', { option: '--at-once', given: bound })]);
  const driven = new Map<string, string>();
  for (;;) {
    const view = await need(drive, await api.view(parent), parent);
    const children = view.run.state.children as readonly ChildRow[];
    const ready = children.filter((child) => isReady(child, children) && !driven.has(child.id ?? ''));
    const batch = ready.slice(0, Number(bound));
    if (batch.length === 0) return overview(drive, parent, children, driven);
    await Promise.all(
      batch.map(async ({ id }) => {
        if (id !== null) driven.set(id, await driveChild(drive, id, handed));
      }),
    );
  }
}

/** True if the child can be driven and every child that it must follow is done. */
function isReady({ id, state, archived, after }: ChildRow, all: readonly ChildRow[]): boolean {
  const before = all.filter((other) => after.includes(other.key));
  return (
    id !== null && !archived && !OUT.includes(state) && before.every((other) => DONE.includes(other.state))
  );
}

/** Drives one child. Returns its stop point in a word or two. */
async function driveChild(
  { deps, api }: DriveDeps,
  id: string,
  { mode, ...proven }: HandedOver,
): Promise<string> {
  const by = userName(deps);
  const opened = await api.open(id, by, false, { mode: formatMode(mode), one_shot: false, ...proven });
  if (isRejection(opened)) return opened.rejection;
  try {
    const view = await api.view(id);
    const step = isRejection(view) ? null : view.run.step;
    if (step?.kind === 'wait' && step.until.kind === 'command') await api.command(id, 'conduct', by);
    const point = await opened.advance();
    return point.gate ? `baton answer ${point.gate.id}` : point.status;
  } finally {
    await opened.close();
  }
}

async function overview(
  drive: DriveDeps,
  parent: string,
  children: readonly ChildRow[],
  driven: ReadonlyMap<string, string>,
): Promise<number> {
  const { screen } = drive;
  const { words } = drive;
  const listed = children.filter(({ archived }) => !archived);
  const waiting = [...driven.values()].some((point) => point.startsWith('baton answer'));
  const exit = waiting ? EXIT.waiting : EXIT.done;
  if (screen.json) {
    const rows = listed.map(({ id, title, state }) => ({
      id,
      title,
      state,
      point: driven.get(id ?? '') ?? null,
    }));
    screen.printJson({ ok: true, run: parent, children: rows, exit });
    return exit;
  }
  if (listed.length === 0) screen.text(words('cli.no_children', { run: parent }));
  else {
    screen.text(words('cli.children_of', { run: parent }));
    showRows(
      screen,
      listed.map(({ id, key, title, state }) => [
        `${id ?? key} ${state}`,
        `${title}   ${driven.get(id ?? '') ?? ''}`,
      ]),
    );
  }
  return exit;
}
