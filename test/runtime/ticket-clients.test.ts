import { describe, expect, test } from 'vitest';
import { BriefReason } from '../../src/contract/brief.ts';
import { AWAITING_REASONS } from '../../src/contract/ticket.ts';
import { isRejection, reject } from '../../src/engine/rejection.ts';
import { COMMANDS } from '../../src/surfaces/cli/command-table.ts';
import { EXIT } from '../../src/surfaces/cli/exit.ts';
import { TICKET_OPERATIONS } from '../../src/workflows/conduct/operations.ts';
import { openGate } from '../scenario/quick-lab.ts';
import { WORKER } from '../support/caller.ts';
import type { Lab } from '../support/lab.ts';
import { say } from '../support/say.ts';
import { CLI, call, conduct, create, stateOf, ticketLabs, whole } from '../support/ticket-lab.ts';

const open = ticketLabs();

/** Every client there is: the operations, the command line, and the API a surface is made of. */
const CLIENTS: Readonly<Record<string, (lab: Lab, id: string, activity: string) => Promise<unknown>>> = {
  operation: (lab, task_id, activity) => lab.api.as(CLI).operate('advance_workflow', { task_id, activity }),
  'command line': async (lab, task_id, activity) => {
    const { exit } = await say(lab, {}, 'call', 'advance_workflow', JSON.stringify({ task_id, activity }));
    return exit === EXIT.done ? exit : reject('wrong_moment');
  },
  api: (lab, id, activity) => lab.api.command({ run: id, command: 'advance', args: { activity } }),
};

async function acceptNext(lab: Lab, id: string): Promise<void> {
  await conduct(lab, id);
  await lab.answer(await openGate(lab, id), 'accept');
}

describe('CON-32 edges of the engine alone', () => {
  test.each([
    ['Clarified', 'fast-forwarding', 1],
    ['Decomposed', 'rolling-up', 2],
    ['Designed', 'fast-forwarding', 3],
  ])(
    'CON-32 from %s, %s is refused to every client and changes nothing',
    async (state, activity, accepts) => {
      const lab = await open();
      const id = await create(lab, 'Rename photos');
      for (let n = 0; n < accepts; n++) await acceptNext(lab, id);
      expect((await stateOf(lab, id)).phase).toBe(state);
      const before = await whole(lab);
      for (const [client, ask] of Object.entries(CLIENTS))
        expect([client, isRejection(await ask(lab, id, activity))]).toEqual([client, true]);
      for (const reason of BriefReason.options) {
        const doc = { decide: 'End it?', items: [] };
        const track = reason === 'design-decision-draft' ? { track: 'technical' } : {};
        const brief = { task_id: id, reason, doc, pending_activity: activity, ...track };
        expect(await lab.api.as(CLI).operate('compose_brief', brief)).toMatchObject({
          rejection: 'bad_input',
        });
      }
      expect(await whole(lab)).toEqual(before);
    },
  );
});

describe('CON-63 a brief', () => {
  const EIGHT = [
    'clarification-draft',
    'decomposition-proposal',
    'design-decision-draft',
    'plan-draft',
    'release-decision-pending',
    'verification-ack-pending',
    'stale-patch-review',
    'revise-scope-review',
  ];

  test('CON-63 has one of eight reasons and these fields', async () => {
    expect(BriefReason.options).toEqual(EIGHT);
    const lab = await open();
    const id = await create(lab, 'Rename photos');
    await conduct(lab, id);
    const row = await call(lab, 'get_brief', { task_id: id });
    expect(row).toMatchObject({
      id: 'B-1.b1',
      task_id: id,
      reason: 'clarification-draft',
      doc: { decide: expect.any(String), items: [] },
      content: expect.stringContaining('DECIDE: '),
      expand_sections: { reasoning: expect.any(String) },
      related: [],
      pending_activity: 'clarifying',
      decision_ref: { type: 'specification', id: 'B-1.d1' },
      status: 'active',
      iteration: 1,
      pending_resolution: null,
      resolved_command: null,
      resolved_detail: null,
      resolved_at: null,
      created_by: expect.any(String),
    });
    await lab.answer(await openGate(lab, id), 'accept', { text: 'keep it small' });
    const [resolved] = await lab.deps.store.records(id, 'decision', 'brief_resolved');
    expect(resolved).toMatchObject({
      at: expect.any(String),
      record: { data: { brief: 'B-1.b1', command: 'accept', detail: 'keep it small' } },
    });
  });

  test('CON-63 with any other reason is refused before anything is written', async () => {
    const lab = await open();
    const id = await create(lab, 'Rename photos');
    await call(lab, 'advance_workflow', { task_id: id, activity: 'promoting' });
    const before = await whole(lab);
    const others = [
      ...AWAITING_REASONS.filter((reason) => !EIGHT.includes(reason)),
      'draft',
      '',
      null,
      'Plan-draft',
    ];
    expect(others).toHaveLength(7);
    for (const reason of others) {
      const brief = {
        task_id: id,
        reason,
        doc: { decide: 'Take it?', items: [] },
        pending_activity: 'clarifying',
      };
      expect(await lab.api.as(CLI).operate('compose_brief', brief)).toMatchObject({ rejection: 'bad_input' });
      const given = { reason, doc: brief.doc, pending_activity: 'clarifying' };
      expect(await lab.api.command({ run: id, command: 'compose', args: given })).toMatchObject({
        rejection: 'bad_input',
      });
    }
    expect(await whole(lab)).toEqual(before);
  });
});

describe('CON-95 superseding', () => {
  /** D-1, on which B-1 and B-2 rest and B-3 does not. */
  async function prepare(): Promise<Lab> {
    const lab = await open();
    await lab.api.recordDecision({ type: 'architecture', title: 'One file', status: 'Accepted' });
    for (const title of ['One', 'Two', 'Three']) await create(lab, title);
    for (const task_id of ['B-1', 'B-2'])
      await call(lab, 'reference_knowledge', { task_id, decision_id: 'D-1' });
    return lab;
  }

  const SAME = { stale: false, stale_ref: null, awaiting_human_input: false };

  test.each([
    ['none', {}, null],
    ['two', { type: 'architecture', title: 'Two files' }, 'D-2'],
  ])(
    'CON-95 with %s of the pair makes the linked tickets stale, and no other',
    async (_, pair, superseded_by) => {
      const lab = await prepare();
      const done = await lab.api.supersedeDecision({ id: 'D-1', ...pair });
      expect(done).toMatchObject({
        entry: { id: 'D-1', status: 'Superseded', superseded_by },
        successor: superseded_by === null ? null : { id: 'D-2', status: 'Accepted' },
      });
      if (superseded_by !== null)
        expect(await lab.api.decision(superseded_by)).toMatchObject({
          supersedes: ['D-1'],
          tickets: ['B-1', 'B-2'],
        });
      expect(await lab.api.decisions({})).toHaveLength(superseded_by === null ? 1 : 2);
      const stale_ref = { type: 'architecture', id: 'D-1', superseded_by };
      for (const id of ['B-1', 'B-2'])
        expect(await lab.api.ticket(id)).toMatchObject({
          stale: true,
          stale_ref,
          awaiting_human_input: false,
        });
      expect(await lab.api.ticket('B-3')).toMatchObject(SAME);
    },
  );

  test.each([
    ['only a type', { id: 'D-1', type: 'architecture' }],
    ['only a title', { id: 'D-1', title: 'Two files' }],
    ['an unknown id', { id: 'D-9' }],
    ['an unknown id and a successor', { id: 'D-9', type: 'architecture', title: 'Two files' }],
  ])('CON-95 with %s is an error before anything is written', async (_, input) => {
    const lab = await prepare();
    const before = [await whole(lab), await lab.api.decisions({})];
    expect(isRejection(await lab.api.supersedeDecision(input))).toBe(true);
    expect([await whole(lab), await lab.api.decisions({})]).toEqual(before);
    for (const id of ['B-1', 'B-2', 'B-3']) expect(await lab.api.ticket(id)).toMatchObject(SAME);
  });
});

describe('CON INV-17 what a worker can reach', () => {
  /** One input for each operation, of the kind that would do harm. */
  const OPERATIONS: Readonly<Record<string, object>> = {
    get_project: {},
    create_task: { title: 'x' },
    update_task: { task_id: 'B-1', labels_remove: ['auth'] },
    get_task: { task_id: 'B-1' },
    get_brief: { task_id: 'B-1' },
    compose_brief: { task_id: 'B-1', reason: 'clarification-draft', doc: { decide: 'x', items: [] } },
    resolve_brief: {
      task_id: 'B-1',
      brief_id: 'B-1.b1',
      iteration: 1,
      command: 'accept',
      provenance: 'human:cli',
    },
    advance_workflow: { task_id: 'B-1', activity: 'researching' },
    record_decision: { type: 'architecture', title: 'x' },
    supersede_decision: { id: 'D-1' },
    reference_knowledge: { task_id: 'B-1', decision_id: 'D-1' },
    list_ticket_knowledge: { task_id: 'B-1' },
    query_knowledge: {},
    query_tasks: {},
    list_subtasks: { task_id: 'B-1' },
    manage_subtasks: { task_id: 'B-1', add_new: [{ title: 'x' }] },
    consume_accept_remark: { brief_id: 'B-1.b1' },
    list_activity: { task_id: 'B-1' },
    get_build_evidence_status: { task_id: 'B-1' },
  };

  /** What a worker might type, for every command there is. */
  const TYPED: Readonly<Record<string, readonly (readonly string[])[]>> = {
    spec: [['x', '--unattended']],
    deliver: [['x', '--unattended']],
    approve: [['README']],
    conduct: [
      ['B-1'],
      ['B-1', '--unattended'],
      ['B-1', '--escalate'],
      ['B-1', '--pause-at', 'release'],
      ['B-1', '--children', '--inherit', '--unattended'],
    ],
    ticket: [
      ['label', 'B-1', '--remove', 'auth'],
      ['edit', 'B-1', '--description', ''],
      ['acknowledge', 'B-1', '--class', 'auth', '--why', 'x'],
      ['archive', 'B-1'],
      ['cancel', 'B-1'],
    ],
    queue: [[]],
    next: [[]],
    stats: [[]],
    call: Object.entries(OPERATIONS).map(([name, input]) => [name, JSON.stringify(input)]),
    status: [['B-1']],
    list: [[]],
    gates: [[]],
    answer: [
      ['B-1', 'accept'],
      ['B-1', 'deny'],
    ],
    resume: [['B-1']],
    stop: [['B-1']],
    log: [['B-1']],
    show: [['B-1']],
    decisions: [
      ['record', 'x', '--type', 'architecture'],
      ['supersede', 'D-1'],
      ['link', 'B-1', 'D-1'],
    ],
    trust: [['balanced'], ['autonomous']],
    project: [['manual'], ['opinionated']],
    doctor: [[], ['--deep']],
    agents: [[]],
    clean: [[], ['--branches']],
    init: [[]],
    /** Works on a folder and a store of its own. */
    demo: [],
  };

  test('CON INV-17 raises no trust level, adds no mode, removes no risk label and deletes no event', async () => {
    const lab = await open({ acknowledge: true });
    await create(lab, 'A login', { labels: ['auth'] });
    await lab.api.recordDecision({ type: 'architecture', title: 'One file' });
    await lab.api.setTrust({ level: 'cautious' });
    await conduct(lab, 'B-1');
    const held = async () => ({
      trust: await lab.api.trust(),
      trusts: await lab.api.settingChanges('trust'),
      mode: await lab.api.projectMode(),
      drive: await lab.deps.store.drive('B-1'),
      labels: (await stateOf(lab, 'B-1')).labels,
      acknowledged: (await stateOf(lab, 'B-1')).acknowledged,
      phase: (await stateOf(lab, 'B-1')).phase,
      decisions: await lab.api.decisions({}),
    });
    const before = await held();
    const events = (await whole(lab)).events;
    expect(Object.keys(OPERATIONS).sort()).toEqual([...Object.keys(TICKET_OPERATIONS)].sort());
    for (const [name, input] of Object.entries(OPERATIONS)) {
      await lab.api.as(WORKER).operate(name, input);
      expect([name, await held()]).toEqual([name, before]);
    }
    expect(Object.keys(TYPED).sort()).toEqual(COMMANDS.map(({ name }) => name).sort());
    const call_id = reject('not_a_person', { call_id: 'B-1/1', reason: 'started by a worker' });
    for (const [name, forms] of Object.entries(TYPED))
      for (const typed of forms) {
        const { exit } = await say(lab, { refused: call_id, person: call_id }, name, ...typed);
        expect([name, typed, exit]).not.toEqual([name, typed, EXIT.usage]);
        expect([name, typed, await held()]).toEqual([name, typed, before]);
      }
    const after = (await lab.deps.store.events('B-1', 0, 10_000)).slice(0, events.length);
    expect(after).toEqual(events);
    // A person can do all of it, so it was the mark that kept it from being done.
    await say(lab, {}, 'trust', 'balanced');
    await say(lab, {}, 'ticket', 'label', 'B-1', '--remove', 'auth');
    expect(await held()).toMatchObject({ trust: { level: 'balanced' }, labels: [] });
  });
});
