import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { discoverAgents } from '../../src/adapters/discover-agents.ts';
import { createDeps, findAgents } from '../../src/compose.ts';
import { AgentSettings } from '../../src/contract/agent-settings.ts';
import type { Policy } from '../../src/contract/run.ts';
import type { AgentEvent } from '../../src/ports/agent.ts';
import type { Deps } from '../../src/runtime/deps.ts';
import { endOf, textOf } from '../support/agent-folder.ts';
import { isRunning } from '../support/is-running.ts';
import { writePersonConfig } from '../support/person-config.ts';
import { agentCall } from './agent-fixture.ts';

let base: string;
let deps: Deps;
const at = (name: string) => path.join(base, name);

beforeEach(async () => {
  // Below the home folder: the temporary one is private in a sandbox.
  base = mkdtempSync(path.join(homedir(), '.baton-agent-'));
  for (const name of ['project', 'home', 'state/one/tree', 'state/other'])
    mkdirSync(at(name), { recursive: true });
  vi.stubEnv('BATON_HOME', at('state'));
  vi.stubEnv('HOME', at('home'));
  vi.stubEnv('XDG_CONFIG_HOME', at('config'));
  deps = await createDeps({ root: at('project'), home: at('state/one') });
  mkdirSync(at('state/one/calls/1'), { recursive: true });
});
afterEach(async () => {
  await deps.store.close();
  vi.unstubAllEnvs();
  rmSync(base, { recursive: true, force: true });
});

/** A program of these lines of shell. */
function program(file: string, script: string): void {
  mkdirSync(path.dirname(at(file)), { recursive: true });
  writeFileSync(at(file), `#!/bin/sh\n${script}\n`);
  chmodSync(at(file), 0o755);
}

/** One call of the agent `mine` in the tree. */
async function run(settings: object, sandbox: Policy['sandbox'] = 'off'): Promise<AgentEvent[]> {
  const agents = { mine: AgentSettings.parse(settings) };
  const agent = await deps.agent({ ...(await deps.policy()), agent: 'mine', agents, sandbox });
  const dir = at('state/one/calls/1');
  const call = agentCall({
    key: `de-${base.slice(-6)}/1/0.1`,
    cwd: at('state/one/tree'),
    profile: { kind: 'writes', globs: ['**'] },
    dir,
    result_file: path.join(dir, 'out', 'result.json'),
  });
  const events: AgentEvent[] = [];
  for await (const event of agent.run(call, new AbortController().signal)) events.push(event);
  return events;
}

describe('a program named by a path', () => {
  const named = { kind: 'command', command: ['./tools/agent'] };

  test("is the one in the person's folder, never the one a worker wrote in the tree", async () => {
    program('project/tools/agent', 'echo of the person; pwd');
    program('state/one/tree/tools/agent', 'echo of a worker');
    const events = await run(named);
    expect(textOf(events)).toBe(`of the person\n${at('state/one/tree')}`);
  });

  test('is not installed where only the tree has it', async () => {
    program('state/one/tree/tools/agent', 'echo of a worker');
    await expect(run(named)).rejects.toMatchObject({ failure: { code: 'agent_not_installed' } });
  });

  test("is looked for in the person's folder by the list of agents too", async () => {
    program('project/tools/agent', 'true');
    writePersonConfig(at('config'), 'agents:\n  mine: { kind: command, command: [./tools/agent] }\n');
    const found = await findAgents(at('project'));
    expect(found).toContainEqual(
      expect.objectContaining({ name: 'mine', program: at('project/tools/agent') }),
    );
  });
});

describe('a program asked for its version', () => {
  /** What the list of agents says of claude when its program is these lines of shell. */
  async function found(script: string) {
    program('bin/claude', script);
    vi.stubEnv('PATH', `${at('bin')}${path.delimiter}${process.env.PATH}`);
    return (await findAgents(at('project'))).find(({ name }) => name === 'claude');
  }

  test.each([
    ['echo 99.0.1 of tomorrow', '99.0.1', null],
    ['echo 99.0.1; exit 3', '99.0.1', null],
    ['echo nothing', null, null],
    ['exit 3', null, 'failed'],
    ['kill -SEGV $$', null, 'failed'],
  ])('%s', async (script, version, problem) => {
    const sign_in = 'claude auth login';
    expect(await found(script)).toMatchObject({ version, problem, signed_in: false, sign_in });
  });

  test('one that hangs is told, and ended with all it started', { timeout: 60_000 }, async () => {
    const hang = (file: string) =>
      `echo $$ > ${at(file)}; while :; do read -r _ < ${at('never')} || exit; done`;
    execFileSync('mkfifo', [at('never')]);
    program('bin/beside', hang('beside'));
    program('bin/claude', `setsid ${at('bin/beside')} & ${hang('own')}`);
    const PATH = `${at('bin')}${path.delimiter}${process.env.PATH}`;
    const folders = { root: at('project'), state: at('state'), version_ms: 3_000 };
    const all = await discoverAgents({}, { ...process.env, PATH }, folders);
    expect(all.find(({ name }) => name === 'claude')).toMatchObject({ problem: 'silent' });
    for (const file of ['own', 'beside']) {
      const pid = Number(readFileSync(at(file), 'utf8'));
      expect(isRunning(pid)).toBe(false);
    }
  });
});

describe('a worker in the sandbox it is composed with', () => {
  /** Of these paths, those the worker could write, and those it could read. */
  async function probe(kind: string, writes: readonly string[], reads: readonly string[]) {
    for (const file of reads) writeFileSync(at(file), 'words');
    const tries = [
      ...writes.map((file) => `(echo x > ${at(file)}) 2>/dev/null && echo wrote ${file}`),
      ...reads.map((file) => `cat ${at(file)} > /dev/null 2>&1 && echo read ${file}`),
    ];
    program('project/agent', `{ ${tries.join('\n')}\n} >> ${at('state/one/tree/seen')}; exit 0`);
    const events = await run({ kind, command: ['./agent'] }, 'required');
    expect(existsSync(at('state/one/tree/seen')), endOf(events).detail).toBe(true);
    const seen = readFileSync(at('state/one/tree/seen'), 'utf8').trim().split('\n');
    // The rest of the home is a folder of the sandbox's own: it takes what is written and keeps nothing.
    const isKept = (file: string) => existsSync(at(file)) && readFileSync(at(file), 'utf8') === 'x\n';
    return seen.filter((line) => !line.startsWith('wrote ') || isKept(line.slice('wrote '.length)));
  }

  test('writes its result, and neither our notes of the attempt nor those of another', async () => {
    mkdirSync(at('state/one/calls/2'));
    const notes = ['1/key', '1/session.json', '1/stopped', '1/stream.jsonl', '2/key'];
    const writes = ['1/out/result.json', ...notes].map((name) => `state/one/calls/${name}`);
    expect(await probe('command', writes, [])).toEqual(['wrote state/one/calls/1/out/result.json']);
  });

  test('left running is what it started, not the sandbox around it', async () => {
    program('project/agent', 'sleep 600 > /dev/null 2>&1 &');
    const events = await run({ kind: 'command', command: ['./agent'] }, 'required');
    expect(endOf(events)).toMatchObject({ outcome: 'finished' });
    const left = events.find(({ type }) => type === 'left_running');
    expect(left).toEqual({ type: 'left_running', programs: ['sleep'] });
  });

  test('sees the state of no repository, its own included', async () => {
    const reads = ['state/other/secret', 'state/one/note', 'state/note', 'project/visible'];
    expect(await probe('command', [], reads)).toEqual(['read project/visible']);
  });

  test('claude keeps its sessions and its login, and changes nothing a person wrote for it', async () => {
    for (const folder of ['projects', 'todos', 'agents', 'commands'])
      mkdirSync(at(`home/.claude/${folder}`), { recursive: true });
    writeFileSync(at('home/.claude/.credentials.json'), '{}');
    const kept = ['projects/x', 'todos/x', '.credentials.json'].map((name) => `home/.claude/${name}`);
    const others = ['settings.json', 'CLAUDE.md', 'agents/x.md', 'commands/x.md'];
    const writes = [...kept, ...others.map((name) => `home/.claude/${name}`), 'home/.claude.json'];
    expect(await probe('claude', writes, [])).toEqual(kept.map((name) => `wrote ${name}`));
  });

  test.each([
    ['claude', {}, []],
    ['claude', { CLAUDE_CODE_USE_BEDROCK: '1' }, ['.aws']],
    ['codex', { CLAUDE_CODE_USE_BEDROCK: '1' }, []],
    ['gemini', { GOOGLE_GENAI_USE_VERTEXAI: 'true' }, ['.config/gcloud']],
  ])('%s with %o reads the login of its cloud alone, and writes it never', async (kind, chosen, logins) => {
    for (const [name, value] of Object.entries(chosen)) vi.stubEnv(name, value);
    const files = ['.aws', '.config/gcloud', '.ssh'].map((folder) => {
      mkdirSync(at(`home/${folder}`), { recursive: true });
      return `home/${folder}/key`;
    });
    const own = logins.map((folder) => `home/${folder}/key`);
    expect(await probe(kind, own, [...files, 'project/seen'])).toEqual(
      [...own, 'project/seen'].map((file) => `read ${file}`),
    );
  });

  test.each([
    ['claude', {}, '.claude/projects'],
    ['claude', { CLAUDE_CONFIG_DIR: 'else/where' }, 'else/where/projects'],
    ['codex', {}, '.codex'],
    ['codex', { CODEX_HOME: 'else/where' }, 'else/where'],
    ['gemini', {}, '.gemini'],
    ['gemini', { GEMINI_CLI_HOME: 'else/where' }, 'else/where/.gemini'],
    ['opencode', {}, '.local/share/opencode'],
    ['opencode', { XDG_DATA_HOME: 'else/where' }, 'else/where/opencode'],
  ])('%s, never started here before, with %o keeps its sessions in %s', async (kind, variables, folder) => {
    for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, at(`home/${value}`));
    const writes = [`home/${folder}/x`, 'home/x'];
    expect(await probe(kind, writes, [])).toEqual([`wrote home/${folder}/x`]);
  });
});
