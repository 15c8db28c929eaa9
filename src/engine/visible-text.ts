/**
 * Characters that control a terminal or are invisible: controls except tab and newline, bidi and other format
 * characters, line separators, lone surrogates, fillers, variation selectors, tags and noncharacters.
 */
const HIDDEN = String.raw`[[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}\u2800]--[\n\t]]`;

/** Scripts that spell words with joiners. */
const JOINED = String.raw`[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Khmer}]`;

/**
 * Texts of only these letters, symbols and Hangul syllables have no hidden characters. Nearly every output line of a
 * command matches, so most commands never compile the table of hidden characters.
 */
const PLAIN = /^[\n\t -~\u00a1-\u00ac\u00ae-\u02ff\u2010-\u2027\u2190-\u27bf\uac00-\ud7a3]*$/;

/** Makes text from a tree or a program safe for a screen. Each hidden character is shown as `<U+202E>`. */
export function visibleText(text: string): string {
  return PLAIN.test(text) ? text : text.replace(hiddenRule(), codeOf);
}

/** The same for sentences. It preserves emoji of the Unicode standard, and words that are spelled with joiners. */
export function visibleProse(text: string): string {
  if (PLAIN.test(text) || text.search(hiddenRule()) < 0) return text;
  return text.replace(proseRule(), showUnlessKept);
}

/** Escapes the same characters in JSON. A parser reads the same value, and the terminal is not affected. */
export function visibleJson(json: string): string {
  if (PLAIN.test(json)) return json;
  return json.replace(hiddenRule(), (hidden) =>
    Array.from({ length: hidden.length }, (_, i) => `\\u${hex(hidden.charCodeAt(i))}`).join(''),
  );
}

function hiddenRule(): RegExp {
  return new RegExp(HIDDEN, 'gv');
}

/** Compiled on demand, because compiling the emoji table takes longer than a short command. */
function proseRule(): RegExp {
  return new RegExp(
    String.raw`(?<kept>\p{RGI_Emoji}|(?<=${JOINED})[\u200c\u200d](?=${JOINED}))|${HIDDEN}`,
    'gv',
  );
}

function showUnlessKept(found: string, kept: string | undefined): string {
  return kept ?? codeOf(found);
}

function codeOf(hidden: string): string {
  return `<U+${hex(hidden.codePointAt(0) ?? 0)}>`;
}

function hex(code: number): string {
  return code.toString(16).toUpperCase().padStart(4, '0');
}
