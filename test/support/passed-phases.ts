import type { RunEvent } from '../../src/contract/event.ts';

/** The phases without anything to do that a transition passed over, as its first event lists them. */
export function passedIn([event]: readonly RunEvent[]): readonly string[] {
  return (event?.input as { passed?: readonly string[] } | null | undefined)?.passed ?? [];
}
