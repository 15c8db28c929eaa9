import * as z from 'zod';

/** States of a ticket in the order of its life; the last three have no next activity. */
export const TICKET_STATES = [
  'Captured',
  'Idea',
  'Clarified',
  'Decomposed',
  'Designed',
  'Planned',
  'Built',
  'Released',
  'Verified',
  'Parked',
  'Cancelled',
] as const;
export type TicketState = (typeof TICKET_STATES)[number];
export const TERMINAL_STATES = ['Verified', 'Parked', 'Cancelled'] as const satisfies readonly TicketState[];

/** The seven gates in their order; `--pause-at` names one of them. */
export const TICKET_GATES = ['clarify', 'decompose', 'design', 'plan', 'build', 'release', 'verify'] as const;
export type TicketGate = (typeof TICKET_GATES)[number];

/** What may be done to a ticket; which of them leads where stands in the edge table of `conduct`. */
export const ACTIVITIES = [
  'capturing',
  'promoting',
  'clarifying',
  'decomposing',
  'designing',
  'planning',
  'building',
  'releasing',
  'verifying',
  'revising-promoting',
  'revising-clarifying',
  'revising-decomposing',
  'revising-designing',
  'revising-building',
  'parking',
  'unparking',
  'cancelling',
  'researching',
  'rolling-up',
  'fast-forwarding',
] as const;
export type Activity = (typeof ACTIVITIES)[number];

export const PRIORITIES = ['high', 'medium', 'low'] as const;
export type Priority = (typeof PRIORITIES)[number];

export const DESIGN_TRACKS = ['product', 'technical', 'ux-ui'] as const;
export type DesignTrack = (typeof DESIGN_TRACKS)[number];

/** Why a ticket waits with a brief (CON-63). */
export const BRIEF_REASONS = [
  'clarification-draft',
  'decomposition-proposal',
  'design-decision-draft',
  'plan-draft',
  'release-decision-pending',
  'verification-ack-pending',
  'stale-patch-review',
  'revise-scope-review',
] as const;

/** Why a ticket waits for a person: the eight of a brief, and three the engine itself sets (CON-114). */
export const AWAITING_REASONS = [
  ...BRIEF_REASONS,
  'elicitation-round',
  'release-approval-pending',
  'build-go-pending',
] as const;
export type AwaitingReason = (typeof AWAITING_REASONS)[number];

/** Kinds of risk that pause a delegated gate in every mode, in canonical order (CON-39). */
export const RISK_CLASSES = ['auth', 'data-migration', 'irreversible-destructive', 'shared-core'] as const;
export type RiskClass = (typeof RISK_CLASSES)[number];

/** The workspace's trust setting; an empty one means balanced, one nobody knows means cautious (S1). */
export const DIAL_LEVELS = ['cautious', 'balanced', 'autonomous'] as const;
export type DialLevel = (typeof DIAL_LEVELS)[number];

/** Only an opinionated project is conducted (CON-10). */
export const PROJECT_MODES = ['opinionated', 'manual'] as const;
export type ProjectMode = (typeof PROJECT_MODES)[number];

/** How much a person handed over for one drive. Never stored on the ticket (CON-18). */
export type DriveMode =
  | { readonly kind: 'controlled' }
  | { readonly kind: 'partial'; readonly pause_at: TicketGate }
  | { readonly kind: 'unattended' }
  | { readonly kind: 'escalate' };

/** Signals of the escalate judgement (CON-51). */
export const JUDGE_SIGNALS = [
  'low-confidence',
  'knowledge-gap',
  'near-tie',
  'novel',
  'stale-knowledge',
  'broad-blast-radius',
] as const;
export type JudgeSignal = (typeof JUDGE_SIGNALS)[number];

/** What the judge says: worth a person's opinion or routine. There is no score. */
export const Judgement = z.strictObject({
  worth: z.boolean(),
  signals: z.array(z.enum(JUDGE_SIGNALS)).max(6).default([]),
  why: z.string().max(2_000).default(''),
});
export type Judgement = z.infer<typeof Judgement>;

export type PauseCause =
  | 'stale'
  | 'review'
  | 'question'
  | 'approval'
  | 'dial'
  | 'controlled'
  | 'hard-floor'
  | 'revised'
  | 'pause-at'
  | 'risk-floor'
  | 'escalate';

/** What the delegation policy says of an open gate; only `accept` answers it, and only with accept. */
export type Delegation =
  | {
      readonly kind: 'pause';
      readonly cause: PauseCause;
      readonly classes?: readonly RiskClass[];
      readonly signals?: readonly JudgeSignal[];
    }
  | { readonly kind: 'judge' }
  | { readonly kind: 'accept' };

/** Why an open gate waits for a person; `trouble` is the engine's own or a worker's, and no drive answers it. */
export interface Pause {
  readonly cause: PauseCause | 'trouble';
  readonly classes: readonly RiskClass[];
  readonly signals: readonly JudgeSignal[];
}
