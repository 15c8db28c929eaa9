import type { Gate } from '../../contract/gate.ts';
import { CONTROLLED, parseMode } from '../../engine/drive-mode.ts';
import { isRejection, reject } from '../../engine/rejection.ts';
import type { Api } from '../../runtime/api.ts';
import type { DriveHandle, RunView, ShownGate, StopPoint } from '../../runtime/views.ts';
import { askAndAnswer } from './answer-gate.ts';
import {
  isInteractive,
  need,
  needView,
  type OpenContext,
  refuseAs,
  rememberShown,
  translatorOf,
  viewOf,
  waitAtMost,
} from './context.ts';
import type { ShownCodes } from './deps.ts';
import { EXIT, exitOfStatus } from './exit.ts';
import { showPlainGate } from './gate-screen.ts';
import { createProgressLines, type ProgressLines } from './progress.ts';
import type { Screen } from './screen.ts';
import { nextCommand, outcomeOf, standingOf, waitOf, waysToAnswer } from './standing.ts';
import { showRunStatus } from './status-block.ts';
import {
  type BlockDeps,
  resultOf,
  showAway,
  showEnd,
  showHalted,
  showRows,
  showSleeping,
} from './stop-blocks.ts';
import { speak } from './voice.ts';
import type { Words } from './words.ts';

/**
 * The input of a drive in this terminal. `interrupt` fires on Ctrl-C,
 * on a closed terminal, and on a kill signal that can be caught.
 */
export interface DriveDeps extends OpenContext {
  readonly lines: ProgressLines;
  readonly interrupt: AbortController;
  readonly interactive: boolean;
  readonly codes: ShownCodes | null;
}

/** Running workers are ended within this time. The next process that takes the run kills what is left. */
const CLOSE_MS = 1800;

/**
 * Drives a run until it cannot continue by itself. Asks its gates if a person is here, otherwise it ends at the first
 * one. Always closes the handle. Returns the exit code.
 */
export async function driveRun(
  drive: DriveDeps,
  handle: DriveHandle,
  answered: string | null = null,
): Promise<number> {
  let current = handle;
  let option = answered;
  let left = false;
  const told = new Set<string>();
  try {
    for (;;) {
      const point = await advance(drive, current);
      await drive.lines.settle();
      if (point === 'interrupted') {
        await closeSoon(current);
        left = true;
        return await leave(drive, current.run, null);
      }
      if (point.successor !== null) {
        const next = await follow(drive, current, point.successor, option);
        if (typeof next === 'number') return next;
        current = next;
        continue;
      }
      const end = await atStopPoint(drive, current, point, told);
      if ('exit' in end) return end.exit;
      option = end.option;
    }
  } finally {
    if (!left) await closeSoon(current);
  }
}

async function advance({ interrupt }: DriveDeps, handle: DriveHandle): Promise<StopPoint | 'interrupted'> {
  const advancing = handle.advance();
  // After an interrupt the command does not wait for it any more.
  advancing.catch(() => undefined);
  return Promise.race([advancing, interrupted(interrupt.signal)]);
}

function interrupted(signal: AbortSignal): Promise<'interrupted'> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve('interrupted');
    else signal.addEventListener('abort', () => resolve('interrupted'), { once: true });
  });
}

/** Closes the handle, and waits at most `CLOSE_MS` for it. */
export function closeSoon(handle: DriveHandle): Promise<void> {
  return waitAtMost(handle.close(), CLOSE_MS);
}

type StopEnd = { readonly exit: number } | { readonly option: string | null };

/**
 * Returns an exit code if this command ends at the stop point. Otherwise the run continues after the returned option.
 */
async function atStopPoint(
  drive: DriveDeps,
  handle: DriveHandle,
  point: StopPoint,
  told: Set<string>,
): Promise<StopEnd> {
  if (point.status !== 'waiting' || !point.gate) return { exit: await finish(drive, point) };
  const shown = await shownGate(drive.api, point.gate);
  if (!shown) return gateGone(drive, point, point.gate);
  if (drive.interactive && isNewPause(point, told)) await showPause(drive, point);
  const view = await needView(drive, point.run);
  if (!drive.interactive) return { exit: await waitAtGate(drive, shown, view, point) };
  const voice = await speak(drive, view);
  const end = await askAndAnswer({ ...drive, ...voice }, handle, shown, view.run.seq);
  if (end.kind === 'left') return { exit: await leave(drive, point.run, shown.gate) };
  return { option: end.kind === 'answered' ? end.option : null };
}

/** The cause `controlled` is shown once per drive. Every other cause is shown each time. */
function isNewPause({ pause }: StopPoint, told: Set<string>): boolean {
  if (!pause || (pause.cause === 'controlled' && told.has(pause.cause))) return false;
  told.add(pause.cause);
  return true;
}

/** Shows why a drive left the gate to a person, in the words of the workflow. */
async function showPause(drive: DriveDeps, { run, pause, mode }: StopPoint): Promise<void> {
  const asked = parseMode(mode ?? 'controlled') ?? CONTROLLED;
  // A gate for trouble explains itself.
  if (!pause || pause.cause === 'trouble' || drive.screen.json) return;
  const { cause, classes, signals } = pause;
  const view = await viewOf(drive.api, run);
  if (!view) return;
  const { t } = await speak(drive, view);
  const drive_open = pause.until !== null;
  const lines = await drive.api.announce(run, {
    kind: 'pause',
    mode: asked,
    pause: { kind: 'pause', cause, classes, signals },
    drive_open,
    // The options are shown right below.
    asked_here: drive.interactive,
  });
  if (lines.length === 0) return;
  drive.screen.line();
  for (const line of lines) drive.screen.text(`  ${t(line)}`, '    ');
}

/**
 * The gate was answered a moment ago, or it is open but not listed.
 * In the second case the store is damaged, so the command is refused.
 */
async function gateGone(drive: DriveDeps, point: StopPoint, gate: Gate): Promise<StopEnd> {
  const now = await drive.api.findGate(gate.id);
  if (isRejection(now) || now.status !== 'open') return { option: null };
  const args = { run: point.run, field: 'gate', problem: 'not listed' };
  return refuseAs(reject('state_corrupt', args), await translatorOf(drive, point.run));
}

async function shownGate(api: Api, gate: Gate): Promise<ShownGate | undefined> {
  return (await api.gates(gate.run)).find((shown) => shown.gate.id === gate.id);
}

/** Another run continues the subject. This terminal follows it, or only shows it if that was the answer. */
async function follow(
  drive: DriveDeps,
  handle: DriveHandle,
  run: string,
  option: string | null,
): Promise<DriveHandle | number> {
  const view = await needView(drive, run);
  const { screen } = drive;
  const given = await viewOf(drive.api, handle.run);
  const { words, t } = await speak(drive, view);
  await closeSoon(handle);
  if (given) printUnused(screen, words, given, option);
  if (option === 'view') {
    if (screen.json) printStopPoint(drive, standingOf(view, t), EXIT.done);
    showRunStatus(screen, view, { t, words, now: drive.deps.now() });
    return EXIT.done;
  }
  screen.text(words('cli.continues_as', { run }));
  return need(drive, await drive.api.open({ run, attended: drive.interactive }), run);
}

/** If the person continues an earlier run, the typed task is not used. It is shown, so that it is not lost. */
function printUnused(screen: Screen, words: Words, { run }: RunView, option: string | null): void {
  const unused = outcomeOf(run) === 'withdrawn' && (option === 'resume' || option === 'view');
  if (!unused) return;
  screen.text(words('cli.task_unused'));
  screen.text(`  ${run.title}`, '  ');
}

/** Without a person here, prints the gate as plain lines and, last, the command that answers it. */
async function waitAtGate(
  drive: DriveDeps,
  shown: ShownGate,
  view: RunView,
  point: StopPoint,
): Promise<number> {
  const { screen } = drive;
  const { words, t } = await speak(drive, view);
  const { command, example } = waysToAnswer(shown.gate, t);
  if (screen.json) {
    const standing = standingOf({ ...view, gate: shown.gate }, t);
    const { pause, mode } = point;
    const paused = pause ? { pause, mode } : {};
    printStopPoint(
      drive,
      { ...standing, ...paused, command, ...(example === null ? {} : { example }) },
      EXIT.waiting,
    );
    return EXIT.waiting;
  }
  showPlainGate(screen, shown, t, words);
  await rememberShown(drive, shown.gate);
  if (point.pause) await showPause(drive, point);
  screen.line();
  screen.line(words('cli.command_answers'));
  screen.line(command);
  if (example !== null) screen.line(words('cli.for_example', { command: example }));
  return EXIT.waiting;
}

function printStopPoint({ screen }: DriveDeps, point: Readonly<Record<string, unknown>>, exit: number): void {
  screen.printJson({ type: 'waiting', ...point, exit });
}

/** Shows the state of a run that does not continue by itself. Returns the exit code. */
async function finish(drive: DriveDeps, point: StopPoint): Promise<number> {
  const { screen } = drive;
  const view = await needView(drive, point.run);
  const { words, t } = await speak(drive, view);
  const block: BlockDeps = { screen, words, t };
  const exit = point.elsewhere === null ? exitOfStatus(point.status) : EXIT.done;
  const result = await resultOf(drive.api, view);
  if (screen.json) {
    const { status, phase, outcome, elsewhere } = point;
    const why = point.halt?.why ?? point.wait?.why ?? null;
    const stands = { ...standingOf(view, t), status, phase, outcome, why, elsewhere, ...result };
    printStopPoint(drive, { ...stands, next: nextCommand(view.run, view) }, exit);
    return exit;
  }
  screen.line();
  if (point.elsewhere !== null) {
    screen.text(words('cli.continues_elsewhere', { who: point.elsewhere }));
    showRows(screen, [[words('cli.next'), `baton status ${point.run}`]]);
  } else if (point.status === 'ended') showEnd(block, point, view, result);
  else if (point.status === 'halted') showHalted(block, point, view, drive.lines.hasSaid);
  else if (point.status === 'sleeping') showSleeping(block, point);
  else showAway(block, view, null);
  return exit;
}

/** Shows the end block of a run that is not driven any more, from its row. */
export async function showStanding(drive: DriveDeps, run: string): Promise<number> {
  const view = await needView(drive, run);
  const { step, status, phase, halt } = view.run;
  const outcome = outcomeOf(view.run);
  return finish(drive, {
    run,
    parent: null,
    status,
    phase,
    gate: null,
    wait: waitOf(step),
    halt,
    outcome,
    elsewhere: null,
    successor: null,
    pause: null,
    mode: null,
  });
}

/** Sets up everything a drive needs for one command, and releases it afterwards. */
export async function withDrive(
  open: OpenContext,
  use: (drive: DriveDeps) => Promise<number>,
  interactive = isInteractive(open),
): Promise<number> {
  const { deps, api, screen } = open;
  const interrupt = new AbortController();
  const lines = createProgressLines(screen, deps.now);
  const stopListening = deps.onInterrupt(() => interrupt.abort());
  const unsubscribe = api.onProgress(lines.take);
  const codes = interactive ? await deps.codes() : null;
  try {
    return await use({ ...open, lines, interrupt, interactive, codes });
  } finally {
    codes?.close();
    unsubscribe();
    stopListening();
    await lines.settle();
  }
}

/** Takes the run and drives it. */
export async function openAndDrive(drive: DriveDeps, run: string): Promise<number> {
  const { api, interactive } = drive;
  return driveRun(drive, await need(drive, await api.open({ run, attended: interactive }), run));
}

/** After Ctrl-C, shows where the run is waiting and how to continue. */
export async function leave(drive: DriveDeps, run: string, gate: Gate | null): Promise<number> {
  const exit = gate ? EXIT.waiting : EXIT.halted;
  const view = await viewOf(drive.api, run);
  if (!view) return exit;
  const open = gate ?? view.gate;
  const code = open ? EXIT.waiting : EXIT.halted;
  const { words, t } = await speak(drive, view);
  if (drive.screen.json) {
    printStopPoint(drive, { ...standingOf({ ...view, gate: open }, t), interrupted: true }, code);
  } else showAway({ screen: drive.screen, words, t }, view, open);
  return code;
}

/**
 * Shows where the run began and ended, in the words of its workflow (CON-104, 115). If `began` is null, it uses the
 * state in which the drive began.
 */
export async function showRunEnd(drive: DriveDeps, run: string, began: string | null): Promise<void> {
  const { screen, api } = drive;
  const view = await viewOf(api, run);
  if (screen.json || !view) return;
  const { t } = await speak(drive, view);
  for (const line of await api.announce(run, { kind: 'end', began })) screen.text(t(line), '  ');
}
