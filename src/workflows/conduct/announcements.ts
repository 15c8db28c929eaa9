import type { Msg, Text } from '../../contract/brief.ts';
import type { ConductState } from '../../contract/conduct.ts';
import {
  type AwaitingReason,
  type Delegation,
  type DesignTrack,
  type DriveMode,
  RISK_CLASSES,
  type TicketGate,
  type TicketState,
} from '../../contract/ticket.ts';
import {
  gateOf,
  isBefore,
  isKillSwitch,
  planRun,
  type ResolvedTrust,
  resolveTrust,
} from '../../engine/delegation.ts';
import { CONTROLLED, flagOf, formatMode, isDelegating } from '../../engine/drive-mode.ts';
import type { RiskHit } from '../../engine/risk-classes.ts';
import type { UnreadLine } from '../../engine/unread-text.ts';
import type { Announcement } from '../../engine/workflow.ts';
import { say } from './messages.ts';
import { planMessage } from './overview.ts';
import { pausingRisks, unreadOf } from './risks.ts';
import { awaitingOf } from './row.ts';
import { runFacts } from './run-facts.ts';

/** The texts of a ticket for an announcement. The surface only shows them. */
export function announce(state: ConductState, what: Announcement): readonly Text[] {
  const { run: ticket, phase } = state;
  switch (what.kind) {
    case 'start':
      return startReport(ticket, phase, what.mode);
    case 'denied':
      return trustReport(ticket, resolveTrust(what.trust ?? undefined), what.mode);
    case 'pause':
      return pauseLines(state, what);
    case 'end':
      return endLines(state, what.began as TicketState);
    case 'plan':
      return planLines(state, what);
  }
}

function pauseLines(state: ConductState, what: Extract<Announcement, { kind: 'pause' }>): readonly Text[] {
  const gate = gateOf(state.phase);
  const awaiting = awaitingOf(state);
  if (!gate || !awaiting) return [];
  const { brief, run: ticket } = state;
  const facts: PauseFacts = {
    ticket,
    gate,
    reason: awaiting.reason,
    track: brief?.track ?? null,
    content: what.content,
    iteration: brief?.iteration ?? 1,
    decide: brief?.doc.decide ?? '',
    pause: what.pause,
    hits: pausingRisks(state, { content: what.content }),
    unread: unreadOf(state, { content: what.content }),
    trust: resolveTrust(what.trust ?? undefined),
    mode: what.mode,
    drive_open: what.drive_open,
  };
  return what.asked_here ? askedHere(facts) : [gateLine(facts), ...whyPaused(facts)];
}

function endLines(state: ConductState, began: TicketState): readonly Text[] {
  const { run: ticket, phase, prev_state, left, children } = state;
  if (phase === 'Verified') return endReport({ ticket, began, state: phase });
  if (phase === 'Parked' || phase === 'Cancelled')
    return endReport({ ticket, began, state: phase, at: prev_state ?? began, why: left?.why ?? null });
  const listed = children.filter(({ archived }) => !archived);
  if (phase !== 'Decomposed' || listed.length === 0) return [];
  return parentTicketReport(
    ticket,
    began,
    listed.map(({ id, key, title, state: at }) => ({ id: id ?? key, title, state: at })),
  );
}

/** The plan for each gate, from the same policy that would decide there. */
function planLines(
  state: ConductState,
  { mode, trust }: Extract<Announcement, { kind: 'plan' }>,
): readonly Text[] {
  const { level } = resolveTrust(trust ?? undefined);
  const plans = planRun(runFacts(state, mode, level));
  return plans.flatMap((plan): Text[] => [say('conduct.plan.line', { gate: plan.gate }), planMessage(plan)]);
}

/** Reports what the run is about to do in its effective mode (CON-15, CON-115). */
export function startReport(ticket: string, state: TicketState, mode: DriveMode): Msg[] {
  const gate = mode.kind === 'partial' ? { gate: mode.pause_at } : undefined;
  const report = [
    say('conduct.start.head', { ticket, state, mode: formatMode(mode) }),
    say(`conduct.start.${mode.kind}`, gate),
  ];
  if (!isDelegating(mode)) return report;
  const classes = RISK_CLASSES.join(', ');
  return [...report, say('conduct.start.risk_floor', { classes }), say('conduct.start.recorded')];
}

/**
 * Reports which flag the trust level blocks and how to change that
 * (CON-12, S1). Empty if it blocks no flag and is a known level.
 */
export function trustReport(ticket: string, trust: ResolvedTrust, asked: DriveMode): Msg[] {
  const flag = flagOf(asked);
  const unknown = trust.unknown === null ? [] : [say('conduct.trust.unknown', { value: trust.unknown })];
  if (flag === '' || !isKillSwitch(trust.level)) return unknown;
  return [
    ...unknown,
    say('conduct.trust.ignored', { level: trust.level, flag }),
    say('conduct.trust.change', { ticket, flag }),
  ];
}

type Pause = Extract<Delegation, { kind: 'pause' }>;

/** An open gate that a person has to answer. */
export interface PauseFacts {
  readonly ticket: string;
  readonly gate: TicketGate;
  readonly reason: AwaitingReason;
  readonly track: DesignTrack | null;
  /** The brief as it is stored, shown byte for byte. */
  readonly content: string;
  readonly iteration: number;
  readonly decide: Text;
  readonly pause: Pause;
  /** The evidence that triggered the risk classes of the pause. */
  readonly hits: readonly RiskHit[];
  /** Lines that no list of risk words covers. */
  readonly unread?: readonly UnreadLine[];
  readonly trust: ResolvedTrust;
  /** The mode the person asked for, before the trust level limits it. */
  readonly mode: DriveMode;
  /** The drive of that mode is still open (CON-111). */
  readonly drive_open: boolean;
}

/**
 * Lists the whole pause in order (CON-58): the brief, the gate,
 * the decision, the cause, the ways to answer and the mode.
 */
export function pauseReport(facts: PauseFacts): Text[] {
  const { content, iteration, decide } = facts;
  return [
    content,
    ...(iteration > 1 ? [say('conduct.pause.iteration', { n: iteration })] : []),
    gateLine(facts),
    decide,
    ...whyPaused(facts),
  ];
}

/** Names the gate and its design track (CON-113). */
function gateLine({ ticket, gate, track }: PauseFacts): Msg {
  return say('conduct.pause.gate', { ticket, gate, track: track ?? 'none' });
}

/**
 * The lines below a brief that the surface already shows: the cause,
 * the ways to answer and the mode in which the run continues.
 */
function whyPaused(facts: PauseFacts): Msg[] {
  return [...causeLines(facts), ...answerLines(facts), modeLine(facts)];
}

/** The same for a surface that lists the options right below. It leaves out what the options say themselves. */
function askedHere(facts: PauseFacts): Msg[] {
  const track = facts.track === null ? [] : [gateLine(facts)];
  return [...track, ...causeLines(facts), ...(isDelegating(facts.mode) ? [modeLine(facts)] : [])];
}

/** Explains why the ticket waits, with the text for the cause (CON-59). */
function causeLines({ ticket, gate, pause, mode, trust, hits, unread }: PauseFacts): Msg[] {
  const flag = flagOf(mode);
  switch (pause.cause) {
    case 'dial':
      return trustReport(ticket, trust, mode);
    case 'controlled':
      // A person must always answer release and verify, so no mode is offered there.
      return isBefore(gate, 'release') ? [say('conduct.pause.controlled', { ticket })] : [];
    case 'hard-floor':
      return [say('conduct.pause.hard-floor', { gate, flag })];
    case 'unproven_edit':
      return [say('conduct.pause.unproven_edit', { ticket })];
    case 'pause-at':
      return [say('conduct.pause.pause-at', { flag })];
    case 'risk-floor':
      return riskLines(pause, hits, unread ?? []);
    case 'escalate':
      return signalLines(pause);
    default:
      return [say(`conduct.pause.${pause.cause}`)];
  }
}

function riskLines({ classes = [] }: Pause, hits: readonly RiskHit[], unread: readonly UnreadLine[]): Msg[] {
  const floor =
    classes.length === 0
      ? []
      : [say('conduct.pause.risk-floor', { classes: classes.join(', ') }), ...evidenceLines(hits)];
  const [first] = unread;
  if (!first) return floor;
  const { where, line, text } = first;
  return [...floor, say('conduct.pause.unread', { where, line, text: text.slice(0, 120), n: unread.length })];
}

function signalLines({ signals = [] }: Pause): Msg[] {
  if (signals.length === 0) return [say('conduct.pause.judge_silent')];
  return [say('conduct.pause.escalate'), ...signals.map((signal) => say(`conduct.signal.${signal}`))];
}

const MOST_SHOWN = 10;

/** The words, files and labels that triggered a risk class, and where each one was found. */
export function evidenceLines(hits: readonly RiskHit[]): Msg[] {
  const lines = hits.slice(0, MOST_SHOWN).map((hit) => {
    const found = { class: hit.class, text: hit.text.replace(/\s+/g, ' ') };
    if (hit.kind !== 'word') return say(`conduct.risk.${hit.kind}`, found);
    return say('conduct.risk.word', { ...found, where: hit.where, line: hit.line ?? 1 });
  });
  const more = hits.length - lines.length;
  return more > 0 ? [...lines, say('conduct.risk.more', { n: more })] : lines;
}

/** Explains how to answer each kind of wait. Offers `reshape` only if there is a brief to draft again. */
function answerLines({ ticket, gate, reason }: PauseFacts): Msg[] {
  if (reason === 'elicitation-round') return [say('conduct.answer.form', { ticket })];
  if (reason === 'release-approval-pending') return [say('conduct.answer.outside', { ticket })];
  const patch = reason === 'stale-patch-review' || reason === 'revise-scope-review';
  const typed = !patch && !isBefore(gate, 'release');
  return [
    say('conduct.answer.head'),
    say('conduct.answer.accept', { ticket, typed: typed ? 'yes' : 'no' }),
    ...(reason === 'build-go-pending' ? [] : [say('conduct.answer.reshape', { ticket })]),
    say('conduct.answer.deny', { ticket, effect_on_run: patch ? 'keep' : 'park' }),
  ];
}

/**
 * Names the mode in which the run continues after an answer (CON-111).
 * If the trust level blocks the flag, the drive is controlled.
 */
function modeLine({ ticket, mode, trust, drive_open }: PauseFacts): Msg {
  const holds = isKillSwitch(trust.level) ? CONTROLLED : mode;
  const flag = flagOf(holds);
  const args = { ticket, flag, ends: flag === '' ? 'none' : 'yes' };
  if (!drive_open) return say('conduct.pause.no_drive', args);
  return say('conduct.pause.mode_holds', { ...args, mode: formatMode(holds) });
}

/**
 * `began`: the state in which this run began. A parked or cancelled
 * ticket also has its last state and the person's reason.
 */
type EndFacts = { readonly ticket: string; readonly began: TicketState } & (
  | { readonly state: 'Verified' }
  | { readonly state: 'Parked' | 'Cancelled'; readonly at: TicketState; readonly why: string | null }
);

/** Reports how a run ended (CON-104). */
export function endReport(facts: EndFacts): Msg[] {
  const { ticket, began } = facts;
  if (facts.state === 'Verified') return [say('conduct.end.verified', { ticket, began })];
  const stopped = facts.state === 'Parked' ? 'conduct.end.parked' : 'conduct.end.cancelled';
  const why = facts.why?.trim() ?? '';
  const reason = why === '' ? say('conduct.end.no_why') : say('conduct.end.why', { why });
  return [say(stopped, { ticket, began, at: facts.at }), reason];
}

interface Child {
  readonly id: string;
  readonly title: string;
  readonly state: TicketState;
}

/** Reports a parent whose children do the work. A drive never drives such a parent (CON-80). */
export function parentTicketReport(ticket: string, began: TicketState, children: readonly Child[]): Msg[] {
  return [
    say('conduct.end.parent_ticket', { ticket, began, n: children.length }),
    ...children.map(({ id, title, state }) => say('conduct.end.child', { child: id, title, state })),
  ];
}
