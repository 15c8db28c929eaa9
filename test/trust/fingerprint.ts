import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import path from 'node:path';

/** Every entry below a folder with its kind, rights and content, by its path. Names in `without` are left out. */
export function fingerprint(folder: string, without: readonly string[] = []): Record<string, string> {
  const found: Record<string, string> = {};
  for (const name of readdirSync(folder, { recursive: true }) as string[]) {
    if (without.some((one) => name === one || name.startsWith(`${one}/`))) continue;
    const at = path.join(folder, name);
    const stat = lstatSync(at);
    const content = stat.isSymbolicLink() ? readlinkSync(at) : stat.isFile() ? readFileSync(at) : '';
    found[name] = `${stat.mode.toString(8)} ${createHash('sha256').update(content).digest('hex')}`;
  }
  return found;
}
