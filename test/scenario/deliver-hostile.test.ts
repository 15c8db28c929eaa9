import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { Evaluation } from '../../src/contract/deliver-work.ts';
import type { Entry } from '../support/deliver-script.ts';
import { gateOf, type Lab } from '../support/lab.ts';
import {
  BRANCH,
  changedIn,
  changing,
  deliver,
  deliverState,
  GREETING,
  type Ground,
  groundsOfTest,
  personal,
  SINGLE,
  SMALL,
  told,
  walk,
  YES,
} from './deliver-lab.ts';
import { playTo } from './quick-lab.ts';

const grounds = groundsOfTest();

/** An author who does this first, and right when asked to repair it. */
function misbehaving(first: Entry, repair: Entry = {}) {
  const { generator_single: [good = {}] = [], ...others } = changing();
  return {
    ...others,
    generator_single: [
      { ...good, ...first },
      { ...good, ...repair },
    ],
  };
}

/** The run ended well, its commit has the greeting alone, and nothing of the person's was touched. */
async function endsWell(ground: Ground, lab: Lab, input: object = SINGLE) {
  const before = personal(ground);
  const rest = await deliver(lab, YES, input);
  expect(rest).toMatchObject({ status: 'ended', outcome: 'passed' });
  expect(changedIn(ground, BRANCH)).toEqual(['M greeting.txt']);
  expect(ground.git('rev-parse', `${BRANCH}^`)).toBe(ground.git('rev-parse', 'HEAD'));
  expect(personal(ground)).toEqual(before);
  return deliverState(lab, rest.run);
}

test('WF-46 an author who edits a file outside the scope and lies about it: layer 1 FAIL names the file', async () => {
  const ground = grounds.repository(SMALL);
  const first = { edits: [...GREETING, { path: 'secret.txt', content: 'mine\n' }] };
  const repair = { edits: [{ path: 'secret.txt', delete: true }] };
  const lab = await grounds.open(ground, misbehaving(first, repair));
  await endsWell(ground, lab, { ...SINGLE, scope: ['greeting.txt'] });
  expect(told(lab, 'deliver.notice.layer1_fail')).toEqual([
    { level: 'warning', error: 'scope: secret.txt (outside_scope)' },
  ]);
});

test('hooks, filters, fsmonitor and settings a worker puts into the git of its tree run nowhere and are told', async () => {
  const ground = grounds.repository(SMALL);
  const trace = path.join(ground.base, 'trace');
  const evil = path.join(ground.base, 'evil.sh');
  ground.write('../evil.sh', `#!/bin/sh\necho "$0 $*" >> '${trace}'\ncat\n`, 0o755);
  const runs = [
    'git checkout -q -b elsewhere',
    'git -c user.name=w -c user.email=w@example.org commit -q --allow-empty -m own',
    'mkdir -p .git/hooks',
    `for h in pre-commit post-checkout post-index-change reference-transaction commit-msg; do cp ${evil} .git/hooks/$h; done`,
    `mkdir ../hooks; cp ${evil} ../hooks/pre-commit; git config core.hooksPath "$PWD/../hooks"`,
    `git config core.fsmonitor ${evil}; git config filter.evil.clean ${evil}; git config filter.evil.smudge ${evil}`,
    `git config diff.external ${evil}; git config core.pager ${evil}; git config alias.status '!${evil}'`,
    'mkdir -p .git/info; echo "* filter=evil" > .git/info/attributes; echo greeting.txt > .git/info/exclude',
    'echo ../../nowhere > .git/objects/info/alternates',
  ].join('\n');
  const roles = changing(GREETING, { runs });
  // What the author set up must not run in the evaluator's hands either.
  const evaluator = (roles.evaluator ?? []).map((entry) => ({
    ...entry,
    runs: 'git status; git diff; git log',
  }));
  const lab = await grounds.open(ground, { ...roles, evaluator });
  const before = personal(ground);
  const drive = await lab.start('deliver', SINGLE);
  const asked = gateOf(await playTo(lab, drive, YES, 'commit'));
  await lab.answer(asked, 'code_only');
  expect(await drive.advance()).toMatchObject({ status: 'ended', outcome: 'passed' });
  expect(changedIn(ground, BRANCH)).toEqual(['M greeting.txt']);
  expect(personal(ground)).toEqual(before);
  expect(existsSync(trace)).toBe(false);
  const [notice] = told(lab, 'deliver.notice.git_touched');
  const { level: _, ...args } = notice ?? {};
  expect(asked.brief.banners).toContainEqual({ msg: 'deliver.notice.git_touched', args });
  expect(JSON.stringify(await lab.api.artefacts(drive.run))).toContain('of its own git directory: .git/HEAD');
  expect(notice).toMatchObject({ level: 'warning' });
  for (const file of ['HEAD', 'config', 'hooks/commit-msg', 'info/attributes'])
    expect(String(notice?.files)).toContain(`.git/${file}`);
});

test('links out of the tree, written through, and a repository inside it are named; what lies behind is neither followed nor removed', async () => {
  const ground = grounds.repository(SMALL);
  const outside = path.join(ground.base, 'outside');
  mkdirSync(outside);
  writeFileSync(path.join(outside, 'theirs.txt'), 'theirs\n');
  const runs = `ln -s '${outside}' way; echo new > way/new.txt; ln -s /etc/hostname host; git init -q inner`;
  const lab = await grounds.open(ground, misbehaving({ runs }, { runs: 'rm -rf way host inner' }));
  const state = await endsWell(ground, lab);
  expect(state.checks.verify.layer1_retries).toBe(1);
  const [failed] = await entries(lab, 'verify_report');
  expect(failed).toMatchObject({
    report: {
      result: 'FAIL',
      outside: [
        { path: 'host', code: 'leaves_repository' },
        { path: 'way', code: 'leaves_repository' },
        { path: 'inner/.git', code: 'protected' },
      ],
    },
  });
  expect(Object.keys(walk(outside, () => false)).sort()).toEqual(['new.txt', 'theirs.txt']);
});

test('a worker that removes its whole tree, git directory included, fails its checks, and a repair has git to undo it', async () => {
  const ground = grounds.repository(SMALL);
  const first = { edits: [], runs: 'at=$PWD; cd ..; rm -rf "$at"' };
  const repair = { edits: [], runs: 'git checkout -q HEAD -- . && echo HELLO > greeting.txt' };
  const lab = await grounds.open(ground, misbehaving(first, repair));
  const state = await endsWell(ground, lab);
  expect(told(lab, 'deliver.notice.changes_lines')).toMatchObject([{ n: 4 }, { n: 1 }]);
  expect(told(lab, 'deliver.notice.git_touched')).toMatchObject([
    { files: expect.stringMatching(/^\.git, /) },
  ]);
  expect(state.checks.verify.layer1_retries).toBe(1);
});

const STRANGE = ['tr ', ' lead', '-rf', ':(top)x', '*', `${'long/'.repeat(70)}name.txt`];

test('names git or a shell would read as something else are judged, cited and committed as they are', async () => {
  const ground = grounds.repository(SMALL);
  const runs = STRANGE.map((name) => `mkdir -p "./$(dirname "./${name}")" && echo x > "./${name}"`).join(
    '\n',
  );
  const paths = [...GREETING.map(({ path }) => ({ path })), ...STRANGE.map((path) => ({ path }))];
  const { evaluator: [judged = {}] = [] } = changing(paths);
  // Every criterion rests on a line of each of them.
  const result = judged.result as Evaluation;
  const evidence = STRANGE.map((file) => ({ file, line: 1 }));
  const criteria = result.criteria.map((row) => ({ ...row, evidence }));
  const lab = await grounds.open(ground, {
    ...changing(GREETING, { runs }),
    evaluator: [{ result: { ...result, criteria } }],
  });
  const rest = await deliver(lab);
  expect(rest).toMatchObject({ status: 'ended', outcome: 'passed' });
  const listed = ground.git('ls-tree', '-r', '-z', '--name-only', BRANCH).split('\0');
  expect(listed).toEqual(expect.arrayContaining(STRANGE));
});

test('a name with characters nobody sees lies outside: no worker could cite it', async () => {
  const ground = grounds.repository(SMALL);
  const lab = await grounds.open(
    ground,
    misbehaving({ runs: "echo x > 'a\u200bb'" }, { runs: "rm 'a\u200bb'" }),
  );
  await endsWell(ground, lab);
  expect(told(lab, 'deliver.notice.layer1_fail')).toMatchObject([
    { error: expect.stringContaining('control_character') },
  ]);
});

async function entries(lab: Lab, name: string): Promise<unknown[]> {
  const [run] = await lab.api.list(true);
  const stored = await lab.deps.store.records(run?.id ?? '', 'entry', name);
  return stored.map(({ record }) => (record.kind === 'entry' ? record.data : null));
}

/** What git ignores, or without git belongs to a tool; the check itself writes there too. */
const IGNORING = {
  ...SMALL,
  '.gitignore': 'node_modules\ndist\n',
  'check.sh':
    'mkdir -p dist; echo built > dist/app; sh node_modules/.bin/check || grep -qi hello greeting.txt\n',
  'node_modules/.bin/check': 'grep -qi hello greeting.txt\n',
};

/** A tool that lets everything through, with the time of the one it stands for. */
const FORGED =
  'mkdir -p node_modules/.bin && echo true > node_modules/.bin/check && touch -d 2001-01-01 node_modules/.bin/check';

test.each([
  ['a clone', 'repository', false],
  ['the person’s folder', 'repository', true],
  ['a folder without git', 'plain', true],
] as const)(
  '%s: what a worker writes where git does not look is told, and what a check writes there is not',
  async (_, kind, in_place) => {
    const ground = grounds[kind](IGNORING);
    // The first try lets the checks fail, so that they run between two authors.
    const roles = misbehaving({ edits: [], runs: 'rm greeting.txt' }, { runs: FORGED });
    const lab = await grounds.open(ground, roles);
    const drive = await lab.start('deliver', SINGLE, { in_place });
    const rest = await playTo(lab, drive, YES, 'commit');
    const args = { n: 1, files: 'node_modules/.bin/check' };
    const told = { msg: 'deliver.notice.ignored_written', args };
    if (kind === 'repository') expect(gateOf(rest).brief.banners).toContainEqual(told);
    expect((await deliverState(lab, drive.run)).attempt.changes?.ignored).toEqual([
      'node_modules/.bin/check',
    ]);
    expect(JSON.stringify(await lab.api.artefacts(drive.run))).toContain(
      'files that git ignores were written (1): node_modules/.bin/check.',
    );
  },
);

test('in a clone a reader that writes where git does not look is told as well', async () => {
  const ground = grounds.repository(IGNORING);
  const { planner_single: [plan = {}] = [], ...others } = changing();
  const lab = await grounds.open(ground, { ...others, planner_single: [{ ...plan, runs: FORGED }] });
  const state = await endsWell(ground, lab);
  expect(state.attempt.changes?.ignored).toEqual(['node_modules/.bin/check']);
});
