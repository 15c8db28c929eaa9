import { readFile } from 'node:fs/promises';
import type { ZodType } from 'zod';
import { type AdapterError, failure } from './engine/errors.ts';
import { errno } from './engine/system-error.ts';

/** A settings file: its path, and its name in errors and warnings. */
export interface SettingsFile {
  readonly path: string;
  readonly name: string;
}

/** Content of a YAML file, or an empty group if there is no file. An unreadable file throws an error that names it. */
export async function readSettingsFile({ path, name }: SettingsFile): Promise<unknown> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if (errno(error) === 'ENOENT') return {};
    throw failure('config_unreadable', `${name}: ${String(error)}`);
  }
  return (await readYaml(text, name)) ?? {};
}

/**
 * Parses the content by its schema. The error for a wrong key or value names it, its file and the nearest known key.
 */
export async function parseSettings<Out>(schema: ZodType<Out>, value: unknown, name: string): Promise<Out> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const { inputProblem } = await import('./engine/refuse-input.ts');
  const { createTranslator } = await import('./runtime/translate.ts');
  const { cliTexts } = await import('./texts.ts');
  const problem = inputProblem(parsed.error, value, await namesIn(schema));
  const { near } = problem.args;
  const hint = near ? [{ msg: 'engine.did_you_mean', args: { near } }] : [];
  throw configError([problem, ...hint].map(createTranslator(cliTexts, 'en')).join(' '), name);
}

/** Error for a refused setting. It names the file. */
export function configError(detail: string, name = 'baton.yaml'): AdapterError {
  return failure('config_refused', `${name}: ${detail}`);
}

/** The settings allowed at a path of the file, from its schema. */
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

async function readYaml(text: string, name: string): Promise<unknown> {
  const { parseDocument } = await import('yaml');
  const document = parseDocument(text);
  const [broken] = document.errors;
  if (broken) throw configError((broken.message.split('\n')[0] ?? '').replace(/:$/, '.'), name);
  try {
    return document.toJS();
  } catch (error) {
    throw configError(String(error), name); // an alias without its anchor, or too many aliases
  }
}
