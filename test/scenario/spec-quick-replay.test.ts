import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RunEvent } from '../../src/contract/event.ts';
import { SpecState } from '../../src/contract/spec.ts';
import type { Note } from '../../src/contract/spec-work.ts';
import { canonicalJson } from '../../src/engine/canonical-json.ts';
import { fold } from '../../src/engine/fold.ts';
import { coreOf } from '../../src/engine/write-change.ts';
import { specPhases } from '../../src/workflows/spec/phases.ts';
import { parseSpec } from '../../src/workflows/spec/spec-markdown.ts';
import { type Bundle, bundleProcessRuns } from '../crash/bundle.ts';
import type { ProcessRun } from '../crash/process-runs.ts';
import { specScenarios } from '../crash/scenarios-spec.ts';
import { type Lab, openLabAt } from '../support/lab.ts';
import { passedIn } from '../support/passed-phases.ts';
import { recordsOf } from '../support/records-of.ts';
import { translator } from '../support/texts.ts';
import { diesOf, killAt } from './kill-in-process.ts';
import {
  type Answers,
  APPROVED,
  ask,
  DOCS,
  draft,
  labsOfTest,
  lines,
  playTo,
  QUICK,
  reopen,
  SHORT,
  SLUG,
  script,
  stateOf,
} from './quick-lab.ts';

const labs = labsOfTest();
const SKIP: Answers = { questions: [['skip']], conventions: [['skip']] };

describe('a real process is killed', () => {
  const scenario = specScenarios.find(({ name }) => name === 'spec-three-rounds');
  let base = '';
  let bundle: Bundle;
  /** Points right before and right after each answer is committed, and after a draft was kept, in order. */
  let answers: { before: number; after: number; drafted: number | null }[] = [];

  beforeAll(async () => {
    base = mkdtempSync(path.join(tmpdir(), 'baton-kill-'));
    bundle = await bundleProcessRuns(path.join(base, 'bundle'));
    const whole = newProcessRun('whole');
    await live(whole, 0);
    const { passed } = JSON.parse(readFileSync(path.join(whole, 'summary.json'), 'utf8')) as ProcessRun;
    answers = answerPoints(passed.map(({ label }) => label));
  });
  afterAll(() => rmSync(base, { recursive: true, force: true }));

  function newProcessRun(name: string): string {
    const dir = path.join(base, name);
    for (const folder of ['photos', 'home']) mkdirSync(path.join(dir, folder), { recursive: true });
    return dir;
  }

  function live(dir: string, killAt: number): Promise<NodeJS.Signals | null> {
    const args = [bundle.child, 'spec-three-rounds', dir, String(killAt), '0', bundle.worker];
    return new Promise((resolve, reject) => {
      const child = spawn(process.execPath, args, { stdio: 'ignore' });
      child.on('error', reject);
      child.on('exit', (_, signal) => resolve(signal));
    });
  }

  function open(dir: string): Promise<Lab> {
    const location = { root: path.join(dir, 'photos'), home: path.join(dir, 'home') };
    return openLabAt(location, { script: scenario?.script ?? '' });
  }

  async function standing(dir: string): Promise<{ state: SpecState; notes: Note[]; draft: unknown }> {
    const lab = await open(dir);
    const run = (await lab.api.list(true))[0]?.id ?? '';
    const notes = await notesOf(lab, run);
    const gate = (await lab.api.gates(run))[0];
    const result = { state: await stateOf(lab, run), notes, draft: gate?.draft };
    await lab.api.close();
    return result;
  }

  test('SP-29 killed around the saving of any round and resumed: pairs are saved with the round or not at all, and no id comes twice', async () => {
    for (const [round, { before, after }] of answers.slice(0, 3).entries()) {
      for (const point of [before, after]) {
        const dir = newProcessRun(`round-${round}-${point}`);
        expect(await live(dir, point)).toBe('SIGKILL');
        const { state, notes } = await standing(dir);
        const closed = point === before ? round : round + 1;
        expect(new Set(notes.map((note) => note.round)).size).toBe(closed);
        expect(state.round === null).toBe(point === after);
        expect(await live(dir, 0)).toBeNull();
        const finished = await standing(dir);
        expect(finished.notes.map(({ id }) => id)).toEqual(['q1', 'q2', 'q3', 'q4']);
        expect(finished.notes.slice(0, notes.length)).toEqual(notes);
        expect(finished.state.phase).toBe('completed');
      }
    }
  });

  test('SP-30 killed in round 3: round 3 is open again with its questions, what was typed and all earlier pairs', async () => {
    const { before, drafted } = answers[2] ?? { before: 0, drafted: null };
    for (const point of [drafted ?? 0, before]) {
      const dir = newProcessRun(`third-${point}`);
      expect(await live(dir, point)).toBe('SIGKILL');
      const { state, notes, draft: typed } = await standing(dir);
      expect(state).toMatchObject({ phase: 'qa_active', qa_round: 3, round: { questions: [{ id: 'q4' }] } });
      expect(notes.map(({ id, answer }) => [id, answer])).toEqual([
        ['q1', 'JPEG'],
        ['q2', null],
        ['q3', 'oldest first'],
      ]);
      expect(typed).toEqual({ q4: '-photo' });
      const lab = await open(dir);
      const drive = await reopen(lab, (await lab.api.list(true))[0]?.id ?? '');
      const rest = await drive.advance();
      expect(rest.gate?.fields.map(({ id }) => id)).toEqual(['q4']);
      expect((await stateOf(lab, drive.run)).qa_round).toBe(3);
      await lab.api.close();
    }
  });
});

function answerPoints(labels: readonly string[]) {
  return labels.flatMap((label, index) => {
    const previous = labels[index - 1];
    if (label !== 'before answering commit') return [];
    return [{ before: index + 1, after: index + 2, drafted: previous === 'after storeDraft' ? index : null }];
  });
}

async function notesOf(lab: Lab, run: string): Promise<Note[]> {
  const stored = await lab.deps.store.records(run, 'entry', 'note');
  return stored.map(({ record }) => (record.kind === 'entry' ? record.data : null) as Note);
}

describe('histories of whole runs', () => {
  const failing = { silence: true, attempts: [{ silence: true }, { silence: true }] };
  const histories: [string, Parameters<typeof labs.open>[0], Answers, readonly string[]][] = [
    ['answered', { script: SHORT }, { ...SKIP, ...APPROVED }, []],
    ['with git', { script: SHORT, git: true }, { ...SKIP, ...APPROVED }, []],
    [
      'modified, in a folder with conventions',
      {
        script: script({
          interviewer: [ask('Formats?'), ask()],
          writer: [draft(), draft([], { scope: ['Videos'] })],
        }),
        files: { 'policy.md': lines(60) },
      },
      {
        questions: [['answer', { fields: { q1: 'JPEG' } }]],
        approval: [['modify', { text: 'Videos' }], ['approve']],
        next_step: [['done']],
      },
      [],
    ],
    [
      'halted and resumed',
      { script: script({ interviewer: [ask('Formats?')], writer: [failing, draft(['q1'])] }) },
      { ...SKIP, ...APPROVED },
      ['resume'],
    ],
    ['stopped', { script: SHORT }, { ...SKIP, approval: [['stop']] }, []],
    [
      'overwritten',
      { script: SHORT, files: { [`${DOCS}/spec.md`]: 'earlier\n' } },
      { ...SKIP, slug_collision: [['overwrite']], ...APPROVED },
      [],
    ],
  ];

  async function whole([, options, answers, commands]: (typeof histories)[number]): Promise<[Lab, string]> {
    const lab = await labs.open(options);
    const drive = await lab.start('spec', QUICK);
    for (const command of [...commands, null]) {
      await playTo(lab, drive, answers);
      if (command) await lab.api.command(drive.run, command, 'test');
    }
    return [lab, drive.run];
  }

  test.each(histories)(
    'SP INV-1, SP INV-2: every prefix of the log is a valid row, and completed means a human approval of exactly what is persisted: %s',
    async (...history) => {
      const [lab, run] = await whole(history);
      const events = await lab.deps.store.events(run, 0, 1000);
      expect(fold(events)).toEqual(coreOf(await lab.row(run)));
      expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
      for (let length = 1; length <= events.length; length++) checkPrefix(events.slice(0, length));
      const { phase, approved, conventions } = await stateOf(lab, run);
      if (phase !== 'completed') {
        expect(approved).toBeNull();
        return;
      }
      const [decision] = await lab.deps.store.records(run, 'decision', 'spec_approved');
      expect(decision?.record).toMatchObject({ data: { spec: approved?.spec, by: 'Tess Tester' } });
      const answers = await lab.deps.store.answers(run);
      expect(answers.map(({ option }) => option).slice(-2)).toEqual(['approve', 'done']);
      expect(answers.at(-2)).toMatchObject({ option: 'approve', by: { person: 'Tess Tester' } });
      const persisted = documentsOf(lab);
      const parsed = parseSpec(persisted['spec.md'] ?? '', translator('en'));
      if (!('doc' in parsed)) throw new Error(parsed.problem);
      expect(lab.deps.hash(canonicalJson(parsed.doc))).toBe(approved?.spec);
      const expected = ['qa_notes.md', 'spec.md', ...(conventions === 'skipped' ? [] : ['conventions.md'])];
      expect(Object.keys(persisted).sort()).toEqual(expected.sort());
    },
  );
});

function checkPrefix(events: readonly RunEvent[]): void {
  const now = fold(events);
  const before = events.length > 1 ? fold(events.slice(0, -1)) : null;
  expect(SpecState.safeParse(now.state).success).toBe(true);
  expect(now.phase).toBe(now.state.phase);
  if (!before || before.phase === now.phase) return;
  const phases = [before.phase, ...passedIn(events.slice(-1)), now.phase] as (keyof typeof specPhases)[];
  for (const [n, to] of phases.slice(1).entries())
    expect(specPhases[phases[n] as keyof typeof specPhases].to).toContain(to);
}

/** The persisted documents by name: from the branch with git, else from the folder. */
function documentsOf(lab: Lab): Record<string, string> {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: lab.root, encoding: 'utf8' });
  const branch = `baton/spec-${SLUG}`;
  const inGit = readdirSync(lab.root).includes('.git');
  const names = inGit
    ? git('ls-tree', '--name-only', branch, `${DOCS}/`)
        .trim()
        .split('\n')
        .map((name) => path.basename(name))
    : readdirSync(path.join(lab.root, DOCS));
  const read = (name: string) =>
    inGit ? git('show', `${branch}:${DOCS}/${name}`) : readFileSync(path.join(lab.root, DOCS, name), 'utf8');
  return Object.fromEntries(names.map((name) => [name, read(name)]));
}

test('SP INV-13 killed anywhere, any number of times, with the same answers: the same final state, nothing asked twice, no text lost', async () => {
  const options = {
    script: script({
      interviewer: [ask('Formats?'), ask()],
      writer: [{ garbage: 'no', attempts: [draft()] }, draft([], { scope: ['Videos too'] })],
    }),
  };
  const answers: Answers = {
    questions: [['answer', { fields: { q1: 'JPEG' } }]],
    approval: [['modify', { text: 'Videos too, please.' }], ['approve']],
    next_step: [['done']],
  };
  const reference = await labs.open(options);
  const drive = await reference.start('spec', QUICK);
  await playTo(reference, drive, answers);
  const expected = await finalOf(reference, drive.run);
  const kills = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(kills, async (points) => {
      const lab = await labs.open(options);
      for (const point of points) {
        const dying = await labs.dying(lab, ...killAt(point).parts);
        const processRun = async () => {
          const run = await onlyRun(dying);
          const handle = run ? await reopen(dying, run) : await dying.start('spec', QUICK);
          await playOn(dying, handle, answers);
        };
        await diesOf(processRun());
      }
      const run = await onlyRun(lab);
      const last = run ? await reopen(lab, run) : await lab.start('spec', QUICK);
      await playOn(lab, last, answers);
      expect(await finalOf(lab, last.run)).toEqual(expected);
    }),
    { numRuns: 6 },
  );
});

async function onlyRun(lab: Lab): Promise<string | undefined> {
  const runs = await lab.api.list(true);
  expect(runs.length).toBeLessThanOrEqual(1);
  return runs[0]?.id;
}

/** As `playTo`, but what was answered in an earlier life is not answered again. */
async function playOn(lab: Lab, drive: Awaited<ReturnType<typeof reopen>>, answers: Answers): Promise<void> {
  const given = await lab.deps.store.answers(drive.run);
  const names = await Promise.all(given.map(async ({ gate }) => (await lab.deps.store.gate(gate))?.name));
  const left = Object.entries(answers).map(([name, list]) => [
    name,
    list.slice(names.filter((answered) => answered === name).length),
  ]);
  await playTo(lab, drive, Object.fromEntries(left));
}

/** Everything a run came to, without its id, times and receipts. */
async function finalOf(lab: Lab, run: string): Promise<unknown> {
  const records = await recordsOf(lab.deps, run);
  const answers = (await lab.deps.store.answers(run)).map(({ option, text, fields }) => ({
    option,
    text,
    fields,
  }));
  const { seq, turn, counters } = await lab.row(run);
  const text = JSON.stringify([await stateOf(lab, run), records, answers, { seq, turn, counters }]);
  const plain = text.replaceAll(run, 'RUN').replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME');
  expect((await lab.api.doctor(true)).problems).toEqual([]);
  return [JSON.parse(plain), documentsOf(lab)];
}
