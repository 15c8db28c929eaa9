import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Changes } from '../../src/contract/deliver-report.ts';
import { changeNotes } from '../support/deliver-script.ts';
import { gateOf } from '../support/lab.ts';
import {
  changedIn,
  changing,
  deliverState,
  GREETING,
  type Ground,
  groundsOfTest,
  SINGLE,
  SMALL,
  YES,
} from './deliver-lab.ts';
import { playTo } from './quick-lab.ts';

const grounds = groundsOfTest();

/** A project whose check leaves a file behind every time it runs, and judges the greeting. */
const WRITING = { ...SMALL, 'check.sh': 'echo seen > "seen-$$.txt"; grep -qi hello greeting.txt\n' };

/** A person who goes on with their own work while the specification waits. */
function goOn(ground: Ground): void {
  ground.write('mine.txt', 'a thought\n');
  ground.write('README', 'my own edit\n');
  ground.write('notes/plan.txt', 'more\n');
}

function pathsOf(changes: Changes | null): string[] {
  return changes ? [...changes.modified, ...changes.created, ...changes.deleted] : [];
}

test.each([
  ['a repository', true],
  ['a plain folder', false],
])(
  'WF-46 %s, in place: what a person writes at a gate and what the baseline wrote is not the run’s',
  async (_, git) => {
    const ground = git ? grounds.repository(WRITING) : grounds.plain({ ...WRITING, README: 'photos\n' });
    const lab = await grounds.open(ground);
    const drive = await lab.start('deliver', SINGLE, { in_place: true });
    const rest = await playTo(lab, drive, YES, 'spec');
    goOn(ground);
    await lab.answer(gateOf(rest), 'proceed');
    const ended = await playTo(lab, drive, YES);
    expect(ended).toMatchObject({ status: 'ended', outcome: 'passed' });
    expect(pathsOf((await deliverState(lab, ended.run)).attempt.changes)).toEqual(['greeting.txt']);
    if (git) expect(changedIn(ground, 'HEAD')).toEqual(['M greeting.txt']);
    expect(readFileSync(ground.path('README'), 'utf8')).toBe('my own edit\n');
    expect(existsSync(ground.path('mine.txt'))).toBe(true);
  },
);

test.each([
  ['a repository', true],
  ['a plain folder', false],
])(
  'WF-46 %s, in place: a repair adds to what the attempt before it changed, and nothing the checks wrote',
  async (_, git) => {
    const ground = git ? grounds.repository(WRITING) : grounds.plain({ ...WRITING, README: 'photos\n' });
    const first = [
      { path: 'greeting.txt', content: 'nothing\n' },
      { path: 'more.txt', content: 'from the first\n' },
      { path: 'README', delete: true },
    ];
    const { generator_single: [good = {}] = [], ...others } = changing(GREETING);
    const paths = ['greeting.txt', 'README', 'more.txt'];
    const [evaluator] = changing(paths.map((path) => ({ path }))).evaluator ?? [];
    const generator_single = [{ edits: first, result: changeNotes({ files: [] }) }, good];
    const lab = await grounds.open(ground, { ...others, generator_single, evaluator: [evaluator ?? {}] });
    const drive = await lab.start('deliver', SINGLE, { in_place: true });
    const ended = await playTo(lab, drive, YES);
    expect(ended).toMatchObject({ status: 'ended', outcome: 'passed' });
    const {
      attempt: { changes },
      checks: { verify },
    } = await deliverState(lab, ended.run);
    expect(verify.layer1_retries).toBe(1);
    expect(changes).toMatchObject({ modified: ['greeting.txt'], created: ['more.txt'], deleted: ['README'] });
    if (git) expect(changedIn(ground, 'HEAD').sort()).toEqual(['A more.txt', 'D README', 'M greeting.txt']);
  },
);

test.each([
  ['a repository', true],
  ['a plain folder', false],
])('WF-46 %s, in place: what a person writes while a patch is offered is not the run’s', async (_, git) => {
  const ground = git ? grounds.repository(SMALL) : grounds.plain({ ...SMALL, README: 'photos\n' });
  const { generator_single: [good = {}] = [], ...others } = changing(GREETING);
  const wrong = { ...good, edits: [{ path: 'greeting.txt', content: 'nothing\n' }] };
  const fix = {
    confidence: 'High',
    diff: '--- a/greeting.txt\n+++ b/greeting.txt\n@@ -1 +1 @@\n-nothing\n+HELLO\n',
    rationale: 'The greeting is missing.',
    limitations: null,
  };
  const generator_single = [wrong, wrong, wrong, wrong];
  const lab = await grounds.open(ground, {
    ...others,
    generator_single,
    auto_fix_proposer: [{ result: fix }],
  });
  const drive = await lab.start('deliver', SINGLE, { in_place: true });
  const rest = await playTo(lab, drive, YES, 'verify');
  ground.write('mine.txt', 'a thought\n');
  await lab.answer(gateOf(rest), 'auto_fix');
  const offered = await playTo(lab, drive, YES, 'auto_fix');
  goOn(ground);
  await lab.answer(gateOf(offered), 'apply');
  const ended = await playTo(lab, drive, YES);
  expect(ended).toMatchObject({ status: 'ended', outcome: 'passed' });
  expect(pathsOf((await deliverState(lab, ended.run)).attempt.changes)).toEqual(['greeting.txt']);
  if (git) expect(changedIn(ground, 'HEAD')).toEqual(['M greeting.txt']);
  expect(readFileSync(ground.path('README'), 'utf8')).toBe('my own edit\n');
});

test('in place: a hook an author leaves in the person’s git directory is told before it could run at the commit', async () => {
  const ground = grounds.repository(SMALL);
  const runs = 'mkdir -p .git/hooks; echo "touch hooked" > .git/hooks/pre-commit; git config core.pager evil';
  const lab = await grounds.open(ground, changing(GREETING, { runs }));
  const drive = await lab.start('deliver', SINGLE, { in_place: true });
  const asked = gateOf(await playTo(lab, drive, YES, 'commit'));
  const args = { n: 2, files: '.git/config, .git/hooks/pre-commit' };
  expect(asked.brief.banners).toContainEqual({ msg: 'deliver.notice.your_git_touched', args });
  const texts = JSON.stringify(await lab.api.artefacts(drive.run));
  expect(texts).toContain('of your own git directory changed: .git/config, .git/hooks/pre-commit');
});
