import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { expect, test } from 'vitest';
import { parseScript, serialiseScript } from '../../src/adapters/agent-rehearsal/script.ts';
import { deliverScript } from '../support/deliver-script.ts';
import { sharedBundle } from '../support/shared-bundle.ts';
import {
  branchOf,
  changedIn,
  changing,
  type Ground,
  groundsOfTest,
  locationOf,
  personal,
  SINGLE,
  SMALL,
} from './deliver-lab.ts';
import { openGate, playTo } from './quick-lab.ts';

const grounds = groundsOfTest();
const TASKS = Array.from({ length: 10 }, (_, n) => `Greet in the voice of number ${n}`);

/** Every author writes which tree it stood in: the folder is named after its run. */
const WHO = [{ path: 'who.txt', content: 'nobody\n' }];
const RUNS = 'basename "$(dirname "$PWD")" > who.txt; git add -A; git stash -q; git stash pop -q';

/** Another process carries a run on as far as it goes without a person. */
async function elsewhere({ root, base }: Ground, run: string): Promise<void> {
  const env = { ...process.env, BATON_HOME: path.join(base, 'state') };
  const child = spawn(process.execPath, [(await sharedBundle()).main, 'resume', run], {
    cwd: root,
    env,
    stdio: 'ignore',
  });
  await once(child, 'exit');
}

test('ten runs at the same time, two of them in other processes, over a dirty checkout: ten branches with their own change each, and nothing disturbed', async () => {
  const ground = await locationOf(grounds.repository(SMALL));
  ground.write('greeting.txt', 'dirty\n');
  ground.write('staged.txt', 'staged\n');
  ground.git('add', 'staged.txt');
  ground.write('untracked.txt', 'mine\n');
  const before = personal(ground);
  const roles = changing(WHO, { runs: RUNS });
  const parsed = parseScript(deliverScript(roles), { file: 'script.yaml', readFile: () => '' });
  const script = parsed.ok ? serialiseScript(parsed.script) : '';
  const lab = await grounds.open(ground, roles);
  const runs = await Promise.all(
    TASKS.map(async (task, n) => {
      const drive = await lab.start('deliver', { ...SINGLE, task }, { script });
      await playTo(lab, drive, { conventions: [['skip']] }, 'spec');
      await lab.answer(await openGate(lab, drive.run), 'proceed');
      if (n < 2) {
        await drive.close();
        await elsewhere(ground, drive.run);
      }
      const again = n < 2 ? await lab.api.open({ run: drive.run, attended: false }) : drive;
      if ('rejection' in again) throw new Error(JSON.stringify(again));
      const rest = await playTo(lab, again, { commit: [['code_only']] });
      expect(rest).toMatchObject({ status: 'ended', outcome: 'passed' });
      return drive.run;
    }),
  );
  for (const [n, task] of TASKS.entries()) {
    const branch = branchOf(task);
    expect(changedIn(ground, branch)).toEqual(['A who.txt']);
    expect(ground.git('show', `${branch}:who.txt`)).toBe(runs[n]);
    expect(ground.git('rev-parse', `${branch}^`)).toBe(ground.git('rev-parse', 'HEAD'));
  }
  expect(personal(ground)).toEqual(before);
  expect((await lab.api.doctor(true)).problems).toEqual([]);
  expect(ground.git('fsck', '--strict', '--no-dangling')).toBe('');
});
