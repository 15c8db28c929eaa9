import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { ZodType } from 'zod';
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
  const problem = inputProblem(parsed.error, value, await namesIn(Config));
  const { near } = problem.args;
  const hint = near ? [{ msg: 'engine.did_you_mean', args: { near } }] : [];
  throw configError([problem, ...hint].map(createTranslator(null, 'en')).join(' '));
}

/** Settings there are at a place of the file, from its schema. */
async function namesIn(schema: ZodType): Promise<(path: readonly PropertyKey[]) => string[]> {
  const { toJSONSchema } = await import('zod');
  interface Node {
    readonly properties?: Readonly<Record<string, Node>>;
    readonly additionalProperties?: Node | boolean;
    readonly anyOf?: readonly Node[];
  }
  const below = ({ properties, additionalProperties, anyOf = [] }: Node, key: string): Node[] => {
    const own = properties?.[key] ?? additionalProperties;
    return [...(typeof own === 'object' ? [own] : []), ...anyOf.flatMap((one) => below(one, key))];
  };
  const namesOf = ({ properties = {}, anyOf = [] }: Node): string[] => [
    ...Object.keys(properties),
    ...anyOf.flatMap(namesOf),
  ];
  const top = toJSONSchema(schema, { io: 'input', unrepresentable: 'any', reused: 'inline' }) as Node;
  return (path) =>
    path.reduce<Node[]>((at, key) => at.flatMap((node) => below(node, String(key))), [top]).flatMap(namesOf);
}

async function readYaml(text: string): Promise<unknown> {
  const { parseDocument } = await import('yaml');
  const document = parseDocument(text);
  const [broken] = document.errors;
  if (broken) throw configError((broken.message.split('\n')[0] ?? '').replace(/:$/, '.'));
  try {
    return document.toJS();
  } catch (error) {
    throw configError(String(error)); // an alias without its anchor, or more aliases than anybody means
  }
}

/** A setting that is refused: named with its file. */
export function configError(detail: string): AdapterError {
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
