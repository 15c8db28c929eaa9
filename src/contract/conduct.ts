import * as z from 'zod';
import { FolderPath, Slug } from './approved-spec.ts';
import { BriefDoc, BriefReason, DecisionRef, Msg } from './brief.ts';
import { BuildReport, TicketId } from './build-report.ts';
import { BuildPr, Observed, ReleaseFacts } from './code-host.ts';
import { DOMAINS, KNOWLEDGE_STATUSES, KNOWLEDGE_TYPES } from './knowledge.ts';
import {
  ACTIVITIES,
  DESIGN_TRACKS,
  Judgement,
  PRIORITIES,
  RISK_CLASSES,
  TICKET_GATES,
  TICKET_STATES,
} from './ticket.ts';

const Lang = z.enum(['en', 'ko', 'ja', 'zh', 'es', 'de']);
const Instant = z.iso.datetime();
const Name = z.string().min(1).max(300);
const Long = z.string().max(20_000);
const Line = z.string().trim().min(1).max(300);
export const Label = z
  .string()
  .trim()
  .min(1)
  .max(60)
  .regex(/^[^\s,]+$/, 'must have no spaces or commas');
export const Title = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .regex(/^[^\r\n]*$/, 'must be one line');

/** How many of each a ticket may have. Everything else of its history is records. */
export const TICKET_CAPS = {
  criteria: 50,
  checklist: 100,
  children: 50,
  rounds: 3,
  hops: 4,
  found: 50,
  pulls: 50,
  stale: 20,
} as const;

/** What a person may say of a new ticket (CON-106); the last part is the engine's own, for children it makes. */
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
      /** What the parent settled about what is wanted; its design is not inherited (CON-76). */
      clarification: Long,
      after: z.array(Line).max(50),
      epic: Line.nullable(),
      /** Criteria the parent handed over. */
      criteria: z.array(Line).max(20),
    })
    .nullable()
    .default(null),
});
export type ConductInput = z.infer<typeof ConductInput>;

/** What a person may change of a ticket (CON-106). */
export const TicketEdit = z.strictObject({
  title: Title.optional(),
  description: z.string().max(20_000).optional(),
  priority: z.enum(PRIORITIES).optional(),
  labels_add: z.array(Label).max(50).optional(),
  labels_remove: z.array(Label).max(50).optional(),
  archived: z.boolean().optional(),
});
export type TicketEdit = z.infer<typeof TicketEdit>;

/** One write an accept promises (CON-72); never shown, ledgered by its content. */
export const PromisedWrite = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('acceptance_criterion'), text: Line }),
  z.strictObject({
    kind: z.literal('child_ticket'),
    key: Line,
    title: Title,
    description: Long.default(''),
    priority: z.enum(PRIORITIES).default('medium'),
    after: z.array(Line).max(50).default([]),
  }),
  z.strictObject({ kind: z.literal('checklist_item'), text: Line }),
  z.strictObject({ kind: z.literal('ac_transfer'), criterion: Line, child: Line }),
  z.strictObject({ kind: z.literal('label_add'), label: Label }),
]);
export type PromisedWrite = z.infer<typeof PromisedWrite>;

/** The brief a ticket waits with. Its content is the document rendered; nothing else is stored of it (INV-16). */
export const ActiveBrief = z.strictObject({
  id: z.string().min(1).max(60),
  reason: BriefReason,
  doc: BriefDoc,
  track: z.enum(DESIGN_TRACKS).nullable(),
  pending_activity: z.enum(ACTIVITIES).nullable(),
  decision_ref: DecisionRef.nullable(),
  iteration: z.int().min(1),
  /** A person reshaped or edited it: only a person accepts it (CON-110). */
  revised: z.boolean(),
  edited_by: Name.nullable(),
  /** Accepting it ends a decision-only ticket (CON-92). */
  deliverable: z.boolean(),
  expand_sections: z.partialRecord(z.enum(['reasoning', 'alternatives', 'history']), Long).default({}),
  related: z.array(Line).max(20),
  grounds: z.array(Line).max(20),
  /** Those of the grounds the ledger had when it was drafted, and how far they were decided then (CON-51). */
  rests_on: z
    .array(z.strictObject({ id: Line, status: z.enum(KNOWLEDGE_STATUSES) }))
    .max(20)
    .default([]),
  created_by: Name,
});
export type ActiveBrief = z.infer<typeof ActiveBrief>;

/** Questions of a worker, or of the engine, to a person: one gate, one form (CON-100). */
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
  /** Null until the child has told its number. */
  id: TicketId.nullable(),
  title: Title,
  state: z.enum(TICKET_STATES),
  archived: z.boolean(),
  after: z.array(Line).max(50),
});
export type Child = z.infer<typeof Child>;

/** Why a worker's end did not bring the ticket on (CON-21); the ticket stays where it is. */
export const WORKER_FAULTS = [
  'worker-timeout',
  'dirty-exit',
  'no-progress',
  'repo-active-board-silent',
  'world',
] as const;
export type WorkerFault = (typeof WORKER_FAULTS)[number];

/** A decision the ticket rests on that is no longer one (CON-95). */
export const StaleRef = z.strictObject({
  type: z.string().max(40),
  id: z.string().max(60),
  superseded_by: z.string().max(60).nullable(),
});

const Acceptance = z.strictObject({ by: Name, at: Instant, provenance: z.string().max(60) });

/** The ticket: the only memory of its life (CON-16). Bounded; history, notes and decisions are records. */
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
  /** Where a parked or cancelled ticket stood, and why it was left (S11). */
  prev_state: z.enum(TICKET_STATES).nullable(),
  left: z.strictObject({ by: Name, why: z.string().max(2_000).nullable() }).nullable(),
  /** Nobody conducts it: it waits for the command `conduct`. The text says why it rests. */
  resting: Msg.nullable(),
  /** Edges that follow each other without a person, one commit each: reopening, fast-forwarding. */
  hops: z.array(z.enum(ACTIVITIES)).max(TICKET_CAPS.hops),
  stale: StaleRef.nullable(),
  /** Superseded while another patch was on its way: each is patched in its turn. */
  stale_more: z.array(StaleRef).max(TICKET_CAPS.stale),
  brief: ActiveBrief.nullable(),
  round: Round.nullable(),
  /** How often the gate at work has asked; counted down when it is left. */
  rounds_asked: z.int().min(0).max(TICKET_CAPS.rounds),
  /** A reshape that no redraft has taken up yet (CON-75). */
  pending: z.strictObject({ command: z.literal('iterate'), detail: Long }).nullable(),
  /** A brief a person had changed, taken off the table by a patch: its next draft is theirs, with what they asked for (CON-110). */
  set_aside: z.strictObject({ reason: BriefReason, detail: Long.nullable() }).nullable().default(null),
  judging: z.boolean(),
  judged: z
    .strictObject({ brief: z.string().max(60), iteration: z.int(), verdict: Judgement.nullable() })
    .nullable(),
  /** What a person said along with an accept, for the gates to come; applied once (CON-101). */
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
      /** Who accepted it and what was recorded; the build starts from it (CON-83). */
      accepted: z.strictObject({ by: Name, at: Instant, decision: z.string().max(60).nullable() }).nullable(),
      provenance: z.string().max(60).nullable(),
      /** Accepting the plan was the go to build (CON-83, S9). */
      go: z.boolean(),
    })
    .nullable(),
  building: z.enum(['start', 'child', 'pull_request']).nullable(),
  build_run: z.string().max(40).nullable(),
  builds: z.int().min(0),
  build: BuildReport.nullable(),
  exemption: z.string().max(2_000).nullable(),
  build_pr: BuildPr.nullable(),
  /** Numbers of all pull requests opened for it: the next one takes the place of those still open. */
  pulls: z.array(BuildPr.shape.pr_number).max(TICKET_CAPS.pulls),
  release: z.strictObject({
    stage: z.enum(['look', 'draft', 'recheck', 'checks', 'approval', 'merge', 'deploy']),
    found: ReleaseFacts.nullable(),
    accepted: Acceptance.extend({ head_sha: z.string().max(80) }).nullable(),
    merged_sha: z.string().max(80).nullable(),
    /** Deployed while the ticket was elsewhere: not to be done twice. */
    deployed_sha: z.string().max(80).nullable().default(null),
    waits: z.int().min(0),
    wait_until: Instant.nullable(),
  }),
  /** All children are verified: the parent was moved to Released by itself (CON-78). */
  umbrella: z.boolean(),
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
  /** What the ledger had for the gate at work; null: not looked up yet (CON-96). */
  knowledge: z
    .strictObject({
      entries: z
        .array(
          z.strictObject({
            id: z.string().max(60),
            type: z.enum(KNOWLEDGE_TYPES),
            status: z.enum(KNOWLEDGE_STATUSES),
            title: z.string().max(300),
            body: z.string().max(2_100),
            domains: z.array(z.enum(DOMAINS)),
            review_by: z.string().max(40).nullable(),
          }),
        )
        .max(TICKET_CAPS.found),
      linked: z.array(z.string().max(60)).max(200),
    })
    .nullable(),
  /** Decisions of this ticket by the gate that made them. */
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
  /** Where a person would go back to, waiting for the word that does it (CON-99). */
  reopening: z
    .strictObject({
      to: z.enum(TICKET_GATES),
      hops: z.array(z.enum(ACTIVITIES)).max(TICKET_CAPS.hops),
      why: z.string().max(2_000),
      fates: z.record(z.string(), z.enum(['keep', 'cancel'])),
      /** Which wish this is while the question is open: the answer is to this one. */
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
