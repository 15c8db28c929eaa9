const RUNS =
  /\b(?:npm|pnpm|yarn|bun)((?:\s+-[\w=:./-]+)*)\s+(?:(?:run|run-script)\s+)?((?:-[\w=:./-]+\s+)*)([\w:.-]+)/g;

/** Names of the npm scripts that a shell text calls. */
export function calledScripts(text: string): string[] {
  return [...text.matchAll(RUNS)].flatMap(([, , , name]) => (name ? [name] : []));
}

/** The scripts of a `package.json`. Empty if it is not JSON, because npm cannot run them either. */
export function readScripts(manifest: string | null): ReadonlyMap<string, string> {
  try {
    const { scripts } = JSON.parse((manifest ?? '{}').replace(/^\ufeff/, '')) as { scripts?: object };
    const entries = Object.entries(scripts ?? {}).filter((entry) => typeof entry[1] === 'string');
    return new Map(entries as [string, string][]);
  } catch {
    return new Map();
  }
}
