import type { CheckNote } from '../contract/outcome.ts';
import { AdapterError } from '../engine/errors.ts';
import type { CommandCall, RunCommand } from '../ports/commands.ts';
import type { Exit, Running } from '../ports/processes.ts';
import { sizeOf } from './check-file.ts';
import type { Deps } from './deps.ts';
import { readOutput, shorten } from './read-output.ts';

export interface LimitedCommand extends CommandCall {
  /** Folder of ours: whatever works in it when the command has ended is ended too. */
  readonly tree?: string;
  /** Bytes of output after which the command is ended; 256 MB unless given. */
  readonly output_limit?: number;
}

/** How a command ended. `note`: otherwise than by an exit code of its own. */
export interface CommandEnd {
  readonly exit: number | null;
  readonly timed_out: boolean;
  readonly note: CheckNote | null;
}

interface SweptEnd extends CommandEnd {
  readonly seconds: number;
  /** The signal ended it. */
  readonly interrupted: boolean;
  /** Processes that would not go. */
  readonly left: readonly number[];
}

type Parts = Pick<Deps, 'processes' | 'environment'>;

const OUTPUT_LIMIT = 256 * 1024 * 1024;
const LOOK_MS = 100;

/** Nobody sits in front of a command: no colours, no watch mode, no questions. */
const UNATTENDED = { CI: 'true', NO_COLOR: '1', TERM: 'dumb' };

/** Runs a shell line with limits of time and output, and ends whatever it started before its end counts. */
export async function runCommand(parts: Parts, command: LimitedCommand): Promise<SweptEnd> {
  const started = performance.now();
  const running = await start(parts, command);
  if ('code' in running) return { ...stopped(running), seconds: 0, interrupted: false, left: [] };
  const end = await endOf(running, command);
  const seconds = Math.round(performance.now() - started) / 1000;
  const tree = command.tree === undefined ? [] : [command.tree];
  const { left } = await parts.processes.sweep(command.effect, ...tree);
  const interrupted = end === 'interrupted';
  return { ...(interrupted ? stopped(null) : end), seconds, interrupted, left };
}

/** The way adapters run a command: with its output read, and in a folder that is ours. */
export function commandRunner(parts: Parts): RunCommand {
  return async (call) => {
    const end = await runCommand(parts, { ...call, tree: call.cwd });
    if (end.interrupted)
      throw new AdapterError({ code: 'interrupted', retry: 'transient', detail: call.line });
    const { exit, note, seconds, left } = end;
    return { exit, note, seconds, left, output: await outputOf(call.stdout) };
  };
}

/** The command has ended whatever becomes of its output: one that cannot be read is none. */
async function outputOf(stdout: string): Promise<string> {
  try {
    return shorten(await readOutput(stdout));
  } catch (error) {
    if (!(error instanceof AdapterError)) throw error;
    return '';
  }
}

/** The running command, or why there is none: a command that cannot be started is not there. */
async function start(
  { processes, environment }: Parts,
  { line, cwd, effect, env, stdout, signal }: LimitedCommand,
): Promise<Running | CheckNote> {
  try {
    return await processes.spawn({
      // One file for both streams keeps their order.
      argv: ['/bin/sh', '-c', `exec 2>&1\n${line}`],
      cwd,
      mark: `${effect}.1`,
      env: { ...environment, ...UNATTENDED, ...env },
      stdin: '',
      stdout,
      stderr: `${stdout}.err`,
      signal,
    });
  } catch (error) {
    if (!(error instanceof AdapterError) || error.failure.retry === 'transient') throw error;
    // No stored row names a folder of this machine.
    return { code: 'not_started', detail: error.failure.detail.replaceAll(cwd, '.') };
  }
}

/** Waits for the command, its limits or the person's stop, whichever comes first. */
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
      await bell.sleep(Math.min(rest, LOOK_MS));
    }
  } finally {
    signal.removeEventListener('abort', bell.ring);
  }
}

/** A sleep that ends early when somebody rings; a ring while nobody sleeps is lost, so look before sleeping. */
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

function exited({ code, signal }: Exit): CommandEnd {
  const note: CheckNote | null = code === null ? { code: 'ended_by_signal', detail: signal ?? '' } : null;
  return { exit: code, timed_out: false, note };
}

function stopped(note: CheckNote | null): CommandEnd {
  return { exit: null, timed_out: false, note };
}
