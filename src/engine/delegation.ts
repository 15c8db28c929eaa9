import type { BriefDoc } from '../contract/brief.ts';
import type { KnowledgeStatus } from '../contract/knowledge.ts';
import {
  type AwaitingReason,
  type Delegation,
  DIAL_LEVELS,
  type DialLevel,
  type DriveMode,
  JUDGE_SIGNALS,
  type Judgement,
  type JudgeSignal,
  type PauseCause,
  type RiskClass,
  TICKET_GATES,
  type TicketGate,
  type TicketState,
} from '../contract/ticket.ts';
import { CONTROLLED, isDelegating } from './drive-mode.ts';

/** The open gate as it was just read. Nothing of it is carried from one gate to the next (CON-38). */
export interface GateRow {
  readonly gate: TicketGate;
  /** Why the ticket waits; null where a phase has no brief to judge, as at build (S9). */
  readonly reason: AwaitingReason | null;
  readonly stale: boolean;
  /** A person reshaped or edited this brief (CON-110). */
  readonly revised: boolean;
  /** Accepting it ends a decision-only ticket (CON-92). */
  readonly deliverable: boolean;
  readonly classes: readonly RiskClass[];
  /** What the judge said; `failed` for no valid answer, null while it has not been asked. */
  readonly judgement: Judgement | 'failed' | null;
  /** Signals that code alone is sure of: no judge is asked for these. */
  readonly sure_signals: readonly JudgeSignal[];
}

interface Ask {
  readonly mode: DriveMode;
  readonly dial: DialLevel;
  readonly row: GateRow;
}

/**
 * Whether a drive may accept the open gate for the person (CON-35). The first row that matches decides; only when
 * none does is the gate accepted. `judge` comes from the last row alone, so no judge is asked about a floored gate.
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
  /* 1  */ ({ mode, dial }) => (isDelegating(mode) && isKillSwitch(dial) ? pause('dial') : null),
  /* 2  */ ({ mode }) => (isDelegating(mode) ? null : pause('controlled')),
  /* 3  */ ({ row }) => (row.deliverable || !isBefore(row.gate, 'release') ? pause('hard-floor') : null),
  /* 3a */ ({ row }) => (row.revised ? pause('revised') : null),
  /* 4  */ ({ mode, row }) =>
    mode.kind === 'partial' && !isBefore(row.gate, mode.pause_at) ? pause('pause-at') : null,
  /* 5  */ ({ row }) =>
    row.classes.length > 0 ? { kind: 'pause', cause: 'risk-floor', classes: row.classes } : null,
  // A go that was put before a person stays theirs (CON-114), whichever drive finds it open.
  ({ row }) => (row.reason === 'build-go-pending' ? pause('approval') : null),
  /* 6  */ ({ mode, row }) => (mode.kind === 'escalate' ? judged(row) : null),
];

/** Waits that are about a person's own word, not about a decision that could be handed over. */
const NEVER_DELEGATED: Readonly<Partial<Record<AwaitingReason, Delegation>>> = {
  'stale-patch-review': pause('review'),
  'revise-scope-review': pause('review'),
  'elicitation-round': pause('question'),
  'release-approval-pending': pause('approval'),
};

/** A signal without "worth" contradicts itself, and what is not valid counts as worth (S5). */
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

/** Strictly before, in the order of the seven gates (CON-36). A gate nobody knows comes before none. */
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

/** The gate a ticket stands before, from its state alone (CON-37); null where it ends. */
export function gateOf(state: TicketState): TicketGate | null {
  return GATE_OF[state];
}

/** What each level of the dial would advance unasked (CON-14). For `conduct` only "is it empty" counts. */
export const ACTIVITY_CLASSES: Readonly<
  Record<DialLevel, readonly ('reversible-rerun' | 'forward-gate' | 'release' | 'verify')[]>
> = {
  cautious: [],
  balanced: ['reversible-rerun'],
  autonomous: ['reversible-rerun', 'forward-gate', 'release', 'verify'],
};

/** A level that would advance nothing takes back every delegating flag. So does one nobody knows. */
export function isKillSwitch(dial: DialLevel): boolean {
  return (ACTIVITY_CLASSES[dial] ?? []).length === 0;
}

/** The mode after the ceiling (CON-12): the dial only takes delegation away and never adds any (CON-13). */
export function effectiveMode(mode: DriveMode, dial: DialLevel): DriveMode {
  return isKillSwitch(dial) ? CONTROLLED : mode;
}

/** The level of a stored dial; `unknown` is what stood there when it is no level, to be announced (S1). */
export interface Dial {
  readonly level: DialLevel;
  readonly unknown: string | null;
}

/** Reads the dial as stored (CON-11): nothing or `{}` is balanced, and whatever is not a level is cautious. */
export function resolveDial(stored: unknown): Dial {
  const empty: Dial = { level: 'balanced', unknown: null };
  if (stored === undefined) return empty;
  const level = isObject(stored) ? stored.level : stored;
  if (isObject(stored) && level === undefined) return empty;
  const known = DIAL_LEVELS.find((one) => one === level);
  return known ? { level: known, unknown: null } : { level: 'cautious', unknown: asText(level) };
}

function isObject(value: unknown): value is { readonly level?: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? typeof value);
}

/**
 * Signals a brief gives by itself (CON-51, S5), and those of the entries it rests on; its own draft is none of them.
 * What a person has to supply or decide later is an open question.
 */
export function sureSignals(doc: BriefDoc, restsOn: readonly KnowledgeStatus[] = []): JudgeSignal[] {
  const openQuestion = doc.items.some((item) => item.kind === 'content-input' || item.deferred === true);
  const fired: Readonly<Partial<Record<JudgeSignal, boolean>>> = {
    'low-confidence': doc.recommend?.confidence === 'low' || doc.recommend?.cede === true,
    'knowledge-gap':
      doc.load_bearing_gap !== null ||
      doc.research.length > 0 ||
      openQuestion ||
      restsOn.includes('Asserted'),
    'stale-knowledge': restsOn.some((status) => status === 'Superseded' || status === 'Archived'),
  };
  return JUDGE_SIGNALS.filter((signal) => fired[signal]);
}

/** What is known of a ticket before it is driven. */
export interface RunFacts {
  readonly mode: DriveMode;
  readonly dial: DialLevel;
  readonly state: TicketState;
  /** Classes of the ticket itself; the briefs to come may add some. */
  readonly classes: readonly RiskClass[];
  /** The gate that ends a decision-only ticket. */
  readonly deliverable?: TicketGate | null;
  /** At Planned: a person accepted the plan. */
  readonly plan_by_person?: boolean;
  /** What more is known of the gate the ticket stands before. */
  readonly here?: Partial<GateRow>;
}

/**
 * `done` lies behind, `skipped` is never reached, `follows` starts by itself because a person accepted the plan (S9);
 * else what the policy says.
 */
export interface GatePlan {
  readonly gate: TicketGate;
  readonly will: Delegation | { readonly kind: 'done' | 'skipped' | 'follows' };
}

/** What this mode would do at each gate and why, before anything is run; asked of the same policy. Empty at an end. */
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
    deliverable: facts.deliverable === gate,
    classes: facts.classes,
    judgement: null,
    sure_signals: [],
    ...(gate === gateOf(facts.state) ? facts.here : {}),
  };
}
