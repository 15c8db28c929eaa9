import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** Writes the person's settings below a configuration folder, for their owner alone. */
export function writePersonConfig(config: string, text: string): string {
  const file = path.join(config, 'baton', 'config.yaml');
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text, { mode: 0o600 });
  return file;
}
