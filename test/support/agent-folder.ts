import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createProcessAgent } from '../../src/adapters/agent-process/agent.ts';
import { type AgentKind, programOf, type Setup } from '../../src/adapters/agent-process/kind.ts';
import { createProcesses } from '../../src/adapters/processes/processes.ts';
import type { AgentCall, AgentEvent, Ended } from '../../src/ports/agent.ts';
import { agentCall } from '../adapters/agent-fixture.ts';

/** A folder with a tree and the files of one call, for running a kind's program for real. */
export interface AgentFolder {
  readonly tree: string;
  readonly dir: string;
  call(more?: Partial<AgentCall>): AgentCall;
  run(kind: AgentKind, setup: Setup, more?: RunMore): Promise<AgentEvent[]>;
  /** Ends what is left, tells how many that were, and removes the folder. */
  close(): Promise<number>;
}

interface RunMore {
  readonly call?: Partial<AgentCall>;
  readonly signal?: AbortSignal;
  readonly each?: (event: AgentEvent) => void;
}

export function openAgentFolder(): AgentFolder {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'baton-agent-')));
  const tree = path.join(folder, 'tree');
  const dir = path.join(folder, 'call');
  const key = `sp-${folder.slice(-6)}/1/0.1`;
  mkdirSync(tree);
  mkdirSync(dir);
  const processes = createProcesses();
  const call = (more: Partial<AgentCall> = {}) =>
    agentCall({
      key,
      profile: { kind: 'writes', globs: ['**'] },
      cwd: tree,
      dir,
      result_file: path.join(dir, 'result.json'),
      ...more,
    });
  return {
    tree,
    dir,
    call,
    async run(kind, setup, { call: changed, signal = new AbortController().signal, each } = {}) {
      const driving = { processes, stall_ms: Number.POSITIVE_INFINITY, room: () => null };
      const events: AgentEvent[] = [];
      for await (const event of createProcessAgent(driving, programOf(kind, setup)).run(
        call(changed),
        signal,
      )) {
        events.push(event);
        each?.(event);
      }
      return events;
    },
    async close() {
      const { ended } = await processes.killLeftovers(key);
      rmSync(folder, { recursive: true, force: true });
      return ended.length;
    },
  };
}

export function textOf(events: readonly AgentEvent[]): string {
  return events.flatMap((event) => (event.type === 'text' ? [event.text] : [])).join('\n');
}

export function endOf(events: readonly AgentEvent[]): Ended {
  const last = events.at(-1);
  if (last?.type !== 'ended') throw new Error('no end');
  return last;
}
