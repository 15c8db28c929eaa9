import * as z from 'zod';
import { type DescribedCommand, describeCommand } from '../../engine/checks/describe-command.ts';
import { validatePath } from '../../engine/paths.ts';
import type { RealPath } from '../../files/real-path.ts';
import { readText } from './read-text.ts';

/** Input of the query `check_command`. */
export const CheckCommandInput = z.strictObject({ name: z.string(), command: z.string() });

const MAKEFILES = ['GNUmakefile', 'makefile', 'Makefile'];

/** Describes a check command in this tree, from the files that define it. */
export async function findCheckCommand(
  location: { readonly root: RealPath; readonly namespace: string },
  { name, command }: z.infer<typeof CheckCommandInput>,
): Promise<DescribedCommand> {
  const read = async (file: string): Promise<string | null> => {
    const path = validatePath(file, 'file_reference', location);
    const text = path.ok ? await readText(location.root, path.path) : path;
    return text.ok ? text.text : null;
  };
  let makefile: string | null = null;
  for (const file of MAKEFILES) makefile ??= await read(file);
  return describeCommand(command, {
    package_json: await read('package.json'),
    makefile,
    configured: await configuredCommand(await read('baton.yaml'), name),
  });
}

async function configuredCommand(text: string | null, name: string): Promise<string | null> {
  if (text === null) return null;
  // Loaded on first use: most projects have no such file.
  const { parse } = await import('yaml');
  try {
    const { checks } = (parse(text) ?? {}) as { checks?: Record<string, unknown> };
    const command = checks && Object.hasOwn(checks, name) ? checks[name] : null;
    return typeof command === 'string' ? command : null;
  } catch {
    return null; // not YAML: `baton` refuses such a file by itself
  }
}
