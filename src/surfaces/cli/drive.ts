import type { Gate } from '../../contract/gate.ts';
import { CONTROLLED, parseMode } from '../../engine/drive-mode.ts';
import { isRejection, type Rejection, reject } from '../../engine/rejection.ts';
import type { Api, DriveHandle, Rest, RunView, ShownGate } from '../../runtime/api.ts';
import { askAndAnswer } from './answer-gate.ts';
import { type Context, failRejected, isInteractive, translatorOf, userName, waitAtMost } from './context.ts';
import { EXIT, exitOfStatus } from './exit.ts';
import { showPlainGate } from './gate-screen.ts';
import type { Words } from './messages.ts';
import { createProgressLines, type ProgressLines } from './progress.ts';
import { type BlockDeps, showAway, showEnd, showHalted, showRows, showSleeping } from './rest-blocks.ts';
import { resultOf } from './run-result.ts';
import type { Screen } from './screen.ts';
import { nextCommand, outcomeOf, standingOf, waysToAnswer } from './standing.ts';
import { showRunStatus } from './status-block.ts';
import { speak } from './voice.ts';

/** What a drive in this terminal needs. `interrupt` fires on Ctrl-C, on a closed terminal, on a kill that can be heard. */
export interface DriveDeps {
  readonly context: Context;
  readonly api: Api;
  readonly lines: ProgressLines;
  readonly interrupt: AbortController;
  readonly interactive: boolean;
}

/** Running workers are ended within this; what is not gone by then is swept by whoever takes the run next. */
const CLOSE_MS = 1200;

/**
 * Carries a run on until it rests for good: asks its gates when a person is here, else stops at the first one. The
 * handle is always given back. Returns the exit code.
 */
export async function driveRun(
  deps: DriveDeps,
  handle: DriveHandle,
  answered: string | null = null,
): Promise<number> {
  let current = handle;
  let option = answered;
  let left = false;
  const told = new Set<string>();
  try {
    for (;;) {
      const rest = await advance(deps, current);
      await deps.lines.settle();
      if (rest === 'interrupted') {
        await closeSoon(current);
        left = true;
        return await leave(deps, current.run, null);
      }
      if (rest.successor !== null) {
        const next = await follow(deps, current, rest.successor, option);
        if (typeof next === 'number') return next;
        current = next;
        continue;
      }
      const end = await atRest(deps, current, rest, told);
      if ('exit' in end) return end.exit;
      option = end.option;
    }
  } finally {
    if (!left) await closeSoon(current);
  }
}

async function advance({ interrupt }: DriveDeps, handle: DriveHandle): Promise<Rest | 'interrupted'> {
  const advancing = handle.advance();
  // After an interrupt nobody waits for it any more.
  advancing.catch(() => undefined);
  return Promise.race([advancing, interrupted(interrupt.signal)]);
}

function interrupted(signal: AbortSignal): Promise<'interrupted'> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve('interrupted');
    else signal.addEventListener('abort', () => resolve('interrupted'), { once: true });
  });
}

/** Gives the handle back; never waits longer than a person would. */
export function closeSoon(handle: DriveHandle): Promise<void> {
  return waitAtMost(handle.close(), CLOSE_MS);
}

type RestEnd = { readonly exit: number } | { readonly option: string | null };

/** With an exit code when the run rests for this command; otherwise it goes on after the option given. */
async function atRest(deps: DriveDeps, handle: DriveHandle, rest: Rest, told: Set<string>): Promise<RestEnd> {
  if (rest.status !== 'waiting' || !rest.gate) return { exit: await finish(deps, rest) };
  const shown = await shownGate(deps.api, rest.gate);
  if (!shown) return gateGone(deps, rest, rest.gate);
  if (deps.interactive && isNewPause(rest, told)) await showPause(deps, rest);
  const view = await deps.api.view(rest.run);
  if (isRejection(view)) return { exit: await rejected(deps, rest.run, view) };
  if (!deps.interactive) return { exit: await restAtGate(deps, shown, view, rest) };
  const voice = await speak(deps, view);
  const end = await askAndAnswer({ ...deps, ...voice }, handle, shown, view.run.seq);
  if (end.kind === 'left') return { exit: await leave(deps, rest.run, shown.gate) };
  if (end.kind === 'impossible') return { exit: end.exit };
  return { option: end.kind === 'answered' ? end.option : null };
}

/** That nothing is handed over is said once; every other cause each time. */
function isNewPause({ pause }: Rest, told: Set<string>): boolean {
  if (!pause || (pause.cause === 'controlled' && told.has(pause.cause))) return false;
  told.add(pause.cause);
  return true;
}

/** Why a drive left the gate to a person, in the words of the workflow. */
async function showPause(deps: DriveDeps, { run, pause, mode }: Rest): Promise<void> {
  const asked = parseMode(mode ?? 'controlled') ?? CONTROLLED;
  // Trouble says itself what it is.
  if (!pause || pause.cause === 'trouble' || deps.context.screen.json) return;
  const { cause, classes, signals } = pause;
  const view = await deps.api.view(run);
  if (isRejection(view)) return;
  const { t } = await speak(deps, view);
  const drive_open = pause.until !== null;
  const lines = await deps.api.announce(run, {
    kind: 'pause',
    mode: asked,
    pause: { kind: 'pause', cause, classes, signals },
    drive_open,
    // The options stand right below it.
    asked_here: deps.interactive,
  });
  if (lines.length === 0) return;
  deps.context.screen.line();
  for (const line of lines) deps.context.screen.text(`  ${t(line)}`, '    ');
}

/** Answered a moment ago, or listed nowhere although it is open: then the store is damaged and nothing is guessed. */
async function gateGone(deps: DriveDeps, rest: Rest, gate: Gate): Promise<RestEnd> {
  const now = await deps.api.findGate(gate.id);
  if (isRejection(now) || now.status !== 'open') return { option: null };
  const args = { run: rest.run, field: 'gate', problem: 'not listed' };
  return { exit: await rejected(deps, rest.run, reject('state_corrupt', args)) };
}

async function shownGate(api: Api, gate: Gate): Promise<ShownGate | undefined> {
  return (await api.gates(gate.run)).find((shown) => shown.gate.id === gate.id);
}

/** Another run goes on with the subject: this terminal follows it, or only shows it where that was the answer. */
async function follow(
  deps: DriveDeps,
  handle: DriveHandle,
  run: string,
  option: string | null,
): Promise<DriveHandle | number> {
  const view = await deps.api.view(run);
  if (isRejection(view)) return rejected(deps, run, view);
  const { screen, deps: cli } = deps.context;
  const given = await deps.api.view(handle.run);
  const { words, t } = await speak(deps, view);
  await closeSoon(handle);
  if (!isRejection(given)) tellUnused(screen, words, given, option);
  if (option === 'view') {
    if (screen.json) printRest(deps, standingOf(view, t), EXIT.done);
    showRunStatus(screen, view, { t, words, now: cli.now() });
    return EXIT.done;
  }
  screen.text(words.continues_as(run));
  const opened = await deps.api.open(run, userName(cli), deps.interactive);
  return isRejection(opened) ? rejected(deps, run, opened) : opened;
}

/** Whoever goes on with an earlier run has typed a task for nothing: it is shown, so that it is not lost. */
function tellUnused(screen: Screen, words: Words, { run }: RunView, option: string | null): void {
  const unused = outcomeOf(run) === 'withdrawn' && (option === 'resume' || option === 'view');
  if (!unused) return;
  screen.text(words.task_unused);
  screen.text(`  ${run.title}`, '  ');
}

async function rejected({ context, api }: DriveDeps, run: string, rejection: Rejection): Promise<number> {
  return failRejected(context, rejection, await translatorOf(context, api, run));
}

/** No person here: the gate as plain lines, the command that answers it last. */
async function restAtGate(deps: DriveDeps, shown: ShownGate, view: RunView, rest: Rest): Promise<number> {
  const { screen } = deps.context;
  const { words, t } = await speak(deps, view);
  const { command, example } = waysToAnswer(shown.gate, t);
  if (screen.json) {
    const standing = standingOf({ ...view, gate: shown.gate }, t);
    const { pause, mode } = rest;
    const paused = pause ? { pause, mode } : {};
    printRest(
      deps,
      { ...standing, ...paused, command, ...(example === null ? {} : { example }) },
      EXIT.waiting,
    );
    return EXIT.waiting;
  }
  showPlainGate(screen, shown, t, words);
  if (rest.pause) await showPause(deps, rest);
  screen.line();
  screen.line(words.command_answers);
  screen.line(command);
  if (example !== null) screen.line(words.for_example(example));
  return EXIT.waiting;
}

function printRest({ context }: DriveDeps, rest: Readonly<Record<string, unknown>>, exit: number): void {
  context.screen.printJson({ type: 'rest', ...rest, exit });
}

/** Shows where a run stands when nothing more happens by itself; gives the exit code. */
async function finish(deps: DriveDeps, rest: Rest): Promise<number> {
  const { screen } = deps.context;
  const view = await deps.api.view(rest.run);
  if (isRejection(view)) return rejected(deps, rest.run, view);
  const { words, t } = await speak(deps, view);
  const block: BlockDeps = { screen, words, t };
  const exit = rest.elsewhere === null ? exitOfStatus(rest.status) : EXIT.done;
  const result = await resultOf(deps.api, view);
  if (screen.json) {
    const { status, phase, outcome, elsewhere } = rest;
    const why = rest.halt?.why ?? rest.wait?.why ?? null;
    const stands = { ...standingOf(view, t), status, phase, outcome, why, elsewhere, ...result };
    printRest(deps, { ...stands, next: nextCommand(view.run, view) }, exit);
    return exit;
  }
  screen.line();
  if (rest.elsewhere !== null) {
    screen.text(words.goes_on_elsewhere(rest.elsewhere));
    showRows(screen, [[words.next, `baton status ${rest.run}`]]);
  } else if (rest.status === 'ended') showEnd(block, rest, view, result);
  else if (rest.status === 'halted') showHalted(block, rest, view, deps.lines.hasSaid);
  else if (rest.status === 'sleeping') showSleeping(block, rest);
  else showAway(block, view, null);
  return exit;
}

/** The end block of a run nobody drives any more, from its row. */
export async function showStanding(deps: DriveDeps, run: string): Promise<number> {
  const view = await deps.api.view(run);
  if (isRejection(view)) return rejected(deps, run, view);
  const { step, status, phase, halt } = view.run;
  const outcome = outcomeOf(view.run);
  const wait = step.kind === 'wait' ? step.until : null;
  return finish(deps, {
    run,
    parent: null,
    status,
    phase,
    gate: null,
    wait,
    halt,
    outcome,
    elsewhere: null,
    successor: null,
    pause: null,
    mode: null,
  });
}

/** Everything a drive needs, for the time of one command. */
export async function withDrive(
  context: Context,
  api: Api,
  use: (deps: DriveDeps) => Promise<number>,
  interactive = isInteractive(context),
): Promise<number> {
  const interrupt = new AbortController();
  const lines = createProgressLines(context.screen, context.deps.now);
  const stopListening = context.deps.onInterrupt(() => interrupt.abort());
  const unsubscribe = api.onProgress(lines.take);
  try {
    return await use({ context, api, lines, interrupt, interactive });
  } finally {
    unsubscribe();
    stopListening();
    await lines.settle();
  }
}

/** Takes the run and carries it on, or shows why not. */
export async function openAndDrive(deps: DriveDeps, run: string): Promise<number> {
  const opened = await deps.api.open(run, userName(deps.context.deps), deps.interactive);
  return isRejection(opened) ? rejected(deps, run, opened) : driveRun(deps, opened);
}

/** Ctrl-C: says where the run rests and how to go on. */
export async function leave(deps: DriveDeps, run: string, gate: Gate | null): Promise<number> {
  const exit = gate ? EXIT.waiting : EXIT.halted;
  const view = await deps.api.view(run);
  if (isRejection(view)) return exit;
  const open = gate ?? view.gate;
  const code = open ? EXIT.waiting : EXIT.halted;
  const { words, t } = await speak(deps, view);
  if (deps.context.screen.json) {
    printRest(deps, { ...standingOf({ ...view, gate: open }, t), interrupted: true }, code);
  } else showAway({ screen: deps.context.screen, words, t }, view, open);
  return code;
}
