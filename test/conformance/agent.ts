import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createProcesses } from '../../src/adapters/processes/processes.ts';
import type { Agent, AgentCall, AgentEvent } from '../../src/ports/agent.ts';
import type { Processes } from '../../src/ports/processes.ts';

/**
 * What the agent under test is made to do:
 * `answers`: says a line of progress and gives the result `{ "ok": true }`, in a fenced block where it knows no schema ·
 * `hangs`: says a line of progress, starts a process of its own that sleeps, and never ends · `leaves_process`: starts
 * one that sleeps, and answers · `fails`: says that it failed, and exits with a code other than 0 where a code counts ·
 * `missing`: its program does not exist.
 */
export type Scenario = 'answers' | 'hangs' | 'leaves_process' | 'fails' | 'missing';

/** Makes the agent over the given processes; called again for the same scenario it must behave the same. */
export type MakeAgent = (scenario: Scenario, processes: Processes) => Agent;

const system = createProcesses();
const SCHEMA = {
  type: 'object',
  properties: { ok: { type: 'boolean' } },
  required: ['ok'],
  additionalProperties: false,
};

/** Every agent adapter runs this one suite: it is the port's contract, word for word. */
export function agentConformance(name: string, make: MakeAgent): void {
  describe(`${name} agent`, () => {
    let folder: string;
    let starts: number;
    const counting: Processes = {
      ...system,
      spawn: (spec) => {
        starts += 1;
        return system.spawn(spec);
      },
    };

    beforeEach(() => {
      folder = realpathSync(mkdtempSync(join(tmpdir(), 'baton-agent-')));
      mkdirSync(join(folder, 'tree'));
      starts = 0;
    });
    afterEach(async () => {
      await system.killLeftovers(callIdOf(folder));
      rmSync(folder, { recursive: true, force: true });
    });

    const call = (more: Partial<AgentCall> = {}) => createCall(folder, more);
    const play = (scenario: Scenario, more: Partial<AgentCall> = {}, signal = new AbortController().signal) =>
      collect(make(scenario, counting).run(call(more), signal));
    const leftovers = async () => (await system.killLeftovers(call().key)).ended;

    test.each(['answers', 'leaves_process', 'fails', 'missing'] as const)(
      'when it %s, exactly one `ended` comes, as the last event, and no process is left',
      async (scenario) => {
        const events = await play(scenario);
        expect(events.filter((event) => event.type === 'ended')).toHaveLength(1);
        expect(events.at(-1)?.type).toBe('ended');
        expect(await leftovers()).toEqual([]);
      },
    );

    test('a call that answers gives its pid, its progress and its result, and has finished', async () => {
      const events = await play('answers');
      expect(events[0]).toMatchObject({ type: 'started', pid: expect.any(Number) });
      expect(events).toContainEqual({ type: 'progress', line: expect.any(String) });
      expect(resultsOf(make('answers', counting), events)).toEqual([{ ok: true }]);
      expect(events.at(-1)).toMatchObject({ outcome: 'finished' });
    });

    test('a bad exit code is a failure, a program that is missing is unavailable', async () => {
      expect((await play('fails')).at(-1)).toMatchObject({ outcome: 'failed' });
      expect((await play('missing', { key: otherKey(folder) })).at(-1)).toMatchObject({
        outcome: 'unavailable',
      });
    });

    test('an abort ends the worker and everything it started', async () => {
      const abort = new AbortController();
      const events = await collect(make('hangs', counting).run(call(), abort.signal), (event) => {
        if (event.type === 'progress') abort.abort();
      });
      expect(events.at(-1)).toMatchObject({ type: 'ended', outcome: 'aborted' });
      expect(await leftovers()).toEqual([]);
    });

    test('a signal that is aborted before the start starts nothing', async () => {
      const events = await play('answers', {}, AbortSignal.abort());
      expect(events).toMatchObject([{ type: 'ended', outcome: 'aborted' }]);
      expect(starts).toBe(0);
    });

    test('a call over its deadline is ended, has failed, and says why', async () => {
      const events = await play('hangs', { deadline_ms: 300 });
      expect(events.at(-1)).toEqual({ type: 'ended', outcome: 'failed', detail: 'deadline' });
      expect(await leftovers()).toEqual([]);
    });

    test('a worker killed from outside is unavailable, and what it started is ended', async () => {
      let pid = 0;
      const events = await collect(
        make('hangs', counting).run(call(), new AbortController().signal),
        (event) => {
          if (event.type === 'started') pid = event.pid;
          if (event.type === 'progress') process.kill(pid, 'SIGKILL');
        },
      );
      expect(events.at(-1)).toMatchObject({ outcome: 'unavailable' });
      expect(await leftovers()).toEqual([]);
    });

    test('a caller that stops listening leaves no process behind', async () => {
      for await (const event of make('hangs', counting).run(call(), new AbortController().signal)) {
        if (event.type === 'progress') break;
      }
      expect(await leftovers()).toEqual([]);
    });

    test('a finished stream is played again and nothing is started', async () => {
      const first = await play('answers');
      expect(starts).toBe(1);
      const again = await play('answers');
      expect(starts).toBe(1);
      expect(again).toEqual(first.filter((event) => event.type !== 'started'));
    });

    test('a failed end is played again as the same failure', async () => {
      const first = await play('fails');
      expect((await play('fails')).at(-1)).toEqual(first.at(-1));
      expect(starts).toBe(1);
    });

    test('a stream of another key, or one that was cut off, is not played: the call is started again', async () => {
      await play('answers', { key: otherKey(folder) });
      for await (const event of make('hangs', counting).run(call(), new AbortController().signal)) {
        if (event.type === 'progress') break;
      }
      expect((await play('answers')).at(-1)).toMatchObject({ outcome: 'finished' });
      expect(starts).toBe(3);
    });
  });
}

/** Where the program fits its answer to a schema itself, the value; else what the fenced blocks of its text hold. */
function resultsOf({ capabilities }: Agent, events: readonly AgentEvent[]): unknown[] {
  if (capabilities.schema) return events.flatMap((event) => (event.type === 'result' ? [event.value] : []));
  const text = events.flatMap((event) => (event.type === 'text' ? [event.text] : [])).join('\n');
  return [...text.matchAll(/^```json\n([\s\S]*?)\n```$/gm)].map(([, json = '']) => JSON.parse(json));
}

function createCall(folder: string, more: Partial<AgentCall>): AgentCall {
  return {
    key: `${callIdOf(folder)}/1/0.1`,
    workflow: 'deliver',
    role: 'implementation',
    bound: null,
    nth: 1,
    attempt: 1,
    prompt: 'Do it.',
    cwd: join(folder, 'tree'),
    tier: 'inherit',
    model: null,
    money_left_usd: null,
    profile: { kind: 'read_only' },
    deadline_ms: 20_000,
    schema: SCHEMA,
    result_file: join(folder, 'call', 'result.json'),
    dir: join(folder, 'call'),
    lang: 'en',
    slots: { task: 'rename photos by date' },
    ...more,
  };
}

/** Marks of parallel tests must not meet. */
function callIdOf(folder: string): string {
  return `sp-${folder.slice(-6)}`;
}

function otherKey(folder: string): string {
  return `${callIdOf(folder)}/2/0.1`;
}

async function collect(
  events: AsyncIterable<AgentEvent>,
  each: (event: AgentEvent) => void = () => {},
): Promise<AgentEvent[]> {
  const all: AgentEvent[] = [];
  for await (const event of events) {
    all.push(event);
    each(event);
  }
  return all;
}
