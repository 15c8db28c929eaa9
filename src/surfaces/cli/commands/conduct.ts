import { type DriveMode, TICKET_GATES } from '../../../contract/ticket.ts';
import { CONTROLLED, flagOf, formatMode, isDelegating, modeFromFlags } from '../../../engine/drive-mode.ts';
import { nearest } from '../../../engine/nearest.ts';
import { isRejection } from '../../../engine/rejection.ts';
import type { RunView } from '../../../runtime/views.ts';
import {
  type Context,
  isPersonHere,
  isSet,
  need,
  needView,
  type OpenContext,
  optionText,
  refuseAs,
  viewOf,
  withApi,
} from '../context.ts';
import { type DriveDeps, driveRun, showRunEnd, showStanding, withDrive } from '../drive.ts';
import { EXIT, refuse } from '../exit.ts';
import { awaitedBy } from '../standing.ts';
import { showRows } from '../stop-blocks.ts';
import { speak } from '../voice.ts';
import { envLang } from '../words.ts';

/** Drives one ticket from its current state. The flags say how much is handed over, for this invocation only. */
export async function conduct(context: Context): Promise<number> {
  const { options, positionals } = context.values;
  const { 'pause-at': pauseAt, unattended, escalate } = options;
  // Parsed before the store is opened: an unknown flag does not delegate or change anything (CON-07).
  const mode = modeFromFlags({ pauseAt, unattended, escalate });
  const { words } = context;
  if (isRejection(mode)) {
    const near = nearest(typeof pauseAt === 'string' ? pauseAt : '', TICKET_GATES);
    const t = await context.deps.translator(envLang(context.deps.env));
    return refuseAs(mode, t, near === null ? [] : [words('cli.did_you_mean', { word: near })]);
  }
  const [name] = positionals;
  if (name === undefined) return refuse(EXIT.usage, [words('cli.no_ticket_named')]);
  const alone = ['inherit', 'at-once'].find((option) => options[option] !== undefined);
  const children = isSet(context, 'children');
  if (alone !== undefined && !children)
    return refuse(EXIT.usage, [words('cli.only_with_children', { option: `--${alone}` })]);
  if (children && isDelegating(mode) && !isSet(context, 'inherit'))
    return refuse(EXIT.usage, [words('cli.needs_inherit', { flag: flagOf(mode) })]);
  const absent = () =>
    refuse(EXIT.refused, [context.words('cli.ticket.no_ticket', { name })], { rejection: 'no_such_run' });
  return withApi(context, (open) => conductTicket(open, name, mode), { absent: absent });
}

async function conductTicket(open: OpenContext, name: string, mode: DriveMode): Promise<number> {
  const { api } = open;
  const run = await need(open, await api.findTicket(name));
  if ((await api.projectMode()) !== 'opinionated') return refuse(EXIT.refused, [open.words('cli.is_manual')]);
  if (isSet(open, 'plan')) return showPlan(open, run, mode);
  // Gates are handed over only with proof of a person. A scheduled run must not have a flag (CON-116).
  const invocation = { mode: formatMode(mode), one_shot: isSet(open, 'one-shot') };
  await need(open, await api.may('open', { run, attended: false, invocation }));
  // A person who hands over gates may still be here for the others. `--one-shot` ends at the first pause (CON-09).
  const interactive = isPersonHere(open) && !isSet(open, 'one-shot');
  const drive = (driven: DriveDeps) =>
    isSet(open, 'children')
      ? conductChildren(driven, run, isSet(open, 'inherit') ? mode : CONTROLLED)
      : driveTicket(driven, run, mode);
  return withDrive(open, drive, interactive);
}

async function driveTicket(drive: DriveDeps, run: string, mode: DriveMode): Promise<number> {
  const { api, interactive } = drive;
  const before = await needView(drive, run);
  const { phase, step } = before.run;
  if (isOver(before)) {
    const exit = await showStanding(drive, run);
    await showRunEnd(drive, run, phase);
    return exit;
  }
  const { t } = await speak(drive, before);
  const invocation = { mode: formatMode(mode), one_shot: isSet(drive, 'one-shot') };
  const opened = await api.open({ run, attended: interactive, invocation });
  if (isRejection(opened)) return refuseAs(opened, t);
  await report(drive, run, mode, t);
  const parent_ticket = step.kind === 'gate' && step.name === 'parent_ticket';
  if (parent_ticket || awaitedBy(step).includes('conduct')) {
    const given = await api.command({ run, command: 'conduct' });
    if (isRejection(given)) {
      await opened.close();
      return refuseAs(given, t);
    }
  }
  const exit = await driveRun(drive, opened);
  await showRunEnd(drive, run, phase);
  return exit;
}

/**
 * True for an ended or parked ticket, and for a parent whose children do
 * the work. It is reported and not driven in any mode (CON-80, CON-104).
 */
function isOver({ run: { status, phase, step, state } }: RunView): boolean {
  if (status === 'ended') return true;
  if (awaitedBy(step).length === 0) return false;
  const children = (state.children ?? []) as readonly { readonly archived: boolean }[];
  const carried = phase === 'Decomposed' && children.some(({ archived }) => !archived);
  return phase === 'Parked' || (carried && state.stale === null);
}

/** Shows what this drive may do, before it does anything (CON-15). */
async function report(
  { screen, api }: DriveDeps,
  run: string,
  mode: DriveMode,
  t: (text: never) => string,
): Promise<void> {
  if (screen.json) return;
  const trust = await api.trust();
  const cautious = trust.level === 'cautious';
  // The run itself reports the ignored flag, once. An unknown level is reported only here (S1).
  const lines = cautious ? await api.announce(run, { kind: 'denied', mode: CONTROLLED }) : [];
  const start = await api.announce(run, { kind: 'start', mode: cautious ? CONTROLLED : mode });
  for (const line of [...lines, ...start]) screen.text(t(line as never), '  ');
}

/** Shows what would pause and what would be accepted, from the policy itself. It does not run or write anything. */
async function showPlan(open: OpenContext, run: string, mode: DriveMode): Promise<number> {
  const { screen, api } = open;
  const view = await needView(open, run);
  const t = await api.translator(view.run.lang);
  const texts = await api.announce(run, { kind: 'plan', mode });
  const rows = texts.flatMap((text, i): [string, string][] => {
    const says = texts[i + 1];
    return i % 2 === 0 && says !== undefined ? [[t(text), t(says)]] : [];
  });
  const next = `baton conduct ${run} ${flagOf(mode)}`.trimEnd();
  if (screen.json) {
    const gates = rows.map(([gate, will]) => ({ gate, will }));
    screen.printJson({ ok: true, run, mode: formatMode(mode), gates, next, exit: EXIT.done });
    return EXIT.done;
  }
  screen.text(open.words('cli.plan_of', { run, mode: formatMode(mode) }));
  showRows(screen, rows);
  showRows(screen, [[open.words('cli.next'), next]]);
  return EXIT.done;
}

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

/**
 * Drives the children of a parent in the order of their dependencies,
 * a limited number at once. Shows one overview at the end.
 */
async function conductChildren(drive: DriveDeps, parent: string, mode: DriveMode): Promise<number> {
  const bound = optionText(drive, 'at-once') ?? '1';
  if (!/^[1-9]\d?$/.test(bound))
    return refuse(EXIT.usage, [drive.words('cli.bad_number', { option: '--at-once', given: bound })]);
  const driven = new Map<string, string>();
  for (;;) {
    const view = await needView(drive, parent);
    const children = view.run.state.children as readonly ChildRow[];
    const ready = children.filter((child) => isReady(child, children) && !driven.has(child.id ?? ''));
    const batch = ready.slice(0, Number(bound));
    if (batch.length === 0) return overview(drive, parent, children, driven);
    await Promise.all(
      batch.map(async ({ id }) => {
        if (id !== null) driven.set(id, await driveChild(drive, id, mode));
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
async function driveChild({ api }: DriveDeps, id: string, mode: DriveMode): Promise<string> {
  const invocation = { mode: formatMode(mode), one_shot: false };
  const opened = await api.open({ run: id, attended: false, invocation });
  if (isRejection(opened)) return opened.rejection;
  try {
    const view = await viewOf(api, id);
    if (view && awaitedBy(view.run.step).length > 0) await api.command({ run: id, command: 'conduct' });
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
