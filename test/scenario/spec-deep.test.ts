import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { SpecState } from '../../src/contract/spec.ts';
import { fold } from '../../src/engine/fold.ts';
import { coreOf } from '../../src/engine/write-change.ts';
import type { AgentCall } from '../../src/ports/agent.ts';
import type { DriveHandle, StopPoint } from '../../src/runtime/views.ts';
import { analyst, deepScript, review, spec, thrice } from '../support/deep-script.ts';
import { gateOf, type Lab, type LabOptions, until } from '../support/lab.ts';
import { labsOfTest } from './quick-lab.ts';

const TASK = 'A tool that renames photos by date';
const INPUT = { task: TASK, mode: 'deep', model_config: 'balanced' };
const DOCS = 'docs/baton/a-tool-that-renames-photos-by-date';
const ANALYSTS = [
  'requirements_analyst',
  'user_scenario_analyst',
  'risk_auditor',
  'tech_constraint_analyst',
] as const;
const DRAFT = spec('First draft.');
const REVISED = spec('Revised draft.', ['M1']);

interface DeepLab extends Lab {
  /** Every call an agent was given, in order. */
  readonly calls: AgentCall[];
}

const labs = labsOfTest();

const listening = (calls: AgentCall[]): Pick<LabOptions, 'wrap'> => ({
  wrap: (deps) => ({
    ...deps,
    agent: async (policy) => {
      const agent = await deps.agent(policy);
      return {
        ...agent,
        run: (call, signal) => {
          calls.push(call);
          return agent.run(call, signal);
        },
      };
    },
  }),
});

async function lab(options: LabOptions = {}): Promise<DeepLab> {
  const calls: AgentCall[] = [];
  const opened = await labs.open({ ...options, ...listening(calls) });
  return { ...opened, calls };
}

/** Answers the questions and carries the run on to what follows generation. */
async function past(opened: Lab, drive: DriveHandle): Promise<StopPoint> {
  const rest = await drive.advance();
  expect(gateOf(rest).name).toBe('questions');
  await opened.answer(gateOf(rest), 'answer', { fields: { q1: 'JPEG' } });
  return drive.advance();
}

async function begin(
  options: LabOptions = {},
): Promise<{ at: DeepLab; drive: DriveHandle; rest: StopPoint }> {
  const at = await lab(options);
  const drive = await at.start('spec', INPUT);
  return { at, drive, rest: await past(at, drive) };
}

interface Standing {
  readonly at: Lab;
  readonly drive: DriveHandle;
  readonly rest: StopPoint;
}

/** Answers the gate a run rests at and carries it on. */
async function answered({ at, drive, rest }: Standing, option: string, text?: string): Promise<StopPoint> {
  await at.answer(gateOf(rest), option, text === undefined ? {} : { text });
  return drive.advance();
}

const stateOf = async (at: Lab, drive: DriveHandle) => SpecState.parse((await at.row(drive.run)).state);

const roles = (at: DeepLab) => at.calls.map(({ role }) => role);
const promptsOf = (at: DeepLab, role: string) => at.calls.filter((call) => call.role === role);

async function warnings(at: Lab, drive: DriveHandle): Promise<string[]> {
  const t = await at.api.translator('en');
  return (await at.api.records(drive.run)).flatMap(({ record }) =>
    record.kind === 'notice' && record.level === 'warning' ? [t(record.text)] : [],
  );
}

describe('a deep run', () => {
  test('SP INV-1, SP INV-2: from the idea to the documents with one revision; the log gives every state', async () => {
    const stale = { [`${DOCS}/critic_findings.md`]: 'STALE findings of another run' };
    const script = deepScript({ synthesis: [DRAFT, REVISED], critic: [review('M1', 'm1'), review('m1')] });
    const at = await lab({ script, files: stale });
    const drive = await at.start('spec', { ...INPUT, mode: null, model_config: null });
    const mode = await drive.advance();
    expect(gateOf(mode).name).toBe('mode');
    const model = await answered({ at, drive, rest: mode }, 'deep');
    const location = await answered({ at, drive, rest: model }, 'custom', 'executor:haiku,advisor:SONNET');
    const collision = await answered({ at, drive, rest: location }, 'use');
    await at.answer(gateOf(collision), 'overwrite');
    const gate = await past(at, drive);
    expect(roles(at).slice(2, 6).sort()).toEqual([...ANALYSTS].sort());
    expect(new Set(at.calls.map(({ tier }) => tier))).toEqual(new Set(['sonnet']));
    expect(gateOf(gate).name).toBe('critic');
    expect(JSON.stringify(promptsOf(at, 'synthesis')[0])).not.toContain('STALE');
    const approval = await answered({ at, drive, rest: gate }, 'auto_revise');
    expect(gateOf(approval).name).toBe('approval');
    expect(promptsOf(at, 'synthesis')[1]?.slots).toMatchObject({
      findings: expect.stringContaining('issue of M1'),
      draft: expect.stringContaining('First draft.'),
    });
    for (const { slots } of promptsOf(at, 'critic'))
      expect(JSON.stringify(slots)).not.toMatch(/MARK-|issue of/);
    const completed = await answered({ at, drive, rest: approval }, 'approve');
    const done = await answered({ at, drive, rest: completed }, 'done');
    expect(done.outcome).toBe('approved');
    const read = (file: string) => readFileSync(path.join(at.root, DOCS, file), 'utf8');
    expect(read('spec.md')).toContain('Revised draft.');
    expect(read('critic_findings.md')).toContain('m1 (Minor): title of m1');
    expect(read('qa_notes.md')).toContain('JPEG');
    expect(existsSync(path.join(at.root, DOCS, 'conventions.md'))).toBe(false);
    const shown = await at.api.artefacts(drive.run);
    if (!Array.isArray(shown)) throw new Error('refused');
    expect(shown.map(({ name }) => name)).toEqual(
      expect.arrayContaining([...ANALYSTS, 'spec', 'critic_findings']),
    );
    expect(shown.find(({ name }) => name === 'risk_auditor')?.text).toContain('MARK-risk_auditor');
    const state = await stateOf(at, drive);
    expect(state.approved?.spec).toBe(state.spec?.hash);
    const events = await at.deps.store.events(drive.run, 0, 1_000);
    expect(fold(events)).toEqual(coreOf(await at.row(drive.run)));
    for (let n = 1; n <= events.length; n++) SpecState.parse(fold(events.slice(0, n)).state);
  });

  test('SP-37, SP-38: a perfect reply without a result is a failed dispatch; an unreadable text still reaches the synthesis', async () => {
    const silent = thrice({ line: 'user_scenario_analyst analysis written', silence: true });
    const broken = thrice({ garbage: 'UNREADABLE words about risks' });
    const script = deepScript({
      user_scenario_analyst: [silent],
      risk_auditor: [broken],
      synthesis: [DRAFT],
      critic: [review()],
    });
    const { at, drive, rest } = await begin({ script });
    expect(gateOf(rest).name).toBe('approval');
    expect((await stateOf(at, drive)).analyses?.map(({ status }) => status)).toEqual([
      'ok',
      'dispatch_failed',
      'parse_failed',
      'ok',
    ]);
    expect(promptsOf(at, 'user_scenario_analyst')).toHaveLength(3);
    expect(promptsOf(at, 'risk_auditor')).toHaveLength(3);
    const [synthesis] = promptsOf(at, 'synthesis');
    expect(synthesis?.slots.risk_auditor).toContain('UNREADABLE words about risks');
    expect(synthesis?.slots.requirements_analyst).toContain('MARK-requirements_analyst');
    expect(synthesis?.slots.user_scenario_analyst).toBe('');
    expect(await warnings(at, drive)).toEqual(
      expect.arrayContaining([
        expect.stringContaining('Analyst user_scenario_analyst failed'),
        expect.stringContaining('Analyst risk_auditor failed'),
      ]),
    );
  });

  test('all analysts find nothing: no critic is called, and approval says so', async () => {
    const empty = Object.fromEntries(ANALYSTS.map((role) => [role, [analyst(role, null)]]));
    const { at, drive, rest } = await begin({ script: deepScript({ ...empty, synthesis: [DRAFT] }) });
    expect(gateOf(rest).name).toBe('approval');
    expect(roles(at)).not.toContain('critic');
    expect((await stateOf(at, drive)).critic).toMatchObject({ applied: 'approved', round: 0 });
    const [shown] = await at.api.gates(drive.run);
    expect(shown?.text).toContain('no critic was called');
  });

  test('SP-40: all analysts failed: Stop holds the gate, Retry asks them again', async () => {
    const failing = Object.fromEntries(
      ANALYSTS.map((role) => [role, [thrice({ silence: true }), analyst(role, 'found')]]),
    );
    const script = deepScript({ ...failing, synthesis: [DRAFT], critic: [review()] });
    const { at, drive, rest } = await begin({ script });
    expect(gateOf(rest).name).toBe('analysts');
    expect(roles(at)).not.toContain('synthesis');
    await at.answer(gateOf(rest), 'stop');
    expect((await drive.advance()).status).toBe('halted');
    await at.api.command({ run: drive.run, command: 'resume' });
    const again = await drive.advance();
    expect(gateOf(again).digest).toBe(gateOf(rest).digest);
    expect(gateOf(await answered({ at, drive, rest: again }, 'retry')).name).toBe('approval');
  });

  test('SP-46: a critic nobody can read opens its gate without counts, and a person lets it pass', async () => {
    const script = deepScript({ synthesis: [DRAFT], critic: [thrice({ garbage: 'all fine, I think' })] });
    const { at, drive, rest } = await begin({ script });
    expect(gateOf(rest).name).toBe('critic');
    expect(Object.keys(gateOf(rest).options)).toEqual(['approve', 'stop']);
    expect(await stateOf(at, drive)).toMatchObject({
      phase: 'critic_active',
      critic: { applied: 'pending' },
    });
    const approval = await answered({ at, drive, rest }, 'approve');
    expect(gateOf(approval).brief.banners).toHaveLength(1);
    const shown = await at.api.artefacts(drive.run);
    expect(JSON.stringify(shown)).toContain('all fine, I think');
  });

  test('SP-45: a silent critic has three tries, then approval carries the banner as a field of its own', async () => {
    const script = deepScript({ synthesis: [DRAFT], critic: [thrice({ silence: true })] });
    const { at, drive, rest } = await begin({ script });
    expect(promptsOf(at, 'critic')).toHaveLength(3);
    expect(gateOf(rest).name).toBe('approval');
    expect(gateOf(rest).brief.banners).toMatchObject([{ args: { reason: 'dispatch_failed' } }]);
    const [shown] = await at.api.gates(drive.run);
    expect(shown?.gate.brief.banners).toEqual(gateOf(rest).brief.banners);
    expect(shown?.text.split('\n')[0]).toContain('NO QUALITY REVIEW TOOK PLACE');
  });

  test('SP-35: a synthesis that always fails has three calls and halts; a resume calls only the synthesis', async () => {
    const script = deepScript({ synthesis: [thrice({ silence: true }), DRAFT], critic: [review()] });
    const { at, drive, rest } = await begin({ script });
    expect(rest).toMatchObject({ status: 'halted', phase: 'gen_ready', gate: null });
    expect(promptsOf(at, 'synthesis')).toHaveLength(3);
    const before = at.calls.length;
    await at.api.command({ run: drive.run, command: 'resume' });
    expect(gateOf(await drive.advance()).name).toBe('approval');
    expect(roles(at).slice(before)).toEqual(['synthesis', 'critic']);
  });

  test('SP-50: Stop at the second gate; ten plain resumes change nothing; reopen asks again with the old notes', async () => {
    const second = { result: { questions: [{ text: 'Which time zone?', why: 'decides the name' }] } };
    const first = { result: { questions: [{ text: 'Which formats?', why: 'decides the reader' }] } };
    const none = { result: { questions: [] } };
    const script = deepScript({
      interviewer: [first, none, second],
      synthesis: [DRAFT, REVISED],
      critic: [review('M1'), review('C1')],
    });
    const { at, drive, rest } = await begin({ script });
    const gate = await answered({ at, drive, rest }, 'auto_revise');
    expect(Object.keys(gateOf(gate).options)).toEqual(['approve', 'stop']);
    const halted = await answered({ at, drive, rest: gate }, 'stop');
    expect(halted).toMatchObject({
      status: 'halted',
      phase: 'critic_halted',
      wait: { commands: ['reopen', 'restart', 'abandon'], why: { args: { reason: 'user_stopped' } } },
    });
    await drive.close();
    const { epoch, holder, ...before } = await at.row(drive.run);
    const calls = at.calls.length;
    for (let n = 0; n < 10; n++) {
      await at.api.command({ run: drive.run, command: 'resume' });
      const handle = await at.api.open({ run: drive.run, attended: false });
      if ('rejection' in handle) throw new Error(handle.rejection);
      expect(await handle.advance()).toMatchObject({ status: 'halted', wait: halted.wait });
      await handle.close();
    }
    const { epoch: __, holder: ___, ...after } = await at.row(drive.run);
    expect(after).toEqual(before);
    expect(at.calls).toHaveLength(calls);
    expect(existsSync(path.join(at.root, DOCS))).toBe(false);
    expect(await at.api.command({ run: drive.run, command: 'reopen' })).toEqual({ ok: true, run: drive.run });
    const handle = await at.api.open({ run: drive.run, attended: false });
    if ('rejection' in handle) throw new Error(handle.rejection);
    const asked = await handle.advance();
    expect(gateOf(asked)).toMatchObject({
      name: 'questions',
      fields: [{ id: 'q2', text: 'Which time zone?' }],
    });
    expect(await stateOf(at, drive)).toMatchObject({ phase: 'qa_active', critic: null, qa_round: 2 });
    expect(at.calls.at(-1)?.slots.notes).toContain('JPEG');
  });

  test('SP-48: a run that is left during the revision goes on with the same request', async () => {
    const script = deepScript({
      synthesis: [DRAFT, { hang: true }],
      critic: [review('M1')],
    });
    const { at, drive, rest } = await begin({ script });
    await at.answer(gateOf(rest), 'modify', { text: 'Name the time zone.' });
    const working = drive.advance();
    await until(() => promptsOf(at, 'synthesis').length === 2);
    await drive.close();
    await working;
    const calls: AgentCall[] = [];
    const again = await labs.other(at, listening(calls).wrap);
    const resumed = await again.api.open({ run: drive.run, attended: false });
    if ('rejection' in resumed) throw new Error(resumed.rejection);
    const repeated = resumed.advance();
    await until(() => calls.length === 1);
    await resumed.close();
    await repeated;
    expect(calls[0]?.prompt).toBe(promptsOf(at, 'synthesis')[1]?.prompt);
    expect(calls[0]?.slots['revision_request 1']).toBe('Name the time zone.');
  });

  test('analyses that were finished before a run was left are read by the synthesis afterwards', async () => {
    const go = path.join(mkdtempSync(path.join(tmpdir(), 'baton-go-')), 'go');
    const runs = `while [ ! -e ${go} ]; do sleep 0.05; done`;
    const late = thrice({ ...analyst('risk_auditor', 'MARK-late'), runs });
    const script = deepScript({ risk_auditor: [late], synthesis: [DRAFT], critic: [review()] });
    const at = await lab({ script });
    const drive = await at.start('spec', INPUT);
    const rest = await drive.advance();
    await at.answer(gateOf(rest), 'answer', { fields: { q1: 'JPEG' } });
    const working = drive.advance();
    await until(async () => {
      const { turn } = await at.row(drive.run);
      const effects = await at.deps.store.effects(drive.run, turn);
      return effects.filter(({ result }) => result !== null).length === 3;
    });
    await drive.close();
    await working;
    writeFileSync(go, '');
    const before = at.calls.length;
    const resumed = await at.api.open({ run: drive.run, attended: false });
    if ('rejection' in resumed) throw new Error(resumed.rejection);
    expect(gateOf(await resumed.advance()).name).toBe('approval');
    expect(new Set(roles(at).slice(before))).toEqual(new Set(['risk_auditor', 'synthesis', 'critic']));
    const handed = JSON.stringify(promptsOf(at, 'synthesis')[0]?.slots);
    for (const marker of ['MARK-late', 'MARK-requirements_analyst', 'MARK-tech_constraint_analyst']) {
      expect(handed).toContain(marker);
    }
  });

  test('without a script the built-in one shows exactly one revision and an approval, in Korean too', async () => {
    const at = await lab();
    const drive = await at.start('spec', { ...INPUT, task: '사진 이름을 날짜로 바꾸는 도구' });
    const asked = await drive.advance();
    await at.answer(gateOf(asked), 'skip');
    const gate = await drive.advance();
    expect(gateOf(gate).name).toBe('critic');
    const approval = await answered({ at, drive, rest: gate }, 'auto_revise');
    expect(gateOf(approval).name).toBe('approval');
    expect(await stateOf(at, drive)).toMatchObject({
      critic: { round: 1, counts: { critical: 0, major: 0 } },
    });
    const [shown] = await at.api.gates(drive.run);
    expect(shown?.text).toContain('한 번 고친 뒤');
  });
});
