import type { Holder } from '../../contract/run.ts';
import type { Processes } from '../../ports/processes.ts';
import { createDarwinTable } from './darwin-table.ts';
import { createLinuxTable } from './linux-table.ts';
import { MARK, markIn, type ProcessInfo, type ProcessTable, withoutPlace } from './process-table.ts';
import { startProcess } from './start-process.ts';
import { sweepProcesses } from './sweep.ts';

/**
 * Processes of this machine: Linux by /proc, macOS by `ps`. `place` tells the workspace they work for: a sweep ends
 * no process of another one.
 *
 * What a sweep cannot find: a process that cleared its environment, left its parents before the sweep looked, and
 * works outside `tree` (or no `tree` was given). Only a sandbox closes that gap.
 */
export function createProcesses(place: () => string = () => ''): Processes {
  // Looked at on first use: a listing asks nothing about processes.
  let made: ProcessTable | null = null;
  const table = (): ProcessTable => {
    made ??= process.platform === 'darwin' ? createDarwinTable() : createLinuxTable();
    return made;
  };
  let self: Holder | null = null;
  // Ours by birth: a child that cleared its own environment is still known while we live.
  const started = new Map<number, { mark: string; start: string | null }>();
  const withBirthMark = (info: ProcessInfo): ProcessInfo => {
    const born = started.get(info.pid);
    return born && born.start === info.start ? { ...info, mark: born.mark } : info;
  };
  return {
    self: () => {
      self ??= { host: table().host, pid: process.pid, start: table().startOf(process.pid) ?? '' };
      return self;
    },
    isAlive: (holder) => holder.host !== table().host || table().startOf(holder.pid) === holder.start,
    async spawn(spec) {
      const running = await startProcess(spec, place());
      started.set(running.pid, { mark: markIn(place(), spec.mark), start: table().startOf(running.pid) });
      void running.exit.then(() => started.delete(running.pid));
      return running;
    },
    sweep: (mark, tree) =>
      sweepProcesses((want) => table().list(want).map(withBirthMark), markIn(place(), mark), tree),
    markedAncestor: () => {
      if (process.env[MARK]) return process.env[MARK];
      const found = table()
        .lineage()
        .find((info) => info.mark !== null);
      return found?.mark ? withoutPlace(found.mark) : null;
    },
  };
}
