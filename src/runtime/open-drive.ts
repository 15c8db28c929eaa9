import type { Drive } from '../contract/change.ts';
import type { RunId } from '../contract/ids.ts';
import type { Holder } from '../contract/run.ts';
import { isRejection, type Rejection, reject } from '../engine/rejection.ts';
import { waitsForChildren } from '../engine/waits-for-children.ts';
import { type Applied, apply, deliver } from './apply.ts';
import type { Deps } from './deps.ts';
import type { LiveDrive } from './drive.ts';
import { denyInput, invokedDrive, newDrive, openDrive as openRow } from './drive-row.ts';
import { type HolderState, holderState } from './holder.ts';
import type { Service } from './live.ts';
import { type Loaded, loadRun } from './load.ts';
import type { DriveOptions, Invocation } from './views.ts';

interface Opening extends DriveOptions {
  readonly invocation?: Invocation | undefined;
}

/** Opens the drive that continues this run: its own, or that of the parent that waits for it. */
export async function openDrive(
  service: Service,
  id: RunId,
  options: Opening,
): Promise<LiveDrive | Rejection> {
  await deliver(service.deps);
  return openAlone(service, await topOf(service.deps, id), options);
}

/**
 * The run from which this one is driven: the highest ancestor in an unbroken chain of parents that wait for their
 * children.
 */
export async function topOf(deps: Deps, id: RunId): Promise<RunId> {
  const run = await deps.store.load(id);
  if (!run || run.parent === null || run.status === 'ended') return id;
  const parent = await deps.store.load(run.parent);
  return parent && waitsForChildren(parent) ? topOf(deps, parent.id) : id;
}

/**
 * Takes the lease of a run without a live holder, or rejects with the holder. A dead holder's drive is taken over with
 * its mode. An invocation opens a new drive. Two calls in this process take turns, so at most one of them gets the run.
 */
export function openAlone(service: Service, id: RunId, options: Opening): Promise<LiveDrive | Rejection> {
  return service.alone(() => takeRun(service, id, options));
}

async function takeRun(service: Service, id: RunId, options: Opening): Promise<LiveDrive | Rejection> {
  const { deps } = service;
  const self = deps.processes.self();
  const mine = service.drives.get(id);
  if (mine) return options.invocation ? heldBy(deps, id, self) : mine;
  await deliver(deps);
  const loaded = await loadRun(deps, id);
  if (isRejection(loaded)) return loaded;
  const { run } = loaded.at;
  const state = await holderState(deps, run);
  if (state === 'alive') return heldBy(deps, id, run.holder as Holder);
  const drive = await driveOf(service, loaded, state, options);
  if (isRejection(drive)) return drive;
  const { attended } = options;
  if (drive?.denied && run.status !== 'ended') {
    const applied = await takeDenied(service, loaded, drive);
    return applied
      ? service.adopt({ id, epoch: applied.at.run.epoch, attended, applied })
      : takeRun(service, id, options);
  }
  const epoch = await deps.store.takeLease(id, run.epoch, self, drive);
  return epoch === null
    ? takeRun(service, id, options)
    : service.adopt({ id, epoch, attended, applied: null });
}

/** The drive to open. Null: the open drive continues. */
async function driveOf(
  { deps }: Service,
  { def, at }: Loaded,
  state: HolderState,
  { opened_by, invocation }: Opening,
): Promise<Drive | null | Rejection> {
  const { run } = at;
  if (invocation) return invokedDrive(deps, { id: run.id, def }, opened_by, invocation);
  const newest = await deps.store.drive(run.id);
  return (await openRow(deps, { run, newest, state })) ? null : newDrive(deps, run.id, opened_by);
}

/**
 * The same commit takes the lease and records what the trust level did not allow, so that neither exists without the
 * other.
 */
async function takeDenied({ deps }: Service, held: Loaded, drive: Drive): Promise<Applied | null> {
  const { run } = held.at;
  const lease = { holder: deps.processes.self(), epoch: run.epoch + 1, while_idle: true };
  const applied = await apply(deps, run.id, {
    input: (at) => (at.run.epoch === run.epoch ? denyInput(drive) : reject('wrong_moment')),
    context: () => ({
      now: deps.clock.now(),
      by: drive.opened_by,
      hash: deps.hash,
      lease: { ...lease, drive: { kind: 'opened', drive } },
    }),
    held,
  });
  return isRejection(applied) ? null : applied;
}

/** A stopped process holds its runs until it is continued or ended. The refusal says how to do that. */
export function heldBy({ processes }: Deps, run: RunId, holder: Holder): Rejection {
  const { pid, host } = holder;
  const stopped = processes.isStopped(holder) ? { msg: 'engine.rejection.held_stopped' } : {};
  return reject('held_elsewhere', { run, pid, host }, stopped);
}
