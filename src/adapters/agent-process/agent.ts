import { setTimeout as wait } from 'node:timers/promises';
import { AdapterError } from '../../engine/errors.ts';
import type { Agent, AgentCall, AgentEvent, Ended } from '../../ports/agent.ts';
import type { Exit, Processes, Running, Swept } from '../../ports/processes.ts';
import {
  countAsTold,
  earlierSession,
  finishedStream,
  keepSession,
  lastWords,
  prepareFiles,
  wasTried,
} from './call-files.ts';
import {
  type Closing,
  type Command,
  ended,
  type Program,
  type Reader,
  type Session,
  type Spoken,
} from './program.ts';
import { tellingLine } from './short-line.ts';
import { type StopReason, type Watch, watchCall } from './watch-call.ts';

/** What all programs are driven with. */
export interface Driving {
  readonly processes: Processes;
  /** Without a sign of life for this long the worker counts as stuck. */
  readonly stall_ms: number;
  /** Locks a command into the call's tree; null starts it as it is. */
  readonly contain: ((command: Command, call: AgentCall) => Command) | null;
}

/** One attempt under way. */
interface Turn extends Driving {
  readonly call: AgentCall;
  readonly program: Program;
  readonly signal: AbortSignal;
  readonly session: Session | null;
}

/**
 * An agent whose worker is a program of its own: started with files for its streams, so that it outlives us and is
 * found again; watched, stopped and swept. What differs between programs is the `Program`.
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
  const { left, programs } = await processes.sweep(call.key);
  let closing: Closing | null = null;
  for (const event of said) {
    if (event.type === 'closing') closing = event;
    else if (event.type !== 'session') yield event;
  }
  yield* leftRunning(programs);
  yield withLeft(closing ? endedBy(closing) : ended('failed', 'no end'), left);
}

async function* perform(turn: Turn): AsyncGenerator<AgentEvent> {
  const { call, program, processes } = turn;
  const before = wasTried(call) ? (await processes.sweep(call.key)).left : [];
  if (before.length > 0) return yield withLeft(ended('unavailable', 'an earlier worker lives'), before);
  const running = await start(turn);
  if ('type' in running) return yield running;
  const watch = watchCall({ ...turn, running });
  const heard: Heard = { reader: program.reader(call, turn.session), closing: null, tokens: 0 };
  let swept: Swept = { ended: [], left: [], programs: [] };
  let isGone = false;
  void running.exit.then(() => {
    isGone = true;
    watch.disarm();
  });
  try {
    yield { type: 'started', pid: running.pid };
    for await (const line of linesUntil(running, watch, () => heard.closing !== null))
      yield* hear(turn, heard, heard.reader.read(line), watch);
    if (heard.reader.afterwards)
      yield* hear(turn, heard, heard.reader.afterwards(await lastWords(call)), watch);
  } finally {
    watch.remove();
    // A sweep still under way would also end a later worker that carries the same mark.
    if (watch.reason() !== null) await watch.stopped;
    // One that we stop, or that stays after its end, is itself among what is swept.
    const endedAlone = isGone && watch.reason() === null;
    swept = await processes.sweep(call.key);
    if (!endedAlone) swept = { ...swept, programs: [] };
    await countAsTold(call, heard.tokens);
  }
  yield* leftRunning(swept.programs);
  yield withLeft(await conclude(turn, running, heard, watch.reason()), swept.left);
}

/** What the stream has said so far. */
interface Heard {
  readonly reader: Reader;
  closing: Closing | null;
  tokens: number;
}

async function* hear(
  turn: Turn,
  heard: Heard,
  said: readonly Spoken[],
  watch: Watch,
): AsyncGenerator<AgentEvent> {
  for (const event of said) {
    if (event.type === 'session') await keepSession(turn.program, turn.call, sessionOf(turn, event.id));
    // What a program says after we told it to stop is no end and no result of its own; what it used still counts.
    else if (watch.reason() !== null && event.type !== 'usage') continue;
    else if (event.type === 'closing') heard.closing = event;
    else yield event;
    if (event.type === 'usage') heard.tokens = event.usage.tokens ?? heard.tokens;
  }
}

function sessionOf({ call, session }: Turn, id: string): Session {
  return { id, cwd: call.cwd, told: session?.told ?? 0 };
}

async function start({ call, program, session, ...turn }: Turn): Promise<Running | Ended> {
  const files = await prepareFiles(program, call);
  const plain = await program.start(call, session);
  if ('type' in plain) return plain;
  const command = turn.contain?.(plain, call) ?? plain;
  try {
    return await turn.processes.spawn({
      argv: command.argv,
      cwd: call.cwd,
      mark: call.key,
      env: command.env,
      stdin: command.stdin,
      stdout: files.stdout,
      stderr: files.stderr,
      signal: turn.signal,
    });
  } catch (error) {
    if (error instanceof AdapterError) return ended('unavailable', error.message);
    throw error;
  }
}

/** A program that has said its end and then nothing for this long is not waited for: codex sleeps out a quota. */
const LINGER_MS = 5000;
const DONE: IteratorResult<string> = { done: true, value: undefined };

/** Lines as the worker writes them; ends with the worker, or with the stop when the worker will not go. */
async function* linesUntil(running: Running, watch: Watch, isClosed: () => boolean): AsyncGenerator<string> {
  const lines = running.lines()[Symbol.asyncIterator]();
  const end = watch.stopped.then(() => DONE);
  end.catch(() => {});
  try {
    for (;;) {
      const lingered = isClosed() ? [wait(LINGER_MS, DONE, { ref: false })] : [];
      const next = await Promise.race([lines.next(), end, ...lingered]);
      if (next.done) return;
      watch.heard();
      yield next.value;
    }
  } finally {
    // Not awaited: a read still under way ends with the worker, and that one may be stuck.
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
  { reader, closing }: Heard,
  reason: StopReason | null,
): Promise<Ended> {
  if (closing) return endedBy(closing);
  if (reason === 'stalled') return reader.silent?.(await lastWords(turn.call)) ?? STOPPED.stalled(turn);
  if (reason !== null) return STOPPED[reason](turn);
  const exit = await running.exit;
  const last = await lastWords(turn.call);
  return reader.gone?.(exit, last) ?? endedWithout(exit, last);
}

/** The closing decides, not the exit code: played again, the same stream must end the same. */
function endedBy({ type: _, ...closing }: Closing): Ended {
  return { type: 'ended', ...closing };
}

const NO_END = 'it ended and told no end; Baton may not know this version of the program';

function endedWithout(exit: Exit, last: string): Ended {
  if (exit.signal !== null) return ended('unavailable', `killed by ${exit.signal}`);
  if (last.startsWith(`${SANDBOX}: `)) return ended('unavailable', `sandbox: ${tellingLine(last)}`);
  const line = tellingLine(last);
  const words = line === '' ? '' : `: ${line}`;
  return ended('failed', exit.code === 0 ? NO_END : `exit ${exit.code}${words}`);
}

function withLeft(event: Ended, left: readonly number[]): Ended {
  if (left.length === 0) return event;
  return { ...event, detail: `${event.detail}; still running: ${left.join(', ')}` };
}

/** The sandbox's own process, which lives a moment longer than what ran in it. */
const SANDBOX = 'bwrap';

function* leftRunning(found: readonly string[]): Generator<AgentEvent> {
  const programs = found.filter((program) => program !== SANDBOX);
  if (programs.length > 0) yield { type: 'left_running', programs };
}
