import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Readable, type Writable as Sink, Writable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import {
  type ClientContext,
  client,
  methods,
  ndJsonStream,
  RequestError,
  type Stream,
} from '@agentclientprotocol/sdk';
import type { Exit } from '../../ports/processes.ts';
import { closeBy } from '../agent-process/judge.ts';
import type { Closing } from '../agent-process/program.ts';
import { say } from '../agent-process/worker-record.ts';
import type { Part } from './kind.ts';
import {
  type Confines,
  chooseOption,
  isAllowed,
  readable,
  type ToolRequest,
  writable,
} from './permission.ts';
import { createHearing, locationsOf, takeTurn } from './take-turn.ts';

/** A running agent process and its protocol stream. */
interface AgentAtWork {
  readonly stream: Stream;
  /** How it ended. If the program did not start, there is no code, and `problem` says why. */
  readonly exit: Promise<Exit & { readonly problem: string | null }>;
  /** Ends the agent and its process group, within a second. */
  end(): Promise<void>;
}

const GRACE_MS = 600;

/**
 * Starts the agent in a process group of its own. An interrupt meant for us must not reach the agent before we have
 * asked it to stop.
 */
function startAgent(argv: readonly string[], cwd: string): AgentAtWork {
  const [program = '', ...args] = argv;
  const child = spawn(program, args, { cwd, stdio: ['pipe', 'pipe', 'inherit'], detached: true });
  child.stdin.on('error', () => {}); // it closed its stdin or did not start; its exit shows which
  const exit = exitOf(child);
  return {
    stream: ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout)),
    exit,
    async end() {
      signal(child.pid, 'SIGTERM');
      await Promise.race([exit, wait(GRACE_MS)]);
      signal(child.pid, 'SIGKILL');
    },
  };
}

async function exitOf(
  child: ChildProcessByStdio<Sink, Readable, null>,
): ReturnType<() => AgentAtWork['exit']> {
  try {
    const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
    return { code, signal, problem: null };
  } catch (error) {
    return { code: null, signal: null, problem: error instanceof Error ? error.message : String(error) };
  }
}

function signal(pid: number | undefined, name: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, name);
  } catch {
    // Gone already.
  }
}

// The worker process that drives one agent over the Agent Client Protocol: `worker.ts <part.json>`, the task on stdin.

const CANCEL_MS = 900;
const LAST_WORDS_MS = 500;
const INTERRUPTED = 130;
const AUTH_REQUIRED = -32000;
const SIGN_IN =
  'sign in with the agent’s own program, or name the variable of its key under `env` in baton.yaml and start anew';

const part = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as Part;
const confines: Confines = {
  tree: part.cwd,
  result_file: part.result_file,
  writes: part.profile === 'writes',
};
const hearing = createHearing(part.cwd);
const agent = startAgent(part.argv, part.cwd);
// A resumed session repeats its earlier updates. Only those of the new turn count.
const live = { session: null as string | null, listening: false, stopping: false };

const app = client({ name: 'baton' })
  .onRequest(methods.client.session.requestPermission, async ({ params: { toolCall, options } }) => {
    if (live.stopping) return { outcome: { outcome: 'cancelled' } };
    const allowed = isAllowed(part.profile, await asked(toolCall));
    if (!allowed) say({ type: 'denied', what: hearing.tell(toolCall) });
    return { outcome: chooseOption(options, part.profile, allowed) };
  })
  .onRequest(methods.client.fs.readTextFile, async ({ params: { path, line, limit } }) => {
    const location = (await readable(confines, path)) ?? refuse('reads', path);
    const text = await readFile(location, 'utf8').catch(() => notFound(path));
    return { content: cutLines(text, line ?? 1, limit ?? Number.POSITIVE_INFINITY) };
  })
  .onRequest(methods.client.fs.writeTextFile, async ({ params: { path, content } }) => {
    const location = (await writable(confines, path)) ?? refuse('edits', path);
    await mkdir(dirname(location), { recursive: true });
    await writeFile(location, content);
    return {};
  })
  .onNotification(methods.client.session.update, ({ params: { update } }) => {
    if (live.listening) for (const record of hearing.hear(update)) say(record);
  });

const connection = app.connect(agent.stream);
const turn = play(connection.agent).catch((error: unknown) => failed(error, agent));
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void stop());
void turn.then(close);

async function play(context: ClientContext): Promise<Closing> {
  const task = readFileSync(0, 'utf8');
  return takeTurn(context, part, task, {
    begun: (session) => {
      live.session = session;
      live.listening = true;
      say({ type: 'session', id: session });
    },
    used: (tokens) => say(hearing.used(tokens)),
  });
}

async function close(closing: Closing): Promise<void> {
  // After a stop, `stop` ends the process without a closing. Half a call must not look like a finished one.
  if (live.stopping) return;
  for (const record of hearing.rest()) say(record);
  say(closing);
  await agent.end();
  process.exit(closing.outcome === 'finished' ? 0 : 1);
}

/**
 * If the agent process is gone, the end is `unavailable`, whatever error the connection reports. An error that the
 * agent answered is judged.
 */
async function failed(error: unknown, { exit }: AgentAtWork): Promise<Closing> {
  const gone = await Promise.race([exit, wait(LAST_WORDS_MS)]);
  // The agent was killed from outside. The worker ends the same way, so that the call does not count as finished.
  if (gone?.signal) process.kill(process.pid, 'SIGKILL');
  if (gone) {
    const detail = gone.problem ?? `the agent ended with exit code ${gone.code} before its turn was over`;
    return { type: 'closing', outcome: 'unavailable', detail };
  }
  return closeBy({ words: wordsOf(error), at: new Date(), sign_in: SIGN_IN });
}

/** The protocol calls every error "Internal error". The cause follows these words or is in the details. */
function wordsOf(error: unknown): string {
  if (!(error instanceof RequestError)) return String(error);
  const { code, message, data } = error;
  const details = (data as { details?: unknown } | null | undefined)?.details ?? data ?? '';
  const told = typeof details === 'string' ? details : JSON.stringify(details);
  const words = `${message.replace(/^Internal error:? ?/, '')} ${told}`.trim() || message;
  return code === AUTH_REQUIRED ? `not signed in: ${words}` : words;
}

/** Cancels through the protocol first, then ends the agent. */
async function stop(): Promise<void> {
  if (live.stopping) return;
  live.stopping = true;
  if (live.session !== null) {
    void connection.agent.notify(methods.agent.session.cancel, { sessionId: live.session }).catch(() => {});
    await Promise.race([turn, wait(CANCEL_MS)]);
  }
  await agent.end();
  process.exit(INTERRUPTED);
}

async function asked(update: Parameters<typeof hearing.tool>[0]): Promise<ToolRequest> {
  const tool = hearing.tool(update);
  const locations = locationsOf(tool);
  const judged = await Promise.all(locations.map((location) => writable(confines, location)));
  const results = await Promise.all(
    locations.map((location) => writable({ ...confines, writes: false }, location)),
  );
  return {
    kind: tool.kind ?? null,
    inside: judged.every((location) => location !== null),
    result_only: results.length > 0 && results.every((location) => location !== null),
  };
}

function refuse(does: string, path: string): never {
  say({ type: 'denied', what: `${does} ${path}` });
  throw RequestError.invalidParams({ path }, 'this path is not open to you');
}

function notFound(path: string): never {
  throw RequestError.resourceNotFound(path);
}

function cutLines(text: string, from: number, limit: number): string {
  return from <= 1 && limit === Number.POSITIVE_INFINITY
    ? text
    : text
        .split('\n')
        .slice(from - 1, from - 1 + limit)
        .join('\n');
}
