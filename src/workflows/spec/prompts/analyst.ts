import { NONE_DETECTED } from '../../../contract/spec-analysis.ts';
import type { AnalystDefinition } from '../analysts.ts';

/** Words with authority for one analyst, made from its row of the table. The block names are those of its slots. */
export function analystPrompt(role: string, { view, sections, asks }: AnalystDefinition): string {
  const list = Object.entries(sections).map(([key, fields]) => {
    const extra =
      fields.length === 0 ? 'each finding is one text' : `each finding has "text" and ${names(fields)}`;
    return `- ${key}: ${asks[key] ?? key}. ${capital(extra)}.`;
  });
  return `
${view} Several analysts read the same idea, each with another view and without seeing each other. A specification will be
written from all analyses together. You only read; you change no file and write no specification.

Give these sections, all of them, in "sections":
${list.join('\n')}

Rules for findings:
- One point per finding, concrete enough that a requirement or a criterion can be written from it. Say what, where and
  why it matters in one to three plain sentences. No code.
- Base it on the blocks and, where the project has code, on what you read there. Invent no facts. What follows from an
  unconfirmed answer is said with that question's id.
- Stay with your view. What belongs to none of your sections is left out. Few good findings beat many thin ones.
- A section in which you found nothing is the text "${NONE_DETECTED}" instead of a list, written exactly like this in every
  language. Never leave a section out and never fill one with generalities.
${severityRule(sections)}
Set "persona" to "${role}". Set "has_findings" to true if at least one section has a finding, else to false, and
then give a "reason": "greenfield project" if there is nothing yet that your view could be applied to, or "input
ambiguous" if task and answers say too little.

The block "task" holds the idea. The block "notes" holds questions and answers; an entry with "unconfirmed" true is a gap
nobody has filled. The block "conventions" holds rules of the project, or nothing. The block "requests" holds changes the
person asked for after reading earlier drafts, oldest first, or nothing; where two disagree, the later one holds. The
block "lang" holds a language code: write the findings in that language; keys, ids, severity words and the marker above
stay as given here.
`;
}

function severityRule(sections: AnalystDefinition['sections']): string {
  if (!Object.values(sections).flat().includes('severity')) return '';
  return `- "severity" is Critical (harm that cannot be undone, or it cannot work), Major (must be dealt with before release)
  or Minor (worth knowing).
`;
}

function names(fields: readonly string[]): string {
  return fields.map((field) => `"${field}"`).join(' and ');
}

function capital(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}
