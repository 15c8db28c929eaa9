import {
  appendFileSync,
  mkdirSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isRejection } from '../../src/engine/rejection.ts';
import { gateOf, type Lab } from '../support/lab.ts';
import {
  APPROVED,
  labsOfTest,
  lines,
  playTo,
  QUICK,
  reopen,
  rolesCalled,
  SHORT,
  stateOf,
} from './quick-lab.ts';

const labs = labsOfTest();
const SKIP = { questions: [['skip']], conventions: [['skip']] } as const;
const GUIDE = 'guides/guide.md';

describe('SP-20 where conventions come from', () => {
  const sizes = [
    ['no CLAUDE.md', null, false],
    ['0 lines', '', false],
    ['49 lines', lines(49), false],
    ['50 lines', lines(50), true],
    ['5000 lines', lines(5000), true],
    ['5001 lines', lines(5001), false],
    ['200 KB + 1', `${'x\n'.repeat(60)}${'x'.repeat(204_801 - 120)}`, false],
  ] as const;

  test.each([true, false])(
    'SP-20 every size of CLAUDE.md, with and without a reference, git %s',
    async (git) => {
      const lab = await labs.open({ git, script: SHORT, files: { 'guide.md': 'One rule.\n' } });
      for (const reference of [null, 'guide.md']) {
        for (const [name, text, fits] of sizes) {
          const file = path.join(lab.root, 'CLAUDE.md');
          if (text === null) rmSync(file, { force: true });
          else writeFileSync(file, text);
          const drive = await lab.start('spec', { ...QUICK, task: `Case ${name} ${reference}`, reference });
          const gate = gateOf(await drive.advance());
          const { conventions, phase } = await stateOf(lab, drive.run);
          const found =
            conventions && conventions !== 'skipped'
              ? await lab.deps.artefacts.get(conventions.artefact)
              : conventions;
          const asked = git && reference === null && !fits;
          const expected = reference ? 'One rule.\n' : asked ? null : git ? text : 'skipped';
          expect({ name, reference, gate: gate.name, found }).toEqual({
            name,
            reference,
            gate: asked ? 'conventions' : 'questions',
            found: expected,
          });
          expect(phase).toBe(asked ? 'convention_scan_active' : 'qa_active');
          await drive.close();
        }
      }
    },
  );
});

describe('SP-18 a reference changed between halt and resume halts the convention step', () => {
  const at = (lab: Lab, name: string) => path.join(lab.root, name);
  const tamperings: [string, string, (lab: Lab) => void][] = [
    ['vanished', 'missing', (lab) => rmSync(at(lab, GUIDE))],
    ['swapped', 'replaced', (lab) => writeFileSync(at(lab, GUIDE), 'Another rule.\n')],
    ['grown', 'too_large', (lab) => appendFileSync(at(lab, GUIDE), lines(5001))],
    [
      'linked',
      'link',
      (lab) => {
        renameSync(at(lab, GUIDE), at(lab, 'guides/real.md'));
        symlinkSync('real.md', at(lab, GUIDE));
      },
    ],
    [
      'behind a link',
      'linked_parent',
      (lab) => {
        renameSync(at(lab, 'guides'), at(lab, 'real'));
        symlinkSync('real', at(lab, 'guides'));
      },
    ],
  ];

  test.each(tamperings)('SP-18 %s', async (_, rule, tamper) => {
    const lab = await labs.open({ script: SHORT, files: { [GUIDE]: 'One rule.\n' } });
    const drive = await lab.start('spec', { ...QUICK, reference: GUIDE });
    await lab.api.stop({ run: drive.run });
    expect((await drive.advance()).status).toBe('halted');
    tamper(lab);
    for (let again = 0; again < 2; again++) {
      await lab.api.command({ run: drive.run, command: 'resume' });
      const rest = await drive.advance();
      expect(rest).toMatchObject({ status: 'halted', phase: 'convention_scan_active' });
      expect(rest.wait?.why).toMatchObject({ msg: `spec.reference.${rule}`, args: { path: GUIDE } });
    }
    expect((await stateOf(lab, drive.run)).conventions).toBeNull();
    expect(rolesCalled(lab)).toEqual([]);
  });

  test('the file as it was lets the halted run go on', async () => {
    const lab = await labs.open({ script: SHORT, files: { [GUIDE]: 'One rule.\n' } });
    const drive = await lab.start('spec', { ...QUICK, reference: GUIDE });
    rmSync(at(lab, GUIDE));
    expect((await drive.advance()).status).toBe('halted');
    writeFileSync(at(lab, GUIDE), 'One rule.\n');
    await lab.api.command({ run: drive.run, command: 'resume' });
    expect((await drive.advance()).gate?.name).toBe('questions');
  });
});

describe('what is stored', () => {
  test.each([
    '../../outside.md',
    '/etc/hostname',
    'docs/baton/other/conventions.md',
    { artefact: 'docs/guide.md' },
    { artefact: `sha256:${'0'.repeat(64)}`, path: '/etc/hostname' },
  ])(
    'SP-19 conventions edited by hand to %j are refused with the literal value and no file is opened',
    async (value) => {
      const opened: string[] = [];
      const lab = await labs.open({
        script: SHORT,
        wrap: (deps) => ({
          ...deps,
          artefacts: {
            ...deps.artefacts,
            get: (hash) => {
              opened.push(hash);
              return deps.artefacts.get(hash);
            },
          },
          treeOf: (run) => {
            const tree = deps.treeOf(run);
            const query: typeof tree.query = (what, keep) => {
              opened.push(what.what);
              return tree.query(what, keep);
            };
            return { ...tree, query };
          },
        }),
      });
      const drive = await lab.start('spec', QUICK);
      const gate = gateOf(await drive.advance());
      await drive.close();
      const db = new DatabaseSync(path.join(lab.home, 'baton.db'));
      db.prepare("update runs set state = json_set(state, '$.conventions', json(?)) where id = ?").run(
        JSON.stringify(value),
        drive.run,
      );
      db.close();
      opened.length = 0;
      for (const refused of [
        await lab.api.open({ run: drive.run, attended: false }),
        await lab.api.view(drive.run),
        await lab.answerRefused(gate, 'skip'),
        await lab.api.artefacts(drive.run),
      ]) {
        expect(refused).toMatchObject({ rejection: 'state_corrupt' });
        if (!isRejection(refused)) throw new Error('was not refused');
        const t = await lab.api.translator('en');
        expect(t(refused.message)).toContain(JSON.stringify(value));
      }
      expect(opened).toEqual([]);
    },
  );

  test('SP-17 no row or event ever holds an absolute path, whatever failed on the way', async () => {
    const plain = await labs.open({
      script: SHORT,
      files: { [GUIDE]: 'One rule.\n', 'CONTRIBUTING.md': lines(60), 'policy.md': lines(70) },
    });
    for (const input of [
      { ...QUICK, reference: GUIDE },
      { ...QUICK, task: 'Another one' },
    ]) {
      const drive = await plain.start('spec', input);
      await playTo(plain, drive, { ...SKIP, candidates: [['first']], ...APPROVED });
    }
    const blocked = await plain.start('spec', { ...QUICK, task: 'Blocked' });
    await playTo(plain, blocked, { ...SKIP, candidates: [['skip']] }, 'approval');
    writeFileSync(path.join(plain.root, 'docs/baton/blocked'), 'a file in the way\n');
    expect(await playTo(plain, blocked, { approval: [['approve']] })).toMatchObject({ status: 'halted' });

    const git = await labs.open({ git: true, script: SHORT });
    const lost = await git.start('spec', QUICK);
    const gate = gateOf(await playTo(git, lost, SKIP, 'approval'));
    renameSync(path.join(git.root, '.git'), path.join(git.root, 'git-elsewhere'));
    await git.answer(gate, 'approve');
    expect(await lost.advance()).toMatchObject({ status: 'halted', phase: 'spec_ready' });
    renameSync(path.join(git.root, 'git-elsewhere'), path.join(git.root, '.git'));
    await git.api.command({ run: lost.run, command: 'resume' });
    expect(await (await reopen(git, lost.run)).advance()).toMatchObject({ phase: 'completed' });

    for (const lab of [plain, git]) {
      const reference = (await lab.api.list(true)).length;
      expect(reference).toBeGreaterThan(0);
      expect(absolutePaths(lab)).toEqual([]);
    }
    expect((await stateOf(plain, (await firstRun(plain)) ?? '')).cli_flags).toEqual({
      reference: GUIDE,
      reference_hash: plain.deps.hash('One rule.\n'),
    });
  });

  test.each([
    ['missing', 'none.md', 'spec.reference.missing'],
    ['a folder', 'guides', 'spec.reference.extension'],
    ['outside', '../guide.md', 'spec.reference.path'],
  ])(
    'SP-64 a reference that is %s is refused at the start, nothing is created and nothing else is looked for',
    async (_, reference, msg) => {
      const lab = await labs.open({ git: true, files: { [GUIDE]: 'x\n', 'CLAUDE.md': lines(60) } });
      expect(await lab.refused('spec', { ...QUICK, reference })).toMatchObject({
        rejection: 'reference_refused',
        message: { msg },
      });
      expect(await lab.api.list(true)).toEqual([]);
    },
  );

  test.each([
    ['one line', 'guide.md', 'one line'],
    ['a name in capitals', 'GUIDE.MD', 'text\n'],
  ])('SP-64 %s is enough: the run’s conventions are its text', async (_, reference, text) => {
    const lab = await labs.open({ script: SHORT, files: { [reference]: text } });
    const drive = await lab.start('spec', { ...QUICK, reference });
    expect((await drive.advance()).gate?.name).toBe('questions');
    const { conventions } = await stateOf(lab, drive.run);
    if (!conventions || conventions === 'skipped') throw new Error('no conventions');
    expect(await lab.deps.artefacts.get(conventions.artefact)).toBe(text);
  });
});

test('SP INV-14 whatever links and folders there are, an accepted reference or candidate lies in the tree with no link on the way', async () => {
  const base = await labs.open();
  const outside = path.join(base.root, '..', 'outside');
  const names = ['CONTRIBUTING.md', 'policy.md', 'docs/conventions.md', 'docs/style-guide.md', 'guide.md'];
  const target = fc.constantFrom('file', 'link in', 'link out', 'link to folder', 'none');
  const shape = fc.record({
    docs: fc.constantFrom('folder', 'link in', 'link out'),
    files: fc.tuple(target, target, target, target, target),
  });
  let accepted = 0;
  await fc.assert(
    fc.asyncProperty(shape, async ({ docs, files }) => {
      for (const name of ['docs', 'real', ...names])
        rmSync(path.join(base.root, name), { recursive: true, force: true });
      rmSync(outside, { recursive: true, force: true });
      for (const dir of [outside, path.join(base.root, 'real')]) {
        mkdirSync(dir);
        for (const name of names) writeFileSync(path.join(dir, path.basename(name)), lines(60));
      }
      const folder = path.join(base.root, 'docs');
      if (docs === 'folder') mkdirSync(folder);
      else symlinkSync(docs === 'link in' ? 'real' : outside, folder);
      for (const [n, kind] of files.entries()) lay(base.root, outside, names[n] ?? '', kind);
      const found = (await base.deps.workspace.query(
        { what: 'conventions', input: { reference: null, reference_hash: null } },
        async (text) => base.deps.hash(text),
      )) as { candidates: { path: string }[] };
      const references = [];
      for (const name of names)
        if ((await base.deps.workspace.checkReference(name)).ok) references.push(name);
      const root = realpathSync(base.root);
      for (const name of [...references, ...found.candidates.map((candidate) => candidate.path)]) {
        accepted++;
        expect(realpathSync(path.join(root, name))).toBe(path.join(root, name));
      }
    }),
    { numRuns: 40 },
  );
  expect(accepted).toBeGreaterThan(20);
});

function lay(root: string, outside: string, name: string, kind: string): void {
  const file = path.join(root, name);
  rmSync(file, { recursive: true, force: true });
  if (kind === 'file') writeFileSync(file, lines(60));
  if (kind === 'link in') symlinkSync(path.join(root, 'real', path.basename(name)), file);
  if (kind === 'link out') symlinkSync(path.join(outside, path.basename(name)), file);
  if (kind === 'link to folder') symlinkSync(path.join(root, 'real'), file);
}

async function firstRun(lab: Lab): Promise<string | undefined> {
  const runs = await lab.api.list(true);
  return runs.sort((a, b) => (a.created_at < b.created_at ? -1 : 1))[0]?.id;
}

/** Values in the stored rows and events that begin like an absolute path or name this machine's folders. */
function absolutePaths(lab: Lab): string[] {
  const db = new DatabaseSync(path.join(lab.home, 'baton.db'), { readOnly: true });
  const texts = [
    ...db.prepare('select state as text from runs').all(),
    ...db.prepare('select data as text from events').all(),
  ].map((row) => String(row.text));
  db.close();
  const base = path.dirname(lab.root);
  return texts.flatMap((text) =>
    [...text.matchAll(/"((?:[^"\\]|\\.)*)"/g)]
      .map(([, value = '']) => value)
      .filter((value) => /^(?:\/|[A-Za-z]:[\\/]|\\\\)/.test(value) || value.includes(base)),
  );
}
