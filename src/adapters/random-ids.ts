import type { Ids } from '../ports/clock.ts';

/** No look-alikes, so that an id can be read aloud and typed. */
const ALPHABET = '23456789abcdefghjkmnpqrstuvwxyz';
/** The smallest power of two that covers the alphabet; what lies beyond it is drawn again, so that none is likelier. */
const MASK = 31;

/** Random parts of ids. The generator is loaded by the first of them: a listing needs none. */
export function randomIds(): Ids {
  return {
    short: (n) => {
      const { randomBytes } = process.getBuiltinModule('node:crypto');
      let text = '';
      while (text.length < n) {
        for (const byte of randomBytes(2 * n)) {
          if (text.length < n) text += ALPHABET[byte & MASK] ?? '';
        }
      }
      return text;
    },
  };
}
