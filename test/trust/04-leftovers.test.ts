import { expect, test } from 'vitest';
import { changing } from '../scenario/deliver-lab.ts';
import { isRunning, uniqueSleep, worldsOfTest } from '../surfaces/end-to-end.ts';
import { playDeliver, shown } from './deliver-by-hand.ts';
import { hostileWorlds } from './hostile-world.ts';

const newWorld = worldsOfTest();
const hostile = hostileWorlds(newWorld);

/** Ways to survive the end of a worker: none of them keeps its environment, session, parent or working directory. */
const ESCAPES: readonly (readonly [string, (sleep: string) => string])[] = [
  ['a double fork with a clean environment', (sleep) => `env -i setsid -f sh -c 'cd /; exec ${sleep}'`],
  ['a third fork', (sleep) => `env -i setsid -f sh -c 'cd /; setsid -f sh -c "exec ${sleep}"'`],
  [
    'a double fork that lowers both limits of its tag',
    (sleep) =>
      `env -i prlimit --fsize=$(($(awk '/^Max file size/ { print $5 }' /proc/self/limits) - ${2n ** 28n})) --locks=$(($(awk '/^Max file locks/ { print $5 }' /proc/self/limits) - 4096)) setsid -f sh -c 'cd /; exec ${sleep}'`,
  ],
  [
    'one that ignores every signal it can',
    (sleep) => `env -i setsid -f sh -c 'cd /; trap "" INT TERM HUP; exec ${sleep}'`,
  ],
];

/** With such limits it may be of any call on the machine, so a run beside this one may end and name it first. */
const FAR: typeof ESCAPES = [
  ['far below a tag', (sleep) => `env -i sh -c 'ulimit -f 1000; cd /; exec setsid -f sh -c "exec ${sleep}"'`],
  [
    'to the lowest tag',
    (sleep) =>
      `env -i prlimit --fsize=${2n ** 61n} --locks=${2n ** 61n} setsid -f sh -c 'cd /; exec ${sleep}'`,
  ],
];

const MACHINES = [
  ['in a sandbox', {}],
  ['without a sandbox', { bare: true }],
] as const;

const LIMITED = { bare: true, below: ['prlimit', '--fsize=1000000000'] };
const ESCAPED = MACHINES.flatMap(([where, options]) =>
  ESCAPES.map(([how, line]) => ({ where, options, how, line })),
);

/** A run whose first worker starts this and ends well. */
async function escapeBy(line: (sleep: string) => string, options: Parameters<typeof hostile>[1]) {
  const world = hostile(
    ({ sleep }) => ({
      'rules.md': '# Rules\n\n- Names are short.\n',
      'hostile.yaml': JSON.stringify({
        script: 1,
        roles: {
          interviewer: [
            { runs: line(sleep), result: { questions: [{ text: 'Which?', why: 'it decides' }] } },
          ],
        },
      }),
    }),
    options,
  );
  const args = ['--mode', 'quick', '--script', 'hostile.yaml', '--reference', 'rules.md', '--json'];
  const { stdout } = await world.run('spec', 'Rename photos', ...args);
  return { world, stdout };
}

test.each([
  ...ESCAPED,
  ...ESCAPES.slice(0, 2).map(([how, line]) => ({
    where: 'below a finite ulimit -f',
    options: LIMITED,
    how,
    line,
  })),
])('TRUST-04 $where, what a worker started ends with it and is named: $how', async ({ options, line }) => {
  const { world, stdout } = await escapeBy(line, options);
  expect(isRunning(world.sleep)).toBe(false);
  const { run } = JSON.parse(stdout.split('\n')[0] ?? '') as { readonly run: string };
  const { stdout: log } = await world.run('log', run);
  expect(log.replace(/\s+/g, ' ')).toMatch(/left (a process|\d+ processes) running: s/);
});

test.each(FAR)(
  'TRUST-04 without a sandbox, a double fork that lowers its limits %s ends',
  async (_, line) => {
    const { world } = await escapeBy(line, { bare: true });
    expect(isRunning(world.sleep)).toBe(false);
  },
);

test.each(MACHINES)('TRUST-04 %s, a leftover with the name of the sandbox is named', async (_, options) => {
  const line =
    'cd $(mktemp -d) && cp $(command -v sleep) bwrap && env -i setsid -f ./bwrap 9; until ls -l /proc/[0-9]*/exe 2> /dev/null | grep -q "$PWD/bwrap$"; do :; done';
  const result = { questions: [{ text: 'Which?', why: 'it decides' }] };
  const script = { script: 1, roles: { interviewer: [{ runs: line, result }] } };
  const files = { 'rules.md': '# Rules\n\n- Names are short.\n', 'hostile.yaml': JSON.stringify(script) };
  const world = newWorld({ git: true, files, ...options });
  const args = ['--mode', 'quick', '--script', 'hostile.yaml', '--reference', 'rules.md', '--json'];
  const { stdout } = await world.run('spec', 'Rename photos', ...args);
  const { run } = JSON.parse(stdout.split('\n')[0] ?? '') as { readonly run: string };
  const { stdout: log } = await world.run('log', run);
  expect(log.replace(/\s+/g, ' ')).toContain('left a process running: bwrap');
});

test.each(MACHINES)(
  'TRUST-04 %s, what a check left running is ended and named in the log, at the commit gate and in the evidence',
  async (_, options) => {
    const sleep = uniqueSleep();
    const files = {
      'baton.yaml': "checks: { build: null, test: 'sh check.sh', lint: null, type_check: null }\n",
      // Before it is a program of its own it goes by the name of its starter.
      'check.sh': `setsid -f ${sleep} > /dev/null 2>&1\nuntil ps -eo args | grep -q '^${sleep}'; do :; done\n`,
      'greeting.txt': 'hello\n',
    };
    const world = newWorld({ git: true, files, ...options });
    const { run, screen } = await playDeliver(world, changing());
    const told = 'Workers or checks left a program running after their end: sleep. Baton ended it.';
    expect(screen).toContain(told);
    expect(screen).toContain('Recommend: No commit (low confidence)');
    expect((await shown(world, run, 'evidence')).replace(/\s+/g, ' ')).toContain(told);
    const { stdout: log } = await world.run('log', run);
    expect(log.replace(/\s+/g, ' ')).toContain('check test ended and left a process running: sleep.');
  },
);
