import type { PassThrough } from 'node:stream';
import { describe, expect, test, vi } from 'vitest';
import { EXIT } from '../../src/surfaces/cli/exit.ts';
import type { FakeTerminal } from '../support/fake-terminal.ts';
import { ENDED, formGate, gate, rest, type Script } from '../support/scripted-api.ts';
import { CTRL_C, ENTER, reply, sit } from '../support/sit.ts';

describe('bare text at a terminal', () => {
  test('is shown back and sent only after Enter', async () => {
    const { api, terminal } = sit();
    const exit = terminal.run('resume', 'sp-3aa');
    await reply(terminal, '> 1  Approve', `name the zone${ENTER}`);
    await terminal.until('  name the zone\n');
    await reply(terminal, 'Send this as Modify? Enter sends it. Anything else goes back', `wait${ENTER}`);
    await terminal.until('you had typed: name the zone');
    expect(api.answers).toEqual([]);
    await reply(terminal, '> 1  Approve', `name the zone${ENTER}`);
    await reply(terminal, 'Send this as Modify?', ENTER);
    expect(await exit).toBe(EXIT.done);
    expect(api.answers).toMatchObject([{ option: 'modify', text: 'name the zone' }]);
  });

  test('Enter pressed before it was shown back does not send it', async () => {
    const { api, terminal } = sit();
    const exit = terminal.run('resume', 'sp-3aa');
    await reply(terminal, '> 1  Approve', `name the zone${ENTER}${ENTER}`);
    await reply(terminal, 'Send this as Modify?', CTRL_C);
    expect(await exit).toBe(EXIT.waiting);
    expect(api.answers).toEqual([]);
    expect(api.drafts.at(-1)).toEqual({ text: 'name the zone' });
  });

  test.each([
    ['LGTM', 'did you mean "approve"?'],
    ['네', 'did you mean "approve"?'],
    ['no', 'did you mean "stop"?'],
    ['q', 'Nothing was answered.'],
  ])('a passing "%s" is refused with the options and what was probably meant', async (typed, says) => {
    const { api, terminal } = sit();
    const exit = terminal.run('resume', 'sp-3aa');
    await reply(terminal, '> 1  Approve', `${typed}${ENTER}`);
    await terminal.until(`"${typed}": not one of the options.`);
    await terminal.until(says);
    await reply(terminal, '> 1  Approve', CTRL_C);
    expect(await exit).toBe(EXIT.waiting);
    expect(api.answers).toEqual([]);
    expect(api.drafts).toEqual([]);
  });
});

describe('the mark', () => {
  test.each([
    ['on the option the brief recommends by its label', { msg: 'stop' }, '> 3  Stop', 'stop'],
    ['on the first option when the recommendation is no label', 'Take it slowly.', '> 1  Approve', 'approve'],
  ])('starts %s', async (_name, text, selected, option) => {
    const brief = { ...gate().brief, recommend: { text } };
    const { api, terminal } = sit({ stations: [rest({ gate: gate({ brief }) }), ENDED] });
    const exit = terminal.run('resume', 'sp-3aa');
    await reply(terminal, selected, ENTER);
    expect(await exit).toBe(EXIT.done);
    expect(api.answers[0]?.option).toBe(option);
  });
});

describe('a draft at a terminal', () => {
  const inputOf = (terminal: FakeTerminal) => terminal.deps.stdin.stream() as PassThrough;

  test('is announced with what Enter does, and Enter sends it', async () => {
    const { api, terminal } = sit({ draft: { text: 'name the zone' } });
    const exit = terminal.run('resume', 'sp-3aa');
    await terminal.until('you had typed: name the zone');
    await reply(terminal, '> 1  Approve', `modify${ENTER}`);
    await terminal.until('Enter sends your draft unchanged. To go back, clear it (Ctrl-U)');
    await reply(terminal, 'press Enter', ENTER);
    expect(await exit).toBe(EXIT.done);
    expect(api.answers[0]).toMatchObject({ option: 'modify', text: 'name the zone' });
    expect(api.drafts.every(({ text }) => text === 'name the zone')).toBe(true);
  });

  test('cleared, Enter goes back', async () => {
    const { api, terminal } = sit({ draft: { text: 'name the zone' } });
    const exit = terminal.run('resume', 'sp-3aa');
    await reply(terminal, '> 1  Approve', `modify${ENTER}`);
    await terminal.until('clear it (Ctrl-U)');
    await reply(terminal, 'press Enter', `\u0015${ENTER}`);
    await reply(terminal, '> 1  Approve', CTRL_C);
    expect(await exit).toBe(EXIT.waiting);
    expect(api.answers).toEqual([]);
    expect(api.drafts.at(-1)).toEqual({});
  });

  test('a dumb terminal shows it; Enter sends it and a typed text replaces it', async () => {
    for (const [typed, text] of [
      ['', 'name the zone'],
      ['name the hour', 'name the hour'],
    ]) {
      const { api, terminal } = sit({ draft: { text: 'name the zone' } }, { TERM: 'dumb', NO_COLOR: '' });
      const exit = terminal.run('resume', 'sp-3aa');
      await reply(terminal, '  1  Approve', 'modify\n');
      await reply(terminal, 'Any other text replaces it', `${typed}\n`);
      expect(await exit).toBe(EXIT.done);
      expect(api.answers[0]?.text).toBe(text);
    }
  });

  test('holds what stood at the choice prompt when Ctrl-C came, under what was there before', async () => {
    const { api, terminal } = sit({ draft: { text: 'name the zone' } });
    const exit = terminal.run('resume', 'sp-3aa');
    await reply(terminal, '> 1  Approve', 'and the hou');
    await terminal.until('and the hou');
    terminal.type(CTRL_C);
    expect(await exit).toBe(EXIT.waiting);
    expect(api.drafts.at(-1)).toEqual({ text: 'name the zone\nand the hou' });
    const again = terminal.run('resume', 'sp-3aa');
    await terminal.until('you had typed: name the zone\n  and the hou');
    await reply(terminal, '> 1  Approve', CTRL_C);
    expect(await again).toBe(EXIT.waiting);
  });

  test('is not overwritten by the name of an option being typed', async () => {
    const { api, terminal } = sit({ draft: { text: 'name the zone' } });
    const exit = terminal.run('resume', 'sp-3aa');
    await reply(terminal, '> 1  Approve', 'modi');
    await terminal.until('modi');
    terminal.type(CTRL_C);
    expect(await exit).toBe(EXIT.waiting);
    expect(api.drafts).toEqual([]);
  });

  test.each([
    ['a signal', (terminal: FakeTerminal) => terminal.interrupt()],
    ['an input that ends', (terminal: FakeTerminal) => void inputOf(terminal).end()],
    ['an input that is closed', (terminal: FakeTerminal) => void inputOf(terminal).destroy()],
    [
      'an input that fails',
      (terminal: FakeTerminal) => void inputOf(terminal).destroy(new Error('read EIO')),
    ],
  ])('holds a half-typed line after %s, at the choices and in a text', async (_name, vanish) => {
    for (const first of ['', `modify${ENTER}`]) {
      const { api, terminal } = sit();
      const exit = terminal.run('resume', 'sp-3aa');
      await reply(terminal, '> 1  Approve', first);
      if (first !== '') await reply(terminal, 'type your text', '');
      terminal.type('name the zo');
      await terminal.until('name the zo');
      vanish(terminal);
      expect(await exit).toBe(EXIT.waiting);
      expect(api.drafts.at(-1)).toEqual({ text: 'name the zo' });
      expect(api.answers).toEqual([]);
    }
  });

  test('a half line of a dumb terminal that ends is kept and answers nothing', async () => {
    const { api, terminal } = sit({}, { TERM: 'dumb', NO_COLOR: '' });
    const exit = terminal.run('resume', 'sp-3aa');
    await reply(terminal, '  1  Approve', 'approve');
    inputOf(terminal).end();
    expect(await exit).toBe(EXIT.waiting);
    expect(api.answers).toEqual([]);
  });

  test('is kept while it is being typed, at the choices, in a text and in a form', async () => {
    const typing = async (script: Script, steps: readonly (readonly [string, string])[], kept: object) => {
      const { api, terminal } = sit(script);
      const exit = terminal.run('resume', 'sp-3aa');
      for (const [after, typed] of steps) await reply(terminal, after, typed);
      await vi.waitFor(() => expect(api.drafts).toEqual([kept]), { timeout: 60_000 });
      terminal.type(CTRL_C);
      expect(await exit).toBe(EXIT.waiting);
    };
    const form = { stations: [rest({ gate: formGate() }), ENDED] };
    await typing({}, [['> 1  Approve', 'name the zo']], { text: 'name the zo' });
    const text = ['type your text', 'name'] as const;
    await typing({}, [['> 1  Approve', `modify${ENTER}`], text], { text: 'name' });
    const field = ['1  Which photo formats?', 'JP'] as const;
    await typing(form, [['> 1  Answer', ENTER], field], { q1: 'JP' });
  });
});
