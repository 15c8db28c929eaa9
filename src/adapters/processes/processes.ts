import type { Holder } from '../../contract/run.ts';
import { InvariantError } from '../../engine/errors.ts';
import type { Processes, Room, SpawnSpec } from '../../ports/processes.ts';
import { hasCallId } from './choose-targets.ts';
import { createDarwinTable } from './darwin-table.ts';
import { killFoundProcesses } from './kill-leftovers.ts';
import { createLinuxTable } from './linux-table.ts';
import { CALL_ID, callIdIn, type ProcessInfo, type ProcessTable, withoutWorkspace } from './process-table.ts';
import { tagRange } from './process-tag.ts';
import { startProcess } from './start-process.ts';

/** Returns the spec with its command and environment changed to run inside its sandbox. */
type EnterRoom = (spec: SpawnSpec & { readonly room: Room }) => Promise<SpawnSpec>;

/**
 * Processes of this machine: /proc on Linux, `ps` on macOS. `location` returns the workspace they work for.
 * `killLeftovers` does not kill processes of another workspace. `enter` creates sandboxes.
 *
 * `killLeftovers` cannot find a process that another service started for a worker. On macOS it also misses a process
 * that cleared its environment, left its parents before the query, and works outside `tree`. Only a sandbox closes that
 * gap.
 */
export function createProcesses(location: () => string = () => '', enter?: EnterRoom): Processes {
  // Created on first use: a listing does not need it.
  let made: ProcessTable | null = null;
  const table = (): ProcessTable => {
    made ??= process.platform === 'darwin' ? createDarwinTable() : createLinuxTable();
    return made;
  };
  let self: Holder | null = null;
  let ancestors: readonly ProcessInfo[] | null = null;
  // Our own children. While we run, a child that cleared its environment is still known.
  const started = new Map<number, { call_id: string; start: string | null; first: number | null }>();
  const withCallIdOfStart = (info: ProcessInfo): ProcessInfo => {
    const born = started.get(info.pid);
    return born && born.start === info.start ? { ...info, call_id: born.call_id } : info;
  };
  return {
    self: () => {
      self ??= { host: table().host, pid: process.pid, start: table().startOf(process.pid) ?? '' };
      return self;
    },
    isAlive: (holder) => holder.host !== table().host || table().startOf(holder.pid) === holder.start,
    isStopped: (holder) =>
      holder.host === table().host &&
      table().startOf(holder.pid) === holder.start &&
      table().isStopped(holder.pid),
    async spawn(spec) {
      const { room } = spec;
      if (room && !enter) throw new InvariantError('nobody makes sandboxes here');
      const running = await startProcess(room && enter ? await enter({ ...spec, room }) : spec, location());
      const { pid, first } = running;
      started.set(pid, { call_id: callIdIn(location(), spec.call_id), start: table().startOf(pid), first });
      void running.exit.then(() => started.delete(pid));
      return running;
    },
    killLeftovers: (call_id, tree, now) =>
      killFoundProcesses((want) => table().list(want).map(withCallIdOfStart), {
        ...{ call_id: callIdIn(location(), call_id), tags: tagRange(location(), call_id), tree, now },
        rooms: () =>
          [...started.values()].flatMap((born) =>
            born.first !== null && hasCallId(born.call_id, callIdIn(location(), call_id)) ? [born.first] : [],
          ),
      }),
    workerAncestor: () => {
      if (process.env[CALL_ID]) return process.env[CALL_ID];
      // Read once: a later read could only miss an ancestor that has ended.
      ancestors ??= table().lineage();
      const found = ancestors.find((info) => info.call_id !== null);
      return found?.call_id ? withoutWorkspace(found.call_id) : null;
    },
  };
}
