import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import type { MoveRecord } from '../../src/contract/move.ts';
import { isRejection } from '../../src/engine/rejection.ts';
import type { AgentCall } from '../../src/ports/agent.ts';
import type { Deps } from '../../src/runtime/deps.ts';
import type { StopPoint } from '../../src/runtime/views.ts';
import { conductRoles } from '../../src/workflows/conduct/roles.ts';
import { deliverRoles } from '../../src/workflows/deliver/roles.ts';
import { decomposed, designed } from '../support/conduct-script.ts';
import { reopened, told } from '../support/handed-over.ts';
import { gateOf, type Lab } from '../support/lab.ts';
import { recordsOf } from '../support/records-of.ts';
import { CLI, call, create, stateOf } from '../support/ticket-lab.ts';
import { diesOf, killAt } from './kill-in-process.ts';
import { labsOfTest, script } from './quick-lab.ts';

const labs = labsOfTest();
const WEB = { person: 'Wren', surface: 'web', proof: 'login' } as const;

/** Takes the ticket up in this mode and drives it to its next rest. */
async function drive(lab: Lab, id: string, mode = 'controlled'): Promise<StopPoint> {
  const handle = await reopened(lab, id, mode);
  await lab.api.command({ run: id, command: 'conduct' });
  const rest = await handle.advance();
  await handle.close();
  return rest;
}

async function accepting(lab: Lab, id: string, mode: string, until: string): Promise<StopPoint> {
  for (let rest = await drive(lab, id, mode); ; rest = await drive(lab, id, mode)) {
    if (rest.gate?.name === until) return rest;
    await lab.answer(gateOf(rest), 'accept');
  }
}

const childrenOf = async (lab: Lab, id: string) =>
  (
    await call<{ id: string; title: string; workflow_state: string }[]>(lab, 'list_subtasks', { task_id: id })
  ).map(({ title, workflow_state }) => `${title} ${workflow_state}`);

describe('delegation', () => {
  test('CON-38 a gate on the risk floor, once answered, does not make the next one pause', async () => {
    const risky = designed({ why: ['It needs a migration.'] });
    const lab = await labs.open({ script: script({ design: [{ result: risky }] }) });
    const id = await create(lab, 'Rename photos');
    const handle = await reopened(lab, id, 'unattended');
    await lab.api.command({ run: id, command: 'conduct' });
    const rest = await handle.advance();
    expect(rest).toMatchObject({
      phase: 'Decomposed',
      pause: { cause: 'risk-floor', classes: ['data-migration'] },
    });
    await lab.answer(gateOf(rest), 'accept');
    await handle.advance();
    await handle.close();
    const floored = (await told(lab, id, 'gate_paused')).filter(({ cause }) => cause === 'risk-floor');
    expect(floored.map(({ name }) => name)).toEqual(['design']);
    expect((await told(lab, id, 'auto_accepted')).map(({ name }) => name)).toEqual([
      'clarify',
      'decompose',
      'plan',
    ]);
  });

  test('CON-52 a pause says which signals fired; a routine gate is accepted the way unattended accepts it', async () => {
    const judge = [
      { result: { worth: false, signals: [], why: 'routine' } },
      { result: { worth: true, signals: ['near-tie', 'novel'], why: 'two ways' } },
    ];
    const risky = { decompose: [{ result: decomposed([], { why: ['It needs a migration.'] }) }] };
    const traces: Record<string, unknown> = {};
    for (const mode of ['unattended', 'escalate']) {
      const commits: unknown[] = [];
      const lab = await labs.open({
        script: script({ escalate_judge: judge, ...(mode === 'unattended' ? risky : {}) }),
        wrap: (deps) => ({ ...deps, store: tracing(deps.store, commits) }),
      });
      // Something to rest on: a draft that says of itself that it is a guess is never routine.
      await lab.api.recordDecision({
        type: 'business',
        title: 'Rename photos by date',
        domains: ['product'],
        status: 'Accepted',
      });
      const id = await create(lab, 'Rename photos');
      expect(await drive(lab, id, mode)).toMatchObject({ phase: 'Clarified', gate: { name: 'decompose' } });
      if (mode === 'escalate')
        expect(await told(lab, id, 'gate_paused')).toMatchObject([
          { name: 'decompose', cause: 'escalate', signals: ['near-tie', 'novel'] },
        ]);
      traces[mode] = commits;
    }
    expect(traces.unattended).toHaveLength(1);
    expect(traces.escalate).toEqual(traces.unattended);
  });
});

/** Notes what every commit with an answer of a drive writes: its events and records, without who and when. */
function tracing(store: Deps['store'], into: unknown[]): Deps['store'] {
  return {
    ...store,
    commit: (changes) => {
      for (const { answer, events, records, run } of changes)
        if (answer && 'agent' in answer.by)
          into.push({
            answered: [answer.option, answer.text, answer.fields],
            events: events.map(({ type }) => type),
            records: records.map(({ record }) => shapeOf(record)),
            to: [run.phase, run.step.kind],
          });
      return store.commit(changes);
    },
  };
}

function shapeOf(record: MoveRecord): string {
  return [record.kind, 'name' in record ? record.name : ''].join(' ');
}

describe('CON-57 workers of the gates', () => {
  const ROLES = ['clarify', 'decompose', 'design', 'plan'];

  test('CON-57 are called read-only, and no result of build, release or verify can hold a decision', async () => {
    const calls: AgentCall[] = [];
    const lab = await labs.open({ wrap: (deps) => ({ ...deps, agent: noting(deps, calls) }) });
    const id = await create(lab, 'Rename photos');
    await accepting(lab, id, 'controlled', 'plan');
    expect(calls.map(({ role, profile }) => [role, profile.kind])).toEqual(
      ROLES.map((role) => [role, 'read_only']),
    );
    for (const { role, profile } of calls)
      expect(profile).toEqual(conductRoles[role as keyof typeof conductRoles].profile);
    const { release, verify } = conductRoles;
    for (const [role, { result }] of Object.entries({ ...deliverRoles, release, verify })) {
      const { properties = {}, additionalProperties } = z.toJSONSchema(result, { io: 'input' });
      expect([role, additionalProperties]).toEqual([role, false]);
      expect(Object.keys(properties).filter((name) => /decision|knowledge|supersed/.test(name))).toEqual([]);
    }
  });

  test.each(['controlled', 'unattended'])(
    'CON-57 one that writes a file all the same, %s, brings no gate on, and what it was refused is on record',
    async (mode) => {
      const edits = [{ path: 'stray.txt', content: 'x' }];
      const lab = await labs.open({
        git: true,
        script: script({ design: [{ result: designed(), edits, denied: 'git commit' }] }),
      });
      const id = await create(lab, 'Rename photos');
      const rest = await accepting(lab, id, mode, 'trouble_tree_changed');
      expect(rest).toMatchObject({ phase: 'Decomposed', pause: { cause: 'trouble' } });
      expect(JSON.stringify(rest.gate?.brief.why)).toContain('stray.txt');
      expect(await told(lab, id, 'trouble_opened')).toMatchObject([
        { kind: 'tree_changed', args: { role: 'design', paths: 'stray.txt' } },
      ]);
      expect((await stateOf(lab, id)).brief).toBeNull();
      await lab.answer(gateOf(rest), 'go_on');
      expect(await drive(lab, id)).toMatchObject({ gate: { name: 'design' } });
      const notices = (await lab.api.records(id)).map(({ record }) => record);
      expect(notices).toContainEqual({
        kind: 'notice',
        level: 'warning',
        text: { msg: 'engine.call_denied', args: { role: 'design', what: 'git commit' } },
      });
    },
  );
});

function noting(deps: Deps, calls: AgentCall[]): Deps['agent'] {
  return async (policy, role) => {
    const agent = await deps.agent(policy, role);
    return {
      ...agent,
      run: (order, signal) => {
        calls.push(order);
        return agent.run(order, signal);
      },
    };
  };
}

describe('decompose', () => {
  const KEYS = ['a', 'b', 'c'];
  const DIVIDED = { script: script({ decompose: [{ result: decomposed(KEYS) }] }) };
  const CHILDREN = KEYS.map((key) => `Part ${key} Idea`);

  async function atDecompose(): Promise<Lab> {
    const lab = await labs.open(DIVIDED);
    await create(lab, 'Rename photos');
    await accepting(lab, 'B-1', 'controlled', 'decompose');
    return lab;
  }

  test('CON-28 accepted while nothing ran, its children exist before anything else is done', async () => {
    const lab = await atDecompose();
    const [open] = await lab.api.gates('B-1');
    if (!open) throw new Error('no gate');
    const seen = (await lab.row('B-1')).seq;
    await lab.answer(open.gate, 'accept', { by: WEB });
    await lab.api.close();
    const started = await labs.copy(lab, DIVIDED);
    const calls = started.progress.length;
    await drive(started, 'B-1', 'unattended');
    const events = await started.deps.store.events('B-1', seen, 100);
    expect(events[0]).toMatchObject({ type: 'gate_answered' });
    const spawns = (await started.deps.store.records('B-1', 'spawn')).map(({ record }) => record);
    expect(spawns).toHaveLength(KEYS.length);
    expect(await childrenOf(started, 'B-1')).toEqual(CHILDREN);
    expect(started.progress.slice(calls).filter(({ type }) => type === 'call')).toEqual([]);
    expect((await stateOf(started, 'B-1')).phase).toBe('Decomposed');
  });

  test('CON-77 killed before or after any write of its accept, the children are made once and with the parent', async () => {
    const base = await atDecompose();
    const resolution = {
      task_id: 'B-1',
      brief_id: (await stateOf(base, 'B-1')).brief?.id,
      iteration: 1,
      command: 'accept',
      provenance: 'human:cli',
    };
    const seen: string[] = [];
    for (let n = 1, died = true; died; n++) {
      const lab = await labs.copy(base, DIVIDED);
      const death = killAt(n, (label) => /commit$/.test(label));
      const dying = await labs.dying(lab, ...death.parts);
      died = await diesOf(dying.api.as(CLI).operate('resolve_brief', resolution));
      const runs = (await lab.deps.store.list({})).length - 1;
      seen.push(`${runs} ${(await stateOf(lab, 'B-1')).phase}`);
      const done = await lab.api.as(CLI).operate('resolve_brief', resolution);
      if (isRejection(done)) throw new Error(JSON.stringify(done));
      await drive(lab, 'B-1');
      expect(await childrenOf(lab, 'B-1')).toEqual(CHILDREN);
      expect(await lab.deps.store.list({})).toHaveLength(KEYS.length + 1);
      expect((await stateOf(lab, 'B-1')).phase).toBe('Decomposed');
    }
    expect(new Set(seen)).toEqual(new Set(['0 Clarified', '3 Decomposed']));
  });

  test('CON-72 killed before or after any write, each kind of promise is kept once and the state moves with the last', async () => {
    const base = await atDecompose();
    const payload = [
      { kind: 'label_add', label: 'ui' },
      { kind: 'ac_transfer', criterion: 'AC-1', child: 'a' },
      { kind: 'checklist_item', text: 'tell people' },
      { kind: 'child_ticket', key: 'a', title: 'Part a' },
      { kind: 'acceptance_criterion', text: 'it is fast' },
    ];
    const doc = { decide: 'Divide it?', items: [], payload };
    const brief = { task_id: 'B-1', reason: 'decomposition-proposal', pending_activity: 'decomposing', doc };
    await call(base, 'compose_brief', brief);
    const { brief: shown, criteria } = await stateOf(base, 'B-1');
    const [taken] = criteria;
    const draft = { brief_id: shown?.id, iteration: 2 };
    const resolution = { task_id: 'B-1', ...draft, command: 'accept', provenance: 'human:cli' };
    const seen = new Set<string>();
    for (let n = 1, died = true; died; n++) {
      const lab = await labs.copy(base, DIVIDED);
      const death = killAt(n, (label) => /commit$/.test(label));
      died = await diesOf(
        (await labs.dying(lab, ...death.parts)).api.as(CLI).operate('resolve_brief', resolution),
      );
      const halfway = await stateOf(lab, 'B-1');
      seen.add([halfway.phase, halfway.labels, halfway.children.length, halfway.checklist.length].join(' '));
      const done = await lab.api.as(CLI).operate('resolve_brief', resolution);
      if (isRejection(done)) throw new Error(JSON.stringify(done));
      await drive(lab, 'B-1');
      const state = await stateOf(lab, 'B-1');
      expect(state).toMatchObject({
        phase: 'Decomposed',
        labels: ['ui'],
        checklist: [{ text: 'tell people' }],
      });
      expect(state.criteria.map(({ text }) => text)).toEqual([
        ...criteria.slice(1).map(({ text }) => text),
        'it is fast',
      ]);
      expect(await childrenOf(lab, 'B-1')).toEqual(['Part a Idea']);
      expect((await stateOf(lab, 'B-2')).criteria).toMatchObject([{ text: taken?.text }]);
      const ledger = (await lab.deps.store.records('B-1', 'entry', 'ledger')).map(({ record }) =>
        JSON.stringify(record),
      );
      expect(ledger.filter((one) => one.includes(`"${shown?.id}"`))).toHaveLength(payload.length);
      expect(new Set(ledger).size).toBe(ledger.length);
    }
    expect([...seen].sort()).toEqual(['Clarified  0 0', 'Decomposed ui 1 1']);
  });
});

test('CON INV-07 killed after any write and taken up again, a ticket ends with the same rows and does nothing twice', async () => {
  const processRun = async (lab: Lab) => {
    if ((await lab.deps.store.list({})).length === 0) await create(lab, 'Rename photos');
    const handle = await reopened(lab, 'B-1', 'partial:design');
    const { step } = await lab.row('B-1');
    if (step.kind === 'wait') await lab.api.command({ run: 'B-1', command: 'conduct' });
    const rest = await handle.advance();
    await handle.close();
    expect(rest.gate?.name).toBe('design');
  };
  const left = async (lab: Lab) => {
    const { uuid: _, ...state } = await stateOf(lab, 'B-1');
    const decisions = await lab.api.decisions({});
    if (isRejection(decisions)) throw new Error('refused');
    return JSON.parse(
      JSON.stringify({
        state,
        decisions: decisions.map(({ id, status, title }) => [id, status, title]),
        records: await recordsOf(lab.deps, 'B-1'),
        answers: (await lab.deps.store.answers('B-1')).map(({ option, by }) => [
          option,
          'agent' in by && by.agent,
        ]),
      }).replace(/"(dr|an)-\w+"|"\d{4}-\d\d-\d\dT[^"]+"/g, 'null'),
    );
  };
  const whole = await labs.open({});
  await processRun(whole);
  const expected = await left(whole);
  const isWrite = (label: string) => /(commit|takeLease|releaseLease)$/.test(label);
  let n = 1;
  for (let died = true; died; n++) {
    const lab = await labs.open({});
    const death = killAt(n, isWrite);
    died = await diesOf(processRun(await labs.dying(lab, ...death.parts)));
    await processRun(lab);
    expect(await left(lab), `death ${n}`).toEqual(expected);
  }
  expect(n).toBeGreaterThan(10);
}, 400_000);
