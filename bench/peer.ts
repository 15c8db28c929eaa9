import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { PAYLOAD } from './job.ts';

const HERE = path.dirname(fileURLToPath(import.meta.url));

/** A peer in a process of its own. Gives the milliseconds it took for all ids with so many runs in flight. */
export interface Peer {
  readonly node: string;
  run(ids: readonly string[], together: number): Promise<number>;
  close(): Promise<void>;
}

/** Installs what the benchmark compares with, once. Says why when it cannot. */
export function installPeers(say: (line: string) => void): string | null {
  if (existsSync(path.join(HERE, 'node_modules', '@langchain', 'langgraph'))) return null;
  say(
    'bench: first use: installing LangGraph into bench/node_modules; its SQLite driver may be compiled (2 min)',
  );
  try {
    execFileSync('npm', ['ci'], { cwd: HERE, stdio: ['ignore', 2, 2] });
    return null;
  } catch (error) {
    return `npm ci in bench failed: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** Starts LangGraph under the first Node on the path that can load the driver; a sentence when there is none. */
export async function openLangGraph(file: string): Promise<Peer | string> {
  const node = nodes().find(loadsDriver);
  if (!node) return 'no Node on the path can load the SQLite driver that was built for LangGraph';
  const child = spawn(node, [path.join(HERE, 'langgraph.mjs'), file, PAYLOAD], {
    cwd: HERE,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const replies = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const reply = async (): Promise<{ ms: number }> => {
    const { value, done } = await replies.next();
    if (done) throw new Error('LangGraph ended');
    return JSON.parse(value);
  };
  await reply();
  const version = execFileSync(node, ['-p', 'process.version'], { encoding: 'utf8' }).trim();
  return {
    node: version,
    run: async (ids, together) => {
      child.stdin.write(`${JSON.stringify({ ids, together })}\n`);
      return (await reply()).ms;
    },
    close: () => ended(child),
  };
}

function nodes(): string[] {
  const folders = (process.env.PATH ?? '').split(path.delimiter);
  const found = folders.map((folder) => path.join(folder, 'node')).filter((file) => existsSync(file));
  return [...new Set([process.execPath, ...found])];
}

function loadsDriver(node: string): boolean {
  try {
    const load = "new (require('better-sqlite3'))(':memory:').close()";
    execFileSync(node, ['-e', load], { cwd: HERE, stdio: 'ignore' });
    return true;
  } catch {
    return false; // built for another Node
  }
}

function ended(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    child.on('close', () => resolve());
    child.stdin?.end();
  });
}
