import { expect, test } from 'vitest';
import { type World, worldsOfTest } from './end-to-end.ts';

const newWorld = worldsOfTest();

interface Logged {
  readonly type: string;
  readonly by: string;
  readonly input: unknown;
  readonly says: readonly string[];
}

const ASKS = 'roles:\n  interviewer:\n    - result: { questions: [{ text: Which?, why: it decides }] }\n';

test('a worker that answers a gate or stops a run is refused, and the log of that run says so', async () => {
  // In a sandbox it would find no state to change.
  const world = newWorld({ bare: true });
  world.file('asks.yaml', `script: 1\n${ASKS}`);
  await world.run('spec', 'Rename photos', '--mode', 'quick', '--script', 'asks.yaml', '--no-input');
  const [gate] = await world.json<{ id: string; run: string }[]>('gates');
  if (!gate) throw new Error('no gate');
  const baton = `BATON_HOME=${world.home} ${process.execPath} ${world.main}`;
  const tries = [
    `answer ${gate.id} skip`,
    `answer ${gate.id} skip`,
    `stop ${gate.run}`,
    `resume ${gate.run}`,
    `resume ${gate.run} --abandon`,
    'approve notes.md',
  ].map((command) => `${baton} ${command} >> out.txt 2>&1; echo "exit $?" >> out.txt`);
  world.file('notes.md', '# Notes\n');
  world.file(
    'hostile.yaml',
    `script: 1\n${ASKS.replace('- result', `- runs: ${JSON.stringify(tries.join('; '))}\n      result`)}`,
  );
  const second = await world.run(
    'spec',
    'Sort mails',
    '--mode',
    'quick',
    '--script',
    'hostile.yaml',
    '--json',
  );
  const mine = JSON.parse(second.stdout.split('\n')[0] ?? '') as { run: string };

  const { stdout: said } = await world.run('log', gate.run, '--json');
  const events = said
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Logged);
  const refused = events.filter(({ type }) => type === 'worker_refused');
  const call_id = `${mine.run}/3/0.1`;
  expect(refused.map(({ input }) => input)).toEqual([
    { call_id, command: 'answer', target: gate.id },
    { call_id, command: 'stop', target: gate.run },
    { call_id, command: 'resume', target: gate.run },
    { call_id, command: 'abandon', target: gate.run },
  ]);
  expect(refused[0]).toMatchObject({ by: `worker ${call_id}` });
  expect(refused[0]?.says[0]).toContain(`"answer" for ${gate.id}`);
  expect((await world.json<{ id: string }[]>('gates')).map(({ id }) => id)).toContain(gate.id);
  expect((await world.run('log', gate.run)).stdout).toContain('only a person decides');

  // The run of the worker itself is told what concerns no other run, also while it is driven.
  expect(second.stdout).toContain('"engine.worker_refused"');
  const own = (await world.run('log', mine.run, '--json')).stdout;
  expect(own).toContain('"command":"approve","target":"notes.md"');
  expect((await world.run('doctor', '--deep')).code).toBe(0);
});

interface Asleep {
  readonly why: string;
  readonly asleep_until: string;
}

/** What a command says when it begins to sleep. */
function sleepOf({ child }: ReturnType<World['start']>): Promise<Asleep> {
  let said = '';
  return new Promise((resolve) => {
    child.stdout?.on('data', (chunk: Buffer) => {
      said += chunk;
      const line = said.split('\n').find((one) => one.includes('"asleep"') && one.endsWith('}'));
      if (line) resolve(JSON.parse(line));
    });
  });
}

/** A run whose first call is limited for so many seconds. */
function limited(world: World, seconds: number) {
  const first = `limited: ${seconds}\n      attempts: [{ result: { questions: [] } }]`;
  world.file('limited.yaml', `script: 1\nroles:\n  interviewer:\n    - ${first}\n`);
  return world.start('spec', 'Rename photos', '--mode', 'quick', '--script', 'limited.yaml', '--json');
}

test('a run that sleeps is shown asleep, and after a kill it sleeps until the same time', async () => {
  const world = newWorld();
  const first = limited(world, 3600);
  const { asleep_until } = await sleepOf(first);
  const { working } = await world.json<{ working: Asleep[] }>('status');
  expect(working).toMatchObject([{ asleep_until }]);
  expect(await world.json('list')).toMatchObject([{ asleep_until }]);
  expect((await world.run('list')).stdout).toMatch(/asleep until (\d\d-\d\d )?\d\d:\d\d/);
  expect((await world.run('status', 'sp')).stdout).toMatch(
    /limited by rehearsal until .*continues by itself/,
  );
  expect((await world.run('log', 'sp')).stdout).toMatch(/interviewer: limited by rehearsal until/);
  first.child.kill('SIGKILL');
  await first.done;
  const again = world.start('resume', 'sp', '--no-input', '--json');
  expect(await sleepOf(again)).toMatchObject({ why: 'limited', asleep_until });
});

test('a run that was killed in its sleep goes on by itself after the rest', async () => {
  const world = newWorld();
  const first = limited(world, 3);
  const { asleep_until } = await sleepOf(first);
  first.child.kill('SIGKILL');
  await first.done;
  const { stdout } = await world.run('resume', 'sp', '--no-input', '--json');
  expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(asleep_until));
  const last = JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
  expect(last).toMatchObject({ type: 'waiting', status: 'waiting' });
});
