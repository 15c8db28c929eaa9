import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { gateOf, type Lab } from '../support/lab.ts';
import {
  APPROVED,
  ask,
  dispatches,
  draft,
  labsOfTest,
  notices,
  openGate,
  playTo,
  QUICK,
  rolesCalled,
  SHORT,
  script,
  specDoc,
  stateOf,
} from './quick-lab.ts';

const labs = labsOfTest();
const SKIP = { questions: [['skip']], conventions: [['skip']] } as const;

describe('the scanner', () => {
  test('SP-23 a silent scanner is dispatched exactly three times, then skipped with a warning, and the run goes on', async () => {
    const silent = { silence: true, attempts: [{ silence: true }, { silence: true }] };
    const lab = await labs.open({
      git: true,
      script: script({ convention_scanner: [silent], interviewer: [ask('Which formats?')] }),
    });
    const drive = await lab.start('spec', QUICK);
    const rest = await playTo(lab, drive, { conventions: [['scan']] }, 'questions');
    expect(rolesCalled(lab).filter((call) => call.startsWith('convention_scanner'))).toEqual([
      'convention_scanner 1',
      'convention_scanner 2',
      'convention_scanner 3',
    ]);
    expect(dispatches(lab, drive.run).filter(({ turn }) => turn === 4)).toHaveLength(3);
    expect(notices(lab, 'warning')).toContain('conventions.scan_failed');
    expect((await stateOf(lab, drive.run)).conventions).toBe('skipped');
    expect(gateOf(rest).name).toBe('questions');
  });

  test('SP-24 conventions unset by force halt the run before generation with no worker call', async () => {
    const lab = await labs.open({ script: SHORT });
    const drive = await lab.start('spec', QUICK);
    const gate = gateOf(await drive.advance());
    editState(lab, drive.run, { conventions: null });
    await lab.answer(gate, 'skip');
    const before = rolesCalled(lab).length;
    const rest = await drive.advance();
    expect(rest).toMatchObject({ status: 'halted', phase: 'qa_complete' });
    expect(rest.wait).toMatchObject({ why: { msg: 'spec.halt.integrity' } });
    expect(rolesCalled(lab)).toHaveLength(before);
  });

  test('SP-24 skipped conventions give the writer empty text and the person a warning', async () => {
    const lab = await labs.open({ script: SHORT });
    const drive = await lab.start('spec', QUICK);
    await playTo(lab, drive, SKIP, 'approval');
    expect(dispatches(lab, drive.run).at(-1)?.prompt).toMatch(/## conventions\n(`{4,})data-\w+\n\n\1\n/);
    expect(notices(lab, 'warning')).toContain('spec.notice.no_conventions');
  });
});

describe('the writer', () => {
  test.each([
    ['a part is missing', without('edge_cases'), 'edge_cases'],
    ['a part is empty', specDoc(['q1'], { scope: [] }), 'scope'],
    ['a criterion has no outcome', withoutOutcome(), 'outcome'],
  ])('SP-31 a result is refused and asked for again with the reason when %s', async (_, wrong, named) => {
    const writer = [{ result: wrong, attempts: [draft(['q1'])] }];
    const lab = await labs.open({ script: script({ interviewer: [ask('Which formats?')], writer }) });
    const drive = await lab.start('spec', QUICK);
    const gate = gateOf(await playTo(lab, drive, SKIP, 'approval'));
    expect(rolesCalled(lab).slice(-2)).toEqual(['writer 1', 'writer 2']);
    const [first, second] = dispatches(lab, drive.run).slice(-2);
    expect(first?.prompt).not.toContain('# Correction');
    expect(second?.prompt.split('\n# Correction\n')[1]).toContain(named);
    expect(gate.artefacts.spec).toBe((await stateOf(lab, drive.run)).spec?.hash);
  });

  test('SP-32 a draft that drops one unconfirmed reference is refused with the id and written again', async () => {
    const writer = [{ ...draft(['q1']), attempts: [draft(['q1', 'q2'])] }];
    const lab = await labs.open({ script: script({ interviewer: [ask('Formats?', 'Clock?')], writer }) });
    const drive = await lab.start('spec', QUICK);
    const gate = gateOf(await playTo(lab, drive, SKIP, 'approval'));
    expect(rolesCalled(lab).slice(-2)).toEqual(['writer 1', 'writer 2']);
    const told = dispatches(lab, drive.run).at(-1)?.prompt.split('\n# Correction\n')[1];
    expect(told).toContain('q2');
    expect(told).not.toContain('q1');
    expect(gate.brief.items).toHaveLength(2);
  });

  test('SP-35 three failed calls halt the run without gate or approval; resume calls only the writer', async () => {
    const failing = { garbage: 'no', attempts: [{ silence: true }, { result: { goal: 'only' } }] };
    const lab = await labs.open({
      script: script({ interviewer: [ask('Which formats?')], writer: [failing, draft(['q1'])] }),
    });
    const drive = await lab.start('spec', QUICK);
    const rest = await playTo(lab, drive, SKIP, 'approval');
    expect(rest).toMatchObject({ status: 'halted', phase: 'gen_ready', gate: null });
    expect(rolesCalled(lab)).toEqual(['interviewer 1', 'writer 1', 'writer 2', 'writer 3']);
    expect(await lab.deps.store.openGates(drive.run)).toEqual([]);
    expect(await stateOf(lab, drive.run)).toMatchObject({ approved: null, spec: null, asked: 1 });
    expect(await lab.deps.store.records(drive.run, 'entry', 'note')).toHaveLength(1);
    await lab.api.command({ run: drive.run, command: 'resume' });
    const again = await drive.advance();
    expect(again.gate?.name).toBe('approval');
    expect(rolesCalled(lab).slice(4)).toEqual(['writer 1']);
  });

  test('a fault of the infrastructure spends no try and gives none back', async () => {
    const failing = {
      garbage: 'no',
      attempts: [
        { crash: true },
        { crash: true },
        { crash: true },
        { garbage: 'no' },
        { garbage: 'no' },
        draft(['q1']),
      ],
    };
    const lab = await labs.open({
      script: script({ interviewer: [ask('Which formats?')], writer: [failing] }),
    });
    const drive = await lab.start('spec', QUICK);
    const rest = await playTo(lab, drive, { ...SKIP, trouble_infrastructure: [['retry']] }, 'approval');
    expect(rest).toMatchObject({ status: 'halted', phase: 'gen_ready' });
    expect(rolesCalled(lab).filter((call) => call.startsWith('writer'))).toHaveLength(6);
  });

  test('SP-34 the dispatch list of a quick run is interviewers and one writer', async () => {
    const lab = await labs.open({
      script: script({ interviewer: [ask('Formats?'), ask('Order?'), ask()], writer: [draft()] }),
    });
    const drive = await lab.start('spec', QUICK);
    const answers = {
      questions: [
        ['answer', { fields: { q1: 'JPEG' } }],
        ['answer', { fields: { q2: 'oldest first' } }],
      ],
      ...APPROVED,
    } as const;
    expect((await playTo(lab, drive, answers)).outcome).toBe('approved');
    expect(rolesCalled(lab)).toEqual(['interviewer 1', 'interviewer 1', 'interviewer 1', 'writer 1']);
    expect(await stateOf(lab, drive.run)).toMatchObject({ critic: null, phase: 'completed' });
  });
});

describe('SP-59 a worker that writes into the tree', () => {
  const sneaky = [{ path: 'sneaky.txt', content: 'hi\n' }];
  const cases = [
    ['convention_scanner', { edits: sneaky, result: { db: 'N/A', api: 'N/A', files: ['x'], tests: 'N/A' } }],
    ['interviewer', { edits: sneaky, ...ask('Which formats?') }],
    ['writer', { edits: sneaky, ...draft(['q1']) }],
  ] as const;

  test.each(cases)('SP-59 %s: a trouble gate names the file; go on keeps the result', async (role, entry) => {
    const roles = { interviewer: [ask('Which formats?')], writer: [draft(['q1'])], [role]: [entry] };
    const lab = await labs.open({ git: true, script: script(roles) });
    const drive = await lab.start('spec', QUICK);
    const answers = { ...SKIP, conventions: [[role === 'convention_scanner' ? 'scan' : 'skip']] } as const;
    const gate = gateOf(await playTo(lab, drive, answers, 'trouble_tree_changed'));
    expect(gate).toMatchObject({ name: 'trouble_tree_changed', class: 'trouble' });
    expect(JSON.stringify(gate.brief.why)).toContain('sneaky.txt');
    expect(readFileSync(path.join(lab.root, 'sneaky.txt'), 'utf8')).toBe('hi\n');
    const turn = (await lab.row(drive.run)).turn;
    await lab.answer(gate, 'go_on');
    await drive.advance();
    const calls = rolesCalled(lab).filter((call) => call.startsWith(role));
    expect(calls).toEqual([`${role} 1`]);
    expect((await lab.row(drive.run)).turn).toBeGreaterThan(turn);
  });

  test('SP-59 go on after a write without a usable result asks the worker again and does not stop twice for the same file', async () => {
    const entry = { edits: sneaky, garbage: 'done', attempts: [draft(['q1'])] };
    const lab = await labs.open({
      script: script({ interviewer: [ask('Which formats?')], writer: [entry] }),
    });
    const drive = await lab.start('spec', QUICK);
    const gate = gateOf(await playTo(lab, drive, SKIP, 'trouble_tree_changed'));
    await lab.answer(gate, 'go_on');
    expect(gateOf(await drive.advance()).name).toBe('approval');
    const calls = rolesCalled(lab).filter((call) => call.startsWith('writer'));
    expect(calls).toEqual(['writer 1', 'writer 1', 'writer 2']);
  });

  test('SP-59 stop at the trouble gate halts; the file stays for the person to judge and nothing is handed on', async () => {
    const entry = { edits: sneaky, ...draft(['q1']) };
    const lab = await labs.open({
      script: script({ interviewer: [ask('Which formats?')], writer: [entry] }),
    });
    const drive = await lab.start('spec', QUICK);
    await lab.answer(gateOf(await playTo(lab, drive, SKIP, 'trouble_tree_changed')), 'stop');
    expect((await drive.advance()).status).toBe('halted');
    expect(existsSync(path.join(lab.root, 'sneaky.txt'))).toBe(true);
    expect(existsSync(path.join(lab.root, 'docs'))).toBe(false);
    expect((await openGate(lab, drive.run)).name).toBe('trouble_tree_changed');
  });
});

function without(part: string): unknown {
  const { [part as 'scope']: _, ...rest } = specDoc(['q1']);
  return rest;
}

function withoutOutcome(): unknown {
  const doc = specDoc(['q1']);
  return { ...doc, acceptance_criteria: doc.acceptance_criteria.map(({ outcome: _, ...rest }) => rest) };
}

/** What somebody with an editor could do to the database. */
function editState(lab: Lab, run: string, changes: Readonly<Record<string, unknown>>): void {
  const db = new DatabaseSync(path.join(lab.home, 'baton.db'));
  const row = db.prepare('select state from runs where id = ?').get(run) as { state: string };
  const state = { ...JSON.parse(row.state), ...changes };
  db.prepare('update runs set state = ? where id = ?').run(JSON.stringify(state), run);
  db.close();
}
