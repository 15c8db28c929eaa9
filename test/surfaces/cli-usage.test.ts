import { describe, expect, test } from 'vitest';
import type { AgentFound } from '../../src/contract/agent-found.ts';
import { reject } from '../../src/engine/rejection.ts';
import { COMMANDS } from '../../src/surfaces/cli/command-table.ts';
import { EXIT, exitOfRejection } from '../../src/surfaces/cli/exit.ts';
import { widthOf } from '../../src/surfaces/cli/width.ts';
import { createTerminal } from '../support/fake-terminal.ts';
import { createScriptedApi, formGate, rest, run } from '../support/scripted-api.ts';
import { catalogue } from '../support/texts.ts';

describe('what needs no store opens none', () => {
  test.each([
    [['--version']],
    [['-v']],
    [['version']],
    [['--help']],
    [['help']],
    [['help', 'spec']],
    [['spec', '--help']],
  ])('%s', async (argv) => {
    const terminal = createTerminal();
    expect(await terminal.run(...argv)).toBe(EXIT.done);
    expect(terminal.opened).toEqual([]);
    expect(terminal.out()).not.toBe('');
  });

  test('nothing typed shows the help, as a mistake', async () => {
    const [bare, asked] = [createTerminal(), createTerminal()];
    expect(await bare.run()).toBe(EXIT.usage);
    await asked.run('help');
    expect(bare.out()).toContain('Usage: baton');
    expect(asked.out()).toBe(bare.out());
  });

  test('help of a command is the same both ways', async () => {
    const [one, other] = [createTerminal(), createTerminal()];
    await one.run('help', 'spec');
    await other.run('spec', '--help');
    expect(one.out()).toBe(other.out());
    expect(one.out().replace(/\s+/g, ' ')).toContain('(allowed: en, ko)');
    expect(one.out().replace(/\s+/g, ' ')).toContain('ja, zh, es, de are also accepted');
  });

  test('the help names every command and the options that work everywhere', async () => {
    const terminal = createTerminal();
    await terminal.run('--help');
    for (const word of ['spec', 'answer', 'resume', 'doctor', '--json', '--no-color']) {
      expect(terminal.out()).toContain(word);
    }
  });
});

describe('in a Korean environment the help is Korean', () => {
  const KOREAN = { env: { LANG: 'ko_KR.UTF-8' } };
  const SAID_BY_THE_PARSER = /Usage|Arguments|Options|Commands|display help|choices:/;

  test.each(['', ...COMMANDS.map(({ name }) => name)])(
    'baton %s --help, at most 80 columns wide',
    async (name) => {
      const terminal = createTerminal(KOREAN);
      expect(await terminal.run(...(name ? [name] : []), '--help')).toBe(EXIT.done);
      expect(terminal.out()).toContain('사용법: baton');
      expect(terminal.out()).not.toMatch(SAID_BY_THE_PARSER);
      expect(
        terminal
          .out()
          .split('\n')
          .filter((line) => widthOf(line) > 80),
      ).toEqual([]);
    },
  );

  test('every text there is has a Korean one, and every one is shown somewhere', async () => {
    const shown: string[] = [];
    for (const name of ['', ...COMMANDS.map((command) => command.name)]) {
      const terminal = createTerminal(KOREAN);
      await terminal.run(...(name ? [name] : []), '--help');
      shown.push(terminal.out());
    }
    const flat = shown.join('\n').replace(/\s+/g, ' ');
    const ids = Object.entries(catalogue('ko', 'cli')).filter(([id]) => id.startsWith('cli.help.'));
    expect(ids.filter(([, text]) => !/[가-힣]/.test(text)).map(([id]) => id)).toEqual([]);
    expect(ids.filter(([, text]) => !flat.includes(text)).map(([id]) => id)).toEqual([]);
  });
});

describe('a mistake on the command line is exit 2 and creates nothing', () => {
  test.each([
    ['a misspelt command', ['spce', 'x'], "'spce' 명령이 없습니다\n  혹시 spec?"],
    ['a misspelt option', ['spec', 'x', '--mdoe'], '--mdoe 옵션이 없습니다\n  혹시 --mode?'],
    ['a missing run', ['resume'], "'run'이(가) 빠졌습니다"],
    ['an option without its value', ['spec', 'x', '--mode'], '--mode <mode>에 값이 없습니다'],
    ['too many arguments', ['stop', 'a', 'b'], "'stop' 명령에 인자가 너무 많습니다"],
  ])('%s is told in the language of the environment', async (_name, argv, message) => {
    const terminal = createTerminal({ env: { LANG: 'ko_KR.UTF-8' } });
    expect(await terminal.run(...argv)).toBe(EXIT.usage);
    expect(terminal.err()).toContain(message);
    expect(terminal.err()).not.toMatch(/unknown|missing|mean|many/);
  });

  test.each([
    ['a misspelt command', ['spce', 'x'], 'Did you mean spec?'],
    ['help for a misspelt command', ['help', 'spce'], 'Did you mean spec?'],
    ['a misspelt option', ['spec', 'x', '--mdoe', 'quick'], 'Did you mean --mode?'],
    [
      'a missing task',
      ['spec'],
      "missing required argument 'task'\n  usage: baton spec <task...>\n  baton spec --help shows what it takes",
    ],
    [
      'a value that is not allowed',
      ['spec', 'x', '--mode', 'qiuck'],
      'allowed: quick, deep      did you mean "quick"?',
    ],
    ['a language nobody speaks here', ['spec', 'x', '--lang', 'xx'], '--lang xx: not allowed.'],
    ['an empty task', ['spec', ' '], 'Say what you want: baton spec "..."'],
    ['a step without its task', ['deliver', 'plan'], 'Say what you want: baton deliver plan "..."'],
    ['too many arguments', ['stop', 'a', 'b'], 'too many arguments'],
    ['two ways at once', ['resume', 'sp-3aa', '--reopen', '--abandon'], '--reopen --abandon: give only one'],
    ['a call that is no number', ['log', 'sp-3aa', '--call', 'two'], '--call two: not a whole number'],
    ['an unknown flag of status', ['status', '--jsn'], 'Did you mean --json?'],
    ['a misspelt step', ['deliver', 'verfy'], 'did you mean "verify"?'],
    ['a step in capitals', ['deliver', 'Verify'], 'did you mean "verify"?'],
    ['a step that needs a task', ['deliver', 'plna'], 'did you mean "plan"?'],
    [
      'a step misspelt, meant as a task',
      ['deliver', 'verfy'],
      'more than one word: baton deliver "verfy ..."',
    ],
    ['nothing at all', [], ''],
  ])('%s', async (_name, argv, message) => {
    const terminal = createTerminal();
    expect(await terminal.run(...argv)).toBe(EXIT.usage);
    expect(terminal.err()).toContain(message);
    expect(terminal.opened).toEqual([]);
  });

  test.each([[['deliver', 'refactor']], [['deliver', 'verfy the totals']], [['deliver', 'verfy', 'it']]])(
    '%s is a task',
    async (argv) => {
      const api = createScriptedApi();
      await createTerminal({ api }).run(...argv);
      expect(api.calls[0]).toMatchObject(['start', 'deliver', { task: argv.slice(1).join(' ') }, {}]);
    },
  );

  test('a language is suggested only where it is close', async () => {
    const [far, near] = [createTerminal(), createTerminal()];
    await far.run('spec', 'x', '--lang', 'fr');
    expect(far.err()).toContain('allowed: en, ko\n');
    expect(far.err()).toContain('Baton answers in English');
    await near.run('spec', 'x', '--lang', 'kr');
    expect(near.err()).toContain('did you mean "ko"?');
  });

  test('a language without words of its own is still taken', async () => {
    const api = createScriptedApi();
    expect(await createTerminal({ api }).run('spec', 'x', '--lang', 'ja')).toBe(EXIT.waiting);
    expect(api.calls[0]).toMatchObject(['start', 'spec', { lang: 'ja' }, {}]);
  });

  test('the dots of an example are not an answer', async () => {
    const api = createScriptedApi({ stations: [rest({ gate: formGate() })] });
    const terminal = createTerminal({ api });
    expect(await terminal.run('answer', 'sp-3aa.g1', 'answer', '--field', 'q1=...')).toBe(EXIT.usage);
    expect(terminal.err()).toContain('--field q1=...: replace the dots with your answer.');
    expect(api.answers).toEqual([]);
  });

  test('machines get the same as one object', async () => {
    const terminal = createTerminal();
    expect(await terminal.run('spec', 'x', '--mode', 'fast', '--json')).toBe(EXIT.usage);
    expect(JSON.parse(terminal.out())).toMatchObject({ ok: false, rejection: 'usage', exit: 2 });
    expect(terminal.err()).toBe('');
  });
});

describe('refusals and failures', () => {
  test('a step for several live runs is refused with a whole command for each', async () => {
    const runs = ['de-1aa', 'de-2bb'].map((id) => run({ id, workflow: 'deliver' }));
    const terminal = createTerminal({ api: createScriptedApi({ runs }) });
    expect(await terminal.run('deliver', 'verify')).toBe(EXIT.refused);
    expect(terminal.err()).toContain(
      '  baton deliver verify --run de-1aa\n  baton deliver verify --run de-2bb\n',
    );
  });

  test('refusals of what was typed are 2, refusals after a look at the world 3', () => {
    expect(exitOfRejection('no_such_option')).toBe(2);
    expect(exitOfRejection('bad_input')).toBe(2);
    expect(exitOfRejection('not_a_person')).toBe(3);
    expect(exitOfRejection('held_elsewhere')).toBe(3);
  });

  test('a run that does not exist is exit 3 with the name in the message', async () => {
    const terminal = createTerminal({ api: createScriptedApi() });
    expect(await terminal.run('resume', 'de-999')).toBe(EXIT.refused);
    expect(terminal.err()).toContain('de-999');
  });

  test('a run named where nothing was ever started is exit 3', async () => {
    const terminal = createTerminal();
    expect(await terminal.run('show', 'sp-3aa')).toBe(EXIT.refused);
    expect(terminal.err()).toContain('sp-3aa: no such run');
    expect(terminal.opened).toEqual([{ create: false }]);
  });

  test('a refused place is told as it is, with exit 3', async () => {
    const terminal = createTerminal({
      api: { refusal: 'refused', message: 'baton.yaml: agnet: no such key.' },
    });
    expect(await terminal.run('status')).toBe(EXIT.refused);
    expect(terminal.err()).toContain('error: baton.yaml: agnet: no such key.');
  });

  test('our own bug shows no stack but the file that has it, and is exit 1', async () => {
    const more = { openApi: () => Promise.reject(new TypeError('x is not a function')) };
    const terminal = createTerminal({ more });
    expect(await terminal.run('status')).toBe(EXIT.error);
    expect(terminal.err()).toContain('x is not a function');
    expect(terminal.err()).toContain('/state/trace.txt');
    expect(terminal.err()).not.toContain('    at ');
  });

  test('a start that is refused shows the reason in the language of the task', async () => {
    const api = createScriptedApi({ refuse: { start: reject('bad_input', {}, { msg: 'approve' }) } });
    const terminal = createTerminal({ api });
    expect(await terminal.run('spec', '사진 이름을 바꾸는 도구')).toBe(EXIT.usage);
    expect(terminal.err()).toContain('승인');
  });
});

describe('init, demo and doctor', () => {
  test('init writes the defaults once and never overwrites', async () => {
    const terminal = createTerminal();
    expect(await terminal.run('init')).toBe(EXIT.done);
    expect(terminal.out()).toContain('wrote baton.yaml');
    expect(terminal.written[0]).toContain('namespace: baton');
    expect(await terminal.run('init')).toBe(EXIT.refused);
    expect(terminal.err()).toContain('baton.yaml exists already');
  });

  test.each([
    ['nothing is there', [], 'agent: rehearsal', 'No coding agent was found'],
    ['one is not signed in', [['codex', false]], 'agent: rehearsal', 'codex was found but is not signed in'],
    [
      'another is',
      [
        ['codex', false],
        ['claude', true],
      ],
      'agent: claude',
      'claude was found and is set',
    ],
  ] as const)('init, where %s, sets what can be used and says why', async (_, found, set, says) => {
    const agents = found.map(
      ([name, signed_in]) => ({ name, title: name, program: `/bin/${name}`, signed_in }) as AgentFound,
    );
    const terminal = createTerminal({ more: { agents: async () => agents } });
    expect(await terminal.run('init')).toBe(EXIT.done);
    expect(terminal.written[0]).toContain(`\n${set}\n`);
    expect(terminal.out()).toContain(says);
  });

  test('demo is what the composition makes of it', async () => {
    expect(await createTerminal({ more: { demo: async () => 0 } }).run('demo')).toBe(EXIT.done);
    expect(await createTerminal().run('demo')).toBe(EXIT.refused);
  });

  test('doctor says what was checked', async () => {
    const terminal = createTerminal({ api: createScriptedApi() });
    expect(await terminal.run('doctor')).toBe(EXIT.done);
    expect(terminal.out()).toBe(
      '1 run: the store is sound. To check the events too: baton doctor --deep.\nYour own settings: ~/.config/baton/config.yaml\n',
    );
    const deep = createTerminal({ api: createScriptedApi() });
    expect(await deep.run('doctor', '--deep')).toBe(EXIT.done);
    expect(deep.out()).toBe('1 run, 6 events: all sound.\nYour own settings: ~/.config/baton/config.yaml\n');
  });
});
