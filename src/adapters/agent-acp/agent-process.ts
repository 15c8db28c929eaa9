import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Readable, type Writable as Sink, Writable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { ndJsonStream, type Stream } from '@agentclientprotocol/sdk';
import type { Exit } from '../../ports/processes.ts';

/** A running agent process and its protocol stream. */
export interface AgentAtWork {
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
export function startAgent(argv: readonly string[], cwd: string): AgentAtWork {
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
