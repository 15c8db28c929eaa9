import type { Instant, RunId } from '../../contract/ids.ts';
import type { Drive, DriveChange } from '../../ports/store.ts';
import type { Tables } from './tables.ts';

/** Drives of a run, oldest first, as they are after the change. A closed one stays as it is. */
export function changeDrive(
  { drives }: Tables,
  run: RunId,
  change: DriveChange,
  at: Instant,
): readonly Drive[] {
  const before = drives.get(run) ?? [];
  const open = (over: Partial<Drive>) => before.map((d) => (d.closed_at === null ? { ...d, ...over } : d));
  switch (change.kind) {
    case 'opened':
      return [...open({ closed_at: change.drive.opened_at }), change.drive];
    case 'paused':
      return open({ until: change.until });
    case 'resumed':
      return open({ until: null });
    case 'closed':
      return open({ closed_at: at });
  }
}
