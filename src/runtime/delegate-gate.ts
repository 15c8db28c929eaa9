import type { Answer } from '../contract/answer.ts';
import type { Drive, DriveChange } from '../contract/change.ts';
import type { Gate } from '../contract/gate.ts';
import type { Instant, RunId } from '../contract/ids.ts';
import type { Delegation, Pause, TrustLevel } from '../contract/ticket.ts';
import { refuseAnswer } from '../engine/answers.ts';
import { renderBrief } from '../engine/brief.ts';
import { asBug, InvariantError } from '../engine/errors.ts';
import type { GatePause, Input } from '../engine/input.ts';
import { provenance } from '../engine/provenance.ts';
import { isRejection, type Rejection, reject } from '../engine/rejection.ts';
import type { BaseState, DelegationAsk, Workflow } from '../engine/workflow.ts';
import type { At, TransitionContext } from '../engine/write-change.ts';
import { type Applied, apply } from './apply.ts';
import type { Deps } from './deps.ts';
import { deniedDrive, denyInput, isDelegating, modeOf, newDrive, openDrive, watchFrom } from './drive-row.ts';
import type { Loaded } from './load.ts';
import { createTranslator } from './translate.ts';
import type { Progress, StopPause } from './views.ts';

/** Drive and trust level as loaded for one pass of the drive. No other state is carried from pass to pass (CON-17). */
export interface Standing {
  readonly drive: Drive;
  readonly trust: TrustLevel;
  /** False: no drive was open. This controlled drive is stored with its first commit. */
  readonly stored: boolean;
  /** The previous drive, which is closed. Null if a drive is open or there was none before. */
  readonly closed: string | null;
}

/** What a drive needs to decide a gate. */
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
  return { drive, trust: await deps.trust(), stored: open !== null, closed };
}

/**
 * If the trust level was set to cautious, the drive loses its mode for the rest of the run. From then on it is a
 * controlled drive, and raising the trust level does not restore the mode (S2). Null if there is no mode to take away.
 */
export async function obeyTrust(decider: Decider, held: Loaded): Promise<Applied | null> {
  const { deps, seed, standing } = decider;
  const { run } = held.at;
  if (run.status === 'ended' || run.halt || !isDelegating(standing.drive) || standing.trust !== 'cautious')
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
  /** The run moved or was taken over in the meantime. The next pass finds out which. */
  | { readonly kind: 'lost' }
  | {
      readonly kind: 'point';
      readonly at: At;
      readonly pause: StopPause | null;
      readonly applied: Applied | null;
    };

/**
 * Decides what the drive does at the gate where its run waits: accept for the person, have it judged, or leave it to a
 * person. A pause is recorded with its cause once per digest and drive. The decision is made on the row that the commit
 * is guarded by.
 */
export async function decideGate(decider: Decider, held: Loaded): Promise<Decided> {
  const { at, def } = held;
  if (!isOpenGate(at)) return { kind: 'point', at, pause: null, applied: null };
  const decision = decide(decider.deps, { def, at }, decider.standing);
  if (decision.kind === 'pause') return leave(decider, held, decision.pause);
  const applied = await act(decider, held);
  if (!isRejection(applied)) return { kind: 'moved', applied };
  // If even the person's own accept would be refused, a person must look at the gate.
  return applied === LOST ? { kind: 'lost' } : leave(decider, held, pauseFor('trouble').pause);
}

type AtGate = At & { readonly gate: Gate };
type Decision = Exclude<Delegation, { kind: 'pause' }> | { readonly kind: 'pause'; readonly pause: Pause };

const LOST: Rejection = reject('wrong_moment');

function isOpenGate(at: At): at is AtGate {
  return at.gate?.status === 'open' && at.run.halt === null && at.run.status !== 'ended';
}

/**
 * Pure: the same row, drive mode and trust level always give the same decision. Only a forward gate is ever answered.
 */
function decide(
  { texts }: Deps,
  { def, at: { run, gate } }: { readonly def: Workflow; readonly at: AtGate },
  { drive, trust }: Standing,
): Decision {
  const floor = FLOORS[gate.class];
  if (run.trouble || floor === 'trouble') return pauseFor('trouble');
  const asked = drive.denied !== null && trust === 'cautious' ? drive.denied : drive.mode;
  const said = asBug(run.id, () => {
    const content = renderBrief(gate.brief, createTranslator(texts, 'en'));
    return askPolicy(def, run.state as unknown as BaseState, {
      mode: modeOf({ mode: asked }),
      trust,
      content,
    });
  });
  if (said.kind === 'pause') return pauseFor(said.cause, said);
  if (floor !== null) return pauseFor(floor);
  if (!isDelegating(drive)) return pauseFor('controlled');
  return trust === 'cautious' ? pauseFor('dial') : said;
}

/** The workflow's decision. If the workflow does not delegate, neither does the drive. */
function askPolicy(def: Workflow, state: BaseState, ask: DelegationAsk): Delegation {
  const none = { kind: 'pause', cause: 'controlled' } as const;
  return def.delegate?.(state, ask) ?? none;
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

/** Accepts for the person with an ordinary answer, or sends the gate to the judge. The run continues either way. */
async function act(decider: Decider, held: Loaded): Promise<Applied | Rejection> {
  const { deps, seed, standing } = decider;
  const by = { agent: standing.drive.mode, drive: standing.drive.id };
  const applied = await apply(deps, seed.id, {
    input: (at) => {
      const decision = isMine(seed, at) ? decide(deps, { def: held.def, at }, standing) : null;
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

/** True if the gate is still open and this process still holds the run. */
function isMine(seed: Decider['seed'], at: At): at is AtGate {
  return at.run.epoch === seed.epoch && isOpenGate(at);
}

/** The same answer a person would give, recorded with the drive as its author (CON-53). */
function acceptance(gate: Gate, given: Pick<Answer, 'receipt' | 'by' | 'at'>): Input | Rejection {
  const { id, run, iteration, digest } = gate;
  const said = { option: 'accept', text: null, fields: {}, digest };
  const refused = refuseAnswer(gate, { ...said, typed: null });
  return refused ?? { kind: 'answer', answer: { ...given, ...said, gate: id, run, iteration } };
}

/** Leaves the gate to a person. One commit records the cause, updates the drive and gives the lease back. */
async function leave(decider: Decider, held: Loaded, pause: Pause): Promise<Decided> {
  const { deps, seed, standing } = decider;
  const { drive } = standing;
  const { gate } = held.at as AtGate;
  const point = (at: At, until: Instant | null, applied: Applied | null): Decided => {
    const holds = isDelegating(drive) && !drive.one_shot;
    return { kind: 'point', at, pause: { ...pause, until: holds ? until : null }, applied };
  };
  if (await isOnRecord(deps, held.at as AtGate, standing)) return point(held.at, drive.until, null);
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
  return point(applied.at, until, applied);
}

function atPause({ drive, stored }: Standing, until: Instant): DriveChange {
  if (!stored) return { kind: 'opened', drive: { ...drive, until } };
  return drive.one_shot ? { kind: 'closed' } : { kind: 'paused', until };
}

/** Page size for reading the log back to where the gate was opened. */
const PAGE = 50;

/** True if this drive has already recorded its pause for this digest of the gate. Also works after a restart. */
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

/** Keeps the lease in this process. At a gate where the drive pauses, only if this process stays to show it. */
function leased(
  { deps, seed }: Decider,
  { by, pauses, drive }: { by: string; pauses: boolean; drive: DriveChange | null },
): TransitionContext {
  const while_idle: boolean | 'gate' = seed.attended || (pauses ? false : 'gate');
  const lease = { holder: deps.processes.self(), epoch: seed.epoch, while_idle, drive };
  return { now: deps.clock.now(), by, hash: deps.hash, lease };
}
