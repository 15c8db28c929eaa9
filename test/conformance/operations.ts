import { describe, expect, test } from 'vitest';

/** What a surface makes of one call: the result, or the code of the refusal and what it says in English. */
export type OperationReply =
  | { readonly ok: true; readonly result: unknown }
  | { readonly ok: false; readonly rejection: string; readonly message: string };

/** One surface over a folder without tickets; `worker`: the same as a process of a worker sees it. */
export interface OperationsClient {
  call(operation: string, input: unknown): Promise<OperationReply>;
  asWorker(operation: string, input: unknown): Promise<OperationReply>;
}

const task = { task_id: 'B-1' };
const brief = {
  ...task,
  reason: 'clarification-draft',
  doc: { decide: 'Take these criteria?', items: [] },
  pending_activity: 'clarifying',
};
const resolution = { ...task, brief_id: 'B-1.b1', iteration: 1, command: 'accept', provenance: 'human:cli' };

type Case = readonly [operation: string, input: object, expected: object | string, says?: string];

/**
 * Every operation, what it gives and what it refuses, in an order in which each finds what it needs (CON-61). A text
 * is the code of a refusal, the one behind it what the refusal says: which rule of several with one code it was.
 */
const CASES: readonly Case[] = [
  ['get_project', {}, { mode: 'opinionated', key: 'B', agent_trust: { level: 'balanced', overrides: {} } }],
  ['get_project', { x: 1 }, 'bad_input'],
  ['create_task', { title: 'Rename photos', labels: ['ui'] }, { id: 'B-1', workflow_state: 'Captured' }],
  ['create_task', { title: ' ' }, 'bad_input'],
  ['update_task', { ...task, priority: 'high' }, { priority: 'high' }],
  ['update_task', { ...task, priority: 'urgent' }, 'bad_input'],
  ['get_task', { task_id: '1', changed_paths: ['db/a.sql'] }, { risk_classes: ['data-migration'] }],
  [
    'get_task',
    { ...task, view: 'meta' },
    {
      ...{
        priority: 'high',
        workflow_state: 'Captured',
        workflow_activity: null,
        stale: false,
        stale_ref: null,
      },
      ...{ awaiting_human_input: false, awaiting_human_reason: null, awaiting_human_ref: null },
      ...{ risk_classes: [], pending_resolution: null, pending_remark: null },
      ...{ active_round: null, active_brief_iteration: null },
    },
  ],
  ['get_task', { ...task, view: 'lean' }, 'bad_input'],
  ['get_brief', task, null as never],
  [
    'resolve_brief',
    { ...resolution, brief_id: null, iteration: null },
    'wrong_moment',
    'No brief of B-1 waits',
  ],
  ['get_task', { task_id: 'B-7' }, 'no_such_run'],
  ['get_brief', { task_id: 'X-1' }, 'bad_ticket_id'],
  ['compose_brief', brief, 'bad_input', 'a captured ticket has no brief'],
  ['advance_workflow', { ...task, activity: 'planning' }, 'wrong_moment', 'planning'],
  ['advance_workflow', { ...task, activity: 'promoting' }, { from: 'Captured', to: 'Idea' }],
  ['advance_workflow', { ...task, activity: 'clarifying' }, 'wrong_moment', 'clarifying'],
  ['advance_workflow', { ...task, activity: 'parking' }, 'wrong_moment', 'parking'],
  ['compose_brief', { ...brief, reason: 'elicitation-round' }, 'bad_input'],
  ['compose_brief', { ...brief, pending_activity: 'planning' }, 'bad_input', 'does not lead out of Idea'],
  [
    'compose_brief',
    { ...brief, doc: { ...brief.doc, items: [{ kind: 'derived-constraint', text: 'x' }] } },
    'bad_input',
    'derived constraint',
  ],
  [
    'compose_brief',
    { ...brief, expand_sections: { reasoning: 'Because.' }, related: ['B-7'] },
    {
      brief: { id: 'B-1.b1', iteration: 1, expand_sections: { reasoning: 'Because.' }, related: ['B-7'] },
      lint: { ok: true },
    },
  ],
  [
    'get_task',
    task,
    {
      ...{ awaiting_human_input: true, awaiting_human_reason: 'clarification-draft' },
      ...{ awaiting_human_ref: { type: 'brief', id: 'B-1.b1' }, active_brief_iteration: 1 },
    },
  ],
  ['get_brief', task, { id: 'B-1.b1', status: 'active', pending_resolution: null }],
  ['query_tasks', { awaiting_human_input: true }, [{ id: 'B-1', awaiting_human_input: true }]],
  ['query_tasks', { awaiting_human_input: true, stale: true, sort_by: 'priority', limit: 1 }, []],
  ['query_tasks', { workflow_state: 'Done' }, 'bad_input'],
  ['query_tasks', { sort_by: 'mood' }, 'bad_input'],
  ['record_decision', { type: 'architecture', title: 'One file', domains: ['data'] }, { id: 'D-1' }],
  ['record_decision', { type: 'architecture', title: 'One file' }, 'title_taken'],
  ['reference_knowledge', { ...task, decision_id: 'D-1' }, { task_id: 'B-1', decision_id: 'D-1' }],
  ['reference_knowledge', { ...task, decision_id: 'D-1' }, { task_id: 'B-1', decision_id: 'D-1' }],
  ['reference_knowledge', { ...task, decision_id: 'D-9' }, 'no_such_decision'],
  [
    'list_ticket_knowledge',
    task,
    [
      {
        ...{ id: 'D-1', type: 'architecture', status: 'Asserted', title: 'One file' },
        ...{ domains: ['data'], source_activity: null },
      },
    ],
  ],
  ['query_knowledge', { type: 'architecture', status: 'Accepted' }, []],
  ['query_knowledge', { domains: ['data'], search: 'file' }, [{ id: 'D-1' }]],
  ['query_knowledge', { domains: ['weather'] }, 'bad_input'],
  ['resolve_brief', { ...resolution, command: 'maybe' }, 'bad_input'],
  ['resolve_brief', { ...resolution, provenance: 'agent:unattended' }, 'bad_input'],
  ['resolve_brief', { ...resolution, detail: 'keep it small' }, { to: 'Clarified', idempotent: false }],
  ['resolve_brief', { ...resolution, detail: 'keep it small' }, { to: 'Clarified', idempotent: true }],
  ['get_task', task, { workflow_state: 'Clarified', pending_remark: { brief: 'B-1.b1' } }],
  ['consume_accept_remark', { brief_id: 'B-1.b1' }, { consumed: 'consumed' }],
  ['consume_accept_remark', { brief_id: 'B-1.b1' }, { consumed: 'already' }],
  ['consume_accept_remark', {}, 'bad_input'],
  ['manage_subtasks', { ...task, add_new: [{ title: 'The left half' }] }, [{ id: 'B-2' }]],
  ['manage_subtasks', { ...task, add: ['B-1'] }, 'bad_input', 'B-1'],
  ['list_subtasks', task, [{ id: 'B-2', workflow_state: 'Captured', archived: false }]],
  ['manage_subtasks', { ...task, remove: ['B-2'] }, []],
  ['manage_subtasks', { ...task, add: ['B-2'] }, [{ id: 'B-2', title: 'The left half' }]],
  ['supersede_decision', { id: 'D-1', title: 'Two files' }, 'bad_input'],
  ['supersede_decision', { id: 'D-9' }, 'no_such_decision'],
  ['supersede_decision', { id: 'D-1' }, { entry: { status: 'Superseded', superseded_by: null } }],
  [
    'get_task',
    task,
    {
      ...{ stale: true, awaiting_human_input: false },
      stale_ref: { type: 'architecture', id: 'D-1', superseded_by: null },
    },
  ],
  [
    'compose_brief',
    { ...brief, reason: 'decomposition-proposal', pending_activity: 'decomposing' },
    'bad_input',
    'the ticket is stale',
  ],
  ['advance_workflow', { ...task, activity: 'decomposing' }, 'wrong_moment', 'stale'],
  ['list_activity', { ...task, after: 1_000 }, []],
  ['get_build_evidence_status', task, { tests: [], criteria: [], pull_request: null, exemption: null }],
];

/** What only reads; every other operation changes something and is refused to a worker. */
const READS = [
  ...['get_project', 'get_task', 'get_brief', 'list_ticket_knowledge', 'query_knowledge', 'query_tasks'],
  ...['list_subtasks', 'list_activity', 'get_build_evidence_status'],
];
const WRITES: readonly (readonly [operation: string, input: object])[] = [
  ['create_task', { title: 'x' }],
  ['update_task', { ...task, labels_remove: ['ui'] }],
  ['compose_brief', brief],
  ['resolve_brief', resolution],
  ['advance_workflow', { ...task, activity: 'promoting' }],
  ['record_decision', { type: 'architecture', title: 'x' }],
  ['supersede_decision', { id: 'D-1' }],
  ['reference_knowledge', { ...task, decision_id: 'D-1' }],
  ['manage_subtasks', { ...task, add_new: [{ title: 'x' }] }],
  ['consume_accept_remark', { brief_id: 'B-1.b1' }],
];

const calls = (cases: readonly (readonly [string, ...unknown[]])[]) => cases.map(([operation]) => operation);

/**
 * What every surface runs: the operations mean the same and refuse the same wherever they are called. The table is
 * held against `names`, so that no operation is without a case.
 */
export function operationsConformance(
  names: readonly string[],
  surfaces: Readonly<Record<string, () => Promise<OperationsClient>>>,
): void {
  describe('operations', () => {
    test('CON-61 each has a case', () => {
      expect(new Set(calls(CASES))).toEqual(new Set(names));
      expect([...READS, ...calls(WRITES)].sort()).toEqual([...names].sort());
    });

    for (const [surface, open] of Object.entries(surfaces)) {
      test(`CON-61 on ${surface} each does and refuses what the table says`, async () => {
        const client = await open();
        for (const [operation, input, expected, says = ''] of CASES) {
          const told = await client.call(operation, input);
          const wanted =
            typeof expected === 'string'
              ? { ok: false, rejection: expected, message: expect.stringContaining(says) }
              : { ok: true, result: expected };
          expect({ operation, input, told }).toMatchObject({ operation, told: wanted });
        }
      });

      test(`CON-61 on ${surface} one that nobody knows is refused`, async () => {
        const client = await open();
        await client.call('create_task', { title: 'Rename photos' });
        for (const name of ['delete_task', 'toString', ''])
          expect([name, await client.call(name, task)]).toMatchObject([name, { ok: false }]);
      });

      test(`CON-61 on ${surface} a worker reads and changes nothing`, async () => {
        const client = await open();
        await client.call('create_task', { title: 'Rename photos', labels: ['ui'] });
        const before = activityOf(await client.call('list_activity', task));
        for (const [operation, input] of WRITES)
          expect([operation, await client.asWorker(operation, input)]).toMatchObject([
            operation,
            { ok: false, rejection: 'not_a_person' },
          ]);
        expect(await client.asWorker('get_task', task)).toMatchObject({
          ok: true,
          result: { labels: ['ui'] },
        });
        expect(await client.call('query_tasks', {})).toMatchObject({ result: [{ id: 'B-1' }] });
        // Its tries stand in the log, and nothing else was written.
        const after = activityOf(await client.call('list_activity', task));
        const tried = WRITES.map(([operation]) => ({
          type: 'worker_refused',
          input: { command: `call ${operation}` },
        }));
        expect(after).toMatchObject([...before, ...tried]);
      });
    }

    test('CON-61 all surfaces give the same results for the same calls', async () => {
      const told = new Map<string, OperationReply[]>();
      for (const [surface, open] of Object.entries(surfaces)) {
        const client = await open();
        const all: OperationReply[] = [];
        for (const [operation, input] of CASES) all.push(await client.call(operation, input));
        told.set(surface, all);
      }
      const [[, first = []] = [], ...others] = told;
      expect(first.length).toBe(CASES.length);
      for (const [surface, other] of others) expect([surface, same(other)]).toEqual([surface, same(first)]);
    });
  });
}

function activityOf(told: OperationReply): readonly object[] {
  return told.ok ? (told.result as object[]) : [];
}

/** Random ids and the moment of a call are the only things two folders may differ in. */
function same(told: readonly OperationReply[]): unknown {
  const text = JSON.stringify(told, (key, value: unknown) =>
    key === 'uuid' || MOMENTS.test(key) ? null : value,
  );
  return JSON.parse(text.replace(/\b(an|dr)-[0-9a-z]{6}\b/g, '$1-'));
}

const MOMENTS = /^(at|since|.*_at)$/;
