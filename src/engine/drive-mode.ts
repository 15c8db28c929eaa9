import { type DriveMode, TICKET_GATES, type TicketGate } from '../contract/ticket.ts';
import type { EngineMessageId } from './messages.ts';
import { type Rejection, reject } from './rejection.ts';

/** Flags of one invocation as a surface parsed them. An unset flag is absent, null or false. */
export interface ModeFlags {
  readonly pauseAt?: unknown;
  readonly unattended?: unknown;
  readonly escalate?: unknown;
}

/** Each key of ModeFlags as a person types it on the command line. */
const FLAGS = { pauseAt: '--pause-at', unattended: '--unattended', escalate: '--escalate' } as const;
type Flag = keyof typeof FLAGS;

export const CONTROLLED: DriveMode = { kind: 'controlled' };

/**
 * The one mode that the flags select, or why they are invalid (CON-03..06). It depends only on the flags, so that it
 * can
 * run before anything is read (CON-07). An unknown flag never delegates.
 */
export function modeFromFlags(flags: ModeFlags): DriveMode | Rejection {
  const given = Object.entries(flags).filter(([, value]) => ![undefined, null, false].includes(value));
  const unknown = given.find(([name]) => !Object.hasOwn(FLAGS, name));
  if (unknown !== undefined)
    return refuse('engine.mode.unknown_flag', { flag: unknown[0], allowed: ALLOWED });
  const names = given.map(([name]) => FLAGS[name as Flag]);
  if (names.length > 1) return refuse('engine.mode.exclusive', { flags: names.join(', ') });
  const [name, value] = given[0] ?? [];
  if (name === undefined) return CONTROLLED;
  if (name === 'pauseAt') return pauseAt(value);
  if (value === true) return { kind: name as 'unattended' | 'escalate' };
  return refuse('engine.mode.takes_no_value', { flag: FLAGS[name as Flag], value: String(value) });
}

const ALLOWED = `--pause-at <${TICKET_GATES.join('|')}>, --unattended, --escalate`;

function pauseAt(value: unknown): DriveMode | Rejection {
  if (isGate(value)) return { kind: 'partial', pause_at: value };
  const named = typeof value === 'string' ? value : '';
  return refuse('engine.mode.no_such_gate', { gate: named, allowed: TICKET_GATES.join(', ') });
}

function refuse(msg: EngineMessageId, args: Readonly<Record<string, string>>): Rejection {
  return reject('bad_input', args, { msg });
}

function isGate(value: unknown): value is TicketGate {
  return TICKET_GATES.some((gate) => gate === value);
}

/** Every mode except `controlled` delegates something. An unknown kind delegates nothing. */
export function isDelegating(mode: DriveMode): boolean {
  return ['partial', 'unattended', 'escalate'].includes(mode.kind);
}

/** The form in a drive and in an answer's provenance: `partial:design`. */
export function formatMode(mode: DriveMode): string {
  return mode.kind === 'partial' ? `partial:${mode.pause_at}` : mode.kind;
}

/** Parses the result of `formatMode`. Null for any other text. */
export function parseMode(text: unknown): DriveMode | null {
  const modes = [
    CONTROLLED,
    { kind: 'unattended' } as const,
    { kind: 'escalate' } as const,
    ...TICKET_GATES.map((pause_at) => ({ kind: 'partial', pause_at }) as const),
  ];
  return modes.find((mode) => formatMode(mode) === text) ?? null;
}

/** The flag that selects the same mode again. Empty for controlled. */
export function flagOf(mode: DriveMode): string {
  if (mode.kind === 'controlled') return '';
  return mode.kind === 'partial' ? `${FLAGS.pauseAt} ${mode.pause_at}` : FLAGS[mode.kind];
}

/** Every mode as stored in the row of a drive. All but the first delegate. */
export const DRIVE_MODES: readonly string[] = [
  'controlled',
  ...TICKET_GATES.map((gate) => `partial:${gate}`),
  'unattended',
  'escalate',
];
