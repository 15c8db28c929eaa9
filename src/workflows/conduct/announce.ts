import type { Msg, Text } from '../../contract/brief.ts';
import {
  type AwaitingReason,
  type Delegation,
  type DesignTrack,
  type DriveMode,
  RISK_CLASSES,
  type TicketGate,
  type TicketState,
} from '../../contract/ticket.ts';
import { type Dial, isBefore, isKillSwitch } from '../../engine/delegation.ts';
import { CONTROLLED, flagOf, formatMode, isDelegating } from '../../engine/drive-mode.ts';
import type { RiskHit } from '../../engine/risk-classes.ts';
import type { announceMessages } from './announce-messages.ts';

function say(msg: keyof typeof announceMessages.en, args?: Msg['args']): Msg {
  return args ? { msg, args } : { msg };
}

/** What the run is about to do, in its effective mode (CON-15, CON-115). */
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

/** What the dial took away, and how to change it (CON-12, S1). Empty when it took nothing and is a known level. */
export function dialReport(ticket: string, dial: Dial, asked: DriveMode): Msg[] {
  const flag = flagOf(asked);
  const unknown = dial.unknown === null ? [] : [say('conduct.dial.unknown', { value: dial.unknown })];
  if (flag === '' || !isKillSwitch(dial.level)) return unknown;
  return [
    ...unknown,
    say('conduct.dial.ignored', { level: dial.level, flag }),
    say('conduct.dial.change', { ticket, flag }),
  ];
}

type Pause = Extract<Delegation, { kind: 'pause' }>;

/** An open gate that a person has to answer. */
export interface PauseFacts {
  readonly ticket: string;
  readonly gate: TicketGate;
  readonly reason: AwaitingReason;
  readonly track: DesignTrack | null;
  /** The brief as it is stored; shown byte for byte. */
  readonly content: string;
  readonly iteration: number;
  readonly decide: Text;
  readonly pause: Pause;
  /** What tripped the risk classes of the pause. */
  readonly hits: readonly RiskHit[];
  readonly dial: Dial;
  /** The mode the person asked for, the dial aside. */
  readonly mode: DriveMode;
  /** The drive of that mode is still open (CON-111). */
  readonly drive_open: boolean;
}

/** The whole pause in its order (CON-58): the brief, the gate, what is decided, why it waits, how to answer. */
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

/** Which gate it is, and of which track (CON-113). */
export function gateLine({ ticket, gate, track }: PauseFacts): Msg {
  return say('conduct.pause.gate', { ticket, gate, track: track ?? 'none' });
}

/** What follows the brief where a surface has shown it already: why it waits, how to answer, in which mode it goes on. */
export function whyPaused(facts: PauseFacts): Msg[] {
  return [...causeLines(facts), ...answerLines(facts), modeLine(facts)];
}

/** The same where the options are shown right below: what they do not say themselves. */
export function askedHere(facts: PauseFacts): Msg[] {
  const track = facts.track === null ? [] : [gateLine(facts)];
  return [...track, ...causeLines(facts), ...(isDelegating(facts.mode) ? [modeLine(facts)] : [])];
}

/** Why it waits, in the words of its cause (CON-59). */
function causeLines({ ticket, gate, pause, mode, dial, hits }: PauseFacts): Msg[] {
  const flag = flagOf(mode);
  switch (pause.cause) {
    case 'dial':
      return dialReport(ticket, dial, mode);
    case 'controlled':
      // There is nothing to hand over at a gate that is always a person's.
      return isBefore(gate, 'release') ? [say('conduct.pause.controlled', { ticket })] : [];
    case 'hard-floor':
      return [say('conduct.pause.hard-floor', { gate, flag })];
    case 'pause-at':
      return [say('conduct.pause.pause-at', { flag })];
    case 'risk-floor':
      return [
        say('conduct.pause.risk-floor', { classes: (pause.classes ?? []).join(', ') }),
        ...evidenceLines(hits),
      ];
    case 'escalate':
      return signalLines(pause);
    default:
      return [say(`conduct.pause.${pause.cause}`)];
  }
}

function signalLines({ signals = [] }: Pause): Msg[] {
  if (signals.length === 0) return [say('conduct.pause.judge_silent')];
  return [say('conduct.pause.escalate'), ...signals.map((signal) => say(`conduct.signal.${signal}`))];
}

const MOST_SHOWN = 10;

/** The words, files and labels that tripped, and where they stand. */
export function evidenceLines(hits: readonly RiskHit[]): Msg[] {
  const lines = hits.slice(0, MOST_SHOWN).map((hit) => {
    const found = { class: hit.class, text: hit.text.replace(/\s+/g, ' ') };
    if (hit.kind !== 'word') return say(`conduct.risk.${hit.kind}`, found);
    return say('conduct.risk.word', { ...found, where: hit.where, line: hit.line ?? 1 });
  });
  const more = hits.length - lines.length;
  return more > 0 ? [...lines, say('conduct.risk.more', { n: more })] : lines;
}

/** How each kind of wait is answered; `reshape` only where there is a brief to draft again. */
function answerLines({ ticket, gate, reason }: PauseFacts): Msg[] {
  if (reason === 'elicitation-round') return [say('conduct.answer.form', { ticket })];
  if (reason === 'release-approval-pending') return [say('conduct.answer.outside', { ticket })];
  const patch = reason === 'stale-patch-review' || reason === 'revise-scope-review';
  const typed = !patch && !isBefore(gate, 'release');
  return [
    say('conduct.answer.head'),
    say('conduct.answer.accept', { ticket, typed: typed ? 'yes' : 'no' }),
    ...(reason === 'build-go-pending' ? [] : [say('conduct.answer.reshape', { ticket })]),
    say('conduct.answer.deny', { ticket, leads: patch ? 'keep' : 'park' }),
  ];
}

/** Which mode an answer is carried on in (CON-111). A dial that takes the flag back leaves a controlled drive. */
function modeLine({ ticket, mode, dial, drive_open }: PauseFacts): Msg {
  const holds = isKillSwitch(dial.level) ? CONTROLLED : mode;
  const flag = flagOf(holds);
  const args = { ticket, flag, ends: flag === '' ? 'none' : 'yes' };
  if (!drive_open) return say('conduct.pause.no_drive', args);
  return say('conduct.pause.mode_holds', { ...args, mode: formatMode(holds) });
}

/** `began`: where this run began. A ticket that was stopped says where it stood and the reason the person gave. */
type EndFacts = { readonly ticket: string; readonly began: TicketState } & (
  | { readonly state: 'Verified' }
  | { readonly state: 'Parked' | 'Cancelled'; readonly at: TicketState; readonly why: string | null }
);

/** How a run ended (CON-104). */
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

/** A parent whose children carry the work is reported, never driven (CON-80). */
export function umbrellaReport(ticket: string, began: TicketState, children: readonly Child[]): Msg[] {
  return [
    say('conduct.end.umbrella', { ticket, began, n: children.length }),
    ...children.map(({ id, title, state }) => say('conduct.end.child', { child: id, title, state })),
  ];
}
