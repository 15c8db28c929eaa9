import { expect, test } from 'vitest';
import { EXIT } from '../../src/surfaces/cli/exit.ts';
import { groundsOfTest } from '../scenario/deliver-lab.ts';
import { createTerminal } from '../support/fake-terminal.ts';
import type { Lab } from '../support/lab.ts';

const { repository, open } = groundsOfTest();

function terminalOn(lab: Lab) {
  return createTerminal({ api: { ...lab.api, close: async () => undefined } });
}

/** Both ask for the mode first, so neither knew of the other when it was started. */
async function startTwice(lab: Lab, first: string, second: string): Promise<string> {
  await terminalOn(lab).run('deliver', first, '--model-config', 'balanced');
  await terminalOn(lab).run('deliver', second, '--model-config', 'balanced');
  const [later, earlier] = (await lab.api.list(false)).map(({ id }) => id);
  await terminalOn(lab).run('answer', `${earlier}`, 'single');
  await terminalOn(lab).run('answer', `${later}`, 'single');
  return `${later}`;
}

test('a run that finds its subject taken says where the other one stands and what each answer does', async () => {
  const lab = await open(repository());
  const later = await startTwice(lab, 'Greet in capitals', 'Greet in CAPITALS');
  const asked = terminalOn(lab);
  await asked.run('gates', later);
  const text = asked.out().replace(/\s+/g, ' ');
  expect(text).toContain('It is about: Greet in capitals');
  expect(text).toContain('It is at: plan, ready');
  expect(text).toContain('the task you typed now is not used');
  expect(text).toContain('Stop give up that run for good');
  expect(text).not.toContain('not known');
});

test.each(['resume', 'view'])('after %s the task that was typed for nothing is shown', async (option) => {
  const lab = await open(repository());
  const later = await startTwice(lab, 'Greet in capitals', 'Greet in CAPITALS');
  const terminal = terminalOn(lab);
  expect(await terminal.run('answer', later, option)).toBe(option === 'view' ? EXIT.done : EXIT.waiting);
  expect(terminal.out()).toContain(
    'The task you typed was not used. You can copy it from here:\n  Greet in CAPITALS\n',
  );
});
