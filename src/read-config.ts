import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Config } from './contract/config.ts';
import type { Policy } from './contract/run.ts';
import { AdapterError } from './engine/errors.ts';

/** `baton.yaml` of the folder, or the defaults. A wrong key or value is an error that names it. */
export async function readConfig(root: string): Promise<Config> {
  const { Config } = await import('./contract/config.ts');
  const file = path.join(root, 'baton.yaml');
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return Config.parse({});
    throw new AdapterError({
      code: 'config_unreadable',
      retry: 'permanent',
      detail: `baton.yaml: ${String(error)}`,
    });
  }
  const value = (await readYaml(text)) ?? {};
  const parsed = Config.safeParse(value);
  if (parsed.success) return parsed.data;
  const { inputProblem } = await import('./engine/refuse-input.ts');
  const { createTranslator } = await import('./runtime/translate.ts');
  throw configError(createTranslator(null, 'en')(inputProblem(parsed.error, value)));
}

async function readYaml(text: string): Promise<unknown> {
  const { parseDocument } = await import('yaml');
  const document = parseDocument(text);
  const [broken] = document.errors;
  if (broken) throw configError(broken.message.split('\n')[0] ?? '');
  try {
    return document.toJS();
  } catch (error) {
    throw configError(String(error)); // an alias without its anchor, or more aliases than anybody means
  }
}

function configError(detail: string): AdapterError {
  return new AdapterError({ code: 'config_refused', retry: 'permanent', detail: `baton.yaml: ${detail}` });
}

/** What a run that starts now keeps of the settings. */
export function toPolicy(config: Config): Policy {
  const { namespace, ticket_key, agent, agents, budget, checks, release, sandbox } = config;
  const { shared_core, ...switches } = config.conduct;
  const conduct = { ...switches, ...shared_core };
  const roles = Object.entries(config.roles).map(
    ([role, set]) => [role, typeof set === 'string' ? { as: set } : set] as const,
  );
  const bound = Object.fromEntries(roles.flatMap(([role, { as }]) => (as === undefined ? [] : [[role, as]])));
  const by_role = Object.fromEntries(
    roles
      .filter(([, set]) => set.agent !== undefined || set.model !== undefined)
      .map(([role, { as: _, ...set }]) => [role, set]),
  );
  const start = { score: null, in_place: false, tree: 'checkout', unattended: false } as const;
  const set = { namespace, ticket_key, agent, agents, budget, checks, release, sandbox, conduct };
  return { ...set, bound, by_role, ...start };
}
