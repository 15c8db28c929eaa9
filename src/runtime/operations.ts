import * as z from 'zod';
import { BriefDoc, BriefReason, DecisionRef } from '../contract/brief.ts';
import { ActiveBrief, ConductInput, TicketEdit } from '../contract/conduct.ts';
import { KnowledgeQuery, NewKnowledge, Supersession } from '../contract/knowledge.ts';
import { ACTIVITIES, DESIGN_TRACKS } from '../contract/ticket.ts';
import { lintBrief } from '../engine/brief.ts';
import { cleanValue } from '../engine/clean-text.ts';
import type { Caller, Needs, Subject } from '../engine/operation.ts';
import { inputProblem } from '../engine/refuse-input.ts';
import { isRejection, reject } from '../engine/rejection.ts';
import type { Api } from './api.ts';
import type { Deps } from './deps.ts';
import { permit } from './operations/permit.ts';
import { resolveBrief } from './resolve-brief.ts';
import { TicketQuery } from './tickets.ts';

/** Arguments of an operation: the whole API for its caller, and the validated input. */
interface Call<I> {
  readonly api: Api;
  readonly input: I;
  readonly caller: Caller;
}

interface Operation {
  readonly needs: (input: never) => Needs;
  readonly input: z.ZodType;
  readonly run: (call: Call<never>) => Promise<unknown>;
}

/** Ties the input type of the schema to that of `run`. */
function op<I>(
  needs: Needs | ((input: I) => Needs),
  input: z.ZodType<I>,
  run: (call: Call<I>) => Promise<unknown>,
): Operation {
  return { needs: typeof needs === 'function' ? needs : () => needs, input, run };
}

const task = { task_id: z.string().min(1).max(64) };
const ids = z.array(z.string().min(1).max(64)).max(50).default([]);
const NewTask = ConductInput.pick({ title: true, description: true, labels: true, priority: true });

/** The operations of CON-61 and CON-106, the same for every surface. */
const OPERATIONS: Readonly<Record<string, Operation>> = {
  get_project: op('nothing', z.strictObject({}), ({ api }) => api.project()),
  create_task: op('not_a_worker', NewTask, ({ api, input }) => api.createTicket({ fields: input })),
  // Labels are evidence of risk, so only a person may remove one (INV-17).
  update_task: op(
    ({ labels_remove = [] }) => (labels_remove.length > 0 ? 'person' : 'noted_person'),
    TicketEdit.extend(task),
    async ({ api, input: { task_id, ...edit } }) => commanded(api, task_id, 'edit', edit),
  ),
  get_task: op(
    'nothing',
    z.strictObject({
      ...task,
      changed_paths: z.array(z.string().min(1).max(400)).max(2_000).optional(),
      view: z.enum(['full', 'meta']).default('full'),
    }),
    ({ api, input: { task_id, view, changed_paths } }) =>
      api.ticket(task_id, { view, ...(changed_paths ? { changed_paths } : {}) }),
  ),
  get_brief: op('nothing', z.strictObject(task), ({ api, input }) => api.brief(input.task_id)),
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
    async ({ api, input: { task_id, ...resolution }, caller }) => {
      const run = await api.findTicket(task_id);
      return isRejection(run) ? run : resolveBrief(api, run, resolution, caller.surface);
    },
  ),
  advance_workflow: op(
    'not_a_worker',
    z.strictObject({ ...task, activity: z.enum(ACTIVITIES) }),
    async ({ api, input: { task_id, activity } }) => {
      const before = await api.ticket(task_id, { view: 'meta' });
      if (isRejection(before)) return before;
      const after = await commanded(api, task_id, 'advance', { activity });
      if (isRejection(after)) return after;
      return { task_id: before.id, activity, from: before.workflow_state, to: after.workflow_state };
    },
  ),
  record_decision: op('person', NewKnowledge, ({ api, input }) => api.recordDecision(input)),
  supersede_decision: op('person', Supersession, ({ api, input }) => api.supersedeDecision(input)),
  reference_knowledge: op(
    'not_a_worker',
    z.strictObject({ ...task, decision_id: z.string().min(1).max(60) }),
    async ({ api, input: { task_id, decision_id } }) => {
      const entry = await api.decision(decision_id);
      if (isRejection(entry)) return entry;
      const linked = await commanded(api, task_id, 'reference', { decision: decision_id });
      return isRejection(linked) ? linked : { task_id: linked.id, decision_id };
    },
  ),
  list_ticket_knowledge: op('nothing', z.strictObject(task), async ({ api, input }) => {
    const entries = await api.ticketDecisions(input.task_id);
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
  query_knowledge: op('nothing', KnowledgeQuery, ({ api, input }) => api.decisions(input)),
  query_tasks: op('nothing', TicketQuery, ({ api, input }) => api.tickets(input)),
  list_subtasks: op('nothing', z.strictObject(task), ({ api, input }) => api.children(input.task_id)),
  manage_subtasks: op(
    'not_a_worker',
    z.strictObject({ ...task, add: ids, add_new: z.array(NewTask).max(20).default([]), remove: ids }),
    ({ api, input: { task_id, ...change } }) => api.manageChildren(task_id, change),
  ),
  consume_accept_remark: op(
    'not_a_worker',
    z.strictObject({ brief_id: z.string().min(1).max(60) }),
    consumeRemark,
  ),
  list_activity: op(
    'nothing',
    z.strictObject({ ...task, after: z.int().min(0).default(0) }),
    async ({ api, input: { task_id, after } }) => {
      const run = await api.findTicket(task_id);
      const events = isRejection(run) ? run : await api.log(run, after);
      if (isRejection(events)) return events;
      return events.map(({ seq, type, at, by, input }) => ({ seq, type, at, by, input }));
    },
  ),
  get_build_evidence_status: op('nothing', z.strictObject(task), async ({ api, input }) => {
    const run = await api.findTicket(input.task_id);
    const view = isRejection(run) ? run : await api.view(run);
    if (isRejection(view)) return view;
    const { build, criteria, build_pr, exemption } = view.run.state;
    const tests = (build as { checks?: unknown } | null)?.checks ?? [];
    return { task_id: view.run.id, tests, criteria, pull_request: build_pr, exemption };
  }),
};

export const OPERATION_NAMES: readonly string[] = Object.keys(OPERATIONS);

interface Request {
  readonly operation: string;
  readonly input: unknown;
  readonly caller: Caller;
}

/** Checks name, input and caller, in this order, then runs the operation. A refusal has written nothing. */
export async function operate(
  deps: Deps,
  api: Api,
  { operation: name, input, caller }: Request,
): Promise<unknown> {
  const operation = Object.hasOwn(OPERATIONS, name) ? OPERATIONS[name] : undefined;
  if (!operation) return reject('no_such_command', { command: name, allowed: OPERATION_NAMES.join(', ') });
  const clean = cleanValue(input ?? {});
  const parsed = operation.input.safeParse(clean);
  // Problems name the fields as they were sent, because an operation has no command line options.
  if (!parsed.success) return { rejection: 'bad_input', message: inputProblem(parsed.error, clean) };
  const needs = operation.needs(parsed.data as never);
  const subject = needs === 'nothing' ? {} : await subjectOf(api, parsed.data);
  const allowed = await permit(deps, caller, { needs, subject, command: `call ${name}` });
  if (isRejection(allowed)) return allowed;
  // The proof is asked for once. The operations that this one consists of get its result.
  const proof = allowed.person ?? reject('not_a_person');
  const proven = api.as({ ...caller, person: async () => proof });
  return operation.run({ api: proven, input: parsed.data as never, caller });
}

/** The ticket that the operation is about, and the gate that it waits at. */
async function subjectOf(api: Api, input: unknown): Promise<Subject> {
  const { task_id } = input as { readonly task_id?: unknown };
  const run = typeof task_id === 'string' ? await api.findTicket(task_id) : null;
  if (run === null || isRejection(run)) return {};
  const [open] = await api.gates(run);
  return { run, ...(open && { gate: open.gate.id, digest: open.gate.digest }) };
}

/** Sends a command to a ticket and returns the ticket afterwards. */
async function commanded(api: Api, name: string, command: string, args: Readonly<Record<string, unknown>>) {
  const run = await api.findTicket(name);
  if (isRejection(run)) return run;
  const done = await api.command({ run, command, args });
  return isRejection(done) ? done : api.ticket(run);
}

interface ComposeInput {
  readonly task_id: string;
  readonly reason: BriefReason;
  readonly doc: BriefDoc;
  readonly decision_ref?: DecisionRef | null | undefined;
}

/** Composes the brief and returns it with the warnings of the lint. Errors of the lint were refused before. */
async function composeBrief({ api, input }: Call<ComposeInput>): Promise<unknown> {
  const { task_id, ...parts } = input;
  const known = parts.decision_ref ? await api.decision(parts.decision_ref.id) : null;
  if (isRejection(known)) return known;
  const composed = await commanded(api, task_id, 'compose', parts);
  if (isRejection(composed)) return composed;
  const brief = await api.brief(composed.id);
  if (isRejection(brief) || brief === null) return brief;
  const t = await api.translator('en');
  const { warnings } = lintBrief(parts.doc, t, { reason: parts.reason });
  return { brief, lint: { ok: true, warnings: warnings.map(({ code, at }) => ({ code, at })) } };
}

/** `consumed` the first time, `already` after that. An unknown brief is refused. */
async function consumeRemark({ api, input }: Call<{ brief_id: string }>): Promise<unknown> {
  const { brief_id } = input;
  const run = await api.findTicket(brief_id.split('.')[0] ?? '');
  if (isRejection(run)) return run;
  const briefs = (await api.records(run)).flatMap(({ record }) =>
    record.kind === 'entry' && record.name === 'brief' ? [(record.data as { id?: unknown }).id] : [],
  );
  if (!briefs.includes(brief_id))
    return reject('bad_input', { brief: brief_id, run }, { msg: 'conduct.no_such_brief' });
  const before = await api.ticket(run);
  if (isRejection(before)) return before;
  if (before.pending_remark?.brief !== brief_id) return { brief_id, consumed: 'already' };
  const done = await api.command({ run, command: 'consume_remark', args: { brief: brief_id } });
  return isRejection(done) ? done : { brief_id, consumed: 'consumed' };
}
