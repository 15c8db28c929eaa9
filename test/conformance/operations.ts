import { describe, expect, test } from 'vitest';

/** What a surface makes of one call: the result, or the code of the refusal. */
export type Told =
  | { readonly ok: true; readonly result: unknown }
  | { readonly ok: false; readonly rejection: string };

/** One surface over a folder without tickets; `worker`: the same as a process of a worker sees it. */
export interface OperationsClient {
  call(operation: string, input: unknown): Promise<Told>;
  asWorker(operation: string, input: unknown): Promise<Told>;
}

const task = { task_id: 'B-1' };
const brief = {
  ...task,
  reason: 'clarification-draft',
  doc: { decide: 'Take these criteria?', items: [] },
  pending_activity: 'clarifying',
};
const resolution = { ...task, brief_id: 'B-1.b1', iteration: 1, command: 'accept', provenance: 'human:cli' };

type Case = readonly [operation: string, input: object, expected: object | string];

/**
 * Every operation, what it gives and what it refuses, in an order in which each finds what it needs (CON-61). A text
 * is the code of a refusal.
 */
const CASES: readonly Case[] = [
  ['get_project', {}, { mode: 'opinionated', key: 'B', agent_trust: { level: 'balanced' } }],
  ['get_project', { x: 1 }, 'bad_input'],
  ['create_task', { title: 'Rename photos', labels: ['ui'] }, { id: 'B-1', workflow_state: 'Captured' }],
  ['create_task', { title: ' ' }, 'bad_input'],
  ['update_task', { ...task, priority: 'high' }, { priority: 'high' }],
  ['update_task', { ...task, priority: 'urgent' }, 'bad_input'],
  ['get_task', { task_id: '1', changed_paths: ['db/a.sql'] }, { risk_classes: ['data-migration'] }],
  ['get_task', { ...task, view: 'meta' }, { priority: 'high', pending_resolution: null }],
  ['get_task', { task_id: 'B-7' }, 'no_such_run'],
  ['get_brief', { task_id: 'X-1' }, 'bad_ticket_id'],
  ['compose_brief', brief, 'bad_input'],
  ['advance_workflow', { ...task, activity: 'promoting' }, { from: 'Captured', to: 'Idea' }],
  ['advance_workflow', { ...task, activity: 'clarifying' }, 'wrong_moment'],
  ['compose_brief', { ...brief, reason: 'elicitation-round' }, 'bad_input'],
  ['compose_brief', { ...brief, pending_activity: 'planning' }, 'bad_input'],
  [
    'compose_brief',
    { ...brief, doc: { ...brief.doc, items: [{ kind: 'derived-constraint', text: 'x' }] } },
    'bad_input',
  ],
  ['compose_brief', brief, { brief: { id: 'B-1.b1', iteration: 1 }, lint: { ok: true } }],
  ['get_brief', task, { id: 'B-1.b1', status: 'active', pending_resolution: null }],
  ['query_tasks', { awaiting_human_input: true }, [{ id: 'B-1', awaiting_human_input: true }]],
  ['query_tasks', { workflow_state: 'Done' }, 'bad_input'],
  ['record_decision', { type: 'architecture', title: 'One file', domains: ['data'] }, { id: 'D-1' }],
  ['record_decision', { type: 'architecture', title: 'One file' }, 'title_taken'],
  ['reference_knowledge', { ...task, decision_id: 'D-1' }, { task_id: 'B-1', decision_id: 'D-1' }],
  ['reference_knowledge', { ...task, decision_id: 'D-1' }, { task_id: 'B-1', decision_id: 'D-1' }],
  ['reference_knowledge', { ...task, decision_id: 'D-9' }, 'no_such_decision'],
  ['list_ticket_knowledge', task, [{ id: 'D-1', type: 'architecture', title: 'One file' }]],
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
  ['manage_subtasks', { ...task, add: ['B-1'] }, 'bad_input'],
  ['list_subtasks', task, [{ id: 'B-2', workflow_state: 'Captured', archived: false }]],
  ['supersede_decision', { id: 'D-1', title: 'Two files' }, 'bad_input'],
  ['supersede_decision', { id: 'D-1' }, { entry: { status: 'Superseded', superseded_by: null } }],
  ['get_task', task, { stale: true, awaiting_human_input: false }],
  ['compose_brief', { ...brief, reason: 'decomposition-proposal' }, 'bad_input'],
  ['list_activity', task, [{ seq: 1, type: 'run_created' }]],
  ['get_build_evidence_status', task, { tests: [], criteria: [], pull_request: null, exemption: null }],
];

const WRITES: readonly Case[] = [
  ['create_task', { title: 'x' }, 'not_a_person'],
  ['update_task', { ...task, labels_remove: ['ui'] }, 'not_a_person'],
  ['resolve_brief', resolution, 'not_a_person'],
  ['record_decision', { type: 'architecture', title: 'x' }, 'not_a_person'],
  ['advance_workflow', { ...task, activity: 'researching' }, 'not_a_person'],
];

const calls = (cases: readonly Case[]) => cases.map(([operation]) => operation);

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
    });

    for (const [surface, open] of Object.entries(surfaces)) {
      test(`CON-61 on ${surface} each does and refuses what the table says`, async () => {
        const client = await open();
        for (const [operation, input, expected] of CASES) {
          const told = await client.call(operation, input);
          const wanted =
            typeof expected === 'string'
              ? { ok: false, rejection: expected }
              : { ok: true, result: expected };
          expect({ operation, input, told }).toMatchObject({ operation, told: partly(wanted) });
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
        for (const [operation, input, rejection] of WRITES)
          expect([operation, await client.asWorker(operation, input)]).toMatchObject([
            operation,
            { ok: false, rejection },
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
      const told = new Map<string, Told[]>();
      for (const [surface, open] of Object.entries(surfaces)) {
        const client = await open();
        const all: Told[] = [];
        for (const [operation, input] of CASES) all.push(await client.call(operation, input));
        told.set(surface, all);
      }
      const [[, first = []] = [], ...others] = told;
      expect(first.length).toBe(CASES.length);
      for (const [surface, other] of others) expect([surface, same(other)]).toEqual([surface, same(first)]);
    });
  });
}

function activityOf(told: Told): readonly object[] {
  return told.ok ? (told.result as object[]) : [];
}

/** A list matches from its beginning on: what comes after is another case's. */
function partly(wanted: object): object {
  const { result } = wanted as { result?: unknown };
  return Array.isArray(result)
    ? { ...wanted, result: expect.arrayContaining(result.map((one) => expect.objectContaining(one))) }
    : wanted;
}

/** Random ids and the moment of a call are the only things two folders may differ in. */
function same(told: readonly Told[]): unknown {
  const text = JSON.stringify(told, (key, value: unknown) =>
    key === 'uuid' || MOMENTS.test(key) ? null : value,
  );
  return JSON.parse(text.replace(/\b(an|dr)-[0-9a-z]{6}\b/g, '$1-'));
}

const MOMENTS = /^(at|since|.*_at)$/;
