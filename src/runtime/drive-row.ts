import type { Drive } from '../contract/change.ts';
import type { Instant, RunId } from '../contract/ids.ts';
import type { Run } from '../contract/run.ts';
import { DRIVE_MODES, parseMode } from '../engine/drive-mode.ts';
import { InvariantError } from '../engine/errors.ts';
import type { DialOverride, Input } from '../engine/input.ts';
import { type Rejection, rejectValue } from '../engine/rejection.ts';
import type { Workflow } from '../engine/workflow.ts';
import type { Invocation } from './api.ts';
import type { Deps } from './deps.ts';
import type { HolderState } from './holder.ts';

/** A drive without a flag is controlled. */
const CONTROLLED: Invocation = { mode: 'controlled', one_shot: false };

/** The row that says who works a run and in which mode. */
export function newDrive(deps: Deps, run: RunId, opened_by: string, invocation = CONTROLLED): Drive {
  return {
    id: `dr-${deps.ids.short(6)}`,
    run,
    ...invocation,
    denied: null,
    opened_by,
    opened_at: deps.clock.now(),
    until: null,
    closed_at: null,
  };
}

/** The same run goes on controlled: the dial does not allow what was asked for (CON-12). */
export function deniedDrive(deps: Deps, { id: _, ...drive }: Drive): Drive {
  const invocation = { mode: 'controlled', one_shot: drive.one_shot };
  return { ...newDrive(deps, drive.run, drive.opened_by, invocation), denied: drive.mode };
}

/** What goes on record of a drive that was denied its mode; null of any other. */
export function overrideOf({ id, denied }: Drive): DialOverride | null {
  return denied === null ? null : { flag: denied, dial: 'cautious', drive: id };
}

/** The same as an input of a run that exists. */
export function denyInput(drive: Drive): Input {
  const told = overrideOf(drive);
  if (!told) throw new InvariantError(`${drive.id} was denied nothing`);
  return { kind: 'drive', type: 'dial_override', told };
}

/** Whether gates may be answered in this mode for a person. */
export function isDelegating({ mode }: Pick<Drive, 'mode'>): boolean {
  return mode !== 'controlled';
}

/** The drive of a new invocation, controlled where the dial does not allow more; refused where the mode is unknown. */
export async function invokedDrive(
  deps: Deps,
  { id, def }: { readonly id: RunId; readonly def: Workflow },
  opened_by: string,
  invocation = CONTROLLED,
): Promise<Drive | Rejection> {
  const allowed = def.delegate ? DRIVE_MODES : [CONTROLLED.mode];
  if (!allowed.includes(invocation.mode)) return rejectValue('mode', invocation.mode, allowed);
  const drive = newDrive(deps, id, opened_by, invocation);
  return isDelegating(drive) && (await deps.dial()) === 'cautious' ? deniedDrive(deps, drive) : drive;
}

/** The drive that is still open, if one is; what comes in without an invocation is carried on by it (CON-111). */
export async function openDrive(
  deps: Deps,
  { run, newest, state }: { run: Run; newest: Drive | undefined; state: HolderState },
): Promise<Drive | null> {
  if (!newest || newest.closed_at !== null || run.status === 'ended') return null;
  const { until } = newest;
  const held = state === 'alive' || state === 'mine';
  return held || until === null || deps.clock.now() < (await watchEnd(deps, run, until)) ? newest : null;
}

/** Somebody who attends a gate prolongs the watch by being there; a process that died did so until its last beat. */
async function watchEnd(deps: Deps, run: Run, until: Instant): Promise<Instant> {
  const beat = run.holder ? await deps.store.lastBeat(run.id) : null;
  const prolonged = beat === null ? until : await watchFrom(deps, beat);
  return prolonged > until ? prolonged : until;
}

/** When a watch that begins now, or began then, is over. */
export async function watchFrom(deps: Deps, begin = deps.clock.now()): Promise<Instant> {
  return new Date(Date.parse(begin) + (await deps.watch_minutes()) * 60_000).toISOString();
}

/** What the mode of a stored drive means; one that nobody knows any more delegates nothing. */
export function modeOf({ mode }: Pick<Drive, 'mode'>) {
  return parseMode(mode) ?? ({ kind: 'controlled' } as const);
}

/** A process that does not attend gives the lease back at a gate, but not before it has decided about it. */
export function staysAt({ delegate }: Workflow, attended: boolean): boolean | 'gate' {
  return attended || (delegate ? 'gate' : false);
}
