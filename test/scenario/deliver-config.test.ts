import { expect, test } from 'vitest';
import { gateOf } from '../support/lab.ts';
import {
  BRANCH,
  changedIn,
  changing,
  deliverState,
  groundsOfTest,
  SINGLE,
  SMALL,
  YES,
} from './deliver-lab.ts';
import { playTo, reopen } from './quick-lab.ts';

const grounds = groundsOfTest();

test('a baton.yaml that is not committed decides the checks, and the plan, the commit and the evidence say so', async () => {
  const { 'baton.yaml': config = '', ...files } = SMALL;
  const ground = grounds.repository(files);
  ground.write('baton.yaml', config);
  const drive = async (task: string) => {
    const lab = await grounds.open(ground);
    const started = await lab.start('deliver', { ...SINGLE, task });
    const plan = gateOf(await playTo(lab, started, YES, 'spec'));
    await lab.answer(plan, 'proceed');
    const commit = gateOf(await playTo(lab, started, YES, 'commit'));
    const told = [plan, commit].map(({ brief }) =>
      JSON.stringify(brief.banners).includes('config_uncommitted'),
    );
    const stored = await lab.deps.store.records(started.run, 'entry', 'evidence');
    const judged = stored.map(({ record }) => (record.kind === 'entry' ? record.data : null))[0];
    return { told, judged, state: await deliverState(lab, started.run) };
  };
  const first = await drive('Greet in capitals');
  expect(first.state.checks.test_cmd).toBe('sh check.sh');
  expect(first.told).toEqual([true, true]);
  expect(first.judged).toMatchObject({ part: 'judged', config: 'uncommitted' });
  ground.git('add', 'baton.yaml');
  ground.git('commit', '-q', '-m', 'config');
  const second = await drive('Greet in capitals again');
  expect(second.told).toEqual([false, false]);
  expect(second.judged).toMatchObject({ part: 'judged', config: 'committed' });
});

test('a namespace that is changed while a run is under way is for the next run', async () => {
  const ground = grounds.repository(SMALL);
  const lab = await grounds.open(ground, changing());
  const drive = await lab.start('deliver', SINGLE);
  const plan = gateOf(await playTo(lab, drive, YES, 'spec'));
  await drive.close();
  ground.write('baton.yaml', `namespace: other\n${SMALL['baton.yaml']}`);
  const again = await grounds.open(ground, changing());
  await again.answer(plan, 'proceed');
  const rest = await playTo(again, await reopen(again, drive.run), YES);
  expect(rest).toMatchObject({ status: 'ended', outcome: 'passed' });
  expect(changedIn(ground, BRANCH)).toEqual(['M greeting.txt']);
});
