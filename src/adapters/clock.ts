import type { Clock, Ids } from '../ports/clock.ts';

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

/** Without characters that look alike, so that an id can be read aloud and typed. */
const ALPHABET = '23456789abcdefghjkmnpqrstuvwxyz';
/**
 * Bit mask of the smallest power of two that covers the alphabet. A number beyond the alphabet is drawn again, so that
 * all characters are equally likely.
 */
const MASK = 31;
/** Bytes drawn at once. A call of the generator costs as much as a statement of the store, even for a few bytes. */
const DRAWN = 1_024;

/** Random parts of ids. The generator is loaded with the first id, because a listing does not need it. */
export function randomIds(): Ids {
  let bytes = new Uint8Array();
  let used = 0;
  const draw = (): number => {
    if (used === bytes.length) {
      bytes = process.getBuiltinModule('node:crypto').randomBytes(DRAWN);
      used = 0;
    }
    return bytes[used++] as number;
  };
  return {
    short: (n) => {
      let text = '';
      while (text.length < n) text += ALPHABET[draw() & MASK] ?? '';
      return text;
    },
  };
}
