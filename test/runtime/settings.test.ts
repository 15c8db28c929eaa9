import { describe, expect, test } from 'vitest';
import { labsOfTest } from '../scenario/quick-lab.ts';
import { callerOf } from '../support/caller.ts';

const labs = labsOfTest();
const open = (files: Record<string, string> = {}) => labs.open({ files });

describe('the dial', () => {
  test('is what a person set it to, and each change is on record', async () => {
    const { api } = await open();
    expect(await api.trust()).toEqual({ level: 'balanced', raw: null });
    await api.setTrust({ level: 'cautious' });
    const second = await api
      .as(callerOf({ person: 'Ann', surface: 'web', proof: 'login' }))
      .setTrust({ level: 'autonomous' });
    const who = { name: 'agent_trust.level', from: 'cautious', to: 'autonomous', who: 'Ann', surface: 'web' };
    expect(second).toMatchObject({ ok: true, change: who });
    expect(await api.trust()).toEqual({ level: 'autonomous', raw: 'autonomous' });
    expect(await api.setTrust({ level: 'autonomous' })).toEqual({ ok: true, change: null });
    expect(await api.settingChanges('trust')).toMatchObject([
      { from: null, to: 'cautious', who: 'Tess Tester', surface: 'test' },
      who,
    ]);
  });

  test.each(['', 'Cautious', 'full', 'balanced ', '{}'])('is not set to %j', async (level) => {
    const { api } = await open();
    await api.setTrust({ level: 'cautious' });
    expect(await api.setTrust({ level })).toMatchObject({
      rejection: 'bad_input',
      message: { args: { option: 'baton trust', value: level, limit: 'cautious, balanced, autonomous' } },
    });
    expect(await api.trust()).toEqual({ level: 'cautious', raw: 'cautious' });
    expect(await api.settingChanges('trust')).toHaveLength(1);
  });

  test('with a word nobody knows in the store is cautious and says the word', async () => {
    const { api, deps } = await open();
    const at = deps.clock.now();
    await deps.store.changeSetting({ name: 'agent_trust.level', to: 'wild', who: 'x', surface: 'y', at });
    expect(await api.trust()).toEqual({ level: 'cautious', raw: 'wild' });
  });
});

describe('the project', () => {
  test('is opinionated until a person makes it manual', async () => {
    const { api } = await open({ 'baton.yaml': 'ticket_key: APP\n' });
    const agent_trust = { level: 'balanced', overrides: {} };
    expect(await api.project()).toEqual({ mode: 'opinionated', key: 'APP', agent_trust });
    expect(await api.setProjectMode({ mode: 'manual' })).toMatchObject({
      change: { from: null, to: 'manual' },
    });
    await api.setTrust({ level: 'cautious' });
    expect(await api.project()).toEqual({
      mode: 'manual',
      key: 'APP',
      agent_trust: { level: 'cautious', overrides: {} },
    });
    expect(await api.setProjectMode({ mode: 'Opinionated' })).toMatchObject({
      rejection: 'bad_input',
      message: { args: { option: 'baton project', limit: 'opinionated, manual' } },
    });
    expect(await api.settingChanges('mode')).toHaveLength(1);
  });

  test('with a mode nobody knows is not opinionated', async () => {
    const { api, deps } = await open();
    const at = deps.clock.now();
    await deps.store.changeSetting({ name: 'project.mode', to: 'loose', who: 'x', surface: 'y', at });
    expect(await api.projectMode()).toBe('manual');
  });
});
