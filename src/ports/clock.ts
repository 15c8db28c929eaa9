import type { Instant } from '../contract/ids.ts';

export interface Clock {
  now(): Instant;
}

/** Random parts of ids. Injected so that a test or the crash driver can replay a run with the same ids. */
export interface Ids {
  /** `n` characters of an alphabet without similar-looking characters. */
  short(n: number): string;
}
