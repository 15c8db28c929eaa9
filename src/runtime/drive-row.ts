import type { Drive } from '../contract/change.ts';
import type { Instant, RunId } from '../contract/ids.ts';
import type { Run } from '../contract/run.ts';
import { DRIVE_MODES, parseMode } from '../engine/drive-mode.ts';
import { InvariantError } from '../engine/errors.ts';
import type { Input, TrustOverride } from '../engine/input.ts';
import { type Rejection, reject, rejectValue } from '../engine/rejection.ts';
import type { Workflow } from '../engine/workflow.ts';
import type { Deps } from './deps.ts';
import type { HolderState } from './holder.ts';
import type { Invocation } from './views.ts';

/** Without a flag, a drive is controlled. */
const CONTROLLED: Invocation = { mode: 'controlled', one_shot: false };

/** Creates the row that says who works a run and in which mode. */
export function newDrive(deps: Deps, run: RunId, opened_by: string, { mode, one_shot } = CONTROLLED): Drive {
  return {
    id: `dr-${deps.ids.short(6)}`,
    run,
    mode,
    one_shot,
    denied: null,
    opened_by,
    opened_at: deps.clock.now(),
    until: null,
    closed_at: null,
  };
}

/** A controlled drive for the same run, because the trust level does not allow the requested mode (CON-12). */
export function deniedDrive(deps: Deps, { id: _, ...drive }: Drive): Drive {
  const invocation = { mode: 'controlled', one_shot: drive.one_shot };
  return { ...newDrive(deps, drive.run, drive.opened_by, invocation), denied: drive.mode };
}

/** The record of a drive that was denied its mode. Null for any other drive. */
export function overrideOf({ id, denied }: Drive): TrustOverride | null {
  return denied === null ? null : { flag: denied, trust: 'cautious', drive: id };
}

/** The same record as an input for an existing run. */
export function denyInput(drive: Drive): Input {
  const told = overrideOf(drive);
  if (!told) throw new InvariantError(`${drive.id} was denied nothing`);
  return { kind: 'drive', type: 'dial_override', told };
}

/** True if the drive may answer gates for a person in this mode. */
export function isDelegating({ mode }: Pick<Drive, 'mode'>): boolean {
  return mode !== 'controlled';
}

/**
 * The drive for a new invocation. It is controlled if the trust level does not allow more. Refused if the mode is
 * unknown, or if it would hand gates over without proof of a person (CON-116).
 */
export async function invokedDrive(
  deps: Deps,
  { id, def }: { readonly id: RunId; readonly def: Workflow },
  opened_by: string,
  invocation = CONTROLLED,
): Promise<Drive | Rejection> {
  const allowed = def.delegate ? DRIVE_MODES : [CONTROLLED.mode];
  if (!allowed.includes(invocation.mode)) return rejectValue('mode', invocation.mode, allowed);
  const drive = newDrive(deps, id, opened_by, invocation);
  if (isDelegating(drive) && !invocation.person)
    return reject('not_a_person', {}, { msg: 'engine.rejection.not_a_person_delegates' });
  return isDelegating(drive) && (await deps.trust()) === 'cautious' ? deniedDrive(deps, drive) : drive;
}

/** The drive that is still open, or null. It continues the run after any input without an invocation (CON-111). */
export async function openDrive(
  deps: Deps,
  { run, newest, state }: { run: Run; newest: Drive | undefined; state: HolderState },
): Promise<Drive | null> {
  if (!newest || newest.closed_at !== null || run.status === 'ended') return null;
  const { until } = newest;
  const held = state === 'alive' || state === 'mine';
  return held || until === null || deps.clock.now() < (await watchEnd(deps, run, until)) ? newest : null;
}

/** A process that attends a gate extends the watch. A process that died extended it until its last heartbeat. */
async function watchEnd(deps: Deps, run: Run, until: Instant): Promise<Instant> {
  const heartbeat = run.holder ? await deps.store.lastHeartbeat(run.id) : null;
  const prolonged = heartbeat === null ? until : await watchFrom(deps, heartbeat);
  return prolonged > until ? prolonged : until;
}

/** The end of a watch that begins at `begin`, by default now. */
export async function watchFrom(deps: Deps, begin = deps.clock.now()): Promise<Instant> {
  return new Date(Date.parse(begin) + (await deps.attend_minutes()) * 60_000).toISOString();
}

/** Parses the mode of a stored drive. A mode that is unknown by now does not delegate anything. */
export function modeOf({ mode }: Pick<Drive, 'mode'>) {
  return parseMode(mode) ?? ({ kind: 'controlled' } as const);
}

/** A process that does not attend gives the lease back at a gate, but only after it has decided the gate. */
export function staysAt({ delegate }: Workflow, attended: boolean): boolean | 'gate' {
  return attended || (delegate ? 'gate' : false);
}
