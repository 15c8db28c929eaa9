import * as z from 'zod';
import { type DescribedCommand, describeCommand } from '../../../engine/checks/describe-command.ts';
import { type DetectedProject, detectChecks } from '../../../engine/detect-checks.ts';
import { listFolder } from '../../../files/real-files.ts';
import { type TextLocation, textAt } from './read-text.ts';

const Command = z.string().nullable().optional();

/** The commands that a person gave. `checks` are those of `baton.yaml`. */
export const ProjectInput = z.strictObject({
  lint_cmd: z.string().nullable(),
  type_check_cmd: z.string().nullable(),
  scope: z.array(z.string()).nullable(),
  checks: z
    .object({ build: Command, test: Command, lint: Command, type_check: Command, install: Command })
    .prefault({}),
});

export interface ProjectFound extends DetectedProject {
  /** Files that exist but could not be read, so their content is unknown. */
  readonly unread: readonly string[];
}

/** The language and the four commands of the project in this tree, from the file names and two texts of its root. */
export async function findProject(
  location: TextLocation,
  input: z.infer<typeof ProjectInput>,
): Promise<ProjectFound> {
  const entries = await listFolder(location.root);
  const names = entries.filter((entry) => entry.isFile() || entry.isSymbolicLink()).map(({ name }) => name);
  const read = async (name: string) =>
    names.includes(name) ? ((await textAt(location, name))?.text ?? null) : null;
  const texts = { package_json: await read('package.json'), pyproject: await read('pyproject.toml') };
  const missing = { 'package.json': texts.package_json, 'pyproject.toml': texts.pyproject };
  const unread = Object.entries(missing).flatMap(([name, text]) =>
    text === null && names.includes(name) ? [name] : [],
  );
  return { ...detectChecks({ names: names.sort(), texts }, toCheckOptions(input)), unread };
}

function toCheckOptions({
  checks,
  ...rest
}: z.infer<typeof ProjectInput>): Parameters<typeof detectChecks>[1] {
  const given = Object.entries(checks).filter(([, command]) => command !== undefined);
  return { ...rest, checks: Object.fromEntries(given) };
}

/** Input of the query `check_command`. */
export const CheckCommandInput = z.strictObject({ name: z.string(), command: z.string() });

const MAKEFILES = ['GNUmakefile', 'makefile', 'Makefile'];

/** Describes a check command in this tree, from the files that define it. */
export async function findCheckCommand(
  location: TextLocation,
  { name, command }: z.infer<typeof CheckCommandInput>,
): Promise<DescribedCommand> {
  const read = async (file: string) => (await textAt(location, file))?.text ?? null;
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
