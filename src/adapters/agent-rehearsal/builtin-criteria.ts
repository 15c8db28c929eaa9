import type { DeliverSpec } from '../../contract/deliver-work.ts';
import { parseJson } from '../../engine/parse-json.ts';
import { cut } from './builtin-text.ts';

type Criterion = DeliverSpec['completion_criteria'][number];
type Row = Readonly<Record<string, unknown>>;

const ID = /^[A-Za-z][A-Za-z0-9_-]{0,31}$/;
const MOST = 100;

/**
 * The criteria of a specification of either workflow, from JSON or from the markdown that people read. Texts that fit
 * stay word for word. Each id occurs once. The list is empty if the text names no criterion.
 */
export function readCriteria(text: string | undefined): Criterion[] {
  const rows = jsonRows(text ?? '') ?? markdownRows(text ?? '');
  const found = new Map<string, Criterion>();
  for (const row of rows) {
    const id = typeof row.id === 'string' ? row.id : '';
    if (ID.test(id) && !found.has(id)) found.set(id, toCriterion(id, row));
  }
  return [...found.values()].slice(0, MOST);
}

function toCriterion(id: string, row: Row): Criterion {
  const passage = (value: unknown) => cut(String(value ?? ''), 4000);
  const name = cut(String(row.name ?? id).replace(/[\r\n]+/g, ' '), 300);
  return { id, name, given: passage(row.given), when: passage(row.when), outcome: passage(row.outcome) };
}

function jsonRows(text: string): Row[] | null {
  const doc = parseJson(text) as Row | null;
  const rows = doc?.acceptance_criteria ?? doc?.completion_criteria;
  if (!Array.isArray(rows)) return null;
  return rows.filter((row): row is Row => typeof row === 'object' && row !== null);
}

/**
 * Reads `### AC-1: name` with three items below it. In a text without such headings, everything that looks like an id
 * counts.
 */
function markdownRows(text: string): Row[] {
  const blocks = text.split(/^(?=#)/m).flatMap((block) => {
    const [, id, name] = /^### ([^\s:]+): (.*)/.exec(block) ?? [];
    if (id === undefined) return [];
    const [, given, when, outcome] = block.split(/^- (?:\*\*[^*\n]*\*\*: )?/m);
    return [{ id, name, given: unindent(given), when: unindent(when), outcome: unindent(outcome) }];
  });
  if (blocks.length > 0) return blocks;
  return [...text.matchAll(/\bAC-\d+\b/g)].map(([id]) => ({ id }));
}

function unindent(item: string | undefined): string {
  return (item ?? '').replace(/^ {2}/gm, '');
}
