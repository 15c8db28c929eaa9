import { describe, expect, test } from 'vitest';
import { reject } from '../../src/engine/rejection.ts';
import type { Progress } from '../../src/runtime/views.ts';
import { EXIT } from '../../src/surfaces/cli/exit.ts';
import { createTerminal } from '../support/fake-terminal.ts';
import { createScriptedApi, ENDED, formGate, gate, rest, run } from '../support/scripted-api.ts';

const DIGEST = gate().digest;
const FOLLOWED = [
  { type: 'notice', run: 'sp-3aa', level: 'info', text: { msg: 'round closed' } },
] as const satisfies Progress[];

describe('answer with an option', () => {
  test.each([['approve'], ['1'], ['Approve'], [' APPROVE ']])(
    'takes "%s" and carries the run on',
    async (typed) => {
      const api = createScriptedApi();
      const terminal = createTerminal({ api });
      expect(await terminal.run('answer', 'sp-3aa', typed)).toBe(EXIT.done);
      expect(api.answers).toEqual([
        { option: 'approve', text: null, fields: {}, digest: DIGEST, typed: null, by: 'Ada' },
      ]);
      expect(terminal.out()).toContain('answered: Approve');
      expect(terminal.out()).toContain('sp-3aa ended: approved');
      expect(api.calls.map(([name]) => name)).toEqual(['advance', 'close', 'close api']);
    },
  );

  test('says which gate was answered and what it showed, before what follows from it', async () => {
    const terminal = createTerminal({ api: createScriptedApi({ followed: FOLLOWED }) });
    await terminal.run('answer', 'sp-3aa', 'approve');
    expect(terminal.out()).toContain(
      'answered: Approve   Approval · sp-3aa.g1 · sha256:aaaaaaaaaaaa\n  · round closed\n',
    );
  });

  test('takes the label of the language the run speaks', async () => {
    const api = createScriptedApi({ run: run({ lang: 'ko' }) });
    expect(await createTerminal({ api }).run('answer', 'sp-3aa', '승인')).toBe(EXIT.done);
    expect(api.answers[0]?.option).toBe('approve');
  });

  test('takes bare text for the option that means it', async () => {
    const api = createScriptedApi();
    await createTerminal({ api }).run('answer', 'sp-3aa', 'name the time zone');
    expect(api.answers[0]).toMatchObject({ option: 'modify', text: 'name the time zone' });
  });

  test.each([['appro'], ['0'], ['4'], ['']])(
    'refuses "%s" with the list and answers nothing',
    async (typed) => {
      const api = createScriptedApi();
      const terminal = createTerminal({ api });
      expect(await terminal.run('answer', 'sp-3aa', typed)).toBe(EXIT.usage);
      expect(terminal.err()).toContain('1  Approve  approve leads here');
      expect(terminal.err()).toContain('3  Stop     stop leads here');
      expect(api.answers).toEqual([]);
    },
  );

  test('does not drop a text that came with a typo', async () => {
    const api = createScriptedApi();
    const terminal = createTerminal({ api });
    expect(await terminal.run('answer', 'sp-3aa', 'something else', '--text', 'more')).toBe(EXIT.usage);
    expect(api.answers).toEqual([]);
  });

  test('sends fields, text, digest and what a hard gate wants typed', async () => {
    const api = createScriptedApi({ stations: [rest({ gate: formGate() }), ENDED] });
    const fields = ['--field', 'q1=JPEG=HEIC', '--field', 'q2='];
    expect(await createTerminal({ api }).run('answer', 'sp-3aa.g1', 'answer', ...fields)).toBe(EXIT.done);
    expect(api.answers[0]?.fields).toEqual({ q1: 'JPEG=HEIC', q2: null });

    const hard = createScriptedApi({
      stations: [rest({ gate: gate({ class: 'hard', typed: 'rename' }) }), ENDED],
    });
    const wrong = createTerminal({ api: hard });
    expect(await wrong.run('answer', 'sp-3aa', 'approve', '--typed', 'renam')).toBe(EXIT.refused);
    const terminal = createTerminal({ api: hard });
    expect(await terminal.run('answer', 'sp-3aa', 'approve', '--typed', 'rename')).toBe(EXIT.done);
  });

  test.each([
    [
      'a field without a value',
      ['answer', '--field', 'q1'],
      EXIT.usage,
      '--field q1: not of the form id=value.',
    ],
    ['a field nobody asked for', ['answer', '--field', 'q9=x'], EXIT.usage, 'no_such_field'],
    [
      'a digest that is not the shown one',
      ['skip', '--digest', `sha256:${'0'.repeat(64)}`],
      EXIT.refused,
      'stale_digest',
    ],
    ['a text where none is taken', ['skip', '--text', 'x'], EXIT.usage, 'text_not_allowed'],
  ])('refuses %s', async (_name, argv, exit, message) => {
    const api = createScriptedApi({ stations: [rest({ gate: formGate() })] });
    const terminal = createTerminal({ api });
    expect(await terminal.run('answer', 'sp-3aa', ...argv)).toBe(exit);
    expect(terminal.err()).toContain(message);
    expect(api.answers).toEqual([]);
  });

  test('without proof of a person nothing is answered, exit 3', async () => {
    const api = createScriptedApi();
    const person = reject('not_a_person', { how: 'run the same command in a terminal' });
    const terminal = createTerminal({ api, person });
    expect(await terminal.run('answer', 'sp-3aa', 'approve')).toBe(EXIT.refused);
    expect(terminal.err()).toContain('run the same command in a terminal');
    expect(api.answers).toEqual([]);
  });

  test('with several open gates is refused with the list', async () => {
    const refuse = { findGate: reject('ambiguous', { found: 'sp-3aa.g1, sp-3aa.g2' }) };
    const terminal = createTerminal({ api: createScriptedApi({ refuse }) });
    expect(await terminal.run('answer', 'sp-3aa', 'approve')).toBe(EXIT.refused);
    expect(terminal.err()).toContain('sp-3aa.g1, sp-3aa.g2');
  });

  test('--no-drive only records', async () => {
    const api = createScriptedApi();
    expect(await createTerminal({ api }).run('answer', 'sp-3aa', 'approve', '--no-drive')).toBe(EXIT.done);
    expect(api.answers).toHaveLength(1);
    expect(api.calls.map(([name]) => name)).toEqual(['close api']);
  });

  test('--no-drive says what goes on with the run, as nothing does by itself', async () => {
    const stations = [rest({ gate: gate() }), rest({ status: 'working' })];
    const terminal = createTerminal({ api: createScriptedApi({ stations }) });
    await terminal.run('answer', 'sp-3aa', 'approve', '--no-drive');
    expect(terminal.out()).toMatch(/ continue {3}baton resume sp-3aa\n$/);
    const last = createTerminal({ api: createScriptedApi() });
    await last.run('answer', 'sp-3aa', 'approve', '--no-drive');
    expect(last.out()).toMatch(/ next {3}baton show sp-3aa\n$/);
  });

  test.each([52, 54, 56, 58, 60, 62])(
    'at %i columns the options below a refusal are broken once',
    async (columns) => {
      const long = 'one worker reads the code, its files and its tests, and notes all the rules';
      const wide = gate({ options: { scan: { ...gate().options.stop, description: long } } as never });
      const api = createScriptedApi({ stations: [rest({ gate: wide })] });
      const terminal = createTerminal({ api, columns });
      await terminal.run('answer', 'sp-3aa', 'scna');
      const lines = terminal.err().trimEnd().split('\n');
      const at = lines.findIndex((line) => line.includes('one worker'));
      const column = lines[at]?.indexOf('one worker') ?? -1;
      const below = lines.slice(at + 1).map((line) => line.search(/\S/));
      expect(new Set(below)).toEqual(new Set([column]));
    },
  );

  test('a run that another process drives is left to it', async () => {
    const api = createScriptedApi({ drivenElsewhere: 'host:17' });
    const terminal = createTerminal({ api });
    expect(await terminal.run('answer', 'sp-3aa', 'approve')).toBe(EXIT.done);
    expect(terminal.out()).toContain('Another terminal continues the run (host:17).');
    expect(terminal.out()).toContain('baton status sp-3aa');
    expect(api.calls.map(([name]) => name)).not.toContain('advance');
  });
});

describe('answer --json', () => {
  test('prints the receipt, then what happens, then the rest', async () => {
    const terminal = createTerminal({ api: createScriptedApi() });
    expect(await terminal.run('answer', 'sp-3aa', 'approve', '--json')).toBe(EXIT.done);
    const lines = terminal
      .out()
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines[0]).toEqual({
      ok: true,
      receipt: 'an-81c',
      repeated: false,
      run: 'sp-3aa',
      status: 'ended',
      gate: 'sp-3aa.g1',
      title: 'Approval',
      option: 'approve',
      digest: DIGEST,
      next: 'baton resume sp-3aa',
    });
    expect(lines.at(-1)).toMatchObject({ type: 'waiting', status: 'ended', exit: 0 });
  });

  test('the receipt comes before what the answer led to', async () => {
    const terminal = createTerminal({ api: createScriptedApi({ followed: FOLLOWED }) });
    await terminal.run('answer', 'sp-3aa', 'approve', '--json');
    const lines = terminal.out().trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line).type ?? 'receipt')).toEqual(['receipt', 'notice', 'waiting']);
  });

  test('prints a refusal as one object', async () => {
    const terminal = createTerminal({
      api: createScriptedApi({
        refuse: { answer: reject('stale_digest', {}, { current: { iteration: 2 } }) },
      }),
    });
    expect(await terminal.run('answer', 'sp-3aa', 'approve', '--json')).toBe(EXIT.refused);
    expect(JSON.parse(terminal.out())).toEqual({
      ok: false,
      rejection: 'stale_digest',
      message: 'engine.rejection.stale_digest',
      current: { iteration: 2 },
      exit: 3,
    });
  });

  test('never asks, even at a terminal', async () => {
    const terminal = createTerminal({ api: createScriptedApi(), tty: true });
    expect(await terminal.run('answer', 'sp-3aa', '--json')).toBe(EXIT.usage);
    expect(JSON.parse(terminal.out())).toMatchObject({ ok: false, rejection: 'no_such_option' });
  });
});
