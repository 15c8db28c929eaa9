import { mkdtempSync, readdirSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** A folder that can be the whole PATH: every program of this machine but one. */
export function programsWithout(name: string): { readonly dir: string; remove(): void } {
  const dir = realpathSync(mkdtempSync(path.join(tmpdir(), 'baton-programs-')));
  const seen = new Set([name]);
  for (const folder of (process.env.PATH ?? '').split(path.delimiter)) {
    for (const program of listed(folder)) {
      if (seen.has(program)) continue;
      seen.add(program);
      symlinkSync(path.join(folder, program), path.join(dir, program));
    }
  }
  return { dir, remove: () => rmSync(dir, { recursive: true, force: true }) };
}

function listed(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // a PATH may name folders that do not exist
  }
}
