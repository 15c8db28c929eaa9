import * as z from 'zod';
import { FolderPath, Slug } from './approved-spec.ts';
import { BriefDoc, BriefReason, DecisionRef, Msg } from './brief.ts';
import { BuildReport, TicketId } from './build-report.ts';
import { BuildPr, Observed, ReleaseFacts } from './code-host.ts';
import { KNOWLEDGE_STATUSES, KnowledgeFound } from './knowledge.ts';
import { LANGUAGES } from './lang.ts';
import { Label, Line, Long, Title } from './promised-write.ts';
import {
  ACTIVITIES,
  DESIGN_TRACKS,
  Judgement,
  PRIORITIES,
  RISK_CLASSES,
  TICKET_GATES,
  TICKET_STATES,
} from './ticket.ts';

const Lang = z.enum(LANGUAGES);
const Instant = z.iso.datetime();
const Name = z.string().min(1).max(300);

/** The maximum number of each item a ticket may have. The rest of its history is stored in records. */
export const TICKET_CAPS = {
  criteria: 50,
  checklist: 100,
  children: 50,
  rounds: 3,
  hops: 4,
  pulls: 50,
  stale: 20,
} as const;

/** Input for a new ticket (CON-106). Only the engine sets `child`, for the children it creates. */
export const ConductInput = z.strictObject({
  title: Title,
  description: Long.default(''),
  labels: z.array(Label).max(50).default([]),
  priority: z.enum(PRIORITIES).default('medium'),
  lang: Lang.nullable().default(null),
  child: z
    .strictObject({
      parent: TicketId,
      key: Line,
      /** The parent's clarification of the goal. Its design is not inherited (CON-76). */
      clarification: Long,
      after: z.array(Line).max(50),
      epic: Line.nullable(),
      /** Criteria that the parent passed on. */
      criteria: z.array(Line).max(20),
    })
    .nullable()
    .default(null),
});
export type ConductInput = z.infer<typeof ConductInput>;

/** Fields of a ticket that a person may change (CON-106). */
export const TicketEdit = z.strictObject({
  title: Title.optional(),
  description: z.string().max(20_000).optional(),
  priority: z.enum(PRIORITIES).optional(),
  labels_add: z.array(Label).max(50).optional(),
  labels_remove: z.array(Label).max(50).optional(),
  archived: z.boolean().optional(),
});
export type TicketEdit = z.infer<typeof TicketEdit>;

/** The brief a ticket waits with. Its content is the rendered document. Nothing else of it is stored (INV-16). */
export const ActiveBrief = z.strictObject({
  id: z.string().min(1).max(60),
  reason: BriefReason,
  doc: BriefDoc,
  track: z.enum(DESIGN_TRACKS).nullable(),
  pending_activity: z.enum(ACTIVITIES).nullable(),
  decision_ref: DecisionRef.nullable(),
  iteration: z.int().min(1),
  /** A person reshaped or edited it, so only a person can accept it (CON-110). */
  revised: z.boolean(),
  edited_by: Name.nullable(),
  /** Accepting it ends a decision-only ticket (CON-92). */
  deliverable: z.boolean(),
  expand_sections: z.partialRecord(z.enum(['reasoning', 'alternatives', 'history']), Long).default({}),
  related: z.array(Line).max(20),
  grounds: z.array(Line).max(20),
  /** The grounds that the ledger had when the brief was drafted, with their status then (CON-51). */
  depends_on: z
    .array(z.strictObject({ id: Line, status: z.enum(KNOWLEDGE_STATUSES) }))
    .max(20)
    .default([]),
  created_by: Name,
});
export type ActiveBrief = z.infer<typeof ActiveBrief>;

/** Questions of a worker or the engine to a person: one gate, one form (CON-100). */
const Round = z.strictObject({
  id: z.string().min(1).max(60),
  kind: z.enum(['worker', 'criteria', 'tests', 'pulls', 'stuck']),
  by: Name,
  questions: z
    .array(z.strictObject({ id: z.string().min(1).max(20), text: z.union([z.string().max(2_000), Msg]) }))
    .min(1)
    .max(10),
});

const Criterion = z.strictObject({ id: z.string().max(20), text: Line, checked: z.boolean() });

export const Child = z.strictObject({
  key: Line,
  /** Null until the child has reported its number. */
  id: TicketId.nullable(),
  title: Title,
  state: z.enum(TICKET_STATES),
  archived: z.boolean(),
  after: z.array(Line).max(50),
});
export type Child = z.infer<typeof Child>;

/** Why a worker's end did not advance the ticket (CON-21). The ticket stays in its state. */
export const WORKER_FAULTS = [
  'worker-timeout',
  'dirty-exit',
  'no-progress',
  'repo-active-board-silent',
  'world',
] as const;
export type WorkerFault = (typeof WORKER_FAULTS)[number];

/** A decision the ticket depends on that is no longer valid (CON-95). */
export const StaleRef = z.strictObject({
  type: z.string().max(40),
  id: z.string().max(60),
  superseded_by: z.string().max(60).nullable(),
});

const Acceptance = z.strictObject({ by: Name, at: Instant, provenance: z.string().max(60) });

/** The state of a ticket, its only memory (CON-16). It is bounded. History, notes and decisions are records. */
export const ConductState = z.strictObject({
  phase: z.enum(TICKET_STATES),
  user_lang: Lang,
  run: TicketId,
  uuid: z.string().max(40),
  title: Title,
  description: Long,
  labels: z.array(Label).max(50),
  priority: z.enum(PRIORITIES),
  archived: z.boolean(),
  slug: Slug,
  docs_path: FolderPath,
  parent: TicketId.nullable(),
  parent_key: Line.nullable(),
  epic: Line.nullable(),
  after: z.array(Line).max(50),
  inherited: Long.nullable(),
  children: z.array(Child).max(TICKET_CAPS.children),
  activity: z.enum(ACTIVITIES).nullable(),
  /** The state before a ticket was parked or cancelled, and why (S11). */
  prev_state: z.enum(TICKET_STATES).nullable(),
  left: z.strictObject({ by: Name, why: z.string().max(2_000).nullable() }).nullable(),
  /** The ticket is idle and waits for the command `conduct`. The text gives the reason. */
  idle_because: Msg.nullable(),
  /** Edges that follow each other without a person, with one commit each: reopening, fast-forwarding. */
  hops: z.array(z.enum(ACTIVITIES)).max(TICKET_CAPS.hops),
  stale: StaleRef.nullable(),
  /** Entries superseded while another patch was in progress. They are patched one after another. */
  stale_more: z.array(StaleRef).max(TICKET_CAPS.stale),
  brief: ActiveBrief.nullable(),
  round: Round.nullable(),
  /** How often the current gate has asked questions. Reset when the ticket leaves the gate. */
  rounds_asked: z.int().min(0).max(TICKET_CAPS.rounds),
  /** A reshape that no redraft has included yet (CON-75). */
  pending: z.strictObject({ command: z.literal('iterate'), detail: Long }).nullable(),
  /**
   * A patch withdrew a brief that a person had changed. Its next draft belongs to the person and includes their request
   * (CON-110).
   */
  set_aside: z.strictObject({ reason: BriefReason, detail: Long.nullable() }).nullable().default(null),
  /** Text of this ticket was changed without proof of a person. No person has accepted or edited it since (CON-116). */
  unproven: z
    .strictObject({ what: z.enum(['edit', 'criteria', 'compose']), by: Name, at: Instant })
    .nullable()
    .default(null),
  judging: z.boolean(),
  judged: z
    .strictObject({ brief: z.string().max(60), iteration: z.int(), verdict: Judgement.nullable() })
    .nullable(),
  /** A person's remark added to an accept, for later gates. It is applied once (CON-101). */
  remark: z.strictObject({ brief: z.string().max(60), text: Long }).nullable(),
  criteria: z.array(Criterion).max(TICKET_CAPS.criteria),
  checklist: z.array(z.strictObject({ text: Line, done: z.boolean() })).max(TICKET_CAPS.checklist),
  tracks: z.strictObject({
    required: z.array(z.enum(DESIGN_TRACKS)).nullable(),
    by_person: z.boolean(),
    done: z.array(z.enum(DESIGN_TRACKS)),
  }),
  plan: z
    .strictObject({
      text: Long,
      /** The acceptance of the plan, with the recorded decision. The build starts from it (CON-83). */
      accepted: z.strictObject({ by: Name, at: Instant, decision: z.string().max(60).nullable() }).nullable(),
      provenance: z.string().max(60).nullable(),
      /** The acceptance of the plan also started the build (CON-83, S9). */
      go: z.boolean(),
    })
    .nullable(),
  building: z.enum(['start', 'child', 'pull_request']).nullable(),
  build_run: z.string().max(40).nullable(),
  builds: z.int().min(0),
  build: BuildReport.nullable(),
  exemption: z.string().max(2_000).nullable(),
  build_pr: BuildPr.nullable(),
  /** Numbers of all pull requests opened for the ticket. The next one replaces those still open. */
  pulls: z.array(BuildPr.shape.pr_number).max(TICKET_CAPS.pulls),
  release: z.strictObject({
    stage: z.enum(['query', 'draft', 'recheck', 'checks', 'approval', 'merge', 'deploy']),
    found: ReleaseFacts.nullable(),
    accepted: Acceptance.extend({ head_sha: z.string().max(80) }).nullable(),
    merged_sha: z.string().max(80).nullable(),
    /** The commit was deployed while the ticket was in another state. It must not be deployed twice. */
    deployed_sha: z.string().max(80).nullable().default(null),
    waits: z.int().min(0),
    wait_until: Instant.nullable(),
  }),
  /** All children are verified, so the engine moved the parent to Released (CON-78). */
  parent_ticket: z.boolean(),
  observed: Observed.nullable(),
  runbook: z
    .array(
      z.strictObject({
        criterion: z.string().max(20),
        text: z.string().max(600),
        steps: z.string().max(2_000),
        unverifiable: z.boolean().default(false),
      }),
    )
    .max(TICKET_CAPS.criteria),
  /** The ledger entries for the current gate. Null: not looked up yet (CON-96). */
  knowledge: KnowledgeFound.nullable(),
  /** Decisions of this ticket, by the gate that made them. */
  decided: z
    .array(
      z.strictObject({
        gate: z.enum(TICKET_GATES),
        id: z.string().max(60),
        track: z.enum(DESIGN_TRACKS).nullable(),
      }),
    )
    .max(60),
  counts: z.strictObject({ briefs: z.int(), rounds: z.int(), decisions: z.int(), criteria: z.int() }),
  trouble: z
    .strictObject({ fault: z.enum(WORKER_FAULTS), what: Line, detail: z.string().max(1_000) })
    .nullable(),
  /** The gate a person wants to return to. The ticket waits for the command that confirms it (CON-99). */
  reopening: z
    .strictObject({
      to: z.enum(TICKET_GATES),
      hops: z.array(z.enum(ACTIVITIES)).max(TICKET_CAPS.hops),
      why: z.string().max(2_000),
      fates: z.record(z.string(), z.enum(['keep', 'cancel'])),
      /** Number of this request while the question is open. The answer must be to this request. */
      asked: z.int().min(1).default(1),
    })
    .nullable(),
  acknowledged: z
    .array(
      z.strictObject({
        class: z.enum(RISK_CLASSES),
        evidence: z.array(z.string().max(200)).max(50),
        why: z.string().max(2_000),
        by: Name,
      }),
    )
    .max(20),
  policy: z.strictObject({
    acknowledge: z.boolean(),
    shadow_judge: z.boolean(),
    modules: z.array(z.string()),
    globs: z.array(z.string()),
  }),
  ended: z.boolean(),
});
export type ConductState = z.infer<typeof ConductState>;
