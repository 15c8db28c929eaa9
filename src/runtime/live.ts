import type { RunId } from '../contract/ids.ts';
import type { Rejection } from '../engine/rejection.ts';
import type { DriveSeed } from './advance.ts';
import type { DriveWish, Progress } from './api.ts';
import type { Deps } from './deps.ts';
import type { LiveDrive } from './drive.ts';

/** Who listens and which runs this process drives. One per process. */
export interface Service {
  readonly deps: Deps;
  readonly drives: Map<RunId, LiveDrive>;
  readonly tell: (progress: Progress) => void;
  /** Runs one thing at a time: of two that would open a run one sees the other's drive. */
  readonly alone: <T>(work: () => Promise<T>) => Promise<T>;
  /** Takes the lease of exactly this run. */
  open(run: RunId, wish: DriveWish): Promise<LiveDrive | Rejection>;
  adopt(seed: Pick<DriveSeed, 'id' | 'epoch' | 'attended' | 'applied'>): Promise<LiveDrive>;
}
