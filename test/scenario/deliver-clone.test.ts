import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { BAD_EDITS, deliverScript, HAPPY, NPM_PROJECT, writes } from '../support/deliver-script.ts';
import type { Lab } from '../support/lab.ts';
import { labsOfTest, playTo } from './quick-lab.ts';

const labs = labsOfTest();
const TASK = 'Add an add function to the sums';
const INPUT = { task: TASK, mode: 'single', model_config: 'balanced' };
const BRANCH = 'baton/deliver-add-an-add-function-to-the-sums';

function git(lab: Lab, ...args: string[]): string {
  return execFileSync('git', args, { cwd: lab.root, encoding: 'utf8' }).trim();
}

test('a task becomes a commit on a branch whose checks passed, and the checkout is as it was', async () => {
  const lab = await labs.open({
    git: true,
    files: NPM_PROJECT,
    script: deliverScript({ ...HAPPY, generator_single: [writes(BAD_EDITS), writes()] }),
  });
  writeFileSync(path.join(lab.root, 'src/sums.js'), '// mine, not committed\n');
  writeFileSync(path.join(lab.root, 'notes.txt'), 'untracked\n');
  const before = git(lab, 'status', '--porcelain', '-b');
  const drive = await lab.start('deliver', INPUT);
  const rest = await playTo(lab, drive, {
    conventions: [['skip']],
    spec: [['proceed']],
    commit: [['code_only']],
  });
  expect(rest).toMatchObject({ status: 'ended', outcome: 'passed' });
  expect(git(lab, 'show', '--stat', '--format=%s', BRANCH).split('\n')).toMatchInlineSnapshot(`
    [
      "deliver: Add an add function to the sums",
      "",
      " src/sums.js      | 1 +",
      " test/add.test.js | 4 ++++",
      " 2 files changed, 5 insertions(+)",
    ]
  `);
  expect(git(lab, 'status', '--porcelain', '-b')).toBe(before);
  expect(readFileSync(path.join(lab.root, 'src/sums.js'), 'utf8')).toBe('// mine, not committed\n');
  expect(lab.progress.flatMap((p) => (p.type === 'notice' ? [p.text.msg] : []))).toMatchInlineSnapshot(`
    [
      "deliver.notice.setup",
      "deliver.notice.base",
      "deliver.notice.baseline_clean",
      "conventions.from.skipped",
      "deliver.phase.planning",
      "deliver.notice.worker",
      "deliver.notice.spec",
      "deliver.phase.plan_done",
      "deliver.notice.approved",
      "deliver.phase.generating",
      "deliver.notice.worker",
      "deliver.notice.changes_lines",
      "deliver.phase.generate_done",
      "deliver.phase.verifying",
      "deliver.notice.again",
      "deliver.notice.layer1_fail",
      "deliver.phase.verify_done",
      "deliver.notice.repair_begins",
      "deliver.phase.generating",
      "deliver.notice.worker",
      "deliver.notice.changes_lines",
      "deliver.phase.generate_done",
      "deliver.phase.verifying",
      "deliver.notice.layer1_pass",
      "deliver.phase.verify_done",
      "deliver.phase.evaluating",
      "deliver.notice.worker_done",
      "deliver.notice.verdict",
      "deliver.phase.evaluate_done",
      "deliver.notice.closed",
      "deliver.phase.completed",
      "deliver.notice.committed",
      "deliver.notice.published",
    ]
  `);
});
