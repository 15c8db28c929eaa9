import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Deps } from '../../src/runtime/deps.ts';
import { gateOf, type Lab } from '../support/lab.ts';
import {
  BRANCH,
  changedIn,
  changing,
  DOCS,
  deliver,
  type Ground,
  groundsOfTest,
  personal,
  SINGLE,
  SMALL,
  told,
  walk,
  YES,
} from './deliver-lab.ts';
import { type Answers, lines, playTo } from './quick-lab.ts';

const grounds = groundsOfTest();
const RULES = { 'CLAUDE.md': lines(50) };
const REPORTS = [
  ...['changes.md', 'evidence.json', 'evidence.md', 'qa_report.md', 'spec.md', 'verify_report.md'],
].map((file) => `${DOCS}/${file}`);

function choosing(option: string): Answers {
  return { spec: [['proceed']], commit: [[option]] };
}

/** Folder, index and history of the person's repository as they are compared. */
function looks({ git, root }: Ground) {
  return {
    head: git('rev-parse', 'HEAD'),
    branch: git('symbolic-ref', 'HEAD'),
    status: git('status', '--porcelain', '-uall').split('\n').filter(Boolean),
    index: git('ls-files', '--stage'),
    files: Object.keys(walk(root, (name) => name === '.git')).sort(),
  };
}

/** Documents are served from the record, whatever was removed. */
async function served(lab: Lab, run: string): Promise<string[]> {
  const shown = await lab.api.artefacts(run);
  if (!Array.isArray(shown)) throw new Error(JSON.stringify(shown));
  return shown.filter(({ text }) => text.length > 0).map(({ name }) => name);
}

describe('the commit question in a tree of the run', () => {
  test('WF-70 WF-73 code only: the change and the conventions on the branch, nothing else; every report is served from the store', async () => {
    const ground = grounds.repository({ ...SMALL, ...RULES });
    const before = personal(ground);
    const lab = await grounds.open(ground);
    const { run } = await deliver(lab, choosing('code_only'));
    expect(changedIn(ground, BRANCH)).toEqual([`A ${DOCS}/conventions.md`, 'M greeting.txt']);
    expect(personal(ground)).toEqual(before);
    expect(existsSync(path.join(ground.home, 'trees', run, 'tree', DOCS, 'spec.md'))).toBe(false);
    expect(await served(lab, run)).toEqual(
      expect.arrayContaining(['spec', 'verify_report', 'qa_report', 'evidence', 'conventions']),
    );
  });

  test('WF-70 commit all: the documents are in the commit too', async () => {
    const ground = grounds.repository({ ...SMALL, ...RULES });
    const before = personal(ground);
    const lab = await grounds.open(ground);
    await deliver(lab, choosing('commit_all'));
    const documents = [...REPORTS, `${DOCS}/conventions.md`].map((file) => `A ${file}`);
    expect(changedIn(ground, BRANCH)).toEqual([...documents, 'M greeting.txt'].sort(byPath));
    expect(personal(ground)).toEqual(before);
  });

  test('WF-70 WF-92 no commit: no branch, no commit; the patch on the base gives the tree of the run', async () => {
    const ground = grounds.repository({ ...SMALL, ...RULES });
    const before = personal(ground);
    const lab = await grounds.open(ground);
    const { run } = await deliver(lab, choosing('no_commit'));
    expect(ground.git('branch', '--list', 'baton/*')).toBe('');
    expect(personal(ground)).toEqual(before);
    const shown = await lab.api.artefacts(run);
    const patch = Array.isArray(shown) ? shown.find(({ name }) => name === 'patch') : undefined;
    const other = path.join(ground.base, 'other');
    ground.git('clone', '-q', ground.root, other);
    writeFileSync(path.join(other, 'the.patch'), patch?.text ?? '');
    ground.at(other).git('apply', 'the.patch');
    expect(readFileSync(path.join(other, 'greeting.txt'), 'utf8')).toBe('HELLO\n');
  });
});

const byPath = (a: string, b: string) => (a.slice(2) < b.slice(2) ? -1 : 1);

test('WF-70 without git: the documents are told and stay, the folder has the change, and no repository appears', async () => {
  const ground = grounds.plain({ ...SMALL, ...RULES });
  const lab = await grounds.open(ground);
  const { run } = await deliver(lab, choosing('code_only'));
  expect(told(lab, 'deliver.notice.no_git')).toEqual([{ level: 'info', path: `${DOCS}/` }]);
  const files = Object.keys(walk(ground.root, () => false)).sort();
  expect(files).toEqual([...Object.keys(SMALL), 'CLAUDE.md', `${DOCS}/conventions.md`, ...REPORTS].sort());
  expect(await served(lab, run)).toContain('evidence');
});

describe('in place', () => {
  test('WF-71 WF INV-11 a refusing hook leaves every file and the question; an ignored document is one warning; nothing goes before its commit is there', async () => {
    const ground = grounds.repository({ ...SMALL, ...RULES, '.gitignore': 'docs/\n' });
    ground.write('mine.txt', 'not of this run\n');
    ground.write('.git/hooks/pre-commit', '#!/bin/sh\necho not on Fridays >&2\nexit 1\n', 0o755);
    const removals: string[] = [];
    const watch = (deps: Deps): Deps => ({
      ...deps,
      treeOf: (run) => watched(deps.treeOf(run), ground, removals),
    });
    const lab = await grounds.open(ground, changing(), { wrap: watch });
    const drive = await lab.start('deliver', SINGLE, { in_place: true });
    const asked = gateOf(await playTo(lab, drive, choosing(''), 'commit'));
    const before = { ...looks(ground), docs: walk(ground.path('docs'), () => false) };
    await lab.answer(asked, 'code_only');
    const again = gateOf(await drive.advance());
    expect(again).toMatchObject({ name: 'commit', status: 'open' });
    expect(JSON.stringify(again.brief.banners)).toContain('not on Fridays');
    expect({ ...looks(ground), docs: walk(ground.path('docs'), () => false) }).toEqual(before);
    expect(removals).toEqual([]);
    rmSync(ground.path('.git/hooks/pre-commit'));
    await lab.answer(again, 'code_only');
    expect(await drive.advance()).toMatchObject({ status: 'ended', outcome: 'passed' });
    expect(told(lab, 'deliver.notice.not_staged')).toMatchObject([
      { level: 'warning', path: `${DOCS}/conventions.md` },
    ]);
    expect(changedIn(ground, 'HEAD')).toEqual(['M greeting.txt']);
    expect(looks(ground).status).toEqual(['?? mine.txt']);
    expect(removals).toEqual([`clean_up after ${ground.git('rev-parse', 'HEAD')}`]);
    expect(ground.git('rev-parse', 'HEAD^')).toBe(before.head);
  });

  test('WF INV-10 a run writes into its folder and through git alone: beside it and in the git directory nothing else moves', async () => {
    const ground = grounds.repository({ ...SMALL, ...RULES });
    mkdirSync(path.join(ground.base, 'beside'));
    writeFileSync(path.join(ground.base, 'beside', 'theirs.txt'), 'theirs\n');
    ground.write('mine.txt', 'mine\n');
    ground.write('staged.txt', 'staged\n');
    ground.git('add', 'staged.txt');
    const skip = (name: string) => /^home(\/|$)|^project\/\.git\/objects(\/|$)/.test(name);
    const before = walk(ground.base, skip);
    const lab = await grounds.open(ground);
    await deliver(lab, choosing('commit_all'), SINGLE, { in_place: true });
    const after = walk(ground.base, skip);
    const names = new Set([...Object.keys(before), ...Object.keys(after)]);
    const moved = [...names].filter((name) => before[name] !== after[name]).sort();
    const documents = [...REPORTS, `${DOCS}/conventions.md`].map((file) => `project/${file}`);
    const git = ['COMMIT_EDITMSG', 'index', 'logs/HEAD', 'refs/heads/main', 'logs/refs/heads/main'];
    expect(moved.filter((name) => !/\.git\/(logs\/)?refs\/(baton|heads\/baton)/.test(name))).toEqual(
      [...documents, 'project/greeting.txt', ...git.map((file) => `project/.git/${file}`)].sort(),
    );
    expect(ground.git('status', '--porcelain')).toBe('A  staged.txt\n?? mine.txt');
    expect(ground.git('fsck', '--strict', '--no-dangling')).toBe('');
  });
});

/** Notes each removal together with the commit that is there at that moment. */
function watched(tree: ReturnType<Deps['treeOf']>, { git }: Ground, removals: string[]) {
  const perform: typeof tree.perform = (op, keep) => {
    if (op.op === 'clean_up') removals.push(`clean_up after ${git('rev-parse', 'HEAD')}`);
    return tree.perform(op, keep);
  };
  return { ...tree, perform };
}

/** What a hook does to a commit, and the files it is told for. */
const REWRITES: readonly (readonly [string, string, string])[] = [
  ['formats the files', 'echo Hello > greeting.txt; git add greeting.txt', 'greeting.txt'],
  ['adds a file it made', 'date +%N > made.txt; git add made.txt', 'made.txt'],
  [
    'adds a file it made where no change of ours goes',
    'mkdir -p memory; date +%N > memory/made.txt; git add memory/made.txt',
    'memory/made.txt',
  ],
  [
    'changes only what is staged',
    'id=$(echo Hello | git hash-object -w --stdin); git update-index --cacheinfo 100644,$id,greeting.txt',
    'greeting.txt',
  ],
];

describe.each([
  ['a clone', {}, BRANCH],
  ['place', { in_place: true }, 'HEAD'],
])('in %s', (_where, options, commit) => {
  test.each(REWRITES)(
    'a hook that %s: the person is told, sees what is there now, and may take it, as not judged',
    async (_does, command, file) => {
      const ground = grounds.repository(SMALL);
      ground.write('.git/hooks/pre-commit', `#!/bin/sh\n${command}\n`, 0o755);
      const lab = await grounds.open(ground);
      const drive = await lab.start('deliver', SINGLE, options);
      const first = gateOf(await playTo(lab, drive, YES, 'commit'));
      await lab.answer(first, 'code_only');
      const again = gateOf(await drive.advance());
      expect(again.name).toBe('commit');
      expect(again.digest).not.toBe(first.digest);
      expect(again.brief.banners).toContainEqual({ msg: 'deliver.commit.rewritten', args: { files: file } });
      expect(again.brief.banners).toContainEqual({ msg: 'deliver.notice.altered' });
      await lab.answer(again, 'code_only');
      expect(await drive.advance()).toMatchObject({ status: 'ended', outcome: 'altered' });
      const made = file.endsWith('made.txt');
      expect(changedIn(ground, commit)).toEqual(['M greeting.txt', ...(made ? [`A ${file}`] : [])]);
      if (!made) expect(ground.git('show', `${commit}:greeting.txt`)).toBe('Hello');
    },
  );

  test('a hook that formats documents changes nothing that was judged', async () => {
    const ground = grounds.repository(SMALL);
    const format = 'for f in docs/baton/*/*.md; do echo formatted > "$f"; git add "$f"; done';
    ground.write('.git/hooks/pre-commit', `#!/bin/sh\n${format}\n`, 0o755);
    const lab = await grounds.open(ground);
    const all = { ...YES, commit: [['commit_all']] } as const;
    expect(await deliver(lab, all, SINGLE, options)).toMatchObject({ status: 'ended', outcome: 'passed' });
    expect(ground.git('show', `${commit}:${DOCS}/evidence.md`)).toBe('formatted');
  });
});
