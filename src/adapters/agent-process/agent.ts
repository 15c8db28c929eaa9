import { constants, homedir } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import { AdapterError } from '../../engine/errors.ts';
import { sandboxHint } from '../../engine/sandbox-hints.ts';
import type { Agent, AgentCall, AgentEvent, Ended } from '../../ports/agent.ts';
import type { Exit, Leftovers, Processes, Running } from '../../ports/processes.ts';
import type { RoomOf } from './agent-room.ts';
import {
  countAsReported,
  earlierSession,
  finishedStream,
  lastWords,
  leftBy,
  prepareFiles,
  storeSession,
  wasTried,
} from './call-files.ts';
import { errorLine } from './lines.ts';
import { type Closing, ended, type Program, type Reader, type Session, type Spoken } from './program.ts';
import { type StopReason, type Watch, watchCall } from './watch-call.ts';

/** Settings shared by all programs. */
export interface Driving {
  readonly processes: Processes;
  /** A worker without output for this long counts as stuck. */
  readonly stall_ms: number;
  readonly room: RoomOf;
}

/** One running attempt. */
interface Turn extends Driving {
  readonly call: AgentCall;
  readonly program: Program;
  readonly signal: AbortSignal;
  readonly session: Session | null;
}

/**
 * An agent whose worker is a separate program. Its streams are files, so it survives us and is found again. This code
 * starts, watches and stops it, and kills its leftovers. Differences between programs are in `Program`.
 */
export function createProcessAgent(driving: Driving, program: Program): Agent {
  const { name, rehearsal, capabilities, offers } = program;
  return {
    name,
    rehearsal,
    capabilities,
    ...(offers && { offers }),
    isFinished: async (call) => (await finishedStream(program, call)) !== null,
    async *run(call, signal) {
      if (signal.aborted) return yield ended('aborted', 'before it began');
      const finished = await finishedStream(program, call);
      if (finished) return yield* replay(driving.processes, call, finished);
      const session = await earlierSession(program, call, 'next');
      yield* perform({ ...driving, call, program, signal, session });
    },
  };
}

async function* replay(processes: Processes, call: AgentCall, said: Spoken[]): AsyncGenerator<AgentEvent> {
  const killed = await processes.killLeftovers(call.key);
  let closing: Closing | null = null;
  for (const event of said) {
    if (event.type === 'closing') closing = event;
    else if (event.type !== 'session') yield event;
  }
  // Parents come first. So this is the sandbox that outlived Baton, not a program of that name inside it.
  const own = killed.ended[killed.programs.indexOf(SANDBOX)] ?? null;
  yield* leftRunning([...(await leftBy(call)), ...programsBut(own, killed)]);
  yield withLeft(closing ? endedBy(closing) : ended('failed', 'no end'), killed.left);
}

async function* perform(turn: Turn): AsyncGenerator<AgentEvent> {
  const { call, program, processes } = turn;
  const before = wasTried(call) ? (await processes.killLeftovers(call.key)).left : [];
  if (before.length > 0) return yield withLeft(ended('unavailable', 'an earlier worker lives'), before);
  const running = await start(turn);
  if ('type' in running) return yield running;
  const watch = watchCall({ ...turn, running });
  const streamState: StreamState = { reader: program.reader(call, turn.session), closing: null, tokens: 0 };
  let killed: Leftovers = { ended: [], left: [], programs: [] };
  let isGone = false;
  void running.exit.then(() => {
    isGone = true;
    watch.disarm();
  });
  try {
    yield { type: 'started', pid: running.pid };
    for await (const line of linesUntil(running, watch, () => streamState.closing !== null))
      yield* hear(turn, streamState, streamState.reader.read(line), watch);
    if (streamState.reader.afterwards)
      yield* hear(turn, streamState, streamState.reader.afterwards(await lastWords(call)), watch);
  } finally {
    watch.remove();
    // A stop that is still killing leftovers would also kill a later worker with the same call id.
    if (watch.reason() !== null) await watch.stopped;
    // If we stop the worker, or it stays after its end, the worker itself is among the killed processes.
    const endedAlone = isGone && watch.reason() === null;
    killed = await processes.killLeftovers(call.key);
    const programs = endedAlone ? [...(await leftBy(call)), ...programsBut(running.pid, killed)] : [];
    killed = { ...killed, programs };
    await countAsReported(call, streamState.tokens);
  }
  yield* leftRunning(killed.programs);
  const end = await conclude(turn, running, streamState, watch.reason());
  yield withLeft(await withHint(turn, end), killed.left);
}

const BAD_ENDS: ReadonlySet<Ended['outcome']> = new Set(['failed', 'unavailable', 'blocked']);

/**
 * Adds a hint to a bad end in a sandbox if the worker's last words point to the sandbox. The hint names the setting
 * that helps.
 */
async function withHint({ room, call, program }: Turn, end: Ended): Promise<Ended> {
  if (room(call) === null || !BAD_ENDS.has(end.outcome)) return end;
  const words = `${end.detail}\n${await lastWords(call)}`;
  const hint = sandboxHint(words, { tree: call.cwd, home: homedir(), network: true });
  if (hint?.code !== 'outside') return end;
  const key = `agents.${program.name}.folders`;
  return {
    ...end,
    detail: `${end.detail}; the sandbox does not let it use ${hint.path}: list its folder under ${key} in your own settings (baton doctor names the file)`,
  };
}

/** What the stream has reported so far. */
interface StreamState {
  readonly reader: Reader;
  closing: Closing | null;
  tokens: number;
}

async function* hear(
  turn: Turn,
  streamState: StreamState,
  said: readonly Spoken[],
  watch: Watch,
): AsyncGenerator<AgentEvent> {
  for (const event of said) {
    if (event.type === 'session') await storeSession(turn.program, turn.call, sessionOf(turn, event.id));
    // After we have stopped a program, its end and its result do not count. Its usage still counts.
    else if (watch.reason() !== null && event.type !== 'usage') continue;
    else if (event.type === 'closing') streamState.closing = event;
    else yield event;
    if (event.type === 'usage') streamState.tokens = event.usage.tokens ?? streamState.tokens;
  }
}

function sessionOf({ call, session }: Turn, id: string): Session {
  return { id, cwd: call.cwd, counted: session?.counted ?? 0 };
}

async function start({ call, program, session, ...turn }: Turn): Promise<Running | Ended> {
  const files = await prepareFiles(program, call);
  const command = await program.start(call, session);
  if ('type' in command) return command;
  try {
    return await turn.processes.spawn({
      argv: command.argv,
      cwd: call.cwd,
      call_id: call.key,
      env: command.env,
      stdin: command.stdin,
      stdout: files.stdout,
      stderr: files.stderr,
      signal: turn.signal,
      room: turn.room(call),
    });
  } catch (error) {
    if (error instanceof AdapterError) return ended('unavailable', reasonOf(error));
    throw error;
  }
}

function reasonOf({ message, failure }: AdapterError): string {
  return failure.code === 'sandbox_failed' ? `sandbox: ${failure.detail}` : message;
}

/**
 * How long a program may be silent after its closing before we stop waiting for it. codex, for example, waits until a
 * quota resets.
 */
const LINGER_MS = 5000;
const DONE: IteratorResult<string> = { done: true, value: undefined };

/** Yields lines as the worker writes them. Ends with the worker, or with the stop if the worker does not end. */
async function* linesUntil(running: Running, watch: Watch, isClosed: () => boolean): AsyncGenerator<string> {
  const lines = running.lines()[Symbol.asyncIterator]();
  const end = watch.stopped.then(() => DONE);
  end.catch(() => {});
  try {
    for (;;) {
      const lingered = isClosed() ? [wait(LINGER_MS, DONE, { ref: false })] : [];
      const next = await Promise.race([lines.next(), end, ...lingered]);
      if (next.done) return;
      watch.streamState();
      yield next.value;
    }
  } finally {
    // Not awaited: a pending read ends only with the worker, which may be stuck.
    void lines.return?.();
  }
}

const STOPPED: Readonly<Record<StopReason, (turn: Turn) => Ended>> = {
  aborted: () => ended('aborted', 'stopped by us'),
  deadline: () => ended('failed', 'deadline'),
  stalled: ({ stall_ms }) => ended('unavailable', `no sign of life for ${Math.round(stall_ms / 1000)} s`),
};

async function conclude(
  turn: Turn,
  running: Running,
  { reader, closing }: StreamState,
  reason: StopReason | null,
): Promise<Ended> {
  if (closing) return endedBy(closing);
  if (reason === 'stalled') return reader.silent?.(await lastWords(turn.call)) ?? STOPPED.stalled(turn);
  if (reason !== null) return STOPPED[reason](turn);
  const exit = withSignal(await running.exit, turn.room(turn.call) !== null);
  const last = await lastWords(turn.call);
  return reader.gone?.(exit, last) ?? endedWithout(exit, last);
}

/** The closing decides, not the exit code: a replay of the same stream must end the same way. */
function endedBy({ type: _, ...closing }: Closing): Ended {
  return { type: 'ended', ...closing };
}

const NO_END = 'it ended and told no end; Baton may not know this version of the program';

/** A sandbox reports an end by a signal as an exit code. This restores the signal. */
function withSignal(exit: Exit, contained: boolean): Exit {
  const number = contained ? (exit.code ?? 0) - 128 : 0;
  const [name] = Object.entries(constants.signals).find(([, value]) => value === number) ?? [];
  return name === undefined ? exit : { ...exit, code: null, signal: name };
}

function endedWithout(exit: Exit, last: string): Ended {
  if (exit.fault !== undefined) return ended('unavailable', `sandbox: ${exit.fault}`);
  if (exit.signal !== null) return ended('unavailable', `killed by ${exit.signal}`);
  const line = errorLine(last);
  const words = line === '' ? '' : `: ${line}`;
  return ended('failed', exit.code === 0 ? NO_END : `exit ${exit.code}${words}`);
}

function withLeft(event: Ended, left: readonly number[]): Ended {
  if (left.length === 0) return event;
  return { ...event, detail: `${event.detail}; still running: ${left.join(', ')}` };
}

/** The program name of bubblewrap. Its process lives a moment longer than the processes inside. */
const SANDBOX = 'bwrap';

function programsBut(own: number | null, { ended: pids, programs }: Leftovers): string[] {
  return programs.filter((_, n) => pids[n] !== own);
}

function* leftRunning(programs: readonly string[]): Generator<AgentEvent> {
  if (programs.length > 0) yield { type: 'left_running', programs };
}
