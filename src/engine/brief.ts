import type { BriefDoc, BriefReason, DecisionRef, Msg, Text } from '../contract/brief.ts';
import { countWords, prose } from './language.ts';
import type { EngineMessageId } from './messages.ts';
import { writeTexts } from './promised-writes.ts';
import type { Translate } from './workflow.ts';

type LintCode =
  | 'derived_constraint'
  | 'no_recommendation'
  | 'gap_without_research'
  | 'gap_with_decision'
  | 'no_human_approval'
  | 'too_long'
  | 'long_sentence'
  | 'parentheses'
  | 'unweighted';

/** One finding: `at` is the location in the document (`items.2`), `text` explains it to a person. */
interface LintFinding {
  readonly code: LintCode;
  readonly at: string;
  readonly text: Msg;
}

/** `ok` is false exactly if there are errors. Warnings never block. */
export interface BriefLint {
  readonly ok: boolean;
  readonly errors: readonly LintFinding[];
  readonly warnings: readonly LintFinding[];
}

/** Facts about the gate besides the document. `botAuthored`: a bot opened the pull request. */
export interface LintContext {
  readonly reason?: BriefReason | undefined;
  readonly botAuthored?: boolean | undefined;
}

/** Checks a brief before it is stored: CON-66 defines the errors, CON-67 the warnings. Pure. */
export function lintBrief(doc: BriefDoc, t: Translate, context: LintContext = {}): BriefLint {
  const errors = [...itemErrors(doc, t), ...gapErrors(doc, t), ...approvalErrors(doc, t, context)];
  const warnings = [...lengthWarnings(doc, t), ...proseWarnings(doc, t), ...weightWarnings(doc)];
  return { ok: errors.length === 0, errors, warnings };
}

/**
 * The brief as plain text, from the document and its decision reference alone (CON-65): same input, same bytes. The
 * promised writes are listed from the payload. Every line after the first of a text is indented, so that a worker's
 * text cannot look like one of Baton's sections.
 */
export function renderBrief(
  doc: BriefDoc,
  t: Translate,
  { decisionRef }: { decisionRef?: DecisionRef | undefined } = {},
): string {
  const head = (id: HeadingId) => t({ msg: `engine.brief.${id}` });
  const list = (id: HeadingId, lines: readonly string[]) =>
    lines.length === 0 ? '' : [`${head(id)}:`, ...lines].join('\n');
  const sections = [
    shown(doc.banners, t)
      .map((text) => `! ${text}`)
      .join('\n'),
    `${head('decide')}: ${indent(t(doc.decide))}`,
    doc.load_bearing_gap === null ? recommendation(doc, t) : researchFirst(doc, doc.load_bearing_gap, t),
    list('why', bullets(doc.why, t)),
    list(
      'alternatives',
      doc.alternatives.map((a) => `- ${indent(t(a.option))}: ${indent(t(a.rejection))}`),
    ),
    list('context', bullets(doc.context, t)),
    list('criteria', bullets(doc.criteria ?? [], t)),
    list(
      'you_need_to',
      doc.items.map((item) => itemLine(item, t)),
    ),
    list('writes', bullets(writeTexts(doc), t)),
    decisionRef
      ? `${head('more')}: ${indent(`baton decisions show ${decisionRef.id} (${decisionRef.type})`)}`
      : '',
    doc.tail === null ? '' : indent(t(doc.tail)),
  ];
  return sections.filter((section) => section !== '').join('\n\n');
}

type BriefItem = BriefDoc['items'][number];
type WithoutPrefix<Id> = Id extends `engine.brief.${infer StopPoint}` ? StopPoint : never;
type HeadingId = WithoutPrefix<EngineMessageId>;

function recommendation(doc: BriefDoc, t: Translate): string {
  if (doc.recommend === null) return '';
  const { text, confidence, cede } = doc.recommend;
  const weight = cede ? 'cede' : confidence && (`confidence.${confidence}` as const);
  const suffix = weight ? ` (${t({ msg: `engine.brief.${weight}` })})` : '';
  return `${t({ msg: 'engine.brief.recommend' })}: ${indent(t(text))}${suffix}`;
}

function researchFirst(doc: BriefDoc, gap: Text, t: Translate): string {
  const lead = `${t({ msg: 'engine.brief.research_first' })}: ${indent(t(gap))}`;
  return [lead, ...bullets(doc.research, t)].join('\n');
}

function itemLine(item: BriefItem, t: Translate): string {
  const deferred = item.deferred ? ` [${t({ msg: 'engine.brief.item.deferred' })}]` : '';
  const line = `- ${t({ msg: `engine.brief.item.${item.kind}` })}: ${indent(t(item.text))}${deferred}`;
  if (item.recommendation === undefined) return line;
  const label = t({ msg: 'engine.brief.item.recommendation' });
  return `${line}\n  ${label}: ${indent(t(item.recommendation))}`;
}

function bullets(texts: readonly Text[], t: Translate): string[] {
  return shown(texts, t).map((text) => `- ${text}`);
}

function shown(texts: readonly Text[], t: Translate): string[] {
  return texts.map((text) => indent(t(text))).filter((text) => text !== '');
}

function indent(text: string): string {
  return text
    .trim()
    .split(/\r\n|[\n\r\u0085\u2028\u2029]/)
    .map((line, i) => (i === 0 || line.trim() === '' ? line.trim() : `  ${line}`))
    .join('\n');
}

function finding(code: LintCode, at: string, args?: Msg['args']): LintFinding {
  const msg = `engine.lint.${code}` satisfies EngineMessageId;
  return { code, at, text: args ? { msg, args } : { msg } };
}

function itemErrors(doc: BriefDoc, t: Translate): LintFinding[] {
  return doc.items.flatMap((item, i) => {
    const at = `items.${i}`;
    if (item.kind === 'derived-constraint') return [finding('derived_constraint', at, { n: i + 1 })];
    const open = item.kind === 'decision' && !item.deferred;
    if (!open || !isBlank(item.recommendation, t)) return [];
    return [finding('no_recommendation', at, { n: i + 1 })];
  });
}

function gapErrors(doc: BriefDoc, t: Translate): LintFinding[] {
  if (doc.load_bearing_gap === null) return [];
  const errors = doc.items.flatMap((item, i) => {
    const open = item.kind === 'decision' && !item.deferred;
    return open ? [finding('gap_with_decision', `items.${i}`, { n: i + 1 })] : [];
  });
  const researched = doc.research.some((text) => !isBlank(text, t));
  return researched ? errors : [finding('gap_without_research', 'research'), ...errors];
}

function isBlank(text: Text | undefined, t: Translate): boolean {
  return text === undefined || t(text).trim() === '';
}

const HUMAN_APPROVAL = 'engine.brief.human_approval' satisfies EngineMessageId;

/**
 * A sentence says that approval is required if it has one word of each group and does not match `denies`. Languages
 * other than these
 * two must use Baton's own text.
 */
const SAYS_HUMAN_APPROVAL = [
  {
    groups: [
      /\bhumans?\b/i,
      /\bapprov/i,
      /\b(?:requires?|required|needs?|needed|must|necessary|mandatory|has to)\b/i,
      /\b(?:before|prior to)\b/i,
      /\bmerg/i,
    ],
    denies:
      /\b(?:no|without|any) human\b|(?:\bnot|n[’']t|\bnever|\bno longer)(?:\s+\w+)?\s+(?:require|need|necessary|mandatory)/i,
  },
  {
    groups: [/사람|인간/, /승인/, /필요|필수|해야|받아야|있어야/, /전에|앞서|이전/, /병합|머지|merge/i],
    denies: /불필요|필요(?:하지|는|가|도)?\s*(?:않|없)|필수(?:가|는)?\s*아니|승인\s*없이/,
  },
];

function approvalErrors(doc: BriefDoc, t: Translate, context: LintContext): LintFinding[] {
  if (context.reason !== 'release-decision-pending' || !context.botAuthored) return [];
  const ours = t({ msg: HUMAN_APPROVAL });
  // Alternatives are skipped, because a rejected option does not hold.
  const said = statements(doc).some((text) => {
    if (typeof text !== 'string' && text.msg === HUMAN_APPROVAL) return true;
    const words = t(text);
    // A translator can return an empty text for Baton's own message. An empty text is not a statement.
    return (ours !== '' && words.includes(ours)) || sentences(words).some(saysHumanApproval);
  });
  return said ? [] : [finding('no_human_approval', 'context')];
}

function saysHumanApproval(sentence: string): boolean {
  return SAYS_HUMAN_APPROVAL.some(
    ({ groups, denies }) => groups.every((group) => group.test(sentence)) && !denies.test(sentence),
  );
}

const MAX_SENTENCE = 50;

/** Compares the number of shown words (without headings) with a budget that grows with items and alternatives. */
function lengthWarnings(doc: BriefDoc, t: Translate): LintFinding[] {
  const limit = Math.min(600 + 75 * (doc.items.length + doc.alternatives.length), 1400);
  const texts = [...statements(doc), ...rejected(doc)];
  const words = texts.reduce((sum, text) => sum + countWords(t(text)), 0);
  return words > limit ? [finding('too_long', 'doc', { words, limit })] : [];
}

function proseWarnings(doc: BriefDoc, t: Translate): LintFinding[] {
  const plain = [...plainStatements(doc), ...rejected(doc)].map((text) => prose(t(text)));
  const long = plain
    .flatMap(sentences)
    .map(countWords)
    .filter((words) => words > MAX_SENTENCE)
    .map((words) => finding('long_sentence', 'doc', { words, limit: MAX_SENTENCE }));
  const everything = [...plain, ...pointed(doc).map((text) => prose(t(text)))];
  return everything.some(hasBadParentheses) ? [...long, finding('parentheses', 'doc')] : long;
}

function weightWarnings(doc: BriefDoc): LintFinding[] {
  const bare = doc.recommend !== null && doc.recommend.confidence === undefined && !doc.recommend.cede;
  return bare ? [finding('unweighted', 'recommend')] : [];
}

/** All shown texts that the brief asserts. The others are in `rejected`. */
function statements(doc: BriefDoc): Text[] {
  return [...plainStatements(doc), ...pointed(doc)];
}

/** Running text, in which CON-67 counts sentences. Without alternatives. */
function plainStatements(doc: BriefDoc): Text[] {
  const lead =
    doc.load_bearing_gap === null ? present(doc.recommend?.text) : [doc.load_bearing_gap, ...doc.research];
  return [...doc.banners, doc.decide, ...lead, ...doc.why, ...doc.context];
}

/** Items and tail: lists and commands, not prose. */
function pointed(doc: BriefDoc): Text[] {
  return [
    ...doc.items.flatMap((item) => [item.text, ...present(item.recommendation)]),
    ...present(doc.tail ?? undefined),
  ];
}

function rejected(doc: BriefDoc): Text[] {
  return doc.alternatives.flatMap((alternative) => [alternative.option, alternative.rejection]);
}

function present(text: Text | undefined): Text[] {
  return text === undefined ? [] : [text];
}

function sentences(text: string): string[] {
  return text.split(/(?<=[.!?]["'”’)\]]?)\s+|(?<=[。！？])|\n\s*\n|\n\s*(?:[-*•·]|\d+\.)\s+/u);
}

function hasBadParentheses(text: string): boolean {
  return /[(（][^)）]*[(（]|[)）]\s*[(（]/.test(text);
}
