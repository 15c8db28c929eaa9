import { describe, expect, test } from 'vitest';
import { EXIT } from '../../src/surfaces/cli/exit.ts';
import { script } from '../scenario/quick-lab.ts';
import { decomposed } from '../support/conduct-script.ts';
import { createTerminal, type FakeTerminal } from '../support/fake-terminal.ts';
import type { Lab } from '../support/lab.ts';
import { say } from '../support/say.ts';
import { CTRL_C, ENTER, reply } from '../support/sit.ts';
import { create, stateOf, ticketLabs, whole } from '../support/ticket-lab.ts';

const open = ticketLabs();

function sitDown(lab: Lab): FakeTerminal {
  const api = { ...lab.api, close: async () => undefined };
  return createTerminal({ api, tty: true, env: { TERM: 'xterm', NO_COLOR: '1' } });
}

async function conductHere(lab: Lab, ...flags: string[]): Promise<FakeTerminal> {
  const terminal = sitDown(lab);
  const exit = terminal.run('conduct', 'B-1', ...flags);
  await reply(terminal, 'arrows and Enter', CTRL_C);
  expect(await exit).toBe(EXIT.waiting);
  return terminal;
}

describe('a pause at a terminal', () => {
  test('shows the options without the commands for elsewhere, and says once that nothing is handed over', async () => {
    const lab = await open();
    await create(lab, 'Rename photos');
    const terminal = sitDown(lab);
    const exit = terminal.run('conduct', 'B-1');
    await reply(terminal, '> 1  Accept', `accept${ENTER}`);
    await terminal.until('a comment, or Enter for none');
    terminal.type(ENTER);
    await reply(terminal, 'Decompose · B-1.g2', CTRL_C);
    expect(await exit).toBe(EXIT.waiting);
    expect(terminal.out().match(/Nothing is handed over/g)).toHaveLength(1);
    expect(terminal.out()).not.toContain('Answer with one of');
  });

  test.each(['--unattended', '--escalate'])(
    'a risk is asked about with %s too, and its cause is said',
    async (flag) => {
      const lab = await open();
      await create(lab, 'Migration of the password table');
      const said = (await conductHere(lab, flag)).out().replace(/\s+/g, ' ');
      expect(said).toContain('Risk floor: auth, data-migration');
      expect(said).toContain(`Once this drive has ended: baton conduct B-1 ${flag}`);
    },
  );

  test('--one-shot asks nothing and ends', async () => {
    const lab = await open();
    await create(lab, 'Rename photos');
    const terminal = sitDown(lab);
    expect(await terminal.run('conduct', 'B-1', '--one-shot')).toBe(EXIT.waiting);
    expect(terminal.out()).toContain('Answer with one of');
    expect(terminal.out()).not.toContain('arrows and Enter');
  });

  test('the ignored flag is told once, with the command that allows it', async () => {
    const lab = await open();
    await create(lab, 'Rename photos');
    await say(lab, {}, 'trust', 'cautious');
    const said = (await conductHere(lab, '--pause-at', 'plan')).out().replace(/\s+/g, ' ');
    expect(said.match(/--pause-at plan is ignored/g)).toHaveLength(1);
    expect(said).toContain('baton trust balanced');
  });
});

describe('where a ticket rests', () => {
  test('status names the command that leads on, for a new, a parked and a carried ticket', async () => {
    const lab = await open({}, { script: script({ decompose: [{ result: decomposed(['a', 'b']) }] }) });
    await create(lab, 'Rename photos');
    expect((await say(lab, {}, 'status')).out).toMatch(/idle +B-1 .*\n? *baton conduct B-1/);
    await say(lab, {}, 'conduct', 'B-1', '--unattended');
    const carried = await say(lab, {}, 'conduct', 'B-1');
    expect(carried.out).toMatch(/continue +baton conduct --children B-1\n/);
    expect(carried.out).not.toMatch(/continue +baton conduct B-1\n/);
    expect((await say(lab, {}, 'ticket', 'show', 'B-1')).out).toContain('baton conduct --children B-1');
    await say(lab, {}, 'ticket', 'park', 'B-2', '--why', 'not this year');
    expect((await say(lab, {}, 'status')).out).toContain('baton ticket unpark B-2');
    expect((await say(lab, {}, 'ticket', 'show', 'B-2')).out).toMatch(/because +not this year/);
  });

  test('baton show of a ticket leads to its page', async () => {
    const lab = await open();
    await create(lab, 'Rename photos');
    expect((await say(lab, {}, 'show', 'B-1')).out).toContain('baton ticket show B-1');
  });
});

describe('mistakes', () => {
  test.each([
    [['--children', '--unattended'], 'Add --inherit'],
    [['--inherit'], '--inherit: only with --children'],
    [['--at-once', '2'], '--at-once: only with --children'],
    [['--pause-at', 'desing'], 'did you mean "design"?'],
  ])('conduct %s is refused with what to do', async (flags, told) => {
    const lab = await open();
    await create(lab, 'Rename photos');
    const before = await whole(lab);
    const said = await say(lab, {}, 'conduct', 'B-1', ...flags);
    expect(said).toMatchObject({ exit: EXIT.usage, err: expect.stringContaining(told) });
    expect(await whole(lab)).toEqual(before);
  });

  test.each([
    ['say maker', 'text: not JSON.'],
    ['{"decid": "x"}', 'doc: Unrecognized key: "decid".'],
  ])('the edit %s names the fields there are and the command that shows them', async (text, told) => {
    const lab = await open();
    await create(lab, 'Rename photos');
    await say(lab, {}, 'conduct', 'B-1');
    const said = await say(lab, {}, 'answer', 'B-1', 'edit', '--text', text);
    expect(said.exit).toBe(EXIT.usage);
    for (const part of [told, 'decide, recommend, why', `baton call get_brief '{"task_id": "B-1"}'`])
      expect(said.err).toContain(part);
    expect((await stateOf(lab, 'B-1')).brief?.iteration).toBe(1);
  });

  test('a ticket where nothing was ever started is said to be none, with the command that makes one', async () => {
    const terminal = createTerminal({ api: { refusal: 'no_store' } });
    expect(await terminal.run('conduct', 'B-1')).toBe(EXIT.refused);
    expect(terminal.err().replace(/\s+/g, ' ')).toContain('There is no ticket "B-1" here');
    expect(terminal.err()).toContain('baton ticket create');
  });
});
