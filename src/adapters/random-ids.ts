import type { Ids } from '../ports/clock.ts';

/** No look-alikes, so that an id can be read aloud and typed. */
const ALPHABET = '23456789abcdefghjkmnpqrstuvwxyz';
/** The smallest power of two that covers the alphabet; what lies beyond it is drawn again, so that none is likelier. */
const MASK = 31;
/** Bytes drawn at once: asking the generator costs as much as a statement of the store, however few are asked for. */
const DRAWN = 1_024;

/** Random parts of ids. The generator is loaded by the first of them: a listing needs none. */
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
