import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import * as z from 'zod';
import { Script } from '../src/adapters/agent-rehearsal/script-schema.ts';
import { Config } from '../src/contract/config.ts';
import { PersonConfig } from '../src/contract/person-config.ts';

const FOLDER = 'docs/schema';

/** The JSON Schemas we publish for files people write, by file name. */
export function publishedSchemas(): Record<string, unknown> {
  return {
    'baton.json': { title: 'Baton settings (baton.yaml)', ...z.toJSONSchema(Config, { io: 'input' }) },
    'person.json': {
      title: 'Baton settings of a person (config.yaml)',
      ...z.toJSONSchema(PersonConfig, { io: 'input' }),
    },
    'script.json': { title: 'Baton rehearsal script', ...z.toJSONSchema(Script, { io: 'input' }) },
  };
}

if (import.meta.main) writeSchemas();

function writeSchemas(): void {
  mkdirSync(FOLDER, { recursive: true });
  for (const [name, schema] of Object.entries(publishedSchemas())) {
    const file = `${FOLDER}/${name}`;
    writeFileSync(file, `${JSON.stringify(schema, null, 2)}\n`);
    execFileSync(process.execPath, ['node_modules/@biomejs/biome/bin/biome', 'format', '--write', file]);
    console.log(`wrote ${file}`);
  }
}
