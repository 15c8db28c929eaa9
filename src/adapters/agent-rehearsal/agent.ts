import { AdapterError } from '../../engine/errors.ts';
import type { Agent, AgentCall, AgentEvent } from '../../ports/agent.ts';
import type { Exit, Processes, Running } from '../../ports/processes.ts';
import { builtinAttempt } from './builtin.ts';
import { chooseAttempt, createPart } from './choose-part.ts';
import type { Part, StreamRecord } from './part.ts';
import type { Score } from './score-schema.ts';
import { finishedStream, parseRecord, prepareStream, wasTried } from './stream.ts';

/** What the rehearsal agent needs of the rest of the program. */
export interface RehearsalDeps {
  readonly processes: Processes;
  /** Program and arguments that start the worker; the file with its part is added: `[node, worker.ts]`. */
  readonly argv: readonly string[];
  /** Null plays the built-in score. */
  readonly score: Score | null;
  /** Our own environment; a worker gets the allowed part of it. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** A longer timer would fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

type Ended = Extract<AgentEvent, { type: 'ended' }>;
type Closing = Extract<StreamRecord, { type: 'closing' }>;

/**
 * The scripted agent: a real process that plays one entry of a score. It asks no model, so every text is known
 * beforehand. A call that no entry, no `else` and no built-in part covers ends `failed` and starts nothing.
 */
export function createRehearsalAgent(deps: RehearsalDeps): Agent {
  return {
    name: 'rehearsal',
    rehearsal: true,
    offers: deps.score?.offers ?? [],
    isFinished: async (call) => (await finishedStream(call)) !== null,
    async *run(call, signal) {
      if (signal.aborted) return yield ended('aborted', 'before it began');
      const finished = await finishedStream(call);
      if (finished) return yield* replay(deps, call, finished);
      const attempt = (deps.score && chooseAttempt(deps.score, call)) ?? builtinAttempt(call);
      if (!attempt) return yield ended('failed', notListed(call));
      yield* perform(deps, call, createPart(attempt, call), signal);
    },
  };
}

async function* replay(
  deps: RehearsalDeps,
  call: AgentCall,
  records: StreamRecord[],
): AsyncGenerator<AgentEvent> {
  const left = await sweepCall(deps, call);
  let closing: Closing | null = null;
  for (const record of records) {
    if (record.type === 'closing') closing = record;
    else yield record;
  }
  yield withLeft(endedBy(closing, { code: 0, signal: null }), left);
}

async function* perform(
  deps: RehearsalDeps,
  call: AgentCall,
  part: Part,
  signal: AbortSignal,
): AsyncGenerator<AgentEvent> {
  const before = wasTried(call) ? await sweepCall(deps, call) : [];
  if (before.length > 0) return yield withLeft(ended('unavailable', 'an earlier worker lives'), before);
  const running = await start(deps, call, part, signal);
  if ('type' in running) return yield running;
  const watch = watchCall(deps, call, signal);
  let left: readonly number[] = [];
  let closing: Closing | null = null;
  try {
    yield { type: 'started', pid: running.pid };
    void running.exit.then(watch.disarm);
    for await (const record of recordsUntil(running, watch.stopped)) {
      if (record.type === 'closing') closing = record;
      else if (watch.reason() === null) yield record;
    }
  } finally {
    watch.remove();
    // A sweep still under way would also end a later worker that carries the same mark.
    if (watch.reason() !== null) await watch.stopped;
    left = await sweepCall(deps, call);
  }
  yield withLeft(await conclude(running, watch.reason(), closing), left);
}

async function start(
  deps: RehearsalDeps,
  call: AgentCall,
  part: Part,
  signal: AbortSignal,
): Promise<Running | Ended> {
  const files = await prepareStream(call, part);
  try {
    return await deps.processes.spawn({
      argv: [...deps.argv, files.part],
      cwd: call.cwd,
      mark: call.key,
      env: allowedEnvironment(deps.env),
      stdin: call.prompt,
      stdout: files.stdout,
      stderr: files.stderr,
      signal,
    });
  } catch (error) {
    if (error instanceof AdapterError) return ended('unavailable', error.message);
    throw error;
  }
}

/** Ends the call's processes when it is aborted or too late; `stopped` settles when that has been done. */
function watchCall(deps: RehearsalDeps, call: AgentCall, signal: AbortSignal) {
  let reason: 'aborted' | 'deadline' | null = null;
  const stop = Promise.withResolvers<void>();
  const end = (why: 'aborted' | 'deadline') => {
    if (reason !== null) return;
    reason = why;
    deps.processes.sweep(call.key).then(() => stop.resolve(), stop.reject);
  };
  const abort = () => end('aborted');
  const timer = setTimeout(() => end('deadline'), Math.min(call.deadline_ms, LONGEST_TIMER_MS));
  signal.addEventListener('abort', abort, { once: true });
  if (signal.aborted) abort();
  stop.promise.catch(() => {});
  return {
    stopped: stop.promise,
    reason: (): 'aborted' | 'deadline' | null => reason,
    /** The worker has ended in time; reading its last words may take longer. */
    disarm: () => clearTimeout(timer),
    remove() {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
    },
  };
}

/** Records as the worker writes them; ends with the worker, or with `stopped` when the worker will not go. */
async function* recordsUntil(running: Running, stopped: Promise<void>): AsyncGenerator<StreamRecord> {
  const lines = running.lines()[Symbol.asyncIterator]();
  const end = stopped.then((): IteratorResult<string> => ({ done: true, value: undefined }));
  end.catch(() => {});
  try {
    for (;;) {
      const next = await Promise.race([lines.next(), end]);
      if (next.done) return;
      const record = parseRecord(next.value);
      if (record) yield record;
    }
  } finally {
    // Not awaited: a read still under way ends with the worker, and that one may be stuck.
    void lines.return?.();
  }
}

async function conclude(
  running: Running,
  reason: 'aborted' | 'deadline' | null,
  closing: Closing | null,
): Promise<Ended> {
  if (reason === 'aborted') return ended('aborted', 'stopped by us');
  if (reason === 'deadline') return ended('failed', 'deadline');
  return closing ? endedBy(closing, { code: 0, signal: null }) : endedBy(null, await running.exit);
}

/** The closing record decides: played again, the same stream must end the same. */
function endedBy(closing: Closing | null, exit: Exit): Ended {
  if (closing) return closing.exit === 0 ? ended('finished', '') : ended('failed', `exit ${closing.exit}`);
  if (exit.signal !== null) return ended('unavailable', `killed by ${exit.signal}`);
  return ended('failed', exit.code === 0 ? 'ended without a closing record' : `exit ${exit.code}`);
}

function ended(outcome: Ended['outcome'], detail: string): Ended {
  return { type: 'ended', outcome, detail };
}

function withLeft(event: Ended, left: readonly number[]): Ended {
  if (left.length === 0) return event;
  return { ...event, detail: `${event.detail}; still running: ${left.join(', ')}` };
}

async function sweepCall({ processes }: RehearsalDeps, call: AgentCall): Promise<readonly number[]> {
  return (await processes.sweep(call.key)).left;
}

function notListed({ role, nth, attempt }: AgentCall): string {
  return `the score has nothing for role ${role}, call ${nth}, attempt ${attempt}, and no else`;
}

const ALLOWED = /^(PATH|HOME|LANG|LC_[A-Z]+|TMPDIR|TERM)$/;

function allowedEnvironment(env: RehearsalDeps['env']): Record<string, string> {
  const kept = Object.entries(env).filter(([name, value]) => ALLOWED.test(name) && value !== undefined);
  return Object.fromEntries(kept) as Record<string, string>;
}
