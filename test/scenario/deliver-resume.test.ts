import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, expect, test } from 'vitest';
import * as z from 'zod';
import { parseScript, serialiseScript } from '../../src/adapters/agent-rehearsal/script.ts';
import { DeliverState } from '../../src/contract/deliver.ts';
import { canonicalJson } from '../../src/engine/canonical-json.ts';
import { fold } from '../../src/engine/fold.ts';
import { coreOf } from '../../src/engine/write-change.ts';
import type { Deps } from '../../src/runtime/deps.ts';
import type { StopPoint } from '../../src/runtime/views.ts';
import { deliverScript } from '../support/deliver-script.ts';
import { gateOf, type Lab, until } from '../support/lab.ts';
import { sharedBundle } from '../support/shared-bundle.ts';
import {
  BRANCH,
  changedIn,
  changing,
  deliver,
  deliverState,
  GREETING,
  type Ground,
  groundsOfTest,
  locationOf,
  personal,
  SINGLE,
  SMALL,
  YES,
} from './deliver-lab.ts';
import { diesOf, killAt } from './kill-in-process.ts';
import { openGate, playTo, reopen, rolesCalled } from './quick-lab.ts';

const grounds = groundsOfTest();
let children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children) child.kill('SIGKILL');
  children = [];
});

/** One repair on the way: the first author breaks the check. */
function repairing() {
  const { generator_single: [good = {}] = [], ...others } = changing();
  const bad = { ...good, edits: [{ path: 'greeting.txt', content: 'BYE\n' }] };
  return { ...others, generator_single: [bad, good] };
}

/** One life of a process: takes the run, or starts it, and goes as far as it gets. */
async function live(lab: Lab): Promise<StopPoint> {
  const [known] = await lab.api.list(true);
  const drive = known ? await reopen(lab, known.id) : await lab.start('deliver', SINGLE);
  return playTo(lab, drive, YES);
}

/** What must be equal in two runs of the same answers and results: all but times, ids and durations. */
function essence(state: DeliverState, run: string): unknown {
  const text = canonicalJson(state)
    .replaceAll(run, 'RUN')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
    .replaceAll(/"seconds":[\d.]+/g, '"seconds":0')
    .replaceAll(/"commit":"[0-9a-f]{40}"/g, '"commit":"COMMIT"')
    .replaceAll(/"base":"[0-9a-f]{40}"/g, '"base":"BASE"');
  return JSON.parse(text);
}

test('WF-05 WF INV-1 WF INV-7 killed before and after every commit: old or new and never a mix, the log gives the row, the end is that of a run nobody disturbed', async () => {
  const calm = grounds.repository(SMALL);
  const undisturbed = await grounds.open(calm, repairing());
  const expected = await deliver(undisturbed);
  const ground = grounds.repository(SMALL);
  const before = personal(ground);
  const lab = await grounds.open(ground, repairing());
  let seq = 0;
  let processRuns = 0;
  for (let died = true; died; processRuns++) {
    const after = processRuns % 2 === 1;
    const dying = await lab.other(...killAt(after ? 2 : 1, (label) => label.endsWith(' commit')).parts);
    died = await diesOf(live(dying));
    dying.deps.store.close();
    const [listed] = await lab.api.list(true);
    if (!listed) continue;
    const row = await lab.row(listed.id);
    const log = await lab.deps.store.events(listed.id, 0, 1_000);
    expect(canonicalJson(fold(log))).toBe(canonicalJson(coreOf(row)));
    expect([log.at(-1)?.seq, log.at(-1)?.at]).toEqual([row.seq, row.updated_at]);
    if (died) expect(row.seq > seq).toBe(after);
    seq = row.seq;
  }
  const [{ id = '' } = {}] = await lab.api.list(true);
  expect(essence(await deliverState(lab, id), id)).toEqual(
    essence(await deliverState(undisturbed, expected.run), expected.run),
  );
  const log = await lab.deps.store.events(id, 0, 1_000);
  for (const [n] of log.entries())
    expect(DeliverState.safeParse(fold(log.slice(0, n + 1)).state).success).toBe(true);
  const opened = log
    .filter(({ type }) => type === 'gate_opened')
    .map(({ input }) => (input as { name: string }).name);
  expect(opened).toEqual(['conventions', 'spec', 'commit']);
  expect(log.filter(({ type }) => type === 'gate_answered')).toHaveLength(3);
  expect(processRuns).toBeGreaterThan(40);
  expect(changedIn(ground, BRANCH)).toEqual(['M greeting.txt']);
  expect(personal(ground)).toEqual(before);
  expect((await lab.api.doctor(true)).problems).toEqual([]);
});

/** A command that stops half-way the first time it runs, and does not the second time. */
function halfWay(flag: string, half: string): string {
  return `test -e '${flag}' || { touch '${flag}'; ${half}; sleep 300; }`;
}

/** A real process carries the run on until the flag is there, and is killed. */
async function killedAt({ root, base }: Ground, run: string, flag: string): Promise<void> {
  const env = { ...process.env, BATON_HOME: path.join(base, 'state') };
  const child = spawn(process.execPath, [(await sharedBundle()).main, 'resume', run], {
    cwd: root,
    env,
    stdio: 'ignore',
  });
  children.push(child);
  await until(() => existsSync(flag));
  child.kill('SIGKILL');
  await once(child, 'exit');
}

test('WF-87 killed in the middle of edits and of an evaluation: change set and report come from one complete call each, and no counter moves', async () => {
  const ground = await locationOf(grounds.repository(SMALL));
  const [edits, judging] = ['edits', 'judging'].map((name) => path.join(ground.base, name)) as [
    string,
    string,
  ];
  const roles = changing(GREETING, {
    runs: halfWay(edits, 'echo half > half.txt; echo HALF > greeting.txt'),
  });
  const evaluator = (roles.evaluator ?? []).map((entry) => ({ ...entry, runs: halfWay(judging, 'true') }));
  const text = deliverScript({ ...roles, evaluator });
  const parsed = parseScript(text, { file: 'script.yaml', readFile: () => '' });
  const script = parsed.ok ? serialiseScript(parsed.script) : '';
  const lab = await grounds.open(ground, { ...roles, evaluator });
  const drive = await lab.start('deliver', SINGLE, { script });
  await playTo(lab, drive, YES, 'spec');
  await drive.close();
  await lab.answer(await openGate(lab, drive.run), 'proceed');
  await killedAt(ground, drive.run, edits);
  expect(await deliverState(lab, drive.run)).toMatchObject({
    phase: 'generating',
    attempt: { attempts: 1, changes: null },
  });
  await killedAt(ground, drive.run, judging);
  const judged = await deliverState(lab, drive.run);
  expect(judged).toMatchObject({ phase: 'evaluating', verdict: { qa: null }, attempt: { attempts: 1 } });
  expect(judged.attempt.changes).toMatchObject({ modified: ['greeting.txt'], created: [], deleted: [] });
  const rest = await playTo(lab, await reopen(lab, drive.run), { commit: [['code_only']] });
  expect(rest).toMatchObject({ status: 'ended', outcome: 'passed' });
  const {
    attempt: { attempts },
    checks: { verify },
    round,
  } = await deliverState(lab, drive.run);
  expect({ attempts, round, ...verify }).toMatchObject({
    attempts: 1,
    round: 1,
    layer1_retries: 0,
    layer2_retries: 0,
  });
  expect(rolesCalled(lab).at(-1)).toBe('evaluator 1');
  expect(changedIn(ground, BRANCH)).toEqual(['M greeting.txt']);
  expect(ground.git('show', `${BRANCH}:greeting.txt`)).toBe('HELLO');
  const reports = await lab.deps.store.records(drive.run, 'entry', 'qa_report');
  expect(reports).toHaveLength(1);
});

/** The next version of the workflow: a field more, and a migration that fills it. */
function successor(deps: Deps): Deps {
  return {
    ...deps,
    workflow: async (name) => {
      const def = await deps.workflow(name);
      if (!def || name !== 'deliver') return def;
      const state = z.looseObject({ version: z.literal(2), labels: z.array(z.string()) }) as never;
      const migrate = (old: Record<string, unknown>) => ({ ...old, version: 2, labels: [] });
      return { ...def, version: 2, state, migrations: [...def.migrations, { from: 1, migrate }] };
    },
  };
}

test('WF-04 a run of an older version is migrated forward by an event of its own; one of a newer version is refused and nothing is touched', async () => {
  const ground = grounds.plain(SMALL);
  const lab = await grounds.open(ground);
  const drive = await lab.start('deliver', SINGLE);
  gateOf(await playTo(lab, drive, YES, 'spec'));
  await drive.close();
  const old = await lab.row(drive.run);
  expect(old).toMatchObject({ version: 1, state: { version: 1 } });
  const newer = await lab.other(successor);
  const taken = await reopen(newer, drive.run);
  expect(await taken.advance()).toMatchObject({ status: 'waiting', phase: 'plan_done' });
  await taken.close();
  expect(await lab.row(drive.run)).toMatchObject({
    version: 2,
    state: { ...old.state, version: 2, labels: [] },
  });
  const log = await lab.deps.store.events(drive.run, 0, 1_000);
  expect(log.at(-1)).toMatchObject({ type: 'run_migrated', input: { from: 1, to: 2 } });
  expect((await newer.api.doctor(true)).problems).toEqual([]);
  newer.deps.store.close();
  const before = rowsOf(ground);
  expect(await lab.api.open({ run: drive.run, attended: false })).toMatchObject({
    rejection: 'newer_version',
  });
  expect(await lab.api.view(drive.run)).toMatchObject({ rejection: 'newer_version' });
  expect(rowsOf(ground)).toEqual(before);
});

function rowsOf({ home }: Ground): unknown[] {
  const db = new DatabaseSync(path.join(home, 'baton.db'), { readOnly: true });
  try {
    return ['runs', 'events', 'gates'].map((table) => db.prepare(`select * from ${table}`).all());
  } finally {
    db.close();
  }
}

test('WF-43 WF-52 Stop at gate Spec and at gate Verify halts there; a resume shows the same gate and calls no worker', async () => {
  const { generator_single: [good = {}] = [], ...others } = changing(GREETING);
  const wrong = { ...good, edits: [{ path: 'greeting.txt', content: 'nothing\n' }] };
  const generator_single = [wrong, wrong, wrong, wrong];
  const lab = await grounds.open(grounds.repository(SMALL), { ...others, generator_single });
  const drive = await lab.start('deliver', SINGLE);
  for (const [name, phase] of [
    ['spec', 'plan_done'],
    ['verify', 'verify_done'],
  ] as const) {
    const gate = gateOf(await playTo(lab, drive, YES, name));
    const called = rolesCalled(lab);
    const {
      checks: { verify },
    } = await deliverState(lab, drive.run);
    await lab.answer(gate, 'stop');
    expect(await drive.advance()).toMatchObject({ status: 'halted', phase });
    await lab.api.command({ run: drive.run, command: 'resume' });
    expect(gateOf(await drive.advance())).toEqual(gate);
    expect(rolesCalled(lab)).toEqual(called);
    expect((await deliverState(lab, drive.run)).checks.verify).toEqual(verify);
  }
  expect(rolesCalled(lab).filter((role) => role.startsWith('generator'))).toHaveLength(4);
});
