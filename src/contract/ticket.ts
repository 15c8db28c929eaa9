import * as z from 'zod';

/** States of a ticket in normal order. The last three have no next activity. */
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

/** The seven gates in order. `--pause-at` names one of them. */
export const TICKET_GATES = ['clarify', 'decompose', 'design', 'plan', 'build', 'release', 'verify'] as const;
export type TicketGate = (typeof TICKET_GATES)[number];

/** All activities on a ticket. The edge table of `conduct` says which states they connect. */
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

/** Why a ticket waits for a person: the eight brief reasons, and three that the engine sets (CON-114). */
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

/** The workspace's trust setting. Empty means `balanced`, an unknown value means `cautious` (S1). */
export const TRUST_LEVELS = ['cautious', 'balanced', 'autonomous'] as const;
export type TrustLevel = (typeof TRUST_LEVELS)[number];

/** Tickets run only in an opinionated project (CON-10). */
export const PROJECT_MODES = ['opinionated', 'manual'] as const;
export type ProjectMode = (typeof PROJECT_MODES)[number];

/** How much a person delegated to one drive. Never stored on the ticket (CON-18). */
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

/** The judge's verdict: worth a person's opinion, or routine. There is no score. */
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
  | 'unproven_edit'
  | 'pause-at'
  | 'risk-floor'
  | 'escalate';

/** The delegation policy's decision about an open gate. Only `accept` answers it, and only with the option accept. */
export type Delegation =
  | {
      readonly kind: 'pause';
      readonly cause: PauseCause;
      readonly classes?: readonly RiskClass[];
      readonly signals?: readonly JudgeSignal[];
    }
  | { readonly kind: 'judge' }
  | { readonly kind: 'accept' };

/** Why an open gate waits for a person. `trouble` comes from the engine or a worker. A drive never answers it. */
export interface Pause {
  readonly cause: PauseCause | 'trouble';
  readonly classes: readonly RiskClass[];
  readonly signals: readonly JudgeSignal[];
}
