import type { Answer } from '../contract/answer.ts';
import type { Drive, DriveChange } from '../contract/change.ts';
import type { Gate } from '../contract/gate.ts';
import type { Instant, RunId } from '../contract/ids.ts';
import type { Delegation, DialLevel, Pause } from '../contract/ticket.ts';
import { refuseAnswer } from '../engine/answers.ts';
import { renderBrief } from '../engine/brief.ts';
import { asBug, InvariantError } from '../engine/errors.ts';
import type { GatePause, Input } from '../engine/input.ts';
import { provenance } from '../engine/provenance.ts';
import { isRejection, type Rejection, reject } from '../engine/rejection.ts';
import type { BaseState, DelegationAsk, Workflow } from '../engine/workflow.ts';
import type { At, TransitionContext } from '../engine/write-change.ts';
import type { Progress, RestPause } from './api.ts';
import { type Applied, apply } from './apply.ts';
import type { Deps } from './deps.ts';
import { deniedDrive, denyInput, isDelegating, modeOf, newDrive, openDrive, watchFrom } from './drive-row.ts';
import type { Loaded } from './load.ts';
import { createTranslator } from './translate.ts';

/** The drive and the dial as they are at one look, read fresh: nothing else is carried between two looks (CON-17). */
export interface Standing {
  readonly drive: Drive;
  readonly dial: DialLevel;
  /** False: there was no open drive, and this controlled one is stored with the first thing it does. */
  readonly stored: boolean;
  /** The drive before that one, which is closed. */
  readonly closed: string | null;
}

/** What a drive decides with. */
export interface Decider {
  readonly deps: Deps;
  readonly seed: {
    readonly id: RunId;
    readonly epoch: number;
    readonly attended: boolean;
    readonly tell: (progress: Progress) => void;
  };
  readonly standing: Standing;
}

export async function standingOf(deps: Deps, { run }: At): Promise<Standing> {
  const newest = await deps.store.drive(run.id);
  const open = await openDrive(deps, { run, newest, state: run.holder ? 'mine' : 'free' });
  const drive = open ?? newDrive(deps, run.id, newest?.opened_by ?? 'engine');
  const closed = open ? null : (newest?.id ?? null);
  return { drive, dial: await deps.dial(), stored: open !== null, closed };
}

/**
 * A dial that was turned to cautious takes the mode away for the rest of the run: from here on the drive is a
 * controlled one, and raising the dial does not bring the other back (S2). Null when there is nothing to take.
 */
export async function obeyDial(decider: Decider, held: Loaded): Promise<Applied | null> {
  const { deps, seed, standing } = decider;
  const { run } = held.at;
  if (run.status === 'ended' || run.halt || !isDelegating(standing.drive) || standing.dial !== 'cautious')
    return null;
  const drive = deniedDrive(deps, standing.drive);
  const applied = await apply(deps, seed.id, {
    input: (at) => (at.run.epoch === seed.epoch ? denyInput(drive) : LOST),
    context: () => leased(decider, { by: 'engine', pauses: false, drive: { kind: 'opened', drive } }),
    held,
  });
  return isRejection(applied) ? null : applied;
}

export type Decided =
  | { readonly kind: 'moved'; readonly applied: Applied }
  /** The run moved or was taken over meanwhile: the next look tells. */
  | { readonly kind: 'lost' }
  | {
      readonly kind: 'rest';
      readonly at: At;
      readonly pause: RestPause | null;
      readonly applied: Applied | null;
    };

/**
 * What the drive does at the gate its run waits at: it accepts for the person, has the gate judged, or leaves it to a
 * person, with the cause on record once per digest and drive. Decided on the row it is committed against.
 */
export async function decideGate(decider: Decider, held: Loaded): Promise<Decided> {
  const { at, def } = held;
  if (!isOpenGate(at)) return { kind: 'rest', at, pause: null, applied: null };
  const decision = decide(def, at, decider.standing);
  if (decision.kind === 'pause') return leave(decider, held, decision.pause);
  const applied = await act(decider, held);
  if (!isRejection(applied)) return { kind: 'moved', applied };
  // What the person's own accept would be refused for, a person has to see.
  return applied === LOST ? { kind: 'lost' } : leave(decider, held, pauseFor('trouble').pause);
}

type AtGate = At & { readonly gate: Gate };
type Decision = Exclude<Delegation, { kind: 'pause' }> | { readonly kind: 'pause'; readonly pause: Pause };

const LOST: Rejection = reject('wrong_moment');

function isOpenGate(at: At): at is AtGate {
  return at.gate?.status === 'open' && at.run.halt === null && at.run.status !== 'ended';
}

/** Pure: the row, the drive's mode and the dial say it, the same every time. Only a forward gate is ever answered. */
function decide(def: Workflow, { run, gate }: AtGate, { drive, dial }: Standing): Decision {
  const floor = FLOORS[gate.class];
  if (run.trouble || floor === 'trouble') return pauseFor('trouble');
  const asked = drive.denied !== null && dial === 'cautious' ? drive.denied : drive.mode;
  const said = asBug(run.id, () => askPolicy(def, { run, gate }, { mode: modeOf({ mode: asked }), dial }));
  if (said.kind === 'pause') return pauseFor(said.cause, said);
  if (floor !== null) return pauseFor(floor);
  if (!isDelegating(drive)) return pauseFor('controlled');
  return dial === 'cautious' ? pauseFor('dial') : said;
}

/** The workflow's own word; where it has none, nothing is delegated. */
function askPolicy(def: Workflow, { run, gate }: AtGate, ask: Omit<DelegationAsk, 'content'>): Delegation {
  const content = renderBrief(gate.brief, createTranslator(def, 'en'));
  const none = { kind: 'pause', cause: 'controlled' } as const;
  return def.delegate?.(run.state as unknown as BaseState, { ...ask, content }) ?? none;
}

function pauseFor(cause: Pause['cause'], { classes = [], signals = [] }: Partial<Pause> = {}) {
  return { kind: 'pause', pause: { cause, classes, signals } } as const;
}

/** Classes of gates that a person answers in every mode, whatever the workflow says. */
const FLOORS = {
  forward: null,
  decision: 'review',
  hard: 'hard-floor',
  question: 'question',
  trouble: 'trouble',
} as const satisfies Record<Gate['class'], Pause['cause'] | null>;

/** Accepts for the person, as one more answer, or gives the word to the judge; the run goes on either way. */
async function act(decider: Decider, held: Loaded): Promise<Applied | Rejection> {
  const { deps, seed, standing } = decider;
  const by = { agent: standing.drive.mode, drive: standing.drive.id };
  const applied = await apply(deps, seed.id, {
    input: (at) => {
      const decision = isMine(seed, at) ? decide(held.def, at, standing) : null;
      if (decision === null || decision.kind === 'pause') return LOST;
      const now = deps.clock.now();
      return decision.kind === 'judge'
        ? { kind: 'signal', signal: { type: 'judge', at: now }, inbox: null }
        : acceptance(at.gate as Gate, { receipt: `an-${deps.ids.short(6)}`, by, at: now });
    },
    context: () => leased(decider, { by: provenance(by), pauses: false, drive: null }),
    held,
  });
  if (isRejection(applied)) return applied;
  const { run, events } = applied.change;
  if (events[0]?.turn === run.turn)
    throw new InvariantError(`${run.id}: a gate is to be judged and stays open`);
  return applied;
}

/** The gate is still open and the run still ours. */
function isMine(seed: Decider['seed'], at: At): at is AtGate {
  return at.run.epoch === seed.epoch && isOpenGate(at);
}

/** The same answer a person would give, with the drive as the one who gave it (CON-53). */
function acceptance(gate: Gate, given: Pick<Answer, 'receipt' | 'by' | 'at'>): Input | Rejection {
  const { id, run, iteration, digest } = gate;
  const said = { option: 'accept', text: null, fields: {}, digest };
  const refused = refuseAnswer(gate, { ...said, typed: null });
  return refused ?? { kind: 'answer', answer: { ...given, ...said, gate: id, run, iteration } };
}

/** Leaves the gate to a person. The cause and what it means for the drive are one commit, which gives the lease back. */
async function leave(decider: Decider, held: Loaded, pause: Pause): Promise<Decided> {
  const { deps, seed, standing } = decider;
  const { drive } = standing;
  const { gate } = held.at as AtGate;
  const rest = (at: At, until: Instant | null, applied: Applied | null): Decided => {
    const holds = isDelegating(drive) && !drive.one_shot;
    return { kind: 'rest', at, pause: { ...pause, until: holds ? until : null }, applied };
  };
  if (await isOnRecord(deps, held.at as AtGate, standing)) return rest(held.at, drive.until, null);
  const until = await watchFrom(deps);
  const where = { gate: gate.id, name: gate.name, mode: drive.mode, drive: drive.id };
  const told = { ...where, digest: gate.digest, ...pause };
  const applied = await apply(deps, seed.id, {
    input: (at) => {
      const same = isMine(seed, at) && at.run.revision === held.at.run.revision;
      return same ? { kind: 'drive', type: 'gate_paused', told } : LOST;
    },
    context: () => leased(decider, { by: 'engine', pauses: true, drive: atPause(standing, until) }),
    held,
  });
  if (isRejection(applied)) return { kind: 'lost' };
  seed.tell({ type: 'paused', run: seed.id, ...where, delegation: pause });
  return rest(applied.at, until, applied);
}

function atPause({ drive, stored }: Standing, until: Instant): DriveChange {
  if (!stored) return { kind: 'opened', drive: { ...drive, until } };
  return drive.one_shot ? { kind: 'closed' } : { kind: 'paused', until };
}

/** The log is read back to where the gate was opened, a page at a time. */
const PAGE = 50;

/** Whether this drive has already said why it pauses at this gate, as it is shown now; also after a restart. */
async function isOnRecord(deps: Deps, { run, gate }: AtGate, standing: Standing): Promise<boolean> {
  const own: (string | null)[] = [standing.drive.id, standing.closed];
  for (let after = run.seq - PAGE; ; after -= PAGE) {
    const events = await deps.store.events(run.id, Math.max(after, 0), PAGE);
    const paused = events.some(({ type, input }) => {
      const told = type === 'gate_paused' ? (input as GatePause) : null;
      return told?.gate === gate.id && told.digest === gate.digest && own.includes(told.drive);
    });
    if (paused) return true;
    if (after <= 0 || events.some(({ turn }) => turn < gate.turn)) return false;
  }
}

/** The lease stays with this process; at a gate it has decided about, only when it stays to show it. */
function leased(
  { deps, seed }: Decider,
  { by, pauses, drive }: { by: string; pauses: boolean; drive: DriveChange | null },
): TransitionContext {
  const at_rest: boolean | 'gate' = seed.attended || (pauses ? false : 'gate');
  const lease = { holder: deps.processes.self(), epoch: seed.epoch, at_rest, drive };
  return { now: deps.clock.now(), by, hash: deps.hash, lease };
}
