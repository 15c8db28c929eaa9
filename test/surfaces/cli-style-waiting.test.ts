import { expect, test } from 'vitest';
import { EXIT } from '../../src/surfaces/cli/exit.ts';
import { groundsOfTest } from '../scenario/deliver-lab.ts';
import { createTerminal } from '../support/fake-terminal.ts';
import type { Lab } from '../support/lab.ts';

const { repository, open } = groundsOfTest();
const RED = '\u001b[31m';

function terminalOn(lab: Lab, tty = false) {
  return createTerminal({ api: { ...lab.api, close: async () => undefined }, tty });
}

async function waitAfterPlan(lab: Lab, task: string) {
  const choices = ['--mode', 'single', '--model-config', 'balanced'];
  await terminalOn(lab).run('deliver', 'plan', task, ...choices);
  const run = `${(await lab.api.list(false))[0]?.id}`;
  const told = terminalOn(lab);
  expect(await told.run('answer', run, 'skip')).toBe(EXIT.halted);
  return { run, told: told.out() };
}

test('a run that rests by its style is told and painted as a rest that was asked for, not as a halt', async () => {
  const lab = await open(repository());
  const { run, told } = await waitAfterPlan(lab, 'Greet in capitals');
  expect(told).toContain(`${run} waits after this step, as you asked. Nothing is lost.`);
  expect(told.match(/Plan complete/g)).toHaveLength(1);
  expect(told).toContain(`baton deliver generate --run ${run}`);

  const list = terminalOn(lab, true);
  await list.run('status');
  expect(list.out()).toContain(`idle  ${run}`);
  expect(list.out()).not.toContain(RED);

  const one = terminalOn(lab, true);
  await one.run('status', run);
  expect(one.out()).toMatch(/idle +Plan complete/);

  const log = terminalOn(lab);
  await log.run('log', run);
  expect(log.out()).toContain('idle: Plan complete');

  for (const out of [told, list.out(), one.out(), log.out()]) expect(out).not.toContain('halted');
});

test('for a machine it keeps its status, and the reason says that its style asked for it', async () => {
  const lab = await open(repository());
  const { run } = await waitAfterPlan(lab, 'Greet in capitals');
  const machine = terminalOn(lab);
  await machine.run('status', run, '--json');
  expect(JSON.parse(machine.out())).toMatchObject({
    status: 'halted',
    step: { until: { idle: 'style', why: { msg: 'deliver.halt.style' } } },
    command: `baton deliver generate --run ${run}`,
  });
});

test('a person who writes Korean reads it in Korean', async () => {
  const lab = await open(repository());
  const { run, told } = await waitAfterPlan(lab, '인사말을 대문자로 바꿔 주세요');
  expect(told).toContain(`${run} 요청하신 대로 한 단계를 마치고 쉬는 중입니다.`);
});

test('what a command leads to at once is told, in its order', async () => {
  const lab = await open(repository());
  const { run } = await waitAfterPlan(lab, 'Greet in capitals');
  await terminalOn(lab).run('deliver', 'generate', '--run', run);
  expect(await terminalOn(lab).run('answer', run, 'proceed')).toBe(EXIT.halted);
  const told = terminalOn(lab);
  expect(await told.run('deliver', 'verify', '--run', run)).toBe(EXIT.halted);
  expect(told.out()).toMatch(/Verify - ready\n.* changed.*\n *Verify - running checks/);
});

test('a stop is still a halt, and red', async () => {
  const lab = await open(repository());
  const { run } = await waitAfterPlan(lab, 'Greet in capitals');
  await terminalOn(lab).run('stop', run);
  const list = terminalOn(lab, true);
  await list.run('status');
  expect(list.out()).toContain(`${RED}halted`);
});
