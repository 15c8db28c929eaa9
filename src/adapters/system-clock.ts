import type { Clock } from '../ports/clock.ts';

/**
 * The clock of this machine. The text of a second is built once, because a run reads the time some hundred times per
 * second.
 */
export function systemClock(): Clock {
  let second = -1;
  let text = '';
  return {
    now: () => {
      const at = Date.now();
      const millis = at % 1000;
      if (at - millis !== second) {
        second = at - millis;
        text = new Date(second).toISOString().slice(0, -4);
      }
      return `${text}${millis < 100 ? (millis < 10 ? '00' : '0') : ''}${millis}Z`;
    },
  };
}
