import type { CheckNote } from '../contract/outcome.ts';
import { cleanText } from '../engine/clean-text.ts';
import { AdapterError } from '../engine/errors.ts';
import { leftInRoom } from '../engine/left-in-room.ts';
import type { CommandCall, RunCommand } from '../ports/commands.ts';
import type { Exit, Leftovers, Room, Running } from '../ports/processes.ts';
import { readEnds, sizeOf } from './check-file.ts';
import type { Deps } from './deps.ts';
import { readOutput, shorten } from './read-output.ts';

export interface LimitedCommand extends CommandCall {
  /** A folder that belongs to Baton: processes that still work in it after the command are ended too. */
  readonly tree?: string;
  /** Bytes of output after which the command is ended. Default: 256 MB. */
  readonly output_limit?: number;
  /** The sandbox it runs in. Null or absent: none. */
  readonly room?: Room | null;
  /** A command of the person's own, not a worker's code. */
  readonly trusted?: boolean;
}

/** How a command ended. `note`: why it ended without an exit code of its own. */
export interface CommandEnd {
  readonly exit: number | null;
  readonly timed_out: boolean;
  readonly note: CheckNote | null;
}

interface LeftoversEnd extends CommandEnd {
  readonly seconds: number;
  /** The abort signal ended it. */
  readonly interrupted: boolean;
  /** Processes that could not be ended. */
  readonly left: readonly number[];
  /** Programs that were still running after it ended by itself. Baton ended them. */
  readonly programs: readonly string[];
}

type Parts = Pick<Deps, 'processes' | 'environment'>;

const OUTPUT_LIMIT = 256 * 1024 * 1024;
const POLL_MS = 100;

/** No person watches a command: no colours, no watch mode, no questions. */
const UNATTENDED = { CI: 'true', NO_COLOR: '1', TERM: 'dumb' };

/** Runs a shell line with limits of time and output. Ends all processes it started before its end counts. */
export async function runCommand(parts: Parts, command: LimitedCommand): Promise<LeftoversEnd> {
  const started = performance.now();
  const running = await start(parts, command);
  if ('code' in running)
    return { ...stopped(running), seconds: 0, interrupted: false, left: [], programs: [] };
  const end = await endOf(running, command);
  const seconds = Math.round(performance.now() - started) / 1000;
  const tree = command.tree === undefined ? [] : [command.tree];
  const killed = await parts.processes.killLeftovers(command.effect, ...tree);
  const interrupted = end === 'interrupted';
  const over = interrupted ? stopped(null) : end;
  const programs = over.exit === null ? [] : await programsLeft(command, killed);
  return { ...over, seconds, interrupted, left: killed.left, programs };
}

const LEFT_LIMIT = 50;
const LIST_BYTES = 64 * 1024;

/**
 * A sandbox ends with its command and lists the programs that were in it. The kill of leftovers then finds at most the
 * sandbox's own processes.
 */
async function programsLeft({ room, stdout }: LimitedCommand, { programs }: Leftovers): Promise<string[]> {
  const found = room
    ? leftInRoom((await readEnds(`${stdout}.left`, { head: LIST_BYTES, tail: 0 })).head)
    : programs;
  return found.slice(0, LEFT_LIMIT).map((name) => cleanText(name));
}

/** Runs commands for adapters: reads the output and treats the folder as Baton's own. */
export function commandRunner(parts: Parts): RunCommand {
  return async (call) => {
    const end = await runCommand(parts, { ...call, tree: call.cwd, trusted: true });
    if (end.interrupted)
      throw new AdapterError({ code: 'interrupted', retry: 'transient', detail: call.line });
    const { exit, note, seconds, left } = end;
    return { exit, note, seconds, left, output: await outputOf(call.stdout) };
  };
}

/** The exit status counts even if the output is unreadable. Unreadable output counts as empty. */
async function outputOf(stdout: string): Promise<string> {
  try {
    return shorten(await readOutput(stdout));
  } catch (error) {
    if (!(error instanceof AdapterError)) throw error;
    return '';
  }
}

/** The running command, or a note why it could not be started. */
async function start(
  { processes, environment }: Parts,
  { line, cwd, effect, env, stdout, signal, room = null, trusted = false }: LimitedCommand,
): Promise<Running | CheckNote> {
  try {
    return await processes.spawn({
      // One file for both streams keeps their order.
      argv: ['/bin/sh', '-c', `exec 2>&1\n${line}`],
      cwd,
      call_id: `${effect}.1`,
      env: { ...environment, ...UNATTENDED, ...env },
      stdin: '',
      stdout,
      stderr: `${stdout}.err`,
      signal,
      room,
      trusted,
    });
  } catch (error) {
    if (!(error instanceof AdapterError) || error.failure.retry === 'transient') throw error;
    // A stored row must not name a folder of this machine.
    return { code: 'not_started', detail: error.failure.detail.replaceAll(cwd, '.') };
  }
}

/** Waits for the command, its limits or the abort signal, whichever comes first. */
async function endOf(
  running: Running,
  { stdout, timeout_seconds, signal, output_limit = OUTPUT_LIMIT }: LimitedCommand,
): Promise<CommandEnd | 'interrupted'> {
  const deadline = performance.now() + timeout_seconds * 1000;
  const bell = createBell();
  let exit: Exit | null = null;
  void running.exit.then((found) => {
    exit = found;
    bell.ring();
  });
  signal.addEventListener('abort', bell.ring);
  try {
    for (;;) {
      if (signal.aborted) return 'interrupted';
      if ((await sizeOf(stdout)) > output_limit)
        return stopped({ code: 'output_limit', detail: `${output_limit} bytes` });
      if (exit) return exited(exit);
      const rest = deadline - performance.now();
      const late: CheckNote = { code: 'time_limit', detail: `${timeout_seconds} seconds` };
      if (rest <= 0) return { ...stopped(late), timed_out: true };
      await bell.sleep(Math.min(rest, POLL_MS));
    }
  } finally {
    signal.removeEventListener('abort', bell.ring);
  }
}

/** A sleep that `ring` ends early. A ring while no one sleeps is lost, so check the condition before sleeping. */
function createBell(): { ring(): void; sleep(ms: number): Promise<void> } {
  let wake: (() => void) | null = null;
  return {
    ring: () => wake?.(),
    sleep: (ms) =>
      new Promise((resolve) => {
        const timer = setTimeout(resolve, ms);
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      }),
  };
}

function exited({ code, signal, fault }: Exit): CommandEnd {
  if (fault !== undefined)
    throw new AdapterError({ code: 'sandbox_failed', retry: 'transient', detail: fault });
  const note: CheckNote | null = code === null ? { code: 'ended_by_signal', detail: signal ?? '' } : null;
  return { exit: code, timed_out: false, note };
}

function stopped(note: CheckNote | null): CommandEnd {
  return { exit: null, timed_out: false, note };
}
