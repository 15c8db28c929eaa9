import { readFileSync } from 'node:fs';
import { strangeRoles } from './workflow-table.ts';

type CheckedScore =
  | { readonly ok: true; readonly frozen: string }
  | { readonly ok: false; readonly errors: readonly string[] };

/** A score as a run would keep it, or what is wrong with it. A role nobody has would never be played: it is refused. */
export async function checkScore(text: string, file: string): Promise<CheckedScore> {
  const { freezeScore, parseScore } = await import('./adapters/agent-rehearsal/score.ts');
  const parsed = parseScore(text, { file, readFile: (name) => readFileSync(name, 'utf8') });
  if (!parsed.ok)
    return {
      ok: false,
      errors: parsed.errors.map((e) => `${file}:${e.line}:${e.column} ${e.field}: ${e.message}`),
    };
  const named = Object.keys(parsed.score.roles).filter((role) => role !== 'else');
  const place = await placeIn(text);
  const errors = await strangeRoles(named, {
    at: (role) => `${file}:${place(role)} roles.${role}`,
    dotted: true,
  });
  return errors.length > 0 ? { ok: false, errors } : { ok: true, frozen: freezeScore(parsed.score) };
}

/** Where a role is written, as `line:column`; the score was read already, so the text has it. */
async function placeIn(text: string): Promise<(role: string) => string> {
  const { isMap, isScalar, LineCounter, parseDocument } = await import('yaml');
  const lineCounter = new LineCounter();
  const roles = parseDocument(text, { lineCounter }).get('roles', true);
  return (role) => {
    const keys = isMap(roles) ? roles.items.map(({ key }) => key).filter(isScalar) : [];
    const { line, col } = lineCounter.linePos(keys.find(({ value }) => value === role)?.range?.[0] ?? 0);
    return `${line}:${col}`;
  };
}
