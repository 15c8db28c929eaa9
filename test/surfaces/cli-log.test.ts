import { expect, test } from 'vitest';
import { EXIT } from '../../src/surfaces/cli/exit.ts';
import { widthOf } from '../../src/surfaces/cli/width.ts';
import { changing, deliver, GREETING, groundsOfTest } from '../scenario/deliver-lab.ts';
import { changeNotes } from '../support/deliver-score.ts';
import { createTerminal } from '../support/fake-terminal.ts';
import type { Lab } from '../support/lab.ts';
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
  expect(told(at('generating', '1 file changed {2}M greeting\\.txt'))).toBe(2);
  expect(told(at('verifying', 'test: fail, exit 1, \\d+\\.\\d s'))).toBe(1);
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
