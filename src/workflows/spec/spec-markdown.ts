import { SpecDoc } from '../../contract/spec-work.ts';
import type { Translate } from '../../engine/workflow.ts';
import { say } from './messages.ts';
import { LISTS } from './spec-checks.ts';

/**
 * The specification as people read it, with translated headings and marks and without English keys. `parseSpec` in the
 * same language returns the same object, so nothing is lost (SP-31).
 */
export function renderSpec(doc: SpecDoc, t: Translate): string {
  const word = t(say('spec.doc.unconfirmed'));
  const heading = (part: keyof SpecDoc) => `## ${t(say(`spec.doc.${part}`))}`;
  const field = (name: Label, text: string) =>
    bullet(`**${t(say(`spec.doc.${name}`))}**: ${shown(text, word)}`);
  const criteria = doc.acceptance_criteria.map(({ id, name, given, when, outcome }) =>
    [
      `### ${id}: ${shown(name, word)}\n`,
      field('given', given),
      field('when', when),
      field('outcome', outcome),
    ].join('\n'),
  );
  const risks = doc.risks.map(({ text, likelihood, mitigation }, n) =>
    [
      `### ${n + 1}\n`,
      field('risk', text),
      field('likelihood', likelihood),
      field('mitigation', mitigation),
    ].join('\n'),
  );
  const sections = [
    `# ${t(say('spec.doc.title'))}`,
    heading('goal'),
    escapeHeadings(shown(doc.goal, word)),
    ...LISTS.flatMap((part) => [
      heading(part),
      doc[part].map((text) => bullet(shown(text, word))).join('\n'),
    ]),
    heading('acceptance_criteria'),
    ...criteria,
    heading('risks'),
    ...risks,
  ];
  return `${sections.join('\n\n')}\n`;
}

type Label = 'given' | 'when' | 'outcome' | 'risk' | 'likelihood' | 'mitigation';

/** Parses a rendered specification, or returns why it is unreadable. Text before the first part is ignored. */
export function parseSpec(markdown: string, t: Translate): { doc: SpecDoc } | { problem: string } {
  const text = /[^\r]\n/.test(markdown) ? markdown : markdown.replaceAll('\r\n', '\n');
  const word = t(say('spec.doc.unconfirmed'));
  const sections = split(text.split('\n'), '## ');
  const body = (part: keyof SpecDoc) =>
    sections.find(([title]) => title === t(say(`spec.doc.${part}`)))?.[1] ?? [];
  const list = (part: keyof SpecDoc) => bullets(body(part)).map((item) => stored(item, word));
  const blocks = (part: keyof SpecDoc) =>
    split(body(part), '### ').map(([title, lines]) => ({ title, fields: bullets(lines) }));
  const field = (fields: readonly string[], name: Label) => {
    const label = `**${t(say(`spec.doc.${name}`))}**: `;
    const found = fields.find((item) => item.startsWith(label));
    return found === undefined ? '' : stored(found.slice(label.length), word);
  };
  const read = {
    goal: stored(unescapeHeadings(body('goal').join('\n').trim()), word),
    ...Object.fromEntries(LISTS.map((part) => [part, list(part)])),
    acceptance_criteria: blocks('acceptance_criteria').map(({ title, fields }) => ({
      id: title.slice(0, title.indexOf(': ')),
      name: stored(title.slice(title.indexOf(': ') + 2), word),
      given: field(fields, 'given'),
      when: field(fields, 'when'),
      outcome: field(fields, 'outcome'),
    })),
    risks: blocks('risks').map(({ fields }) => ({
      text: field(fields, 'risk'),
      likelihood: field(fields, 'likelihood'),
      mitigation: field(fields, 'mitigation'),
    })),
  };
  const parsed = SpecDoc.safeParse(read);
  if (parsed.success) return { doc: parsed.data };
  const [issue] = parsed.error.issues;
  return { problem: `${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'unreadable'}` };
}

/** Later lines of an item are indented, so a text cannot begin an item or a heading. */
function bullet(text: string): string {
  return `- ${text
    .split('\n')
    .map((line, n) => (n === 0 || line === '' ? line : `  ${line}`))
    .join('\n')}`;
}

function bullets(lines: readonly string[]): string[] {
  const items: string[][] = [];
  for (const line of lines) {
    if (line.startsWith('- ')) items.push([line.slice(2)]);
    else items.at(-1)?.push(line.startsWith('  ') ? line.slice(2) : line);
  }
  return items.map((item) => item.join('\n').trimEnd());
}

function split(lines: readonly string[], tag: string): (readonly [string, string[]])[] {
  const parts: (readonly [string, string[]])[] = [];
  for (const line of lines) {
    if (line.startsWith(tag)) parts.push([line.slice(tag.length), []]);
    else parts.at(-1)?.[1].push(line);
  }
  return parts;
}

/** Adds one backslash to a line of free text that looks like a heading. Reading removes one. */
function escapeHeadings(text: string): string {
  return text.replace(/^\\*#/gm, '\\$&');
}

function unescapeHeadings(text: string): string {
  return text.replace(/^\\(\\*#)/gm, '$1');
}

const tag = (word: string) => new RegExp(`(\\\\*)\\[(unconfirmed|${word}) (q\\d+)\\]`, 'g');

/** Shows `[unconfirmed q2]` in the reader's language. A text that already holds the translated form is escaped. */
function shown(text: string, word: string): string {
  if (word === 'unconfirmed') return text;
  return text.replace(tag(word), (all, slashes: string, found: string, id: string) => {
    if (found === word) return `\\${all}`;
    return slashes === '' ? `[${word} ${id}]` : all;
  });
}

function stored(text: string, word: string): string {
  if (word === 'unconfirmed') return text;
  return text.replace(tag(word), (all, slashes: string, found: string, id: string) => {
    if (found !== word) return all;
    return slashes === '' ? `[unconfirmed ${id}]` : all.slice(1);
  });
}
