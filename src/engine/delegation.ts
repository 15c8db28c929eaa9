import type { BriefDoc } from '../contract/brief.ts';
import type { KnowledgeStatus } from '../contract/knowledge.ts';
import {
  type AwaitingReason,
  type Delegation,
  type DriveMode,
  JUDGE_SIGNALS,
  type Judgement,
  type JudgeSignal,
  type PauseCause,
  type RiskClass,
  TICKET_GATES,
  type TicketGate,
  type TicketState,
  TRUST_LEVELS,
  type TrustLevel,
} from '../contract/ticket.ts';
import { CONTROLLED, isDelegating } from './drive-mode.ts';

/** The open gate as just read. No value is carried over from one gate to the next (CON-38). */
export interface GateRow {
  readonly gate: TicketGate;
  /** Why the ticket waits. Null if a phase has no brief to judge, as at build (S9). */
  readonly reason: AwaitingReason | null;
  readonly stale: boolean;
  /** A person reshaped or edited this brief (CON-110). */
  readonly revised: boolean;
  /** Its text was changed without proof of a person. No person has accepted or edited it since (CON-116). */
  readonly unproven: boolean;
  /** Accepting it ends a decision-only ticket (CON-92). */
  readonly deliverable: boolean;
  readonly classes: readonly RiskClass[];
  /** Some of its text is in a language without a list of risk words, or in an uncertain language (CON-117). */
  readonly unread: boolean;
  /** The judge's verdict. `failed`: no valid verdict. Null: the judge was not asked yet. */
  readonly judgement: Judgement | 'failed' | null;
  /** Signals that code alone can determine. They need no judge. */
  readonly sure_signals: readonly JudgeSignal[];
}

interface Ask {
  readonly mode: DriveMode;
  readonly trust: TrustLevel;
  readonly row: GateRow;
}

/**
 * Whether a drive may accept the open gate for the person (CON-35). The first matching row decides. The gate is
 * accepted
 * only if no row matches. Only the last row returns `judge`, so the judge is never asked about a floored gate.
 */
export function delegate(ask: Ask): Delegation {
  for (const row of ROWS) {
    const decided = row(ask);
    if (decided !== null) return decided;
  }
  return { kind: 'accept' };
}

const pause = (cause: PauseCause): Delegation => ({ kind: 'pause', cause });

const ROWS: readonly ((ask: Ask) => Delegation | null)[] = [
  /* 0  */ ({ row }) => (row.stale ? pause('stale') : null),
  /* 0  */ ({ row }) => (row.reason !== null && NEVER_DELEGATED[row.reason]) || null,
  /* 1  */ ({ mode, trust }) => (isDelegating(mode) && isKillSwitch(trust) ? pause('dial') : null),
  /* 2  */ ({ mode }) => (isDelegating(mode) ? null : pause('controlled')),
  /* 3  */ ({ row }) => (row.deliverable || !isBefore(row.gate, 'release') ? pause('hard-floor') : null),
  /* 3a */ ({ row }) => (row.revised ? pause('revised') : null),
  /* 3b */ ({ row }) => (row.unproven ? pause('unproven_edit') : null),
  /* 4  */ ({ mode, row }) =>
    mode.kind === 'partial' && !isBefore(row.gate, mode.pause_at) ? pause('pause-at') : null,
  /* 5  */ ({ row }) =>
    row.classes.length > 0 || row.unread
      ? { kind: 'pause', cause: 'risk-floor', classes: row.classes }
      : null,
  // If a person was asked for the go, it stays theirs (CON-114), whichever drive finds it open.
  ({ row }) => (row.reason === 'build-go-pending' ? pause('approval') : null),
  /* 6  */ ({ mode, row }) => (mode.kind === 'escalate' ? judged(row) : null),
];

/** These wait for a person's own word, not for a decision that could be delegated. */
const NEVER_DELEGATED: Readonly<Partial<Record<AwaitingReason, Delegation>>> = {
  'stale-patch-review': pause('review'),
  'revise-scope-review': pause('review'),
  'elicitation-round': pause('question'),
  'release-approval-pending': pause('approval'),
};

/** A signal without "worth" contradicts itself. An invalid verdict counts as worth (S5). */
function judged({ judgement, sure_signals, reason }: GateRow): Delegation | null {
  const surfaced = (signals: readonly JudgeSignal[]): Delegation => ({
    kind: 'pause',
    cause: 'escalate',
    signals: JUDGE_SIGNALS.filter((signal) => signals.includes(signal)),
  });
  if (sure_signals.length > 0) return surfaced(sure_signals);
  if (judgement === null) return reason === null ? null : { kind: 'judge' };
  if (judgement === 'failed') return surfaced([]);
  return judgement.worth || judgement.signals.length > 0 ? surfaced(judgement.signals) : null;
}

/** Strictly before, in the order of the seven gates (CON-36). An unknown gate is never before another one. */
export function isBefore(gate: TicketGate, other: TicketGate): boolean {
  const at = TICKET_GATES.indexOf(gate);
  return at >= 0 && at < TICKET_GATES.indexOf(other);
}

const GATE_OF: Readonly<Record<TicketState, TicketGate | null>> = {
  Captured: 'clarify',
  Idea: 'clarify',
  Clarified: 'decompose',
  Decomposed: 'design',
  Designed: 'plan',
  Planned: 'build',
  Built: 'release',
  Released: 'verify',
  Verified: null,
  Parked: null,
  Cancelled: null,
};

/** The next gate of a ticket, from its state alone (CON-37). Null in a final state. */
export function gateOf(state: TicketState): TicketGate | null {
  return GATE_OF[state];
}

/** The activities each trust level would advance without asking (CON-14). `conduct` only checks for an empty list. */
export const ACTIVITY_CLASSES: Readonly<
  Record<TrustLevel, readonly ('reversible-rerun' | 'forward-gate' | 'release' | 'verify')[]>
> = {
  cautious: [],
  balanced: ['reversible-rerun'],
  autonomous: ['reversible-rerun', 'forward-gate', 'release', 'verify'],
};

/** A level that advances nothing revokes every delegating flag. So does an unknown level. */
export function isKillSwitch(trust: TrustLevel): boolean {
  return (ACTIVITY_CLASSES[trust] ?? []).length === 0;
}

/**
 * The mode after the limit of the trust level (CON-12). The level only removes delegation and never adds any (CON-13).
 */
export function effectiveMode(mode: DriveMode, trust: TrustLevel): DriveMode {
  return isKillSwitch(trust) ? CONTROLLED : mode;
}

/** The level of a stored value. `unknown` is the stored value if it is not a level, so that it can be reported (S1). */
export interface ResolvedTrust {
  readonly level: TrustLevel;
  readonly unknown: string | null;
}

/**
 * Reads the stored trust level (CON-11). Nothing or `{}` means balanced. Any value that is not a level means cautious.
 */
export function resolveTrust(stored: unknown): ResolvedTrust {
  const empty: ResolvedTrust = { level: 'balanced', unknown: null };
  if (stored === undefined) return empty;
  const level = isObject(stored) ? stored.level : stored;
  if (isObject(stored) && level === undefined) return empty;
  const known = TRUST_LEVELS.find((one) => one === level);
  return known ? { level: known, unknown: null } : { level: 'cautious', unknown: asText(level) };
}

function isObject(value: unknown): value is { readonly level?: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? typeof value);
}

/**
 * Signals from the brief itself (CON-51, S5) and from the entries it depends on. Its own draft entry does not count.
 * Input that a person must supply or decide later counts as an open question.
 */
export function sureSignals(doc: BriefDoc, dependsOn: readonly KnowledgeStatus[] = []): JudgeSignal[] {
  const openQuestion = doc.items.some((item) => item.kind === 'content-input' || item.deferred === true);
  const fired: Readonly<Partial<Record<JudgeSignal, boolean>>> = {
    'low-confidence': doc.recommend?.confidence === 'low' || doc.recommend?.cede === true,
    'knowledge-gap':
      doc.load_bearing_gap !== null ||
      doc.research.length > 0 ||
      openQuestion ||
      dependsOn.includes('Asserted'),
    'stale-knowledge': dependsOn.some((status) => status === 'Superseded' || status === 'Archived'),
  };
  return JUDGE_SIGNALS.filter((signal) => fired[signal]);
}

/** Facts about a ticket before a drive starts. */
export interface RunFacts {
  readonly mode: DriveMode;
  readonly trust: TrustLevel;
  readonly state: TicketState;
  /** Classes of the ticket itself. Later briefs may add more. */
  readonly classes: readonly RiskClass[];
  /** Text of the ticket itself is in a language without a list of risk words. */
  readonly unread?: boolean;
  /** The gate that ends a decision-only ticket. */
  readonly deliverable?: TicketGate | null;
  /** At Planned: a person accepted the plan. */
  readonly plan_by_person?: boolean;
  /** More facts about the next gate of the ticket. */
  readonly here?: Partial<GateRow>;
}

/**
 * `done`: passed already. `skipped`: never reached. `follows`: starts by itself because a person accepted the plan
 * (S9).
 * Otherwise the decision of the policy.
 */
export interface GatePlan {
  readonly gate: TicketGate;
  readonly will: Delegation | { readonly kind: 'done' | 'skipped' | 'follows' };
}

/** The decision of the policy at each gate for this mode, before anything runs. Empty in a final state. */
export function planRun(facts: RunFacts): GatePlan[] {
  const here = gateOf(facts.state);
  if (here === null) return [];
  const last = facts.deliverable ?? 'verify';
  const planned = delegate({ ...facts, row: rowAt(facts, 'plan') });
  const personPlans = here === 'build' ? facts.plan_by_person === true : planned.kind === 'pause';
  return TICKET_GATES.map((gate) => {
    if (isBefore(gate, here)) return { gate, will: { kind: 'done' } };
    if (isBefore(last, gate)) return { gate, will: { kind: 'skipped' } };
    if (gate === 'build' && personPlans) return { gate, will: { kind: 'follows' } };
    return { gate, will: delegate({ ...facts, row: rowAt(facts, gate) }) };
  });
}

const REASON_AT: Readonly<Record<TicketGate, AwaitingReason | null>> = {
  clarify: 'clarification-draft',
  decompose: 'decomposition-proposal',
  design: 'design-decision-draft',
  plan: 'plan-draft',
  build: null,
  release: 'release-decision-pending',
  verify: 'verification-ack-pending',
};

function rowAt(facts: RunFacts, gate: TicketGate): GateRow {
  return {
    gate,
    reason: REASON_AT[gate],
    stale: false,
    revised: false,
    unproven: false,
    deliverable: facts.deliverable === gate,
    classes: facts.classes,
    unread: facts.unread ?? false,
    judgement: null,
    sure_signals: [],
    ...(gate === gateOf(facts.state) ? facts.here : {}),
  };
}
