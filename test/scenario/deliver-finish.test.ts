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
  deliverState,
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

  test('WF-70 no commit: no branch, no commit; the patch on the base gives the tree of the run', async () => {
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

test('a formatter in a hook: the person sees what it made of the change and may take that, as not judged', async () => {
  const ground = grounds.repository(SMALL);
  ground.write(
    '.git/hooks/pre-commit',
    '#!/bin/sh\necho Hello > greeting.txt\ngit add greeting.txt\n',
    0o755,
  );
  const lab = await grounds.open(ground);
  const drive = await lab.start('deliver', SINGLE);
  const first = gateOf(await playTo(lab, drive, YES, 'commit'));
  await lab.answer(first, 'code_only');
  const refused = gateOf(await drive.advance());
  expect(refused.name).toBe('commit');
  expect(JSON.stringify(refused.brief.banners)).toContain('deliver.commit.rewritten');
  expect(refused.digest).not.toBe(first.digest);
  await lab.answer(refused, 'code_only');
  const shown = gateOf(await drive.advance());
  expect(JSON.stringify(shown.brief.banners)).toContain('deliver.notice.altered');
  const { changes } = await deliverState(lab, drive.run);
  expect(await lab.deps.artefacts.get(changes?.diff as never)).toContain('+Hello');
  await lab.answer(shown, 'code_only');
  expect(await drive.advance()).toMatchObject({ status: 'ended', outcome: 'altered' });
  expect(ground.git('show', `${BRANCH}:greeting.txt`)).toBe('Hello');
});
