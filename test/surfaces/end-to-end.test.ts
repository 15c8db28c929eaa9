import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { ask, DOCS, draft, script } from '../scenario/quick-lab.ts';
import { until } from '../support/lab.ts';
import { isRunning, stands, terminalRefusal, uniqueSleep, worldsOfTest } from './end-to-end.ts';

const newWorld = worldsOfTest();
const noTerminal = terminalRefusal();
const SPEC = ['spec', 'Rename photos by date', '--mode', 'quick'];

describe.skipIf(noTerminal !== null)(`a person at a terminal${noTerminal ? `: ${noTerminal}` : ''}`, () => {
  test('carries a run from the idea to approved documents, one command at a time, with the exit code of each rest', async () => {
    const world = newWorld({ git: true });
    expect(await world.run(...SPEC)).toMatchObject({ code: 4 });
    expect(await world.person('answer', 'sp', 'skip')).toMatchObject({ code: 4 });
    expect(await world.person('answer', 'sp', 'skip')).toMatchObject({ code: 4 });
    const completed = await world.person('answer', 'sp', 'approve');
    expect(completed).toMatchObject({ code: 4 });
    expect(completed.stdout).toContain('git merge baton/spec-rename-photos-by-date');
    const end = await world.person('answer', 'sp', 'done');
    expect(end).toMatchObject({ code: 0 });
    expect(end.stdout).toContain('ended: approved');
    expect(end.stdout).toMatch(/baton deliver --from-spec sp-\w+/);
    const branch = 'baton/spec-rename-photos-by-date';
    const shown = execFileSync('git', ['show', `${branch}:${DOCS}/spec.md`], {
      cwd: world.root,
      encoding: 'utf8',
    });
    expect(shown).toContain('Rename photos by date');
    expect(await world.run('doctor', '--deep')).toMatchObject({ code: 0 });
  });

  test('is the only one who answers: the same command without a terminal is refused with exit 3 and writes nothing', async () => {
    const world = newWorld();
    await world.run(...SPEC);
    const before = await world.json('gates');
    const refused = await world.run('answer', 'sp', 'skip');
    expect(refused).toMatchObject({ code: 3 });
    expect(refused.stderr).toContain('Only a person answers gates');
    expect(await world.json('gates')).toEqual(before);
    for (const way of ['--restart', '--abandon']) {
      expect(await world.run('resume', 'sp', way)).toMatchObject({ code: 3 });
    }
    expect(await world.person('answer', 'sp', 'skip')).toMatchObject({ code: 4 });
  });

  test('is asked again when the question changed: an old digest is refused with exit 3', async () => {
    const world = newWorld();
    await world.run(...SPEC);
    await world.person('answer', 'sp', 'skip');
    const [gate] = await world.json<{ digest: string }[]>('gates');
    await world.person('answer', 'sp', 'modify', '--text', 'Add videos.');
    const late = await world.person('answer', 'sp', 'approve', '--digest', gate?.digest ?? '');
    expect(late).toMatchObject({ code: 3 });
    expect(stands(world, DOCS)).toBe(false);
    expect(await world.person('answer', 'sp', 'approve')).toMatchObject({ code: 4 });
    expect(stands(world, DOCS)).toBe(true);
  });
});

test('a task or an answer pasted with escape sequences plays with no terminal, on no screen', async () => {
  const world = newWorld();
  const task = 'Rename \u001b[31mphotos\u001b[0m\u001b]0;title\u0007 by \u202edate';
  const screens = [await world.run('spec', task, '--mode', 'quick', '--no-input')];
  await world.person('answer', 'sp', 'skip');
  await world.person(
    'answer',
    'sp',
    'modify',
    '--text',
    'Name \u001b[31mvideos\u001b]0;x\u0007 by \u202edate',
  );
  for (const words of ['status', 'list', 'gates', 'log sp', 'resume sp --no-input', 'show sp'])
    screens.push(await world.run(...words.split(' ')));
  const shown = screens.map(({ stdout }) => stdout).join('');
  for (const sign of ['\u001b', '\u0007', '\u202e']) expect(shown).not.toContain(sign);
  expect(shown).toContain('"Name videos by date"');
  expect(await world.json('list')).toMatchObject([{ title: 'Rename photos by date' }]);
});

test('help is shown for the command it was asked for, with exit 0', async () => {
  const world = newWorld();
  expect(await world.run('help')).toMatchObject({ code: 0, stderr: '' });
  const one = await world.run('help', 'spec');
  expect(one).toMatchObject({ code: 0, stderr: '' });
  expect(one.stdout).toBe((await world.run('spec', '--help')).stdout);
  expect(await world.run('help', 'spce')).toMatchObject({ code: 2, stdout: '' });
});

test.each([
  ['deliver', ['--mode', 'single', '--model-config', 'balanced']],
  ['spec', ['--mode', 'quick']],
])(
  'a repository without a git program is no plain folder: %s is refused, also in place',
  async (workflow, options) => {
    const world = newWorld({ git: true, env: { PATH: '/nowhere' } });
    const task = [workflow, 'Rename photos by date', ...options, '--no-input'];
    for (const more of [[], ['--in-place']]) {
      const refused = await world.run(...task, ...more);
      expect(refused).toMatchObject({ code: 3, stdout: '' });
      expect(refused.stderr).toMatch(/no\s+git program[\s\S]*install git/);
    }
    expect(await world.json('list', '--all')).toEqual([]);
    const env = { ...process.env, BATON_HOME: world.home };
    const settings = { cwd: world.root, env, encoding: 'utf8' } as const;
    expect(spawnSync(process.execPath, [world.main, ...task], settings)).toMatchObject({ status: 4 });
    expect((await world.run('list')).stdout).toContain('Rename photos by date');
  },
);

test.each([
  ['roles:\n  evaluatr: { agent: codex }\n', /roles\.evaluatr: no such role; did you mean\s+"evaluator"\?/],
  ['roles:\n  deliver_evaluator: x\n', /deliver_evaluator: no such role\s+roles of\s+spec: /],
  ['agent: [\n', /at line 2,\s+column 1\.\n/],
])('settings that mean nothing are refused before a run exists: %j', async (text, says) => {
  const world = newWorld({ files: { 'baton.yaml': text } });
  const refused = await world.run('deliver', 'Rename photos by date');
  expect(refused).toMatchObject({ code: 3, stdout: '' });
  expect(refused.stderr).toMatch(says);
  expect(await world.json('list', '--all')).toEqual([]);
});

describe('a worker', () => {
  const dresses: [string, (answer: string, home: string) => string][] = [
    ['as it is', (answer, home) => `BATON_HOME='${home}' ${answer}`],
    ['with a cleared environment', (answer, home) => `env -i PATH="$PATH" BATON_HOME='${home}' ${answer}`],
    ['on a terminal of its own', (answer, home) => `BATON_HOME='${home}' script -qec "${answer}" /dev/null`],
  ];

  test.each(dresses)('WF-33 cannot answer a gate, %s', async (_, dress) => {
    // In a sandbox it would find no gate.
    const world = newWorld({ bare: true });
    await world.run(...SPEC);
    const [gate] = await world.json<{ id: string }[]>('gates');
    const answer = `'${process.execPath}' '${world.main}' answer ${gate?.id} skip --no-input`;
    const command = dress(answer, world.home);
    const leaves_process = `( ${command} ) > answer.txt 2>&1; echo $? > exit.txt`;
    const entry = { leaves_process, hang: true };
    const file = world.file('script.yaml', script({ interviewer: [entry] }));
    const other = world.start('spec', 'Another idea', '--mode', 'quick', '--script', file);
    const exit = path.join(world.root, 'exit.txt');
    await until(() => existsSync(exit) && readFileSync(exit, 'utf8') !== '');
    expect(readFileSync(exit, 'utf8').trim()).toBe('3');
    expect(readFileSync(path.join(world.root, 'answer.txt'), 'utf8')).toMatch(/started by a\s+worker/);
    expect((await world.json<{ id: string }[]>('gates')).map(({ id }) => id)).toEqual([gate?.id]);
    other.child.kill('SIGINT');
    expect(await other.done).toMatchObject({ code: 5 });
  });

  test('that is still at work when the command is killed is ended by whoever resumes, and its step is done once', async () => {
    const world = newWorld();
    const marker = uniqueSleep();
    const entry = { leaves_process: marker, delay: '2s', ...ask('Which formats?') };
    const file = world.file('script.yaml', script({ interviewer: [entry], writer: [draft(['q1'])] }));
    const first = world.start(...SPEC, '--script', file);
    await until(() => isRunning(marker));
    first.child.kill('SIGKILL');
    await first.done;
    expect(isRunning(marker)).toBe(true);
    const resumed = await world.run('resume', 'sp');
    expect(resumed).toMatchObject({ code: 4 });
    expect(resumed.stdout).toContain('interrupted');
    expect(isRunning(marker)).toBe(false);
    expect(await world.json<unknown[]>('gates')).toHaveLength(1);
    expect(await world.run('doctor', '--deep')).toMatchObject({ code: 0 });
  });

  test('is ended by Ctrl-C in less time than it took to start it, and resume goes on', async () => {
    const world = newWorld();
    const marker = uniqueSleep();
    const file = world.file('script.yaml', script({ interviewer: [{ leaves_process: marker, hang: true }] }));
    const began = performance.now();
    const first = world.start(...SPEC, '--script', file);
    await until(() => isRunning(marker));
    const pressed = performance.now();
    first.child.kill('SIGINT');
    const done = await first.done;
    // Half a second against more than one on a quiet machine; both grow alike on a busy one.
    expect(performance.now() - pressed).toBeLessThan(5 * (pressed - began));
    expect(done).toMatchObject({ code: 5 });
    expect(done.stdout).toContain('baton resume sp-');
    await until(() => !isRunning(marker));
    const status = await world.json<{ working: { run: string; driven_by: string | null }[] }>('status');
    expect(status.working).toMatchObject([{ driven_by: null }]);
  });
});

test('a folder that was deleted under the shell is refused with exit 3 and named', async () => {
  const world = newWorld();
  const gone = path.join(world.root, 'gone');
  const line = `mkdir "$1" && cd "$1" && rmdir "$1" && exec "$2" "$3" "$4"`;
  const type = (command: string) =>
    spawnSync('sh', ['-c', line, 'sh', gone, process.execPath, world.main, command], {
      env: world.env,
      encoding: 'utf8',
    });
  for (const command of ['status', 'init', 'agents']) {
    const { status, stderr } = type(command);
    expect({ command, status }).toEqual({ command, status: 3 });
    const said = stderr.replace(/\s+/g, ' ');
    expect(said).toContain(`folder_missing: ${gone}`);
    expect(said).toContain('Change into a folder that exists');
  }
});
