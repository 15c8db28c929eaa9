import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { codex } from '../../src/adapters/agent-codex/kind.ts';
import { createProcessAgent } from '../../src/adapters/agent-process/agent.ts';
import { lastWords, prepareFiles, storeSession } from '../../src/adapters/agent-process/call-files.ts';
import { programOf } from '../../src/adapters/agent-process/kind.ts';
import { createProcesses } from '../../src/adapters/processes/processes.ts';
import type { AgentCall, AgentEvent } from '../../src/ports/agent.ts';
import { agentCall, setup } from './agent-fixture.ts';

const processes = createProcesses();
let folder: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'baton-process-')));
});
afterEach(async () => {
  await processes.killLeftovers(call().key);
  rmSync(folder, { recursive: true, force: true });
});

function call(): AgentCall {
  const dir = join(folder, 'call');
  const cwd = join(folder, 'tree');
  mkdirSync(cwd, { recursive: true });
  return agentCall({ key: `de-${folder.slice(-6)}/1/0.1`, cwd, dir, result_file: join(dir, 'result.json') });
}

function agent(body: string) {
  return createProcessAgent({ processes, stall_ms: 60_000, room: () => null }, codexSaying(body));
}

/** Codex, played by a script that has `say(line)` and its arguments in `argv`. */
function codexSaying(body: string) {
  const file = join(folder, 'program.mjs');
  const head = 'const argv = process.argv; const say = (line) => console.log(JSON.stringify(line));\n';
  writeFileSync(file, head + body);
  return programOf(codex, setup({ command: [process.execPath, file] }, { PATH: process.env.PATH ?? '' }));
}

async function play(body: string, each: (event: AgentEvent) => void = () => {}, signal?: AbortSignal) {
  const events: AgentEvent[] = [];
  for await (const event of agent(body).run(call(), signal ?? new AbortController().signal)) {
    events.push(event);
    each(event);
  }
  return events;
}

test.each(['key', 'stream.jsonl', 'stderr.txt', 'session.json'])(
  'a pipe in place of %s, put there by a worker, holds nobody up: the attempt is made anew',
  async (name) => {
    const { dir } = call();
    mkdirSync(dir, { recursive: true });
    writeFileSync(join(dir, 'key'), call().key);
    writeFileSync(join(dir, 'stream.jsonl'), '{"type":"turn.started"}\n');
    rmSync(join(dir, name), { force: true });
    execFileSync('mkfifo', [join(dir, name)]);
    expect(await agent('').isFinished(call())).toBe(false);
    expect(await lastWords(call())).toBe('');
    await storeSession({ name: 'codex' }, call(), { id: 'T', cwd: call().cwd, counted: 0 });
    await prepareFiles({ name: 'codex' }, call());
    expect(['key', 'session.json'].map((file) => statSync(join(dir, file)).isFile())).toEqual([true, true]);
  },
);

/** A session as this agent keeps it, but for the folder. */
const KEPT = { id: 'T', agent: 'it', counted: 0, tokens: 0 };

test.each([
  ['garbage', () => 'garbage'],
  ['half an object', () => '{'],
  ['a list', () => '[]'],
  ['nothing', () => '{}'],
  ['a folder that is none', () => '{"cwd":5}'],
  ['no name', (cwd: string) => JSON.stringify({ cwd })],
  ['another agent', (cwd: string) => JSON.stringify({ ...KEPT, cwd, agent: 'claude' })],
  ['a name that is none', (cwd: string) => JSON.stringify({ ...KEPT, cwd, id: 7 })],
  ['words for figures', (cwd: string) => JSON.stringify({ ...KEPT, cwd, counted: 'x' })],
  ['less than nothing', (cwd: string) => JSON.stringify({ ...KEPT, cwd, tokens: -1e308 })],
])('a session file that says %s is none: the program starts anew', async (_, text) => {
  const { cwd, dir } = call();
  mkdirSync(dir);
  writeFileSync(join(dir, 'session.json'), text(cwd));
  const events = await play(`if (argv.includes('resume')) process.exit(9); ${DONE}`);
  expect(events.at(-1)).toMatchObject({ outcome: 'finished' });
  expect(events).toContainEqual({ type: 'usage', usage: { money_usd: null, tokens: 3000 } });
});

test('a program that speaks otherwise than it is known to is no end, and a person is told why', async () => {
  const events = await play("console.log('Welcome!'); say({event:'done'}); say({type:'turn.finished'});");
  expect(events.at(-1)).toMatchObject({
    outcome: 'failed',
    detail: expect.stringContaining('may not know this version'),
  });
});

test('a sandbox that cannot be made is named, and is no fault of the worker', async () => {
  const broken = createProcesses(
    () => '',
    async (spec) => ({
      ...spec,
      argv: ['bwrap', '--json-status-fd', '3', '--bind', '/no/where', '/', 'true'],
    }),
  );
  const room = { own: true, writes: true, programs: [], show: [], write: [], network: true, cache: null };
  const driving = { processes: broken, stall_ms: 60_000, room: () => room };
  const events: AgentEvent[] = [];
  for await (const event of createProcessAgent(driving, codexSaying(DONE)).run(
    call(),
    new AbortController().signal,
  ))
    events.push(event);
  const detail = "sandbox: bwrap: Can't find source path /no/where: No such file or directory";
  expect(events.at(-1)).toEqual({ type: 'ended', outcome: 'unavailable', detail });
});

const QUOTA = "say({type:'error',message:'Reconnecting... 1/1 (last status: 429 Too Many Requests)'});";
const DONE = "say({type:'turn.completed',usage:{input_tokens:3000,output_tokens:0}});";

test('a program that sleeps out a quota is not waited for, and nothing of it is left', async () => {
  const events = await play(`${QUOTA} setInterval(() => {}, 1000);`);
  expect(events.at(-1)).toMatchObject({ type: 'ended', outcome: 'limited' });
  expect((await processes.killLeftovers(call().key)).ended).toEqual([]);
});

test('a program that goes on after a quota ends as its last end says', async () => {
  expect((await play(QUOTA + DONE)).at(-1)).toMatchObject({ outcome: 'finished' });
});

test('what the stream is silent about is told from the last words, also when it is played again', async () => {
  const body = `console.error('ERROR router: error=patch rejected: writing is blocked; by settings'); ${DONE}`;
  const denied = { type: 'denied', what: 'patch rejected: writing is blocked' };
  expect(await play(body)).toContainEqual(denied);
  expect(await play(body)).toContainEqual(denied);
});

test('what another agent said in the same attempt is no end of this one', async () => {
  expect((await play(DONE)).at(-1)).toMatchObject({ outcome: 'finished' });
  const { dir, key } = call();
  expect(await agent('').isFinished(call())).toBe(true);
  writeFileSync(join(dir, 'key'), `${key}\nclaude`);
  expect(await agent('').isFinished(call())).toBe(false);
  const again = await play("say({type:'turn.failed',error:{message:'said anew'}})");
  expect(again.at(-1)).toMatchObject({ outcome: 'failed', detail: 'said anew' });
});

test('tokens of a session that is taken up are counted once, also when it is played again', async () => {
  const abort = new AbortController();
  const first = `say({type:'thread.started',thread_id:'T'});
    say({type:'turn.completed',usage:{input_tokens:1000,output_tokens:0}}); setInterval(() => {}, 1000);`;
  await play(first, (event) => event.type === 'usage' && abort.abort(), abort.signal);
  const second = `if (!argv.includes('resume') || !argv.includes('T')) process.exit(9);
    say({type:'thread.started',thread_id:'T'}); ${DONE}`;
  const usage = { type: 'usage', usage: { money_usd: null, tokens: 2000 } };
  expect(await play(second)).toContainEqual(usage);
  expect(await play('process.exit(9)')).toContainEqual(usage);
  expect(readFileSync(join(folder, 'call', 'stream.jsonl.in'), 'utf8')).toContain('Go on');
});
