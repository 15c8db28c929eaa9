import type { RunId } from '../contract/ids.ts';
import type { Holder, Run } from '../contract/run.ts';
import { isRejection, type Rejection, reject } from '../engine/rejection.ts';
import type { DriveHandle, DriveWish } from './api.ts';
import { deliver } from './apply.ts';
import { newDrive } from './drive.ts';
import { holderState } from './holder.ts';
import type { Service } from './live.ts';
import { loadRun } from './load.ts';

/** Takes the lease of a run nobody works, or says who has it. A dead holder's drive is taken over with its mode. */
export async function openDrive(
  service: Service,
  id: RunId,
  wish: DriveWish,
): Promise<DriveHandle | Rejection> {
  const { deps } = service;
  const mine = service.drives.get(id);
  if (mine) return mine;
  await deliver(deps);
  const loaded = await loadRun(deps, id);
  if (isRejection(loaded)) return loaded;
  const { run } = loaded.at;
  const state = await holderState(deps, run);
  if (state === 'alive') return heldElsewhere(run, run.holder as Holder);
  const drive = (await deps.store.drive(id)) ?? newDrive(deps, id, wish.opened_by);
  const epoch = await deps.store.takeLease(id, run.epoch, deps.processes.self(), drive);
  if (epoch === null) return openDrive(service, id, wish);
  return service.adopt({ id, epoch, attended: wish.attended, applied: null });
}

function heldElsewhere(run: Run, holder: Holder): Rejection {
  return reject('held_elsewhere', { run: run.id, pid: holder.pid, host: holder.host });
}
