import type { Clock } from '../ports/clock.ts';

/** The clock of this machine. The text of a millisecond is made once: a transition asks several times within one. */
export function systemClock(): Clock {
  let made = -1;
  let text = '';
  return {
    now: () => {
      const at = Date.now();
      if (at !== made) {
        text = new Date(at).toISOString();
        made = at;
      }
      return text;
    },
  };
}
