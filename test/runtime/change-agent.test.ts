import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { isRejection } from '../../src/engine/rejection.ts';
import type { Deps } from '../../src/runtime/deps.ts';
import { labsOfTest, reopen } from '../scenario/quick-lab.ts';
import { callerOf, TESTER } from '../support/caller.ts';
import { gateOf, type Lab } from '../support/lab.ts';

const labs = labsOfTest();
const alone = { script: [{ do: 'work', roles: ['alpha'] }] };
const together = { script: [{ do: 'work', roles: ['alpha', 'beta'] }] };

const config = (model: string) => `budget: { attempts: 3 }
agents:
  first: { kind: command, models: { opus: ${model} } }
  second: { kind: command }
`;

/** Who was asked for what; the agent \`first\` is blocked as long as its model is called \`wrong\`, or says when to come. */
const agents =
  (asked: string[], until?: string) =>
  (deps: Deps): Deps => ({
    ...deps,
    policy: async () => ({ ...(await deps.policy()), by_role: { beta: { agent: 'second' } } }),
    agent: async (policy, role) => {
      const name = (role && policy.by_role?.[role]?.agent) ?? policy.agent;
      const model = policy.agents?.[name]?.models.opus;
      return {
        ...(await deps.agent(policy, role)),
        name,
        isFinished: async () => false,
        async *run({ key }) {
          asked.push(`${name} ${key.slice(key.indexOf('/') + 1)}`);
          if (model === 'wrong' && until)
            return yield { type: 'ended', outcome: 'limited', detail: '429', until };
          if (model === 'wrong') return yield { type: 'ended', outcome: 'blocked', detail: 'no such model' };
          yield { type: 'usage', usage: { money_usd: 0.1, tokens: 1 } };
          yield { type: 'result', value: { say: 'a' } };
          yield { type: 'ended', outcome: 'finished', detail: '' };
        },
      };
    },
  });

const open = (asked: string[], until?: string) =>
  labs.open({ files: { 'baton.yaml': config('wrong') }, wrap: agents(asked, until) });
const mend = (lab: Lab) => writeFileSync(path.join(lab.root, 'baton.yaml'), config('right'));
const started = { agent: 'first' };

describe('a run goes on with another agent by the word of a person', () => {
  test('the same agent as baton.yaml says it now: the question whether to try again is withdrawn', async () => {
    const asked: string[] = [];
    const lab = await open(asked);
    const drive = await lab.start('probe', together, started);
    const gate = gateOf(await drive.advance());
    const way = gate.brief.why[1] as { msg: string; args: object };
    expect(way).toMatchObject({ msg: 'engine.trouble.infrastructure.another', args: { run: drive.run } });
    await drive.close();
    const before = await lab.row(drive.run);
    mend(lab);
    expect(await lab.api.changeAgent({ run: drive.run, agent: 'first' })).toEqual({
      ok: true,
      run: drive.run,
    });
    const after = await lab.row(drive.run);
    expect(after).toMatchObject({ status: 'working', trouble: null, turn: before.turn });
    expect(after.policy.agents?.first?.models.opus).toBe('right');
    expect({ ...after.policy, agents: 0 }).toEqual({ ...before.policy, agents: 0 });
    expect((await lab.deps.store.gate(gate.id))?.status).toBe('withdrawn');
    // Another process, as after a crash right here: the stored row alone says who works.
    const other = await labs.other(lab);
    expect((await (await reopen(other, drive.run)).advance()).outcome).toBe('done');
    expect(asked.filter((call) => call.startsWith('first'))).toEqual(['first 1/0.1', 'first 1/0.2']);
    expect(asked.filter((call) => call.startsWith('second'))).toEqual(['second 1/1.1']);
    expect((await lab.api.doctor(true)).problems).toEqual([]);
  });

  test('it is on record who decided it, and what was before', async () => {
    const lab = await open([]);
    const drive = await lab.start('probe', alone, started);
    await drive.advance();
    await drive.close();
    const ada = callerOf({ ...TESTER, person: 'Ada' });
    await lab.api.as(ada).changeAgent({ run: drive.run, agent: 'second' });
    const log = await lab.api.log(drive.run, 0);
    const event = isRejection(log) ? undefined : log.find(({ type }) => type === 'agent_changed');
    expect(event).toMatchObject({ by: 'Ada', input: { agent: 'second', before: 'first' } });
    const records = (await lab.api.records(drive.run)).map(({ record }) => record);
    expect(records).toContainEqual({
      kind: 'decision',
      name: 'agent_changed',
      data: { agent: 'second', before: 'first' },
    });
    const args = { agent: 'second', before: 'first', same: 'no', by: 'Ada' };
    const text = { msg: 'engine.agent_changed', args };
    expect(records).toContainEqual({ kind: 'notice', level: 'info', text });
  });

  test('does not sleep out the limit of the agent before', async () => {
    const asked: string[] = [];
    const lab = await open(asked, '2999-01-01T00:00:00.000Z');
    const drive = await lab.start('probe', alone, started);
    const gate = gateOf(await drive.advance());
    expect(gate.name).toBe('trouble_infrastructure');
    await drive.close();
    await lab.api.changeAgent({ run: drive.run, agent: 'second' });
    expect((await (await reopen(lab, drive.run)).advance()).outcome).toBe('done');
    expect(asked).toEqual(['first 1/0.1', 'second 1/0.2']);
  });

  test('a question that is about something else stays open', async () => {
    const lab = await open([]);
    const drive = await lab.start('probe', { script: [{ do: 'gate', name: 'ask' }] }, started);
    const gate = gateOf(await drive.advance());
    await drive.close();
    expect(await lab.api.changeAgent({ run: drive.run, agent: 'second' })).toMatchObject({ ok: true });
    expect((await lab.deps.store.gate(gate.id))?.status).toBe('open');
    expect(await lab.row(drive.run)).toMatchObject({ status: 'waiting', policy: { agent: 'second' } });
  });

  test('nothing is changed for an agent nobody knows, an ended run, or one that somebody drives', async () => {
    const lab = await open([]);
    const drive = await lab.start('probe', alone, started);
    const change = (agent: string) => lab.api.changeAgent({ run: drive.run, agent });
    expect(await change('second')).toMatchObject({ rejection: 'held_elsewhere' });
    await drive.advance();
    await drive.close();
    expect(await change('secnd')).toMatchObject({ rejection: 'no_such_agent' });
    const stays = { rejection: 'wrong_moment', message: { msg: 'engine.rejection.rehearsal_stays' } };
    expect(await change('rehearsal')).toMatchObject(stays);
    expect((await lab.row(drive.run)).policy.agent).toBe('first');
    const ended = await lab.start('probe', { script: [] }, { agent: 'second' });
    await ended.advance();
    expect(await lab.api.changeAgent({ run: ended.run, agent: 'first' })).toMatchObject({
      rejection: 'run_ended',
    });
  });
});
