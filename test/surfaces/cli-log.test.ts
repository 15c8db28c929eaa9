import { expect, test } from 'vitest';
import { EXIT } from '../../src/surfaces/cli/exit.ts';
import { widthOf } from '../../src/surfaces/cli/width.ts';
import { changing, deliver, GREETING, groundsOfTest, SINGLE, YES } from '../scenario/deliver-lab.ts';
import { diesOf, killAt } from '../scenario/kill-in-process.ts';
import { playTo, reopen } from '../scenario/quick-lab.ts';
import { changeNotes } from '../support/deliver-script.ts';
import { createTerminal } from '../support/fake-terminal.ts';
import { gateOf, type Lab } from '../support/lab.ts';
import { answeredEvent, createScriptedApi } from '../support/scripted-api.ts';

const { repository, open } = groundsOfTest();

const LOST = [{ path: 'greeting.txt', content: 'gone\n' }];
const notes = changeNotes({ files: ['greeting.txt'] });

function terminalOn(lab: Lab, columns = 80) {
  return createTerminal({ api: { ...lab.api, close: async () => undefined }, columns });
}

test('the log of a run tells time, phase and what happened in plain words, and what it cost', async () => {
  const lab = await open(repository(), {
    ...changing(),
    generator_single: [
      { line: 'writing', edits: LOST, result: notes, usage: { money_usd: 0.25, tokens: 10 } },
      { edits: GREETING, result: notes },
    ],
  });
  const { run } = await deliver(lab);
  const terminal = terminalOn(lab, 110);
  expect(await terminal.run('log', run)).toBe(EXIT.done);
  const lines = terminal.out().split('\n');
  const told = (pattern: RegExp) => lines.filter((line) => pattern.test(line)).length;
  const at = (phase: string, text: string) =>
    new RegExp(`^ +\\d+ {2}\\d\\d:\\d\\d:\\d\\d {2}${phase} +${text}`);
  expect(told(at('setup', 'started by test: Greet in capitals'))).toBe(1);
  expect(told(at('planning', 'planner single: result in 0:\\d\\d'))).toBe(1);
  expect(told(at('plan done', `asked: spec gate \\(${run}\\.g2\\)`))).toBe(1);
  expect(told(at('plan done', `answered: proceed, by Tess Tester \\(${run}\\.g2\\)`))).toBe(1);
  expect(told(at('generating', 'generator single: result in 0:\\d\\d {2}writing'))).toBe(1);
  expect(told(at('generating', '1 file changed {2}M greeting\\.txt \\+\\d+ −\\d+'))).toBe(2);
  expect(told(/· 1 file changed/)).toBe(0);
  expect(told(at('verifying', 'test: fail, exit 1, \\d+\\.\\d s'))).toBe(2);
  expect(told(at('verifying', 'test: pass, exit 0, \\d+\\.\\d s'))).toBe(1);
  expect(told(at('completed', 'commit [0-9a-f]{12} {2}on baton/deliver-greet-in-capitals'))).toBe(1);
  expect(told(at('completed', 'ended: passed\\.'))).toBe(1);
  expect(told(/^ {16}· Repair, layer 1, 1 of 3/)).toBe(1);
  expect(told(/^spent so far: \$0\.25, 10 tokens, .* 4 tries$/)).toBe(1);
  expect(terminal.out()).not.toMatch(/step_settled|step_started|looked$|written$/);

  const machine = terminalOn(lab);
  await machine.run('log', run, '--json');
  const says = machine
    .out()
    .trimEnd()
    .split('\n')
    .flatMap((line) => JSON.parse(line).says as string[]);
  expect(says).toContain(`answered: proceed, by Tess Tester (${run}.g2)`);

  const narrow = terminalOn(lab);
  await narrow.run('log', run);
  expect(Math.max(...narrow.out().split('\n').map(widthOf))).toBeLessThanOrEqual(80);
});

test('a call that a crash interrupted says so in the log, beside its result, and on the screen once', async () => {
  const lab = await open(repository(), changing());
  const drive = await lab.start('deliver', SINGLE);
  const gate = gateOf(await playTo(lab, drive, YES, 'spec'));
  await drive.close();
  const dying = await lab.other(killAt(1, (label) => label === 'while worker generator_single').wrap);
  const last = await reopen(dying, drive.run);
  await dying.answer(gate, 'proceed');
  expect(await diesOf(last.advance())).toBe(true);
  dying.deps.store.close();
  await playTo(lab, await reopen(lab, drive.run), YES);
  const says = `${drive.run} was interrupted while generator single worked (attempt 1)`;
  const terminal = terminalOn(lab, 200);
  await terminal.run('log', drive.run);
  const lines = terminal.out().split('\n');
  const told = lines.flatMap((line, i) => (line.includes(says) ? [i] : []));
  expect(told).toHaveLength(1);
  expect(lines[(told[0] ?? 0) - 1]).toMatch(/generating +generator single: result in/);
  const onScreen = lab.progress.filter(
    (progress) => 'text' in progress && JSON.stringify(progress.text).includes('engine.recovered'),
  );
  expect(onScreen.map(({ type }) => type)).toEqual(['recovered']);
});

test('what came in with one entry is one option away', async () => {
  const event = answeredEvent({ option: 'approve', person: 'Bob' });
  const terminal = createTerminal({ api: createScriptedApi({ events: [event] }) });
  expect(await terminal.run('log', 'sp-3aa')).toBe(EXIT.done);
  expect(terminal.out()).toContain('   7  10:00:00    answered: approve, by Bob (sp-3aa.g1)');
  expect(terminal.out()).toContain('baton log sp-3aa --call <n>');
  expect(await terminal.run('log', 'sp-3aa', '--call', '9')).toBe(EXIT.refused);
  expect(terminal.err()).toContain('--call 9');
  const json = createTerminal({ api: createScriptedApi({ events: [event] }) });
  expect(await json.run('log', 'sp-3aa', '--call', '7', '--json')).toBe(EXIT.done);
  expect(JSON.parse(json.out())).toEqual(event);
});

test('a try that gave no result that fits is told with its reason, on the way and in the log', async () => {
  const [plan] = changing().planner_single ?? [];
  const lab = await open(repository(), {
    ...changing(),
    planner_single: [{ garbage: 'No,\nsorry.', attempts: [{ silence: true }, { ...plan }] }],
  });
  const refused = 'no JSON value was found in the reply: "No, sorry."';
  const { run } = await deliver(lab);
  const tries = lab.progress.filter((told) => told.type === 'call' && told.state === 'retry');
  expect(tries).toMatchObject([
    { role: 'planner_single', attempt: 2, text: refused },
    { role: 'planner_single', attempt: 3, text: 'no text on any result channel' },
  ]);
  const terminal = terminalOn(lab, 160);
  await terminal.run('log', run);
  const shown = terminal.out().replace(/\s+/g, ' ');
  expect(shown).toContain(`· planner single gave no result that fits (attempt 1): ${refused}`);
  expect(shown).toContain(
    '· planner single gave no result that fits (attempt 2): no text on any result channel',
  );
});
