import * as z from 'zod';
import { BriefDoc, BriefReason, DecisionRef } from '../../contract/brief.ts';
import { ActiveBrief, ConductInput, TicketEdit } from '../../contract/conduct.ts';
import { KnowledgeQuery, NewKnowledge, Supersession } from '../../contract/knowledge.ts';
import { ACTIVITIES, DESIGN_TRACKS } from '../../contract/ticket.ts';
import { lintBrief } from '../../engine/brief.ts';
import type { Caller, Needs } from '../../engine/operation.ts';
import type { OperationHost, WorkflowOperation } from '../../engine/operation-host.ts';
import { isRejection, reject } from '../../engine/rejection.ts';
import { resolveBrief } from './resolve-brief.ts';
import { manageChildren } from './subtasks.ts';
import {
  childrenOf,
  createTicket,
  findTicket,
  listTickets,
  showBrief,
  showTicket,
  TicketQuery,
} from './tickets.ts';

/** Arguments of an operation: the service for its caller, and the validated input. */
interface Call<I> {
  readonly host: OperationHost;
  readonly input: I;
  readonly surface: Caller['surface'];
}

/** Ties the input type of the schema to that of `run`. */
function op<I>(
  needs: Needs | ((input: I) => Needs),
  input: z.ZodType<I>,
  run: (call: Call<I>) => Promise<unknown>,
): WorkflowOperation {
  return {
    needs: typeof needs === 'function' ? needs : () => needs,
    input,
    run: (host, given, surface) => run({ host, input: given, surface }),
  };
}

const task = { task_id: z.string().min(1).max(64) };
const ids = z.array(z.string().min(1).max(64)).max(50).default([]);
const NewTask = ConductInput.pick({ title: true, description: true, labels: true, priority: true });

/** The operations of CON-61 and CON-106, the same for every surface. */
export const TICKET_OPERATIONS: Readonly<Record<string, WorkflowOperation>> = {
  get_project: op('nothing', z.strictObject({}), ({ host }) => host.project()),
  create_task: op('not_a_worker', NewTask, ({ host, input }) => createTicket(host, { fields: input })),
  // Labels are evidence of risk, so only a person may remove one (INV-17).
  update_task: op(
    ({ labels_remove = [] }) => (labels_remove.length > 0 ? 'person' : 'noted_person'),
    TicketEdit.extend(task),
    async ({ host, input: { task_id, ...edit } }) => commanded(host, task_id, 'edit', edit),
  ),
  get_task: op(
    'nothing',
    z.strictObject({
      ...task,
      changed_paths: z.array(z.string().min(1).max(400)).max(2_000).optional(),
      view: z.enum(['full', 'meta']).default('full'),
    }),
    ({ host, input: { task_id, view, changed_paths } }) =>
      showTicket(host, task_id, { view, ...(changed_paths ? { changed_paths } : {}) }),
  ),
  get_brief: op('nothing', z.strictObject(task), ({ host, input }) => showBrief(host, input.task_id)),
  compose_brief: op(
    'noted_person',
    z.strictObject({
      ...task,
      reason: BriefReason,
      doc: BriefDoc,
      pending_activity: z
        .union([z.enum(ACTIVITIES), z.literal('null')])
        .nullable()
        .optional(),
      track: z.enum(DESIGN_TRACKS).nullable().optional(),
      decision_ref: DecisionRef.nullable().optional(),
      expand_sections: ActiveBrief.shape.expand_sections.optional(),
      related: ActiveBrief.shape.related.optional(),
    }),
    composeBrief,
  ),
  resolve_brief: op(
    'person',
    z.strictObject({
      ...task,
      brief_id: z.string().min(1).max(60).nullable(),
      iteration: z.int().min(1).nullable(),
      command: z.enum(['accept', 'defer']),
      detail: z.string().max(20_000).nullable().default(null),
      provenance: z.string().max(60),
      typed: z.string().max(200).nullable().default(null),
    }),
    async ({ host, input: { task_id, ...resolution }, surface }) => {
      const run = await findTicket(host, task_id);
      return isRejection(run) ? run : resolveBrief(host, run, resolution, surface);
    },
  ),
  advance_workflow: op(
    'not_a_worker',
    z.strictObject({ ...task, activity: z.enum(ACTIVITIES) }),
    async ({ host, input: { task_id, activity } }) => {
      const before = await showTicket(host, task_id, { view: 'meta' });
      if (isRejection(before)) return before;
      const after = await commanded(host, task_id, 'advance', { activity });
      if (isRejection(after)) return after;
      return { task_id: before.id, activity, from: before.workflow_state, to: after.workflow_state };
    },
  ),
  record_decision: op('person', NewKnowledge, ({ host, input }) => host.recordDecision(input)),
  supersede_decision: op('person', Supersession, ({ host, input }) => host.supersedeDecision(input)),
  reference_knowledge: op(
    'not_a_worker',
    z.strictObject({ ...task, decision_id: z.string().min(1).max(60) }),
    async ({ host, input: { task_id, decision_id } }) => {
      const entry = await host.decision(decision_id);
      if (isRejection(entry)) return entry;
      const linked = await commanded(host, task_id, 'reference', { decision: decision_id });
      return isRejection(linked) ? linked : { task_id: linked.id, decision_id };
    },
  ),
  list_ticket_knowledge: op('nothing', z.strictObject(task), async ({ host, input }) => {
    const entries = await host.ticketDecisions(input.task_id);
    if (isRejection(entries)) return entries;
    return entries.map(({ id, type, status, title, domains, source_activity }) => ({
      id,
      type,
      status,
      title,
      domains,
      source_activity,
    }));
  }),
  query_knowledge: op('nothing', KnowledgeQuery, ({ host, input }) => host.decisions(input)),
  query_tasks: op('nothing', TicketQuery, ({ host, input }) => listTickets(host, input)),
  list_subtasks: op('nothing', z.strictObject(task), ({ host, input }) => childrenOf(host, input.task_id)),
  manage_subtasks: op(
    'not_a_worker',
    z.strictObject({ ...task, add: ids, add_new: z.array(NewTask).max(20).default([]), remove: ids }),
    ({ host, input: { task_id, ...change } }) => manageChildren(host, task_id, change),
  ),
  consume_accept_remark: op(
    'not_a_worker',
    z.strictObject({ brief_id: z.string().min(1).max(60) }),
    consumeRemark,
  ),
  list_activity: op(
    'nothing',
    z.strictObject({ ...task, after: z.int().min(0).default(0) }),
    async ({ host, input: { task_id, after } }) => {
      const run = await findTicket(host, task_id);
      const events = isRejection(run) ? run : await host.log(run, after);
      if (isRejection(events)) return events;
      return events.map(({ seq, type, at, by, input }) => ({ seq, type, at, by, input }));
    },
  ),
  get_build_evidence_status: op('nothing', z.strictObject(task), async ({ host, input }) => {
    const run = await findTicket(host, input.task_id);
    const loaded = isRejection(run) ? run : await host.load(run);
    if (isRejection(loaded)) return loaded;
    const { build, criteria, build_pr, exemption } = loaded.state;
    const tests = (build as { checks?: unknown } | null)?.checks ?? [];
    return { task_id: run, tests, criteria, pull_request: build_pr, exemption };
  }),
};

/** Sends a command to a ticket and returns the ticket afterwards. */
async function commanded(
  host: OperationHost,
  name: string,
  command: string,
  args: Readonly<Record<string, unknown>>,
) {
  const run = await findTicket(host, name);
  if (isRejection(run)) return run;
  const done = await host.command({ run, command, args });
  return isRejection(done) ? done : showTicket(host, run);
}

interface ComposeInput {
  readonly task_id: string;
  readonly reason: BriefReason;
  readonly doc: BriefDoc;
  readonly decision_ref?: DecisionRef | null | undefined;
}

/** Composes the brief and returns it with the warnings of the lint. Errors of the lint were refused before. */
async function composeBrief({ host, input }: Call<ComposeInput>): Promise<unknown> {
  const { task_id, ...parts } = input;
  const known = parts.decision_ref ? await host.decision(parts.decision_ref.id) : null;
  if (isRejection(known)) return known;
  const composed = await commanded(host, task_id, 'compose', parts);
  if (isRejection(composed)) return composed;
  const brief = await showBrief(host, composed.id);
  if (isRejection(brief) || brief === null) return brief;
  const t = await host.translator('en');
  const { warnings } = lintBrief(parts.doc, t, { reason: parts.reason });
  return { brief, lint: { ok: true, warnings: warnings.map(({ code, at }) => ({ code, at })) } };
}

/** `consumed` the first time, `already` after that. An unknown brief is refused. */
async function consumeRemark({ host, input }: Call<{ brief_id: string }>): Promise<unknown> {
  const { brief_id } = input;
  const run = await findTicket(host, brief_id.split('.')[0] ?? '');
  if (isRejection(run)) return run;
  const briefs = (await host.records(run)).flatMap(({ record }) =>
    record.kind === 'entry' && record.name === 'brief' ? [(record.data as { id?: unknown }).id] : [],
  );
  if (!briefs.includes(brief_id))
    return reject('bad_input', { brief: brief_id, run }, { msg: 'conduct.no_such_brief' });
  const before = await showTicket(host, run);
  if (isRejection(before)) return before;
  if (before.pending_remark?.brief !== brief_id) return { brief_id, consumed: 'already' };
  const done = await host.command({ run, command: 'consume_remark', args: { brief: brief_id } });
  return isRejection(done) ? done : { brief_id, consumed: 'consumed' };
}
