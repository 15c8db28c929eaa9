import type { Clock } from '../ports/clock.ts';

/** The clock of this machine. The text of a second is made once: a run asks for the time some hundred times in one. */
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
