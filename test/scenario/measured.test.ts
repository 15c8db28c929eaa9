import { expect, test } from 'vitest';
import { gateOf } from '../support/lab.ts';
import { ask, draft, labsOfTest, playTo } from './quick-lab.ts';

const labs = labsOfTest();

test('SP-12: the next run is told what the last one really took, and a rehearsal that used nothing tells nothing', async () => {
  const used = { usage: { money_usd: 0.25, tokens: 1_500 } };
  const lab = await labs.open({
    score: {
      interviewer: [ask('Which numbers?'), { ...used, ...ask('Which numbers?') }],
      writer: [draft(['q1']), { ...used, ...draft(['q1']) }],
    },
  });
  const contextOf = async (task: string) => {
    const drive = await lab.start('spec', { task });
    const { brief } = gateOf(await drive.advance());
    await playTo(lab, drive, PLAYED, 'next_step');
    await drive.close();
    return brief.context;
  };
  expect(await contextOf('First')).toEqual([{ msg: 'spec.mode.figures' }]);
  expect(await contextOf('Second')).toEqual([{ msg: 'spec.mode.figures' }]);
  expect(await contextOf('Third')).toMatchObject([
    { msg: 'measured.took', args: { name: 'quick', runs: 1, money: '$0.50', tokens: 3_000 } },
  ]);
});

const PLAYED = {
  mode: [['quick']],
  questions: [['skip']],
  approval: [['approve']],
  conventions: [['skip']],
} as const;
