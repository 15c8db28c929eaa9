import { describe, expect, test } from 'vitest';
import { isRejection } from '../../src/engine/rejection.ts';
import { WORKER } from '../support/caller.ts';
import { flag } from '../support/handed-over.ts';
import type { Lab } from '../support/lab.ts';
import { CLI, call, conduct, create, stateOf, ticketLabs, whole } from '../support/ticket-lab.ts';

const open = ticketLabs();

describe('a ticket', () => {
  test('is made at Captured with the next number, and a blank title is refused and writes nothing', async () => {
    const lab = await open();
    const [one, two] = [await create(lab, 'Rename photos'), await create(lab, 'Sort', { priority: 'high' })];
    expect([one, two]).toEqual(['B-1', 'B-2']);
    expect(await lab.api.ticket('1')).toMatchObject({
      id: 'B-1',
      workflow_state: 'Captured',
      priority: 'medium',
      awaiting_human_input: false,
      risk_classes: [],
    });
    for (const input of [
      { title: '  ' },
      {},
      { title: 'x', priority: 'urgent' },
      { title: 'x', child: null },
    ])
      expect(await lab.api.as(CLI).operate('create_task', input)).toMatchObject({ rejection: 'bad_input' });
    expect(await lab.api.tickets({})).toHaveLength(2);
    expect((await lab.row('B-2')).holder).toBeNull();
  });

  test('CON-106 is edited while it is conducted, and the next delegated gate pauses for it', async () => {
    const lab = await open();
    expect([await create(lab, 'Rename photos'), await create(lab, 'Sort')]).toEqual(['B-1', 'B-2']);
    for (const id of ['B-1', 'B-2']) expect((await stateOf(lab, id)).phase).toBe('Captured');
    expect(await lab.api.as(CLI).operate('create_task', { title: ' ' })).toMatchObject({
      rejection: 'bad_input',
      message: { args: { field: 'title' } },
    });
    let edited: Promise<unknown> = Promise.resolve();
    lab.api.onProgress((event) => {
      const edit = { task_id: 'B-1', description: 'Backfill the old names.' };
      if (event.type === 'auto_accepted' && event.name === 'clarify') edited = call(lab, 'update_task', edit);
    });
    await lab.api.command({ run: 'B-1', command: 'conduct' });
    const drive = await lab.api.open({
      run: 'B-1',
      attended: false,
      invocation: flag('unattended').invocation,
    });
    if (isRejection(drive)) throw new Error(`refused: ${JSON.stringify(drive)}`);
    const rest = await drive.advance();
    await edited;
    await drive.close();
    expect(rest).toMatchObject({
      phase: 'Clarified',
      gate: { name: 'decompose' },
      pause: { cause: 'risk-floor', classes: ['data-migration'] },
    });
  });

  test('is edited, and the edit counts at the next read', async () => {
    const lab = await open();
    const id = await create(lab, 'Rename photos');
    const edit = { task_id: 'b-1', description: 'Backfill the old names.', labels_add: ['names'] };
    expect(await call(lab, 'update_task', edit)).toMatchObject({
      risk_classes: ['data-migration'],
      labels: ['names'],
    });
    expect(await call(lab, 'update_task', { task_id: id, archived: true })).toMatchObject({ archived: true });
    expect(await lab.api.tickets({})).toEqual([]);
    expect(await lab.api.tickets({ archived: true })).toMatchObject([{ id }]);
  });

  test('CON-62 is the same in both views but for its long texts', async () => {
    const lab = await open();
    const id = await create(lab, 'Rename', { description: 'add a login', labels: ['migration'] });
    await conduct(lab, id);
    const [full, meta] = [
      await call(lab, 'get_task', { task_id: id }),
      await call(lab, 'get_task', { task_id: id, view: 'meta' }),
    ];
    expect(full).toMatchObject(meta);
    expect(meta).toMatchObject({ risk_classes: full.risk_classes, active_brief_iteration: 1 });
    expect(meta).not.toHaveProperty('description');
    expect(meta.risk_classes).toEqual(['auth', 'data-migration']);
    const paths = { task_id: id, changed_paths: ['core/a.sql'] };
    const queried = await call(lab, 'get_task', paths);
    expect(await call(lab, 'get_task', { ...paths, view: 'meta' })).toMatchObject({
      risk_classes: queried.risk_classes,
    });
  });

  test('of a manual project is listed, but not by where it stands, and there is no queue', async () => {
    const lab = await open();
    await create(lab, 'Rename photos');
    await lab.api.setProjectMode({ mode: 'manual' });
    expect(await lab.api.tickets({ label: 'x' })).toEqual([]);
    const before = await whole(lab);
    for (const filter of [{ workflow_state: 'Captured' }, { stale: false }, { awaiting_human_input: true }])
      expect(await lab.api.as(CLI).operate('query_tasks', filter)).toMatchObject({
        rejection: 'wrong_moment',
        message: { msg: 'conduct.manual_project', args: { what: Object.keys(filter)[0] } },
      });
    expect(await lab.api.queue()).toMatchObject({ message: { msg: 'conduct.manual_project' } });
    expect(await lab.api.nextTicket()).toMatchObject({ message: { msg: 'conduct.manual_project' } });
    expect(await whole(lab)).toEqual(before);
  });
});

describe('resolving a brief', () => {
  const resolve = (lab: Lab, more: object = {}, by = CLI) =>
    lab.api.as(by).operate('resolve_brief', {
      task_id: 'B-1',
      brief_id: 'B-1.b1',
      iteration: 1,
      command: 'accept',
      provenance: 'human:cli',
      ...more,
    });

  async function atClarify(): Promise<Lab> {
    const lab = await open();
    await create(lab, 'Rename photos');
    await conduct(lab, 'B-1');
    return lab;
  }

  test('CON-69 twice is one transition, one promotion and one event; accept after defer is a conflict', async () => {
    const lab = await open();
    await create(lab, 'Rename photos');
    await call(lab, 'advance_workflow', { task_id: 'B-1', activity: 'promoting' });
    await lab.api.recordDecision({ type: 'architecture', title: 'One file' });
    await call(lab, 'compose_brief', {
      task_id: 'B-1',
      reason: 'clarification-draft',
      doc: { decide: 'Take this?', items: [] },
      pending_activity: 'clarifying',
      decision_ref: { type: 'architecture', id: 'D-1' },
    });
    const first = await resolve(lab);
    expect(first).toMatchObject({ from: 'Idea', to: 'Clarified', command: 'accept', idempotent: false });
    expect(await lab.api.decision('D-1')).toMatchObject({ entry: { status: 'Accepted' } });
    const before = await whole(lab);
    const again = await resolve(lab);
    expect(again).toEqual({ ...(first as object), idempotent: true });
    expect(await whole(lab)).toEqual(before);
    const records = await lab.api.records('B-1');
    const named = (kind: string, name: string) =>
      records.filter(({ record }) => record.kind === kind && 'name' in record && record.name === name);
    expect(named('decision', 'brief_resolved')).toHaveLength(1);
    expect(named('decision', 'knowledge_accepted')).toHaveLength(1);
    expect(
      named('entry', 'history').filter(({ record }) => JSON.stringify(record).includes('clarifying')),
    ).toHaveLength(1);
    expect(await resolve(lab, { command: 'defer' })).toMatchObject({
      rejection: 'gate_closed',
      current: { command: 'accept' },
    });
    await conduct(lab, 'B-1');
    expect(await resolve(lab)).toEqual(again);
    const deferred = { brief_id: 'B-1.b2', command: 'defer', detail: 'not now' };
    expect(await resolve(lab, deferred)).toMatchObject({ to: 'Parked', idempotent: false });
    expect(await resolve(lab, deferred)).toMatchObject({ to: 'Parked', idempotent: true });
    expect(await resolve(lab, { brief_id: 'B-1.b2' })).toMatchObject({
      rejection: 'gate_closed',
      message: { msg: 'conduct.resolved_otherwise', args: { was: 'defer' } },
    });
  });

  test.each([
    ['another command', { command: 'maybe' }, 'bad_input'],
    ['a draft that never was', { iteration: 2 }, 'stale_digest'],
    ['another brief', { brief_id: 'B-1.b7' }, 'stale_digest'],
    ['no brief where one waits', { brief_id: null, iteration: null }, 'stale_digest'],
    ['a field nobody knows', { force: true }, 'bad_input'],
  ])('CON-70 %s is refused and writes nothing', async (_, more, rejection) => {
    const lab = await atClarify();
    const before = await whole(lab);
    expect(await resolve(lab, more)).toMatchObject({ rejection });
    expect(await whole(lab)).toEqual(before);
  });

  test('CON-56 with a provenance that is missing, misspelt, without its part or another surface’s is refused, and nothing is stored', async () => {
    const lab = await atClarify();
    const before = await whole(lab);
    const values = [
      '',
      'human',
      'human:',
      'human:cly',
      'Human:cli',
      'human:web',
      'human:mcp',
      'human:github',
    ];
    const agents = ['agent', 'agent:', 'agent:unattended', 'agent-synthesized:', 'agent:partial:plan'];
    for (const provenance of [...values, ...agents, undefined, null, 7]) {
      for (const command of ['accept', 'defer'])
        expect([provenance, await resolve(lab, { provenance, command })]).toMatchObject([
          provenance,
          { rejection: 'bad_input' },
        ]);
    }
    const web = { ...CLI, surface: 'web' as const };
    expect(await resolve(lab, { provenance: 'human:cli' }, web)).toMatchObject({ rejection: 'bad_input' });
    expect(await whole(lab)).toEqual(before);
    expect(await lab.deps.store.answers('B-1')).toEqual([]);
    expect(await resolve(lab)).toMatchObject({ to: 'Clarified' });
    const [stored] = await lab.deps.store.records('B-1', 'decision', 'brief_resolved');
    expect(stored).toMatchObject({ record: { data: { provenance: 'human:cli' } } });
  });

  test('is not for workers, nor is any other change', async () => {
    const lab = await atClarify();
    const before = await whole(lab);
    expect(await resolve(lab, {}, WORKER)).toMatchObject({ rejection: 'not_a_person' });
    for (const [name, input] of [
      ['create_task', { title: 'x' }],
      ['update_task', { task_id: 'B-1', labels_remove: ['auth'] }],
      ['advance_workflow', { task_id: 'B-1', activity: 'researching' }],
      ['manage_subtasks', { task_id: 'B-1', add_new: [{ title: 'x' }] }],
    ] as const)
      expect(await lab.api.as(WORKER).operate(name, input)).toMatchObject({ rejection: 'not_a_person' });
    expect(await lab.api.as(WORKER).operate('get_task', { task_id: '1' })).toMatchObject({ id: 'B-1' });
    // Its tries stand in the log and nothing else has changed.
    const { rows, events } = await whole(lab);
    expect(events.slice(0, before.events.length)).toEqual(before.events);
    expect(events.slice(before.events.length)).toMatchObject(Array(5).fill({ type: 'worker_refused' }));
    expect(rows.map(({ state }) => state)).toEqual(before.rows.map(({ state }) => state));
  });

  test('CON-70 without a brief is refused', async () => {
    const lab = await open();
    await create(lab, 'Rename photos');
    for (const more of [{}, { brief_id: null, iteration: null }])
      expect(await resolve(lab, more)).toMatchObject({ message: { msg: 'conduct.no_brief' } });
  });
});

describe('operations', () => {
  test('one that nobody knows is refused with those there are, and so is an unknown ticket', async () => {
    const lab = await open();
    const refused = await lab.api.as(CLI).operate('delete_task', {});
    expect(refused).toMatchObject({ rejection: 'no_such_command' });
    expect(JSON.stringify(refused)).toContain('get_build_evidence_status');
    expect(await lab.api.as(CLI).operate('toString', {})).toMatchObject({ rejection: 'no_such_command' });
    for (const name of [
      'get_task',
      'get_brief',
      'list_subtasks',
      'list_activity',
      'get_build_evidence_status',
    ])
      expect(await lab.api.as(CLI).operate(name, { task_id: 'B-9' })).toMatchObject({
        rejection: 'no_such_run',
      });
    expect(await lab.api.as(CLI).operate('get_task', { task_id: 'X-9' })).toMatchObject({
      rejection: 'bad_ticket_id',
    });
  });

  test('compose takes what somebody outside drafted, and the same once more counts on', async () => {
    const lab = await open();
    await create(lab, 'Rename photos');
    const doc = { decide: 'Take these criteria?', items: [] };
    const brief = { task_id: 'B-1', reason: 'clarification-draft', doc, pending_activity: 'clarifying' };
    expect(await lab.api.as(CLI).operate('compose_brief', brief)).toMatchObject({
      message: { msg: 'conduct.compose_captured' },
    });
    await call(lab, 'advance_workflow', { task_id: 'B-1', activity: 'promoting' });
    await lab.api.recordDecision({ type: 'architecture', title: 'One file' });
    const more = { decision_ref: { type: 'architecture', id: 'D-1' }, related: ['B-7'] };
    expect(await call(lab, 'compose_brief', { ...brief, ...more })).toMatchObject({
      brief: { id: 'B-1.b1', iteration: 1, ...more, content: expect.stringContaining('Take these') },
      lint: { ok: true },
    });
    const unknown = { ...brief, decision_ref: { type: 'architecture', id: 'D-2' } };
    expect(await lab.api.as(CLI).operate('compose_brief', unknown)).toMatchObject({
      rejection: 'no_such_decision',
    });
    expect(await call(lab, 'compose_brief', brief)).toMatchObject({ brief: { iteration: 2 } });
    expect(await call(lab, 'get_brief', { task_id: 'B-1' })).toMatchObject({
      iteration: 2,
      status: 'active',
    });
    const bad = { ...brief, doc: { ...doc, items: [{ kind: 'decision', text: 'open' }] } };
    expect(await lab.api.as(CLI).operate('compose_brief', bad)).toMatchObject({ rejection: 'bad_input' });
  });

  test('children are made, taken on and let go, and never in a circle', async () => {
    const lab = await open();
    for (const title of ['one', 'two', 'three']) await create(lab, title);
    const manage = (task_id: string, change: object) =>
      lab.api.as(CLI).operate('manage_subtasks', { task_id, ...change });
    expect(await manage('B-1', { add: ['2'], add_new: [{ title: 'new' }] })).toMatchObject([
      { id: 'B-2', workflow_state: 'Captured' },
      { id: 'B-4', title: 'new' },
    ]);
    expect((await stateOf(lab, 'B-2')).parent).toBe('B-1');
    const before = await whole(lab);
    expect(await manage('B-1', { add: ['B-1'] })).toMatchObject({ message: { msg: 'conduct.own_child' } });
    expect(await manage('B-2', { add: ['B-1'] })).toMatchObject({ message: { msg: 'conduct.above' } });
    expect(await manage('B-3', { add: ['B-2'] })).toMatchObject({ message: { msg: 'conduct.has_parent' } });
    expect(await manage('B-1', { remove: ['B-3'] })).toMatchObject({
      message: { msg: 'conduct.no_such_child' },
    });
    expect(await whole(lab)).toEqual(before);
    expect(await manage('B-1', { remove: ['B-2'] })).toMatchObject([{ id: 'B-4' }]);
    expect((await stateOf(lab, 'B-2')).parent).toBeNull();
  });

  test('a remark is consumed once, and a brief that never was is refused', async () => {
    const lab = await open();
    await create(lab, 'Rename photos');
    await conduct(lab, 'B-1');
    const accept = { task_id: 'B-1', brief_id: 'B-1.b1', iteration: 1, command: 'accept' };
    await call(lab, 'resolve_brief', { ...accept, detail: 'keep it small', provenance: 'human:cli' });
    expect(await call(lab, 'get_task', { task_id: 'B-1' })).toMatchObject({
      pending_remark: { brief: 'B-1.b1', text: 'keep it small' },
    });
    const consume = (brief_id: string) => lab.api.as(CLI).operate('consume_accept_remark', { brief_id });
    expect(await consume('B-1.b1')).toMatchObject({ consumed: 'consumed' });
    expect(await consume('B-1.b1')).toMatchObject({ consumed: 'already' });
    expect(await consume('B-1.b9')).toMatchObject({ message: { msg: 'conduct.no_such_brief' } });
  });

  test('the timeline, the knowledge of a ticket and the evidence of its build are read', async () => {
    const lab = await open();
    await create(lab, 'Rename photos');
    await call(lab, 'record_decision', { type: 'architecture', title: 'One file', domains: ['data'] });
    await call(lab, 'reference_knowledge', { task_id: '1', decision_id: 'D-1' });
    const linked = {
      id: 'D-1',
      type: 'architecture',
      status: 'Asserted',
      title: 'One file',
      domains: ['data'],
    };
    expect(await call(lab, 'list_ticket_knowledge', { task_id: '1' })).toMatchObject([linked]);
    expect(await call(lab, 'query_knowledge', { domains: ['data'] })).toMatchObject([{ id: 'D-1' }]);
    expect(await call(lab, 'list_activity', { task_id: '1' })).toMatchObject([
      { seq: 1, type: 'run_created', by: 'tess' },
      { type: 'run_halted' },
      { type: 'signal_received', by: 'tess' },
    ]);
    expect(await call(lab, 'get_build_evidence_status', { task_id: '1' })).toEqual({
      task_id: 'B-1',
      tests: [],
      criteria: [],
      pull_request: null,
      exemption: null,
    });
    expect(await call(lab, 'get_project', {})).toMatchObject({ mode: 'opinionated', key: 'B' });
  });
});
