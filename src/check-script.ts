import { readFileSync } from 'node:fs';
import { strangeRoles } from './workflow-table.ts';

type CheckedScript =
  | { readonly ok: true; readonly script_text: string }
  | { readonly ok: false; readonly errors: readonly string[] };

/**
 * Returns the script in the form a run stores, or its errors. A role that no workflow has is an error, because nothing
 * would ever play it.
 */
export async function checkScript(text: string, file: string): Promise<CheckedScript> {
  const { serialiseScript, parseScript } = await import('./adapters/agent-rehearsal/script.ts');
  const parsed = parseScript(text, { file, readFile: (name) => readFileSync(name, 'utf8') });
  if (!parsed.ok)
    return {
      ok: false,
      errors: parsed.errors.map((e) => `${file}:${e.line}:${e.column} ${e.field}: ${e.message}`),
    };
  const named = Object.keys(parsed.script.roles).filter((role) => role !== 'else');
  const location = await locationIn(text);
  const errors = await strangeRoles(named, {
    at: (role) => `${file}:${location(role)} roles.${role}`,
    dotted: true,
  });
  return errors.length > 0
    ? { ok: false, errors }
    : { ok: true, script_text: serialiseScript(parsed.script) };
}

/** Finds where a role is written, as `line:column`. The script was parsed before, so the text contains every role. */
async function locationIn(text: string): Promise<(role: string) => string> {
  const { isMap, isScalar, LineCounter, parseDocument } = await import('yaml');
  const lineCounter = new LineCounter();
  const roles = parseDocument(text, { lineCounter }).get('roles', true);
  return (role) => {
    const keys = isMap(roles) ? roles.items.map(({ key }) => key).filter(isScalar) : [];
    const { line, col } = lineCounter.linePos(keys.find(({ value }) => value === role)?.range?.[0] ?? 0);
    return `${line}:${col}`;
  };
}
