import type { RunId } from '../contract/ids.ts';
import type { Progress } from './api.ts';
import type { Deps } from './deps.ts';
import type { DriveSeed, LiveDrive } from './drive.ts';

/** Who listens and which runs this process drives. One per process. */
export interface Service {
  readonly deps: Deps;
  readonly drives: Map<RunId, LiveDrive>;
  readonly tell: (progress: Progress) => void;
  adopt(seed: Pick<DriveSeed, 'id' | 'epoch' | 'attended' | 'applied'>): Promise<LiveDrive>;
}
