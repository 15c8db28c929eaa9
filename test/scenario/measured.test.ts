import { expect, test } from 'vitest';
import { gateOf } from '../support/lab.ts';
import { ask, draft, labsOfTest, playTo, script } from './quick-lab.ts';

const labs = labsOfTest();
const PLAYED = {
  mode: [['quick']],
  questions: [['skip']],
  approval: [['approve']],
  conventions: [['skip']],
} as const;
const UNMEASURED = { msg: 'spec.mode.figures' };

test.each([
  [
    'what the one before really took',
    { usage: { money_usd: 0.25, tokens: 1_500 } },
    { msg: 'measured.took', args: { name: 'quick', runs: 1, money: '$0.50', tokens: 3_000 } },
  ],
  ['nothing of a rehearsal that used nothing', {}, UNMEASURED],
])('SP-12: a run is told %s', async (_, used, told) => {
  const roles = {
    interviewer: [{ ...ask('Which numbers?'), ...used }],
    writer: [{ ...draft(['q1']), ...used }],
  };
  const lab = await labs.open({ script: script(roles) });
  const first = await lab.start('spec', { task: 'First' });
  expect(gateOf(await first.advance()).brief.context).toEqual([UNMEASURED]);
  await playTo(lab, first, PLAYED, 'next_step');
  await first.close();
  const second = await lab.start('spec', { task: 'Second' });
  expect(gateOf(await second.advance()).brief.context).toMatchObject([told]);
});
