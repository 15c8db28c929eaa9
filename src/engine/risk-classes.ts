import picomatch from 'picomatch';
import { RISK_CLASSES, type RiskClass } from '../contract/ticket.ts';
import { moduleWord, RISK_GLOBS, RISK_LABELS, RISK_WORDS, type RiskWord } from './risk-table.ts';

/** Complete input of the detector (CON-40). `paths`: the changed files, if known. */
export interface RiskInput {
  readonly title: string;
  readonly description: string;
  /** The active brief as shown to people. */
  readonly content: string;
  /** The current acceptance criteria of the ticket. */
  readonly criteria: readonly string[];
  readonly labels: readonly string[];
  readonly paths: readonly string[];
  /** The project's shared core. Either list may be empty. */
  readonly shared_core: { readonly modules: readonly string[]; readonly globs: readonly string[] };
}

/** The trigger of a class and its location. `rule` is the word or glob of the table. `line` counts from 1. */
export interface RiskHit {
  readonly class: RiskClass;
  readonly kind: 'word' | 'path' | 'label';
  readonly rule: string;
  readonly text: string;
  readonly where: 'title' | 'description' | 'brief' | 'criteria' | 'label' | 'path';
  readonly line: number | null;
}

/** A person's decision that this evidence need not pause one ticket. `acknowledge` builds the evidence texts. */
export interface Acknowledged {
  readonly class: RiskClass;
  readonly evidence: readonly string[];
}

/**
 * Everything that triggers a risk class (CON-39): words, paths and labels, in canonical order of the classes. Same
 * input, same hits. No score, no model. In doubt it triggers. Accepts any input and never throws.
 */
export function detectRisks(input: Partial<RiskInput> | null | undefined): RiskHit[] {
  const given: Readonly<Partial<Record<keyof RiskInput, unknown>>> = input ?? {};
  const core = (given.shared_core ?? {}) as Readonly<
    Partial<Record<keyof RiskInput['shared_core'], unknown>>
  >;
  // Cleaned first: a name of only invisible characters is not a word, and its pattern would match the empty string
  // forever.
  const modules = strings(strings(core.modules).map(plainText));
  const words = [...RISK_WORDS, ...modules.map(moduleWord)];
  const globs = { ...RISK_GLOBS, 'shared-core': strings(core.globs).filter(isUsableGlob) };
  const paths = strings(given.paths).map(plainPath);
  const said = [
    ...wordHits(given.title, 'title', words),
    ...wordHits(given.description, 'description', words),
    ...wordHits(given.content, 'brief', words),
    ...wordHits(strings(given.criteria).join('\n'), 'criteria', words),
  ];
  const shown = [...labelHits(strings(given.labels)), ...pathHits(paths, globs)];
  // A diff without a path of a class outweighs words alone (CON-48). A class without globs cannot be outweighed.
  const outweighed = (name: RiskClass) =>
    paths.length > 0 && globs[name].length > 0 && !shown.some((hit) => hit.class === name);
  const hits = [...said.filter((hit) => !outweighed(hit.class)), ...shown];
  const once = [...new Map(hits.map((hit) => [`${evidenceKey(hit)}|${hit.line}`, hit])).values()];
  return RISK_CLASSES.flatMap((name) => once.filter((hit) => hit.class === name));
}

/** The triggered classes in canonical order, each once. */
export function riskClasses(hits: readonly RiskHit[]): RiskClass[] {
  return RISK_CLASSES.filter((name) => hits.some((hit) => hit.class === name));
}

/**
 * Identifies the evidence of a hit: class, place, and word, label or path. Without the line, which moves when a text is
 * edited, and without the form of the word.
 */
function evidenceKey(hit: RiskHit): string {
  return [hit.class, hit.where, hit.kind === 'word' ? hit.rule : hit.text].join('|');
}

/** A person's acknowledgement of a class: all its current evidence, but no later evidence. */
export function acknowledge(hits: readonly RiskHit[], name: RiskClass): Acknowledged {
  const evidence = hits.filter((hit) => hit.class === name).map(evidenceKey);
  return { class: name, evidence: [...new Set(evidence)] };
}

/** The hits that no person has acknowledged. The same evidence does not pause again, but new evidence does. */
export function withoutAcknowledged(
  hits: readonly RiskHit[],
  acknowledged: readonly Acknowledged[],
): RiskHit[] {
  const known = new Set(acknowledged.flatMap((one) => one.evidence));
  return hits.filter((hit) => !known.has(evidenceKey(hit)));
}

function wordHits(value: unknown, where: RiskHit['where'], words: readonly RiskWord[]): RiskHit[] {
  if (typeof value !== 'string') return [];
  const text = plainText(value);
  const possible = words.filter(({ hints }) => hints.every((hint) => hint.test(text)));
  const found = possible.flatMap((word) =>
    occurrences(text, word.pattern()).map((match) => ({ word, match })),
  );
  const inOrder = found.sort((a, b) => a.match.index - b.match.index);
  let line = 1;
  let counted = 0;
  return inOrder.flatMap(({ word, match: { index, 0: said } }) => {
    line += text.slice(counted, index).split('\n').length - 1;
    counted = index;
    if (isNegated(text, index)) return [];
    return [{ class: word.class, kind: 'word' as const, rule: word.name, text: said, where, line }];
  });
}

/**
 * Every position where the pattern matches, also inside another match, so that a negated phrase cannot hide the next
 * one. `matchAll` would copy and compile the pattern for every text, which is slower than the search itself. The loop
 * ends with lastIndex 0.
 */
function occurrences(text: string, pattern: RegExp): RegExpExecArray[] {
  const found: RegExpExecArray[] = [];
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    found.push(match);
    pattern.lastIndex = match.index + 1;
  }
  return found;
}

/**
 * One form for texts that look the same, so that wide letters, invisible characters or line endings cannot hide words.
 */
function plainText(text: string): string {
  return text
    .normalize('NFKC')
    .replace(/\r\n?|[\u0085\u2028\u2029]/g, '\n')
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '');
}

/** Far more characters than four words need. The limit keeps a text without line breaks cheap. */
const LOOK_BACK = 200;
const NEAR = 4;
/** Ends a clause: any character except letters, digits, apostrophes, blanks and hyphens inside a word. */
const CLAUSE_END = /[^\p{L}\p{M}\p{N}'’ \t-]|(?<![\p{L}\p{N}])-|-(?![\p{L}\p{N}])/u;
const CONJUNCTION = /^(?:and|but|or|then|so|yet)$/i;
const NEGATION = /^(?:no|not|without|zero|neither|nor|none|.*n['’]t)$/i;
/** These accompany another negation and do not cancel it. */
const PAIRED = /^(?:neither|nor)$/i;
/** "not only a migration", "not until the migration": the negation is about another word. */
const TAKES_BACK = /^(?:only|just|merely|until|unless|before|except)$/i;

/**
 * Negated by one of the four words before it in the same clause (CON-47). Two negations are ambiguous, so the word
 * triggers.
 */
function isNegated(text: string, at: number): boolean {
  const words = clauseBefore(text, at);
  const negations = words.filter((word) => NEGATION.test(word));
  const near = words.slice(-NEAR).some((word) => NEGATION.test(word));
  const doubled = negations.filter((word) => !PAIRED.test(word)).length > 1;
  return near && !doubled && !words.some((word) => TAKES_BACK.test(word));
}

function clauseBefore(text: string, at: number): string[] {
  const from = Math.max(0, at - LOOK_BACK);
  const before = from === 0 ? text.slice(0, at) : text.slice(from, at).replace(/^\S*/, '');
  const words = (before.split(CLAUSE_END).at(-1) ?? '').split(/[ \t]+/).filter((word) => word !== '');
  return words.slice(words.findLastIndex((word) => CONJUNCTION.test(word)) + 1);
}

function labelHits(labels: readonly string[]): RiskHit[] {
  return labels.flatMap((label) => {
    const name = labelName(label);
    const found = Object.hasOwn(RISK_LABELS, name) ? RISK_LABELS[name] : undefined;
    if (found === undefined) return [];
    return [
      { class: found, kind: 'label' as const, rule: name, text: label, where: 'label' as const, line: null },
    ];
  });
}

/** `Risk: Data Migration` and `risk/data_migration` both become `data-migration`. */
function labelName(label: string): string {
  const plain = plainText(label).trim().toLowerCase();
  return plain.replace(/^risk\s*[:/-]\s*/, '').replace(/[\s_]+/g, '-');
}

function pathHits(
  paths: readonly string[],
  globs: Readonly<Record<RiskClass, readonly string[]>>,
): RiskHit[] {
  if (paths.length === 0) return [];
  return RISK_CLASSES.flatMap((name) =>
    globs[name].flatMap((glob) => {
      const matches = picomatch(glob, { dot: true, nocase: true, windows: false });
      return paths
        .filter((path) => matches(path))
        .map((path) => ({
          class: name,
          kind: 'path' as const,
          rule: glob,
          text: path,
          where: 'path' as const,
          line: null,
        }));
    }),
  );
}

/** The path in git's form, whatever its source. */
function plainPath(path: string): string {
  return path.replaceAll('\\', '/').replace(/^(?:\.?\/)+/, '');
}

/** picomatch throws on a longer pattern. */
const LONGEST_GLOB = 1_000;

function isUsableGlob(glob: string): boolean {
  return glob.length <= LONGEST_GLOB;
}

function strings(value: unknown): string[] {
  if (!Array.isArray(value)) return [];
  return value.filter((one): one is string => typeof one === 'string' && one.trim() !== '');
}
