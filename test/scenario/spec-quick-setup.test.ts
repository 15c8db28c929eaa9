import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { deliverWorkflow } from '../../src/workflows/deliver/workflow.ts';
import { gateOf, type Lab } from '../support/lab.ts';
import {
  APPROVED,
  ask,
  DOCS,
  draft,
  labsOfTest,
  playTo,
  QUICK,
  rolesCalled,
  SHORT,
  SLUG,
  script,
  stateOf,
  TASK,
} from './quick-lab.ts';

const labs = labsOfTest();
const SKIP = { questions: [['skip']], conventions: [['skip']] } as const;
const APPROVE = { ...SKIP, ...APPROVED };

describe('routing', () => {
  const CHANGE = ['continue', 'deliver', 'stop'];

  test.each([
    ['Fix the crash in the upload dialog', CHANGE, 'deliver is made for that'],
    ['Implement the approved spec in docs/baton/x/spec.md', CHANGE, 'deliver is made for that'],
    ['Explain how the cache works', ['continue', 'stop'], 'No workflow of Baton explains code'],
  ])(
    'SP-66 "%s" is offered %j with the reason; switching gives one run, of the chosen workflow',
    async (task, options, why) => {
      const lab = await labs.open({
        git: true,
        wrap: (deps) => ({
          ...deps,
          workflow: async (name) => (name === 'deliver' ? deliverWorkflow : deps.workflow(name)),
        }),
      });
      const before = traces(lab);
      const drive = await lab.start('spec', { task, mode: 'quick' });
      const gate = gateOf(await drive.advance());
      const t = await lab.api.translator('en');
      expect([gate.name, Object.keys(gate.options)]).toEqual(['routing', options]);
      expect(gate.brief.why.map(t).join()).toContain(why);
      const chosen = options.includes('deliver') ? 'deliver' : 'stop';
      await lab.answer(gate, chosen);
      expect(await drive.advance()).toMatchObject({ status: 'ended', outcome: 'withdrawn' });
      expect(traces(lab)).toEqual(before);
      expect(await lab.row(drive.run)).toMatchObject({ subject: null });
      const left = await lab.api.list(false);
      if (chosen === 'stop') return expect(left).toEqual([]);
      expect(left).toMatchObject([{ workflow: 'deliver', parent: drive.run }]);
      const child = await lab.row(left[0]?.id ?? '');
      expect(child.state).toMatchObject({ task, phase: 'setup', user_lang: 'en' });
      expect(rolesCalled(lab)).toEqual([]);
    },
  );
});

describe('a slug that is taken', () => {
  test.each(['spec.md', 'qa_notes.md', 'critic_findings.md', 'conventions.md'])(
    'SP-09 an earlier %s opens the gate before any folder or branch exists, and Stop leaves no trace',
    async (name) => {
      const lab = await labs.open({ git: true, files: { [`${DOCS}/${name}`]: 'earlier\n' } });
      const before = traces(lab);
      const drive = await lab.start('spec', QUICK);
      const gate = gateOf(await drive.advance());
      expect(gate.name).toBe('slug_collision');
      expect(Object.keys(gate.options)).toEqual(['timestamp', 'overwrite', 'stop']);
      expect(traces(lab)).toEqual(before);
      expect((await lab.row(drive.run)).subject).toBeNull();
      await lab.answer(gate, 'stop');
      expect((await drive.advance()).outcome).toBe('withdrawn');
      expect(traces(lab)).toEqual(before);
      expect(await lab.deps.store.owner(`spec:${SLUG}`)).toBeUndefined();
      expect(await lab.row(drive.run)).toMatchObject({ status: 'ended', subject: null });
      expect(rolesCalled(lab)).toEqual([]);
    },
  );

  test('SP-09 an unrelated file in the folder opens no gate and is kept', async () => {
    const lab = await labs.open({ script: SHORT, files: { [`${DOCS}/todo.txt`]: 'mine\n' } });
    const drive = await lab.start('spec', QUICK);
    expect((await playTo(lab, drive, APPROVE)).outcome).toBe('approved');
    expect(readdirSync(path.join(lab.root, DOCS)).sort()).toEqual(['qa_notes.md', 'spec.md', 'todo.txt']);
    expect(readFileSync(path.join(lab.root, DOCS, 'todo.txt'), 'utf8')).toBe('mine\n');
  });

  test('SP-09 unattended, the timestamp is taken, no gate opens and the earlier document stays', async () => {
    const lab = await labs.open({ script: SHORT, files: { [`${DOCS}/spec.md`]: 'earlier\n' } });
    const drive = await lab.start('spec', QUICK, { unattended: true });
    const gate = gateOf(await drive.advance());
    expect(gate.name).toBe('questions');
    expect((await stateOf(lab, drive.run)).slug).toMatch(/^rename-photos-by-date-\d{14}$/);
    await playTo(lab, drive, APPROVE);
    expect(readFileSync(path.join(lab.root, DOCS, 'spec.md'), 'utf8')).toBe('earlier\n');
  });

  test('SP-63: Overwrite with a reference: conventions are those of the reference before and after handoff, the old file is not read', async () => {
    const files = {
      'guide.md': 'New rule.\n',
      [`${DOCS}/conventions.md`]: 'Old rule.\n',
      [`${DOCS}/spec.md`]: 'Old specification.\n',
    };
    const lab = await labs.open({ script: SHORT, files });
    const drive = await lab.start('spec', { ...QUICK, reference: 'guide.md' });
    await playTo(lab, drive, { slug_collision: [['overwrite']] }, 'questions');
    const { conventions } = await stateOf(lab, drive.run);
    if (!conventions || conventions === 'skipped') throw new Error('no conventions');
    expect(await lab.deps.artefacts.get(conventions.artefact)).toBe('New rule.\n');
    await playTo(lab, drive, APPROVE);
    expect(readFileSync(path.join(lab.root, DOCS, 'conventions.md'), 'utf8')).toBe('New rule.\n');
    expect(readFileSync(path.join(lab.root, DOCS, 'spec.md'), 'utf8')).not.toContain('Old');
  });
});

describe('places', () => {
  test('SP-11 with git the documents are one commit on the run’s branch and the checkout is untouched', async () => {
    const lab = await labs.open({ git: true, script: SHORT });
    const head = git(lab, 'rev-parse', 'HEAD');
    const drive = await lab.start('spec', QUICK);
    await playTo(lab, drive, APPROVE);
    const branch = `baton/spec-${SLUG}`;
    expect(await stateOf(lab, drive.run)).toMatchObject({ docs_path: `${DOCS}/`, branch, base: head });
    expect(git(lab, 'rev-list', '--count', `main..${branch}`)).toBe('1');
    expect(git(lab, 'ls-tree', '-r', '--name-only', branch, DOCS).split('\n')).toEqual([
      `${DOCS}/qa_notes.md`,
      `${DOCS}/spec.md`,
    ]);
    expect(git(lab, 'status', '--porcelain')).toBe('');
    expect(git(lab, 'rev-parse', 'HEAD')).toBe(head);
  });

  test('SP-11 without git there are files and no branch', async () => {
    const lab = await labs.open({ script: SHORT });
    const drive = await lab.start('spec', QUICK);
    await playTo(lab, drive, APPROVE);
    expect(await stateOf(lab, drive.run)).toMatchObject({ docs_path: `${DOCS}/`, branch: null });
    expect(existsSync(path.join(lab.root, DOCS, 'spec.md'))).toBe(true);
    expect(existsSync(path.join(lab.root, '.git'))).toBe(false);
  });

  test.each([
    ['absent', [], `baton/spec-${SLUG}`],
    ['without commits of its own', [['branch', `baton/spec-${SLUG}`]], `baton/spec-${SLUG}`],
    [
      'with commits',
      [
        ['checkout', '-q', '-b', `baton/spec-${SLUG}`],
        ['commit', '-q', '--allow-empty', '-m', 'mine'],
        ['checkout', '-q', 'main'],
      ],
      `baton/spec-${SLUG}-2`,
    ],
  ] as const)('SP-11 a branch that is %s is handled as WF-22 says', async (_, commands, branch) => {
    const lab = await labs.open({ git: true, script: SHORT });
    for (const args of commands) git(lab, ...args);
    const drive = await lab.start('spec', QUICK);
    await playTo(lab, drive, APPROVE);
    expect((await stateOf(lab, drive.run)).branch).toBe(branch);
    expect(git(lab, 'rev-list', '--count', `main..${branch}`)).toBe('1');
  });

  test('SP-12 the mode of the flag and of the gate are stored alike, and a wrong one is refused before anything exists', async () => {
    const lab = await labs.open({ git: true });
    const before = traces(lab);
    const kept = readdirSync(lab.home, { recursive: true }).filter((name) =>
      String(name).includes('artefacts'),
    );
    for (const input of [
      { task: TASK, mode: 'fast' },
      { ...QUICK, reference: 'none.md' },
    ]) {
      await lab.refused('spec', input, { script: SHORT });
      expect(await lab.api.list(true)).toEqual([]);
      expect(traces(lab)).toEqual(before);
    }
    expect(
      readdirSync(lab.home, { recursive: true }).filter((name) => String(name).includes('artefacts')),
    ).toEqual(kept);
    const flagged = await lab.start('spec', QUICK);
    const asked = await lab.start('spec', { task: 'Another idea' });
    const gate = gateOf(await asked.advance());
    expect(gate.name).toBe('mode');
    expect(traces(lab)).toEqual(before);
    await lab.answer(gate, 'quick');
    for (const { run } of [flagged, asked]) {
      expect(await stateOf(lab, run)).toMatchObject({ mode: 'quick', model_config: null });
    }
  });
});

describe('a live run of the same subject', () => {
  /** Where the first run rests when the second is started, and how it gets there. */
  const phases: readonly (readonly [string, string, (lab: Lab) => Promise<string>])[] = [
    ['convention_scan_active', 'git', (lab) => waitAt(lab, 'conventions')],
    ['qa_active', 'plain', (lab) => waitAt(lab, 'questions')],
    ['gen_ready', 'failing', (lab) => waitAt(lab, null)],
    ['spec_ready', 'plain', (lab) => waitAt(lab, 'approval')],
  ];

  async function waitAt(lab: Lab, gate: string | null): Promise<string> {
    const drive = await lab.start('spec', QUICK);
    await playTo(lab, drive, gate === 'conventions' ? {} : SKIP, gate);
    await drive.close();
    return drive.run;
  }

  function labOf(kind: string): Promise<Lab> {
    const silent = { silence: true, attempts: [{ silence: true }, { silence: true }] };
    const failing = script({ interviewer: [ask('Which formats?')], writer: [silent, draft(['q1'])] });
    return labs.open({ git: kind === 'git', script: kind === 'failing' ? failing : SHORT });
  }

  test.each(phases)(
    'SP-62 in %s: the gate says what Resume will do and nothing happens before the answer',
    async (phase, kind, rest) => {
      const lab = await labOf(kind);
      const first = await rest(lab);
      const row = await lab.row(first);
      const before = traces(lab);
      const second = await lab.start('spec', QUICK);
      const gate = gateOf(await second.advance());
      expect(gate.name).toBe('session');
      expect(Object.keys(gate.options)).toEqual(['resume', 'restart', 'stop', 'view']);
      expect(gate.options.resume?.description).toMatchObject({ args: { phase } });
      expect(await lab.row(first)).toEqual(row);
      expect(traces(lab)).toEqual(before);
      expect((await lab.row(second.run)).subject).toBeNull();
    },
  );

  test('SP-62 four answers, four end states, and the log of an archived run stays readable', async () => {
    for (const option of ['resume', 'view', 'stop', 'restart']) {
      const lab = await labOf('plain');
      const first = await waitAt(lab, 'questions');
      const untouched = await lab.row(first);
      const second = await lab.start('spec', QUICK);
      await lab.answer(gateOf(await second.advance()), option);
      const rest = await second.advance();
      const old = await lab.row(first);
      if (option === 'resume' || option === 'view') {
        expect(rest).toMatchObject({ status: 'ended', outcome: 'withdrawn', successor: first });
        expect(old).toEqual(untouched);
      } else {
        expect(old).toMatchObject({ status: 'ended', step: { outcome: { result: 'abandoned' } } });
        expect((await lab.deps.store.events(first, 0, 100)).at(-1)?.type).toBe('run_ended');
      }
      if (option === 'stop') expect(rest).toMatchObject({ status: 'ended', outcome: 'withdrawn' });
      if (option === 'restart') {
        expect(rest.gate?.name).toBe('questions');
        expect(await lab.deps.store.owner(`spec:${SLUG}`)).toBe(second.run);
      }
      expect((await lab.api.doctor(true)).problems).toEqual([]);
    }
  });
});

function git(lab: Lab, ...args: readonly string[]): string {
  return execFileSync('git', args, { cwd: lab.root, encoding: 'utf8' }).trim();
}

/** Everything a run could leave behind: files with their texts, refs, and what git sees as changed. */
function traces(lab: Lab): Record<string, string> {
  const found: Record<string, string> = {};
  for (const entry of readdirSync(lab.root, { recursive: true, withFileTypes: true })) {
    const file = path.join(entry.parentPath, entry.name);
    if (file.includes(`${path.sep}.git`)) continue;
    found[path.relative(lab.root, file)] = entry.isFile() ? readFileSync(file, 'utf8') : 'folder';
  }
  if (!existsSync(path.join(lab.root, '.git'))) return found;
  return { ...found, refs: git(lab, 'for-each-ref'), status: git(lab, 'status', '--porcelain') };
}
