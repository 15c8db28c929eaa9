import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import type { Gate } from '../../src/contract/gate.ts';
import type { Workspace } from '../../src/ports/workspace.ts';
import type { Deps } from '../../src/runtime/deps.ts';
import { gateOf, type Lab } from '../support/lab.ts';
import { diesOf, KilledError } from './kill-in-process.ts';
import { type Answers, DOCS, labsOfTest, playTo, QUICK, reopen, SHORT, SLUG, stateOf } from './quick-lab.ts';

const labs = labsOfTest();
const SKIP: Answers = { questions: [['skip']], conventions: [['skip']] };

describe('SP-05 a transition is there wholly or not at all', () => {
  const rows = [
    {
      name: 'question round closed',
      to: 'questions',
      answer: (lab: Lab, gate: Gate) => lab.answer(gate, 'answer', { fields: { q1: 'JPEG' } }),
      after: { qa_round: 2, phase: 'qa_active', round: null },
    },
    {
      name: 'question round skipped',
      to: 'questions',
      answer: (lab: Lab, gate: Gate) => lab.answer(gate, 'skip'),
      after: { qa_round: 1, phase: 'gen_ready', round: null, unconfirmed: ['q1'] },
    },
    {
      name: 'approval gate: Modify',
      to: 'approval',
      answer: (lab: Lab, gate: Gate) => lab.answer(gate, 'modify', { text: 'Add videos.' }),
      after: { critic: null, phase: 'gen_ready', requests: 1, spec: null },
    },
  ] as const;

  test.each(rows)(
    'SP-05 $name: a write that fails inside the transaction leaves every table as it was',
    async (row) => {
      const lab = await labs.open({ script: SHORT });
      const drive = await lab.start('spec', QUICK);
      const gate = gateOf(await playTo(lab, drive, SKIP, row.to));
      await drive.close();
      const before = dump(lab);
      for (const write of WRITES) {
        const repair = breakWrite(lab, write);
        await expect(row.answer(lab, gate), write).rejects.toThrow('torn');
        repair();
        expect(dump(lab), write).toEqual(before);
      }
      await row.answer(lab, gate);
      expect(await stateOf(lab, drive.run)).toMatchObject(row.after);
    },
  );
});

/** Every write such a transition consists of. */
const WRITES = ['update runs', 'insert events', 'insert records', 'update gates', 'insert answers'] as const;

/** Makes one kind of write fail from now on, as a full disk or a damaged page would. */
function breakWrite(lab: Lab, write: (typeof WRITES)[number]): () => void {
  const [verb, table] = write.split(' ');
  const db = new DatabaseSync(path.join(lab.home, 'baton.db'));
  db.exec(`create trigger torn before ${verb} on ${table} begin select raise(abort, 'torn'); end`);
  return () => {
    db.exec('drop trigger torn');
    db.close();
  };
}

/** All rows of all tables. */
function dump(lab: Lab): Record<string, unknown[]> {
  const db = new DatabaseSync(path.join(lab.home, 'baton.db'), { readOnly: true });
  const tables = db.prepare("select name from sqlite_master where type = 'table'").all();
  const rows = tables.map(({ name }) => [name, db.prepare(`select * from ${name}`).all()]);
  db.close();
  return Object.fromEntries(rows);
}

describe('SP-55 handoff', () => {
  test('SP-55 killed between two documents: the rest is written, none twice, and no half file stays', async () => {
    const start = await labs.open({ script: SHORT });
    const drive = await start.start('spec', QUICK);
    const gate = gateOf(await playTo(start, drive, SKIP, 'approval'));
    await drive.close();
    for (const done of [0, 1, 2]) {
      const lab = await labs.copy(start);
      const dying = await labs.dying(lab, (deps) => dieAfterFiles(deps, done));
      expect(await diesOf(approve(dying, drive.run, gate))).toBe(true);
      expect(documentsOf(lab)).toHaveLength(done);
      expect((await lab.row(drive.run)).phase).toBe('spec_ready');
      expect(gateOf(await (await reopen(lab, drive.run)).advance()).name).toBe('next_step');
      expect(documentsOf(lab)).toEqual(['qa_notes.md', 'spec.md']);
    }
  });

  test('SP-55 a guard that refuses stops at once with everything intact, and the same approval goes on once it is lifted', async () => {
    const lab = await labs.open({ script: SHORT });
    const drive = await lab.start('spec', QUICK);
    const gate = gateOf(await playTo(lab, drive, SKIP, 'approval'));
    mkdirSync(path.join(lab.root, 'elsewhere'));
    symlinkSync('elsewhere', path.join(lab.root, 'docs'));
    await lab.answer(gate, 'approve');
    expect(await drive.advance()).toMatchObject({ status: 'halted', phase: 'spec_ready' });
    expect(readdirSync(path.join(lab.root, 'elsewhere'))).toEqual([]);
    rmSync(path.join(lab.root, 'docs'));
    await lab.api.command({ run: drive.run, command: 'resume' });
    expect(gateOf(await drive.advance()).name).toBe('next_step');
    expect(documentsOf(lab)).toEqual(['qa_notes.md', 'spec.md']);
    expect(await lab.deps.store.records(drive.run, 'decision', 'spec_approved')).toHaveLength(1);
  });
});

async function approve(lab: Lab, run: string, gate: Gate): Promise<void> {
  await lab.answer(gate, 'approve');
  await (await reopen(lab, run)).advance();
}

/** The process dies after so many of the documents have been written. */
function dieAfterFiles(deps: Deps, done: number): Deps {
  const dead = new KilledError('between two documents');
  const dying = (tree: Workspace): Workspace => ({
    ...tree,
    perform: async (op) => {
      const files = (op.input.files as unknown[]).slice(0, done);
      if (files.length > 0) await tree.perform({ ...op, input: { ...op.input, files } });
      throw dead;
    },
  });
  return { ...deps, treeOf: (run) => dying(deps.treeOf(run)) };
}

/** Names of the documents that stand, from the branch's one commit or from the folder. */
function documentsOf(lab: Lab): string[] {
  if (!existsSync(path.join(lab.root, '.git'))) {
    const folder = path.join(lab.root, DOCS);
    return existsSync(folder) ? readdirSync(folder).sort() : [];
  }
  const git = (...args: string[]) => execFileSync('git', args, { cwd: lab.root, encoding: 'utf8' }).trim();
  const branch = `baton/spec-${SLUG}`;
  expect(git('rev-list', '--count', `main..${branch}`)).toBe('1');
  return git('ls-tree', '--name-only', branch, `${DOCS}/`)
    .split('\n')
    .map((name) => path.basename(name));
}
