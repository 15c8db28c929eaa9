import { describe, expect, test } from 'vitest';
import { InvariantError } from '../../src/engine/errors.ts';
import { reject } from '../../src/engine/rejection.ts';
import type { Progress } from '../../src/runtime/views.ts';
import { EXIT } from '../../src/surfaces/cli/exit.ts';
import { widthOf } from '../../src/surfaces/cli/width.ts';
import { createTerminal } from '../support/fake-terminal.ts';
import { createScriptedApi, ENDED, formGate, gate, rest, run, SPEC_DOC } from '../support/scripted-api.ts';
import { waitsAtOnce } from '../support/waits-at-once.ts';

const PROGRESS: readonly Progress[] = [
  { type: 'run_created', run: 'sp-3aa', title: 'A tool', status: [] },
  {
    type: 'step_started',
    run: 'sp-3aa',
    turn: 2,
    phase: 'spec_ready',
    kind: 'work',
    calls: ['critic', 'risk_auditor'],
  },
  { type: 'call', run: 'sp-3aa', role: 'critic', n: 0, state: 'started', attempt: 1, text: null },
  { type: 'call', run: 'sp-3aa', role: 'risk_auditor', n: 1, state: 'started', attempt: 1, text: null },
  { type: 'call', run: 'sp-3aa', role: 'risk_auditor', n: 1, state: 'retry', attempt: 2, text: null },
  {
    type: 'call',
    run: 'sp-3aa',
    role: 'critic',
    n: 0,
    state: 'done',
    attempt: 1,
    text: 'critic_findings written',
  },
  { type: 'call', run: 'sp-3aa', role: 'risk_auditor', n: 1, state: 'failed', attempt: 2, text: 'no result' },
  { type: 'notice', run: 'sp-3aa', level: 'warning', text: { msg: 'no conventions' } },
];

describe('spec without a terminal', () => {
  test('shows plain lines, rests at its gate with exit 4, and ends with the command that answers it', async () => {
    const terminal = createTerminal({ api: createScriptedApi({ progress: PROGRESS }) });
    expect(await terminal.run('spec', 'A', 'tool')).toBe(EXIT.waiting);
    expect(terminal.out()).toMatchInlineSnapshot(`
      "run sp-3aa  A tool that renames photos by date
        mode   quick
      label of spec_ready
        … risk auditor: try 2
        ✓ critic 0:00  critic_findings written
        ✗ risk auditor 0:00  no result
        1 of 2 done
        ! no conventions

      Approval · sp-3aa.g1
      DECIDE: Build this?

        1  Approve  approve leads here
        2  Modify   modify leads here
        3  Stop     stop leads here

      To answer it:
      baton answer sp-3aa.g1 approve
      "
    `);
    expect(terminal.out()).not.toContain('\u001b');
  });

  test('hands over exactly what was typed', async () => {
    const api = createScriptedApi();
    const terminal = createTerminal({ api, files: { 's.yaml': 'script: 1\n' } });
    await terminal.run(
      'spec',
      'A tool',
      '--mode',
      'quick',
      '--reference',
      'a.md',
      '--script',
      's.yaml',
      '--in-place',
    );
    expect(terminal.opened).toEqual([{ create: true }]);
    expect(api.calls[0]).toEqual([
      'start',
      'spec',
      { task: 'A tool', mode: 'quick', model_config: null, reference: 'a.md', lang: null },
      {
        agent: null,
        script: 'script: 1\n',
        in_place: true,
        unattended: false,
        opened_by: 'ada',
        attended: false,
      },
    ]);
  });

  test.each([
    ['a script that is not there', 'gone.yaml', 'no such readable file', EXIT.refused],
    ['a script that cannot be played', 'bad.yaml', 'line 1: no script', EXIT.usage],
  ])('%s is refused before anything exists', async (_name, file, message, exit) => {
    const terminal = createTerminal({ files: { 'bad.yaml': 'nonsense' } });
    expect(await terminal.run('spec', 'x', '--script', file)).toBe(exit);
    expect(terminal.err()).toContain(message);
    expect(terminal.opened).toEqual([]);
  });

  test('a form is answered by a command that opens it; its fields are named only in an example', async () => {
    const terminal = createTerminal({ api: createScriptedApi({ stations: [rest({ gate: formGate() })] }) });
    await terminal.run('spec', 'A tool');
    expect(terminal.out()).toContain('  q1    Which photo formats?   decides the reader');
    expect(terminal.out().trimEnd().split('\n').slice(-3)).toEqual([
      'To answer it:',
      'baton answer sp-3aa.g1',
      "for example: baton answer sp-3aa.g1 answer --field q1='...' --field q2='...'",
    ]);
  });

  test('a run in Korean has a Korean screen no wider than 80 columns, with English keys and ids', async () => {
    const korean = { run: run({ lang: 'ko', title: '사진을 날짜로 정리하는 도구' }) };
    const terminal = createTerminal({ api: createScriptedApi(korean) });
    await terminal.run('spec', '사진을 날짜로 정리하는 도구');
    expect(terminal.out()).toContain('실행 sp-3aa  사진을 날짜로 정리하는 도구');
    expect(terminal.out()).toContain('최종 승인 · sp-3aa.g1');
    expect(terminal.out()).toContain('  1  승인  approve leads here');
    expect(terminal.out()).toContain('답하려면:\nbaton answer sp-3aa.g1 approve\n');
    expect(Math.max(...terminal.out().split('\n').map(widthOf))).toBeLessThanOrEqual(80);
  });
});

test.each([
  [
    'limited',
    '2026-11-15T14:05:00.000Z',
    /critic: limited by claude until [\d: -]+, then continues by itself/,
  ],
  ['limited', '2026-11-15T13:00:20.000Z', /limited by claude until \d\d:\d\d:20, then/],
  ['infrastructure', '2026-11-15T13:00:04.000Z', /critic: claude could not be started, next try at [\d: -]+/],
  ['breaker', '2026-11-15T13:00:30.000Z', /critic: claude keeps failing, next try at [\d: -]+/],
  ['breaker', null, /critic: claude keeps failing, waits until another call has tried it/],
] as const)('a call that sleeps (%s until %s) is told in the progress', async (why, asleep_until, line) => {
  const sleep = { type: 'asleep', run: 'sp-3aa', role: 'critic', n: 0, agent: 'claude', why, asleep_until };
  const progress = [...PROGRESS.slice(0, 3), sleep as Progress];
  const terminal = createTerminal({ api: createScriptedApi({ progress }) });
  await terminal.run('spec', 'A', 'tool');
  expect(terminal.out()).toMatch(line);
});

describe('spec --json', () => {
  test('prints one object per line, the rest last', async () => {
    const terminal = createTerminal({ api: createScriptedApi({ progress: PROGRESS }), tty: true });
    expect(await terminal.run('spec', 'A tool', '--json')).toBe(EXIT.waiting);
    const lines = terminal
      .out()
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.slice(0, -2)).toEqual(PROGRESS.slice(0, -1));
    expect(lines.at(-2)).toEqual({ ...PROGRESS.at(-1), rendered: 'no conventions' });
    expect(lines.at(-1)).toEqual({
      type: 'waiting',
      run: 'sp-3aa',
      workflow: 'spec',
      status: 'working',
      phase: 'spec_ready',
      outcome: null,
      gate: 'sp-3aa.g1',
      asks: {
        name: 'approval',
        digest: gate().digest,
        title: 'Approval',
        options: {
          approve: { label: 'Approve', description: 'approve leads here' },
          modify: { label: 'Modify', description: 'modify leads here' },
          stop: { label: 'Stop', description: 'stop leads here' },
        },
      },
      branch: null,
      commit: null,
      documents: [],
      evidence: null,
      command: 'baton answer sp-3aa.g1 approve',
      exit: 4,
    });
  });

  test('an ended run tells its branch, its commit and where its evidence is', async () => {
    const left = {
      branch: 'baton/deliver-add',
      documents: ['docs/baton/add/changes.md', 'docs/baton/add/evidence.md'],
      commit: 'a41f9c2d00b1e4',
      evidence: { path: 'docs/baton/add/evidence.md' },
      criteria: { met: 2, of: 3 },
      files: 3,
      lines: { added: 84, removed: 12 },
    };
    const ended = { run: run({ status: 'ended' }), stations: [rest({ ...ENDED, outcome: 'passed' })] };
    const script = { ...ended, left };
    const machine = createTerminal({ api: createScriptedApi(script) });
    expect(await machine.run('resume', 'sp-3aa', '--json')).toBe(EXIT.done);
    expect(JSON.parse(machine.out())).toMatchObject({
      status: 'ended',
      outcome: 'passed',
      ...left,
      evidence: { path: 'docs/baton/add/evidence.md', command: 'baton show sp-3aa evidence' },
    });
    const person = createTerminal({ api: createScriptedApi(script) });
    await person.run('resume', 'sp-3aa');
    expect(person.out()).toContain('  documents   docs/baton/add/: changes.md, evidence.md\n');
    expect(person.out()).toContain('  change      3 files, +84 −12\n');
    expect(person.out()).toContain('  commit      a41f9c2d00b1\n  evidence    docs/baton/add/evidence.md\n');
  });

  test('says how a run ended', async () => {
    const terminal = createTerminal({ api: createScriptedApi({ stations: [ENDED] }) });
    expect(await terminal.run('resume', 'sp-3aa', '--json')).toBe(EXIT.done);
    expect(JSON.parse(terminal.out())).toMatchObject({
      type: 'waiting',
      status: 'ended',
      outcome: 'approved',
      exit: 0,
    });
  });
});

describe('where a run stops', () => {
  test('an ended run shows its documents, its branch and the next command', async () => {
    const api = createScriptedApi({ stations: [ENDED], artefacts: [SPEC_DOC] });
    const terminal = createTerminal({ api });
    expect(await terminal.run('resume', 'sp-3aa')).toBe(EXIT.done);
    expect(terminal.out()).toMatchInlineSnapshot(`
      "run sp-3aa  A tool that renames photos by date

      sp-3aa ended: approved
        documents   docs/baton/rename/spec.md
        branch      baton/spec-rename
        next        git merge baton/spec-rename
        or          baton show sp-3aa
      "
    `);
  });

  test('a run halted by its workflow says why and offers only the commands that move it', async () => {
    const wait = {
      kind: 'command',
      commands: ['reopen', 'restart', 'abandon'],
      why: { msg: 'the critic was stopped' },
    } as const;
    const terminal = createTerminal({
      api: createScriptedApi({ stations: [rest({ status: 'halted', wait })] }),
    });
    expect(await terminal.run('resume', 'sp-3aa')).toBe(EXIT.halted);
    expect(terminal.out()).toContain('sp-3aa is halted: the critic was stopped. Nothing is lost.');
    expect(terminal.out()).toContain('baton resume sp-3aa --reopen   (your answers stay)');
    expect(terminal.out()).not.toMatch(/baton resume sp-3aa$/m);
  });

  test('a plain resume of a run that waits for a decision gives no command', async () => {
    const wait = { kind: 'command', commands: ['reopen'], why: { msg: 'halted' } } as const;
    const step = { kind: 'wait', until: wait } as const;
    const api = createScriptedApi({
      run: run({ status: 'halted', step }),
      stations: [rest({ status: 'halted', wait })],
    });
    await createTerminal({ api }).run('resume', 'sp-3aa');
    expect(api.calls.map(([name]) => name)).not.toContain('command');
  });

  test('resume lifts a stop before it carries the run on', async () => {
    const halt = { kind: 'stopped', why: 'stopped by ada', by: 'ada' } as const;
    const api = createScriptedApi({ run: run({ status: 'halted', halt }) });
    await createTerminal({ api }).run('resume', 'sp-3aa');
    expect(api.calls.slice(0, 2)).toEqual([
      ['command', 'sp-3aa', 'resume', 'ada'],
      ['open', 'sp-3aa', 'ada', false],
    ]);
  });

  test('reopen, restart and abandon need a person', async () => {
    const api = createScriptedApi();
    const person = reject('not_a_person');
    const terminal = createTerminal({ api, person });
    expect(await terminal.run('resume', 'sp-3aa', '--abandon')).toBe(EXIT.refused);
    expect(terminal.err()).toContain('engine.rejection.not_a_person_decides');
    expect(api.calls.map(([name]) => name)).not.toContain('command');
    expect(await createTerminal({ api, tty: false }).run('resume', 'sp-3aa', '--abandon')).toBe(EXIT.waiting);
    expect(api.calls).toContainEqual(['command', 'sp-3aa', 'abandon', 'Ada']);
  });

  test('a run somebody else works on is refused with who it is', async () => {
    const refuse = { open: reject('held_elsewhere', { pid: 17 }) };
    const terminal = createTerminal({ api: createScriptedApi({ refuse }) });
    expect(await terminal.run('resume', 'sp-3aa')).toBe(EXIT.refused);
    expect(terminal.err()).toContain('17');
  });

  test('stop says that everything is kept and how to go on', async () => {
    const api = createScriptedApi();
    const terminal = createTerminal({ api });
    expect(await terminal.run('stop', 'sp-3aa')).toBe(EXIT.done);
    expect(api.calls).toContainEqual(['stop', 'sp-3aa', 'ada']);
    expect(terminal.out()).toMatch(/baton resume sp-3aa$/m);
    expect(terminal.out()).toContain('baton resume sp-3aa --restart');
    expect(terminal.out()).toContain('baton resume sp-3aa --abandon');
  });

  test('a run halted by a stop lists all that moves it', async () => {
    const halt = { kind: 'stopped', why: 'stopped by ada', by: 'ada' } as const;
    const api = createScriptedApi({ stations: [rest({ status: 'halted', halt })] });
    const terminal = createTerminal({ api });
    expect(await terminal.run('resume', 'sp-3aa')).toBe(EXIT.halted);
    expect(terminal.out()).toMatch(
      /baton resume sp-3aa\n.*baton resume sp-3aa --restart\n.*baton resume sp-3aa --abandon\n/,
    );
  });

  test('a run that another process took over is named with the command that looks at it', async () => {
    const api = createScriptedApi({ stations: [rest({ status: 'working', elsewhere: 'host:17' })] });
    const terminal = createTerminal({ api });
    expect(await terminal.run('resume', 'sp-3aa')).toBe(EXIT.done);
    expect(terminal.out()).toContain('Another terminal continues the run (host:17).');
    expect(terminal.out()).toContain('baton status sp-3aa');
  });

  test("a refusal is told in the run's language", async () => {
    const refuse = { command: reject('wrong_moment', { command: 'reopen' }, { msg: 'spec.reopen_not_now' }) };
    const asked: unknown[] = [];
    const api = createScriptedApi({ refuse, run: run({ lang: 'ko' }) });
    const translator = api.translator;
    api.translator = (...args) => {
      asked.push(args);
      return translator(...args);
    };
    expect(await createTerminal({ api }).run('resume', 'sp-3aa', '--reopen')).toBe(EXIT.refused);
    expect(asked).toEqual([['ko']]);
  });

  test('a refusal no catalogue has words for is told by its id and arguments', async () => {
    const refuse = { stop: reject('wrong_moment', { run: 'sp-3aa' }, { msg: 'gone.message' }) };
    const api = createScriptedApi({ refuse });
    api.translator = async () => () => {
      throw new InvariantError("no message 'gone.message'");
    };
    const terminal = createTerminal({ api });
    expect(await terminal.run('stop', 'sp-3aa')).toBe(EXIT.refused);
    expect(terminal.err()).toBe('error: gone.message run=sp-3aa\n');
  });

  test("the system's name for the user stands in where the environment has none", async () => {
    const api = createScriptedApi();
    await createTerminal({ api, env: { USER: '' } }).run('stop', 'sp-3aa');
    expect(api.calls).toContainEqual(['stop', 'sp-3aa', 'ada-of-the-system']);
  });
});

describe('Ctrl-C', () => {
  test('while work goes on: the drive is closed, the place is told, exit 5', async () => {
    const api = createScriptedApi({
      hangs: true,
      stations: [rest({ status: 'working', gate: null })],
      progress: PROGRESS,
    });
    const terminal = createTerminal({ api });
    const exit = terminal.run('spec', 'A tool');
    await terminal.until('no conventions');
    terminal.interrupt();
    expect(await exit).toBe(EXIT.halted);
    expect(terminal.out()).toContain('sp-3aa was left at: label of spec_ready. Nothing is lost.');
    expect(terminal.out()).toContain('continue   baton resume sp-3aa');
    expect(api.calls.map(([name]) => name)).toContain('close');
  });

  test('a drive that does not close is not waited for longer than two seconds', async () => {
    const api = createScriptedApi({
      hangs: true,
      stations: [rest({ status: 'working' })],
      progress: PROGRESS,
    });
    const start = async (...args: Parameters<typeof api.start>) => {
      const handle = await api.start(...args);
      return 'run' in handle ? { ...handle, close: () => new Promise<void>(() => undefined) } : handle;
    };
    const terminal = createTerminal({ api: { ...api, as: (caller) => ({ ...api.as(caller), start }) } });
    const exit = terminal.run('spec', 'A tool');
    await terminal.until('no conventions');
    using waits = waitsAtOnce();
    terminal.interrupt();
    expect(await exit).toBe(EXIT.halted);
    expect(waits.total()).toBeLessThanOrEqual(2000);
  });
});

describe('colour', () => {
  const station = {
    stations: [rest({ status: 'halted', halt: { kind: 'stopped', why: 'stopped', by: 'ada' } })],
  };
  test.each([
    ['NO_COLOR', { NO_COLOR: '1' }, []],
    ['--no-color', {}, ['--no-color']],
    ['a dumb terminal', { TERM: 'dumb' }, []],
  ])('is off with %s and the words stay', async (_name, env, argv) => {
    const terminal = createTerminal({ api: createScriptedApi(station as never), tty: true, env });
    await terminal.run('resume', 'sp-3aa', ...argv);
    expect(terminal.out()).not.toContain('\u001b[3');
    expect(terminal.out()).toContain('is halted');
  });

  test('is on at a terminal', async () => {
    const terminal = createTerminal({
      api: createScriptedApi(station as never),
      tty: true,
      env: { TERM: 'xterm' },
    });
    await terminal.run('resume', 'sp-3aa');
    expect(terminal.out()).toContain('\u001b[31m');
  });
});

test('an answer of another run that took the subject over is followed', async () => {
  const other = run({ id: 'sp-9zz', title: 'The earlier one' });
  const ended = rest({ status: 'ended', outcome: 'withdrawn', successor: 'sp-9zz' });
  const stations = [ended, rest({ run: 'sp-9zz', gate: gate() })];
  const api = createScriptedApi({ runs: [run(), other], stations });
  const open: typeof api.open = async (input) => {
    if (input.run === 'sp-9zz') stations.shift();
    return api.open(input);
  };
  const terminal = createTerminal({ api: { ...api, as: (caller) => ({ ...api.as(caller), open }) } });
  expect(await terminal.run('resume', 'sp-3aa')).toBe(EXIT.waiting);
  expect(terminal.out()).toContain('It continues as run sp-9zz.');
});
