import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { command } from '../../src/adapters/agent-command/kind.ts';
import { type AgentFolder, endOf, openAgentFolder, textOf } from '../support/agent-folder.ts';
import { fakeSetup } from '../support/fake-programs.ts';

let folder: AgentFolder;
beforeEach(() => {
  folder = openAgentFolder();
});
afterEach(async () => {
  expect(await folder.close()).toBe(0);
});

const said = () => JSON.parse(readFileSync(path.join(folder.dir, 'result.json'), 'utf8'));
const stream = () => readFileSync(path.join(folder.dir, 'stream.jsonl'), 'utf8');
const shell = (script: string) => fakeSetup('command', 'answers', { command: ['/bin/sh', '-c', script] });

test('the task comes on stdin, the result goes where BATON_RESULT_FILE says', async () => {
  const prompt = 'Do it.\n'.repeat(40_000);
  const events = await folder.run(command, fakeSetup('command', 'says'), { call: { prompt } });
  expect(endOf(events)).toEqual({ type: 'ended', outcome: 'finished', detail: '' });
  expect(said()).toMatchObject({ argument: null, stdin: prompt });
});

test('or as the last argument', async () => {
  await folder.run(command, fakeSetup('command', 'says', { prompt: 'argument' }));
  expect(said()).toMatchObject({ argument: 'Do it.', stdin: '' });
});

test('a task too long for an argument starts nothing and says what to do', async () => {
  const events = await folder.run(command, fakeSetup('command', 'says', { prompt: 'argument' }), {
    call: { prompt: 'x'.repeat(200_000) },
  });
  expect(events).toEqual([
    { type: 'ended', outcome: 'failed', detail: expect.stringContaining('prompt: stdin') },
  ]);
});

test('it sees the base, what baton.yaml names, and of ours the result file and the mark', async () => {
  const env = {
    PATH: process.env.PATH,
    MINE: 'm',
    GEMINI_API_KEY: 'g',
    SSH_AUTH_SOCK: '/s',
    BATON_HOME: '/b',
  };
  await folder.run(command, { ...fakeSetup('command', 'says', { env: ['MINE', 'BATON_HOME'] }), env });
  expect(Object.keys(said().env).sort()).toEqual(['BATON_CALL', 'BATON_RESULT_FILE', 'MINE', 'PATH', 'PWD']);
});

test('its lines are its text, the last one also without an end', async () => {
  const events = await folder.run(command, shell('echo one; echo; printf two'));
  expect(textOf(events)).toBe('one\n\ntwo');
});

test('a line without an end is told in pieces', async () => {
  const events = await folder.run(command, shell('head -c 300000 /dev/zero | tr "\\0" x'));
  expect(textOf(events).replaceAll('\n', '')).toHaveLength(300_000);
});

test.each([
  ['70 MB', 70_000_000, 'x'],
  ['12 MB that take six times as much there', 12_000_000, '\\0'],
])(
  'of more words than a stream can hold, %s, its end and its result are kept',
  async (_, bytes, character) => {
    const script = `head -c ${bytes} /dev/zero | tr "\\0" "${character}"; echo '{}' > "$BATON_RESULT_FILE"`;
    const first = await folder.run(command, shell(script));
    expect(endOf(first)).toMatchObject({ outcome: 'finished' });
    expect(said()).toEqual({});
    // Played from what was kept, not run once more.
    expect(endOf(await folder.run(command, shell('exit 9')))).toMatchObject({ outcome: 'finished' });
  },
);

test('its exit code is kept in the stream, so that it outlives us', async () => {
  expect(endOf(await folder.run(command, shell('exit 3')))).toMatchObject({
    outcome: 'failed',
    detail: 'exit 3',
  });
  expect(stream()).toContain('{"type":"closing","exit":3}');
});

test('a command that fails is told with the line of its last words that says why', async () => {
  const script = 'echo "error: no such \x1b[31mmodel" >&2; echo "see the manual" >&2; exit 3';
  const told = { outcome: 'failed', detail: 'exit 3: error: no such [31mmodel' };
  expect(endOf(await folder.run(command, shell(script)))).toMatchObject(told);
  // Played from what was kept, not run once more.
  expect(endOf(await folder.run(command, shell('exit 9')))).toMatchObject(told);
});

test('a command killed from outside has not come to its end', async () => {
  expect(endOf(await folder.run(command, shell('kill -9 $$')))).toMatchObject({ outcome: 'unavailable' });
  expect(stream()).not.toContain('closing');
});

test('a process it leaves with its stdout does not hold up the end', async () => {
  const events = await folder.run(command, shell('sleep 600 & echo done'));
  expect(endOf(events)).toMatchObject({ outcome: 'finished' });
});

test('a stop waits for its last words, which are no end', async () => {
  const abort = new AbortController();
  const script = 'trap "echo bye; exit 0" INT; echo up; while :; do sleep 0.05; done';
  const events = await folder.run(command, shell(script), {
    signal: abort.signal,
    each: ({ type }) => type === 'progress' && abort.abort(),
  });
  expect(endOf(events)).toMatchObject({ outcome: 'aborted' });
  expect(stream()).toContain('bye');
  expect(stream()).not.toContain('closing');
});
