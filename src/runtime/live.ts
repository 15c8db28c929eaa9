import type { RunId } from '../contract/ids.ts';
import type { Rejection } from '../engine/rejection.ts';
import type { DriveSeed } from './advance.ts';
import type { Deps } from './deps.ts';
import type { LiveDrive } from './drive.ts';
import type { DriveOptions, Progress } from './views.ts';

/** The listeners and drives of this process. One per process. */
export interface Service {
  readonly deps: Deps;
  readonly drives: Map<RunId, LiveDrive>;
  readonly tell: (progress: Progress) => void;
  /** Runs one function at a time. If two callers open the same run, the second finds the drive of the first. */
  readonly alone: <T>(work: () => Promise<T>) => Promise<T>;
  /** Takes the lease of exactly this run, not of its parent. */
  open(run: RunId, options: DriveOptions): Promise<LiveDrive | Rejection>;
  adopt(seed: Pick<DriveSeed, 'id' | 'epoch' | 'attended' | 'applied'>): Promise<LiveDrive>;
}
