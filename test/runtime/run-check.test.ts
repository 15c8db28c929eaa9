import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createDeps } from '../../src/compose.ts';
import type { Effect } from '../../src/contract/change.ts';
import type { CheckResult } from '../../src/contract/outcome.ts';
import type { Check } from '../../src/contract/step.ts';
import { type CheckCommands, planChecks } from '../../src/engine/detect-checks.ts';
import { judgeCheck, toBaseline } from '../../src/engine/judge-checks.ts';
import type { BaseState, Workflow } from '../../src/engine/workflow.ts';
import type { Deps } from '../../src/runtime/deps.ts';
import { type CheckContext, runCheck } from '../../src/runtime/run-check.ts';
import { isRunning } from '../support/is-running.ts';
import { type Lab, openLab, until } from '../support/lab.ts';
import { probeWorkflow } from '../support/probe.ts';

/** One check step whose checks are the run's name as JSON; what came of them is the state's `last`. */
const checksWorkflow: Workflow = {
  ...probeWorkflow,
  start: (input, facts) => {
    const move = probeWorkflow.start(input, facts);
    return 'state' in move ? { ...move, state: { ...move.state, phase: 'running' } } : move;
  },
  next: (base) => {
    const state = base as BaseState & { pos: number; name: string };
    if (state.pos !== 0) return { kind: 'end', outcome: { result: 'done' } };
    const checks = JSON.parse(state.name) as Check[];
    return { kind: 'check', during: 'running', checks };
  },
  settle: (state, _, outcome) => {
    const last = outcome.kind === 'checked' ? outcome.checks : outcome.kind;
    return { state: { ...state, pos: 1, phase: 'done', last }, records: [] };
  },
};

const withChecks = (deps: Deps): Deps => ({ ...deps, workflow: async () => checksWorkflow });

describe('the checks of a step', () => {
  let lab: Lab;
  beforeAll(async () => {
    lab = await openLab({ wrap: withChecks });
  });
  afterAll(() => lab.close());

  const run = async (checks: readonly Check[]): Promise<CheckResult[]> => {
    const drive = await lab.start('probe', { name: JSON.stringify(checks), script: [] });
    expect((await drive.advance()).outcome).toBe('done');
    return (await lab.row(drive.run)).state.last as CheckResult[];
  };

  const NAMES = ['build', 'test', 'lint', 'type_check'] as const;
  type End = 'pass' | 'fail' | null;

  /** Runs commands that end as told; gives each result (null: no command) and the order they ran in. */
  const passOf = async (ends: readonly End[]) => {
    const file = path.join(lab.home, 'order');
    writeFileSync(file, '');
    const found = NAMES.map((name, n) => {
      const end = ends[n] ?? null;
      const command = `echo ${name} >> '${file}'; exit ${end === 'fail' ? 1 : 0}`;
      return [name, end === null ? null : { command, source: 'test' }] as const;
    });
    const results = await run(planChecks(Object.fromEntries(found) as CheckCommands, 20));
    const byName = new Map(results.map((result) => [result.name, result.result]));
    const order = readFileSync(file, 'utf8').split('\n').filter(Boolean);
    return { ends: NAMES.map((name) => byName.get(name) ?? null), order };
  };

  const bits = [...Array(16).keys()].map((n) => NAMES.map((_, at) => (n >> (3 - at)) % 2 === 1));

  test.each(bits.map((fails) => fails.map((fail): End => (fail ? 'fail' : 'pass'))))(
    'WF-47 build %s, test %s, lint %s, type check %s: in order, and a failed build skips the rest',
    async (...ends) => {
      const skipped = ends[0] === 'fail';
      expect(await passOf(ends)).toEqual({
        ends: skipped ? ['fail', 'skipped', 'skipped', 'skipped'] : ends,
        order: skipped ? ['build'] : [...NAMES],
      });
    },
  );

  test.each(bits.map((nulls) => nulls.map((isNull): End => (isNull ? null : 'pass'))))(
    'WF-47 build %s, test %s, lint %s, type check %s: what has no command does not run',
    async (...ends) => {
      const given = NAMES.filter((_, n) => ends[n] !== null);
      expect(await passOf(ends)).toEqual({ ends, order: given });
    },
  );

  test('are named when their step begins: nothing else is told until all have ended', async () => {
    await passOf([null, 'pass', 'fail', null]);
    expect(lab.progress.findLast(({ type }) => type === 'step_started')).toMatchObject({
      kind: 'check',
      calls: ['test', 'lint'],
    });
  });

  test('WF-47 exit code, duration and output are kept, and warnings of a linter do not fail it', async () => {
    const checks = planChecks(
      {
        build: { command: 'echo building; echo trouble >&2; exit 3', source: 'test' },
        test: null,
        lint: null,
        type_check: null,
      },
      20,
    );
    const warns = "printf 'x.js\\n  1:1  warning  no  rule\\n✖ 1 problem (0 errors, 1 warning)\\n'";
    const [build] = await run(checks);
    const [lint] = await run([{ name: 'lint', command: warns, source: 'test', timeout_seconds: 20 }]);
    expect(build).toMatchObject({ result: 'fail', exit: 3, timed_out: false, note: null });
    expect(build?.seconds).toBeGreaterThan(0);
    expect(await lab.deps.artefacts.get(build?.output ?? 'sha256:')).toBe('building\ntrouble\n');
    expect(lint).toMatchObject({
      result: 'pass',
      tool: 'eslint',
      problems: { errors: 0, warnings: 1 },
      keys: [],
    });
  });

  test('a skipped check says which one failed and has no process', async () => {
    const checks: Check[] = [
      { name: 'build', command: 'exit 1', source: 'test', timeout_seconds: 20 },
      { name: 'test', command: 'touch ran', source: 'test', timeout_seconds: 20, skip_if_failed: ['build'] },
    ];
    const [, skipped] = await run(checks);
    expect(skipped).toMatchObject({
      result: 'skipped',
      note: { code: 'after_failure', detail: 'build' },
      output: null,
    });
    expect(existsSync(path.join(lab.root, 'ran'))).toBe(false);
  });

  test('a stopped step goes on with the check that had not ended; finished ones are not run again', async () => {
    const log = path.join(lab.home, 'log');
    const gate = path.join(lab.home, 'gate');
    const name = JSON.stringify([
      { name: 'build', command: `echo build >> '${log}'`, source: 'test', timeout_seconds: 20 },
      {
        name: 'test',
        command: `echo test >> '${log}'; while [ ! -e '${gate}' ]; do sleep 0.05; done`,
        source: 'test',
        timeout_seconds: 20,
      },
    ] satisfies Check[]);
    const lines = () => (existsSync(log) ? readFileSync(log, 'utf8').split('\n').filter(Boolean) : []);
    const drive = await lab.start('probe', { name, script: [] });
    const advanced = drive.advance();
    await until(() => lines().length === 2);
    await drive.close();
    await advanced;
    writeFileSync(gate, '');
    const again = await lab.api.open({ run: drive.run, attended: false });
    if ('rejection' in again) throw new Error('cannot be opened');
    expect((await again.advance()).outcome).toBe('done');
    expect(lines()).toEqual(['build', 'test', 'test']);
  });
});

describe('one check', () => {
  let folder: string;
  let deps: Deps;
  let n = 0;
  beforeAll(async () => {
    folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'baton-check-')));
    deps = await createDeps({ root: folder, home: path.join(folder, '.home') });
  });
  afterEach(() => expect(existsSync(path.join(deps.calls, 'pr-1', `1-${n}-check`))).toBe(false));
  afterAll(async () => {
    await deps.store.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const effectOf = (command: string, timeout_seconds: number): Effect => {
    n += 1;
    const spec: Check = { name: 'test', command, source: 'test', timeout_seconds };
    return {
      ...{ id: `pr-1/1/${n}`, run: 'pr-1', turn: 1, n, kind: 'check', role: null, nth: null, spec },
      ...{ attempts: [], result: null, started_at: null, done_at: null },
    };
  };

  const check = async (command: string, more: Partial<CheckContext> & { seconds?: number } = {}) => {
    const { seconds = 20, ...location } = more;
    const signal = new AbortController().signal;
    const end = await runCheck(deps, effectOf(command, seconds), {
      root: folder,
      own: false,
      signal,
      ...location,
    });
    if (end.kind !== 'done') throw new Error(`ended as ${JSON.stringify(end)}`);
    return end.result as CheckResult;
  };
  const outputOf = (result: CheckResult) => deps.artefacts.get(result.output ?? 'sha256:');
  const file = (name: string) => path.join(folder, name);

  const pidIn = (name: string) => Number(readFileSync(file(name), 'utf8'));

  test.each([
    ['exit 0', 'pass', 0],
    ['exit 1', 'fail', 1],
    ['exit 126', 'fail', 126],
    ['no-such-command-at-all', 'unavailable', 127],
    ['exit 127', 'unavailable', 127],
    ['echo (', 'fail', 2],
    ['kill -SEGV $$', 'fail', null],
  ] as const)('%s ends as %s', async (command, result, exit) => {
    expect(await check(command)).toMatchObject({ result, exit, timed_out: false });
  });

  test('a check ended by a signal says which', async () => {
    expect((await check('kill -KILL $$')).note).toEqual({ code: 'ended_by_signal', detail: 'SIGKILL' });
  });

  test('a command that cannot be started is unavailable', async () => {
    const gone = await check('true', { root: file('nowhere') });
    expect(gone).toMatchObject({ result: 'unavailable', note: { code: 'not_started' } });
    expect(gone.note?.detail).not.toContain(folder);
  });

  test('a command that never ends fails at its time limit, with its children', async () => {
    const result = await check(
      "trap '' TERM; (trap '' TERM; while :; do sleep 1; done) & echo $! > child; wait",
      {
        seconds: 2,
      },
    );
    expect(result).toMatchObject({
      result: 'fail',
      exit: null,
      timed_out: true,
      note: { code: 'time_limit' },
    });
    expect(result.complete).toBe(false);
    expect(isRunning(pidIn('child'))).toBe(false);
  });

  test('what a check leaves behind is ended, also in a session of its own', async () => {
    const result = await check(
      "setsid sh -c 'echo $$ > daemon; exec sleep 300' & while [ ! -s daemon ]; do :; done",
    );
    expect(result.result).toBe('pass');
    expect(isRunning(pidIn('daemon'))).toBe(false);
  });

  test('in a tree of our own also what cleared its environment is ended', async () => {
    const hidden =
      'env -i PATH="$PATH" setsid sh -c \'echo $$ > hidden; exec sleep 300\' & while [ ! -s hidden ]; do :; done';
    const tree = realpathSync(mkdtempSync(path.join(folder, 'tree-')));
    await check(hidden, { root: tree, own: true });
    expect(isRunning(Number(readFileSync(path.join(tree, 'hidden'), 'utf8')))).toBe(false);
  });

  test('a stop ends the check and everything it started, and it has no result', async () => {
    const stop = new AbortController();
    const effect = effectOf('sleep 300 & echo $! > slow; wait', 60);
    const ended = runCheck(deps, effect, { root: folder, own: false, signal: stop.signal });
    await until(() => existsSync(file('slow')) && readFileSync(file('slow'), 'utf8') !== '');
    stop.abort();
    expect(await ended).toEqual({ kind: 'interrupted' });
    expect(isRunning(pidIn('slow'))).toBe(false);
  });

  test('a check asked for after the stop does not run to its end', async () => {
    const location = { root: folder, own: false, signal: AbortSignal.abort() };
    expect(await runCheck(deps, effectOf('sleep 300', 60), location)).toEqual({ kind: 'interrupted' });
  });

  test('endless output is ended at its limit and does not stay on disk', async () => {
    const result = await check('yes error here', { output_limit: 20 * 1024 * 1024, seconds: 60 });
    expect(result).toMatchObject({
      result: 'fail',
      exit: null,
      timed_out: false,
      note: { code: 'output_limit' },
    });
    expect((await outputOf(result)).length).toBeLessThan(201_000);
  });

  test('of 100 MB of output the head and the tail are kept, within bounded memory', async () => {
    const before = process.memoryUsage().rss;
    const line = 'x'.repeat(99);
    const result = await check(`echo first; yes ${line} | head -c 100000000; echo last; exit 1`, {
      seconds: 60,
    });
    expect(result).toMatchObject({ result: 'fail', exit: 1, note: null, complete: false });
    const text = await outputOf(result);
    expect(text.slice(0, 9)).toBe('first\nxxx');
    expect(text.slice(-8)).toBe('xx\nlast\n');
    expect(text.match(/\[… (\d+) characters left out …\]/)?.[1]).toMatch(/^9\d{7}$/);
    expect(text.length).toBeLessThan(201_000);
    expect(process.memoryUsage().rss - before).toBeLessThan(150 * 1024 * 1024);
  });

  test('output is cleaned: escape sequences, NUL bytes, broken characters and redrawn lines', async () => {
    const result = await check("printf '\\033[31mred\\033[0m\\0\\377 10%%\\r20%%\\r\\nend\\n'");
    expect(await outputOf(result)).toBe('red\ufffd 10%\n20%\nend\n');
  });

  test('a check sees that nobody sits in front of it, reads nothing, and sees no secret of ours', async () => {
    process.env.BATON_TEST_SECRET = 'secret';
    try {
      const result = await check(
        'echo "$CI $NO_COLOR $TERM [$BATON_TEST_SECRET]"; cat; [ -t 0 ] || echo no terminal',
      );
      expect(await outputOf(result)).toBe('true 1 dumb []\nno terminal\n');
    } finally {
      delete process.env.BATON_TEST_SECRET;
    }
  });

  test('failing items have places in the tree, keys and a fingerprint that another run repeats', async () => {
    const print = (line: number, took: string) =>
      `printf '%s\\n' 'FAIL ${folder}/src/a.test.js' '  ● adds' '    boom' '      at x (${folder}/src/a.test.js:${line}:1)' ` +
      `'Tests:       1 failed, 1 total' 'Time:        ${took} s'; exit 1`;
    const [first, again] = [await check(print(3, '0.5')), await check(print(9, '1.25'))];
    expect(first.failures).toEqual([
      { file: 'src/a.test.js', line: 3, text: 'adds: boom', key: expect.stringMatching(/^[0-9a-f]{10}$/) },
    ]);
    expect(first).toMatchObject({ tool: 'jest', counts: { total: 1, failed: 1 }, complete: true });
    expect([again.keys, again.fingerprint]).toEqual([first.keys, first.fingerprint]);
    expect(judgeCheck(again, toBaseline(first), false).judged).toBe('pass');
    const other = await check(print(3, '1').replace('● adds', '● takes'));
    expect(judgeCheck(other, toBaseline(first), false).judged).toBe('fail');
  });

  test('thousands of failing items are counted and not all named', async () => {
    const result = await check(
      'i=0; while [ $i -lt 1500 ]; do i=$((i+1)); echo "src/f$i.ts($i,1): error TS1: no"; done; exit 2',
    );
    expect(result.failures).toHaveLength(40);
    expect([result.keys.length, result.complete, result.problems?.errors]).toEqual([1000, false, 1500]);
  });
});
