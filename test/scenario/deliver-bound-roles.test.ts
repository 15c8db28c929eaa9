import { expect, test } from 'vitest';
import type { AgentCall } from '../../src/ports/agent.ts';
import { deliverScript, HAPPY } from '../support/deliver-script.ts';
import type { Lab } from '../support/lab.ts';
import { labsOfTest, playTo } from './quick-lab.ts';

const labs = labsOfTest();
const CONFIG = 'roles:\n  evaluator: code-reviewer\nchecks:\n  test: null\n';
const INPUT = { task: 'Add an add function', mode: 'single', model_config: 'balanced' };

/** A whole run in a folder without git; the calls as the agent got them. */
async function play(offers: readonly string[]): Promise<{ lab: Lab; run: string; calls: AgentCall[] }> {
  const calls: AgentCall[] = [];
  const lab = await labs.open({
    files: { 'baton.yaml': CONFIG },
    script: deliverScript(HAPPY),
    wrap: (deps) => ({
      ...deps,
      agent: async (policy) => {
        const agent = await deps.agent(policy);
        const run: typeof agent.run = (call, signal) => {
          calls.push(call);
          return agent.run(call, signal);
        };
        return { ...agent, offers, run };
      },
    }),
  });
  const drive = await lab.start('deliver', INPUT);
  const rest = await playTo(lab, drive, { conventions: [['skip']], spec: [['proceed']] });
  expect(rest).toMatchObject({ status: 'ended', outcome: 'passed' });
  return { lab, run: drive.run, calls };
}

async function unboundNotices(lab: Lab, run: string): Promise<unknown[]> {
  const notices = await lab.deps.store.records(run, 'notice');
  return notices.filter(
    ({ record }) => record.kind === 'notice' && record.text.msg === 'deliver.notice.unbound',
  );
}

test('WF-96: a bound evaluator that is there is used with the same prompt slots and verdict path, one that is not is the plain role and one notice', async () => {
  const present = await play(['code-reviewer']);
  const absent = await play([]);
  const evaluator = ({ calls }: { calls: AgentCall[] }) => calls.filter(({ role }) => role === 'evaluator');
  expect(evaluator(present).map(({ bound }) => bound)).toEqual(['code-reviewer']);
  expect(evaluator(absent).map(({ bound }) => bound)).toEqual([null]);
  expect(evaluator(present)[0]?.slots).toEqual(evaluator(absent)[0]?.slots);
  expect(evaluator(present)[0]?.schema).toEqual(evaluator(absent)[0]?.schema);
  expect(present.calls.filter(({ role }) => role !== 'evaluator').map(({ bound }) => bound)).toEqual([
    null,
    null,
  ]);
  expect(await unboundNotices(present.lab, present.run)).toHaveLength(0);
  expect(await unboundNotices(absent.lab, absent.run)).toHaveLength(1);
});
