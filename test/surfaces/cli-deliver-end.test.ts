import { expect, test } from 'vitest';
import type { Api } from '../../src/runtime/api.ts';
import { EXIT } from '../../src/surfaces/cli/exit.ts';
import { gateChoices } from '../../src/surfaces/cli/gate-screen.ts';
import { changing, groundsOfTest } from '../scenario/deliver-lab.ts';
import { createTerminal } from '../support/fake-terminal.ts';
import type { Lab } from '../support/lab.ts';
import { createScriptedApi, ENDED, rest, run } from '../support/scripted-api.ts';
import { wordsFor } from '../support/texts.ts';

const { repository, open } = groundsOfTest();

function terminalOn(lab: Lab) {
  return createTerminal({ api: { ...lab.api, close: async () => undefined } });
}

async function toCommitGate(lab: Lab, ...more: string[]): Promise<string> {
  await terminalOn(lab).run(
    'deliver',
    'Greet in capitals',
    '--mode',
    'single',
    '--model-config',
    'balanced',
    ...more,
  );
  const [run] = await lab.api.list(false);
  const id = `${run?.id}`;
  await terminalOn(lab).run('answer', id, 'skip');
  await terminalOn(lab).run('answer', id, 'proceed');
  return id;
}

function waitIn(out: string): unknown {
  return JSON.parse(out.trimEnd().split('\n').at(-1) ?? '');
}

const PRICED = { usage: { money_usd: 0.25, tokens: 10 } };

test('the end of a deliver run says criteria, files, cost, time and decisions, to a person and to a machine', async () => {
  const lab = await open(repository(), changing(undefined, PRICED));
  const id = await toCommitGate(lab);
  const person = terminalOn(lab);
  expect(await person.run('answer', id, 'code_only')).toBe(EXIT.done);
  const end = person.out().slice(person.out().indexOf(`${id} ended: passed`));
  expect(end).toMatch(
    /^ {2}criteria {3}1 of 1 with evidence\n {2}change {5}1 file, \+1 −1\n {2}cost {7}\$0\.25, \d+ \w+, /m,
  );
  expect(end).toContain(', 3 decisions by a person\n');

  const machine = terminalOn(lab);
  expect(await machine.run('resume', id, '--json')).toBe(EXIT.done);
  expect(waitIn(machine.out())).toMatchObject({
    criteria: { met: 1, of: 1 },
    files: 1,
    cost: { money_usd: 0.25, money_unknown: false },
    seconds: expect.any(Number),
    decisions: 3,
  });
});

test.each([
  [true, 0, 'unknown, 2 min, 0 decisions by a person'],
  [true, 1.5, 'at least $1.50, the rest unknown, 2 min, 0 decisions by a person'],
  [false, 1.5, '$1.50, 2 min, 0 decisions by a person'],
])('money unknown: %s, known part $%d: the end says "%s"', async (money_unknown, money_usd, said) => {
  const ended = run({ status: 'ended', updated_at: '2026-11-15T10:02:05.000Z' });
  const api = createScriptedApi({ run: ended, stations: [rest(ENDED)] });
  const scripted: Api = {
    ...api,
    as: () => scripted,
    view: async (id: string) => {
      const view = await api.view(id);
      if (!('spend' in view)) throw new Error('no such run');
      const left = { ...view.left, files: 3, criteria: null };
      return { ...view, left, spend: { ...view.spend, money_usd, money_unknown } };
    },
  };
  const terminal = createTerminal({ api: scripted });
  await terminal.run('resume', 'sp-3aa');
  expect(terminal.out()).toContain(
    '  criteria    not evaluated in its current state\n  change      3 files\n',
  );
  expect(terminal.out()).toContain(`  cost        ${said}\n`);
});

const ENTER = '\r';

test('at the commit gate the evidence is one key away, and is shown as it stands', async () => {
  const lab = await open(repository());
  const id = await toCommitGate(lab);
  const person = createTerminal({ api: { ...lab.api, close: async () => undefined }, tty: true });
  const exit = person.run('resume', id);
  await person.until('v  view evidence');
  person.type(`v${ENTER}`);
  await person.until('# Evidence');
  await person.until('v2 view diff');
  person.type(`v2${ENTER}`);
  await person.until('+HELLO');
  await person.until('v3 view evaluation');
  person.type(`1${ENTER}`);
  expect(await exit).toBe(EXIT.done);
});

test('a document that the brief tells to read and the gate is bound to is offered once', async () => {
  const lab = await open(repository());
  await terminalOn(lab).run('deliver', 'Greet', '--mode', 'single', '--model-config', 'balanced');
  const [row] = await lab.api.list(false);
  await terminalOn(lab).run('answer', `${row?.id}`, 'skip');
  const [shown] = await lab.api.gates(row?.id);
  if (!shown) throw new Error('no gate is open');
  const choices = gateChoices(shown.gate, (text) => JSON.stringify(text), wordsFor('en'));
  expect(choices.flatMap(({ view }) => view ?? [])).toEqual(['spec']);
});
