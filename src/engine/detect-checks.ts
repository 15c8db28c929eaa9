import type { ChecksConfig } from '../contract/config.ts';
import type { Check } from '../contract/step.ts';
import { parseJson } from './parse-json.ts';

/** The checks in the order they run (WF-47). */
export const CHECK_NAMES = ['build', 'test', 'lint', 'type_check'] as const;
export type CheckName = (typeof CHECK_NAMES)[number];

/** A command and its source: a file of the project, `baton.yaml` or the flag. */
interface FoundCommand {
  readonly command: string;
  readonly source: string;
}

export type CheckCommands = Readonly<Record<CheckName, FoundCommand | null>>;

type ProjectLanguage = 'java' | 'python' | 'typescript' | 'csharp' | 'go' | 'rust' | 'unknown';

export interface DetectedProject extends CheckCommands {
  readonly lang: ProjectLanguage;
  /** The install command. A new tree lacks the ignored folders that the checks need. */
  readonly install: FoundCommand | null;
}

/** Input of the detector: names of the files in the project's root, and the texts of two of them. */
export interface ProjectFiles {
  readonly names: readonly string[];
  readonly texts: { readonly package_json: string | null; readonly pyproject: string | null };
}

/** The person's settings. A flag overrides `baton.yaml`, and both override the detector. */
export interface CheckOptions {
  readonly lint_cmd: string | null;
  readonly type_check_cmd: string | null;
  readonly scope: readonly string[] | null;
  readonly checks: Partial<Pick<ChecksConfig, CheckName | 'install'>>;
}

/**
 * The project's language and its four commands (WF-17, WF-18, WF-19). Reads only the root, so a monorepo must name its
 * commands in `baton.yaml`. Total: a broken `package.json` has no scripts, and no command is taken from it.
 */
export function detectChecks(files: ProjectFiles, checkOptions: CheckOptions): DetectedProject {
  const seen: ProjectSnapshot = {
    ...files,
    scripts: readScripts(files.texts.package_json),
    scope: scopeArguments(checkOptions.scope),
  };
  const project = firstMatch(PROJECTS, seen);
  const found: CheckCommands = {
    build: project ? commandOf(project.row.build, project.source, seen) : null,
    test: project ? commandOf(project.row.test, project.source, seen) : null,
    lint: detectOne(LINT, seen),
    type_check: detectOne(TYPE_CHECK, seen),
  };
  const { checks } = checkOptions;
  return {
    lang: project?.row.lang ?? 'unknown',
    build: chosen(null, checks.build, found.build),
    test: chosen(null, checks.test, found.test),
    lint: chosen(flag(checkOptions.lint_cmd, '--lint-cmd'), checks.lint, found.lint),
    type_check: chosen(
      flag(checkOptions.type_check_cmd, '--type-check-cmd'),
      checks.type_check,
      found.type_check,
    ),
    install: chosen(null, checks.install, detectInstall(files)),
  };
}

const INSTALL: readonly (readonly [lock: string, command: string])[] = [
  ['pnpm-lock.yaml', 'pnpm install --frozen-lockfile'],
  ['yarn.lock', 'yarn install --frozen-lockfile'],
  ['bun.lock', 'bun install --frozen-lockfile'],
  ['bun.lockb', 'bun install --frozen-lockfile'],
  ['package-lock.json', 'npm ci'],
  ['npm-shrinkwrap.json', 'npm ci'],
];

/** The install command of an npm project, by its lock file. Other languages fetch their packages themselves. */
function detectInstall({ names, texts }: ProjectFiles): FoundCommand | null {
  const manifest = asObject(parseFile(texts.package_json ?? ''));
  const needs = ['dependencies', 'devDependencies', 'workspaces'].some(
    (key) => Object.keys((manifest?.[key] as object | undefined) ?? {}).length > 0,
  );
  if (!needs) return null;
  const [source, command] = INSTALL.find(([lock]) => names.includes(lock)) ?? [
    'package.json',
    'npm install --no-package-lock',
  ];
  return { command, source };
}

/** The check step of a project. Null commands are left out, and a failed build skips the rest. */
export function planChecks(commands: CheckCommands, timeout_seconds: number): Check[] {
  return CHECK_NAMES.flatMap((name) => {
    const found = commands[name];
    if (found === null) return [];
    const check: Check = { name, ...found, timeout_seconds };
    return [name === 'build' ? check : { ...check, skip_if_failed: ['build'] }];
  });
}

interface ProjectSnapshot extends ProjectFiles {
  readonly scripts: ReadonlySet<string>;
  readonly scope: string;
}

/** Returns the file that makes a row match, or null. */
type Marker = (seen: ProjectSnapshot) => string | null;

const file =
  (...names: readonly string[]): Marker =>
  (seen) =>
    names.find((name) => seen.names.includes(name)) ?? null;
const suffix =
  (end: string): Marker =>
  (seen) =>
    seen.names.find((name) => name.endsWith(end) && name !== end) ?? null;
const prefix =
  (...starts: readonly string[]): Marker =>
  (seen) =>
    seen.names.find((name) => starts.some((start) => name.startsWith(start))) ?? null;
const table =
  (name: string): Marker =>
  (seen) =>
    seen.names.includes('pyproject.toml') && hasTable(seen.texts.pyproject ?? '', name)
      ? 'pyproject.toml'
      : null;
const script =
  (name: string): Marker =>
  (seen) =>
    seen.names.includes('package.json') && seen.scripts.has(name) ? 'package.json' : null;
const either =
  (...markers: readonly Marker[]): Marker =>
  (seen) =>
    markers.reduce<string | null>((found, marker) => found ?? marker(seen), null);

interface ProjectRow {
  readonly marker: Marker;
  readonly lang: ProjectLanguage;
  readonly test: string | null;
  readonly build: string | null;
}

const PROJECTS: readonly ProjectRow[] = [
  {
    marker: file('build.gradle', 'build.gradle.kts'),
    lang: 'java',
    test: './gradlew test',
    build: './gradlew build',
  },
  { marker: file('pom.xml'), lang: 'java', test: 'mvn test', build: 'mvn compile' },
  { marker: file('pyproject.toml', 'setup.py'), lang: 'python', test: 'pytest', build: null },
  { marker: file('package.json'), lang: 'typescript', test: 'npm test', build: 'npm run build' },
  { marker: suffix('.csproj'), lang: 'csharp', test: 'dotnet test', build: 'dotnet build' },
  { marker: file('go.mod'), lang: 'go', test: 'go test ./...', build: 'go build ./...' },
  { marker: file('Cargo.toml'), lang: 'rust', test: 'cargo test', build: 'cargo build' },
];

/** The script that a command of the table calls. The command is used only if that script exists. */
const CALLS: Readonly<Record<string, string>> = { 'npm test': 'test', 'npm run build': 'build' };

interface CommandRow {
  readonly marker: Marker;
  /** `{scope}` is replaced by the folders of the scope, or `.`. */
  readonly command: string | null;
}

const LINT: readonly CommandRow[] = [
  { marker: script('lint'), command: 'npm run lint' },
  { marker: prefix('.eslintrc', 'eslint.config.'), command: 'npx eslint .' },
  { marker: table('ruff'), command: 'ruff check .' },
  { marker: either(file('.pylintrc'), table('pylint')), command: 'pylint {scope}' },
  { marker: file('.golangci.yml', '.golangci.yaml'), command: 'golangci-lint run' },
  { marker: file('Cargo.toml'), command: 'cargo clippy' },
];

/** C#, Go and Rust have no rows, because their build checks the types. */
const TYPE_CHECK: readonly CommandRow[] = [
  { marker: file('tsconfig.json'), command: 'npx tsc --noEmit' },
  { marker: either(file('mypy.ini'), table('mypy')), command: 'mypy .' },
  { marker: either(file('pyrightconfig.json'), table('pyright')), command: 'pyright' },
];

function firstMatch<R extends { readonly marker: Marker }>(
  rows: readonly R[],
  seen: ProjectSnapshot,
): { row: R; source: string } | null {
  for (const row of rows) {
    const source = row.marker(seen);
    if (source !== null) return { row, source };
  }
  return null;
}

function detectOne(rows: readonly CommandRow[], seen: ProjectSnapshot): FoundCommand | null {
  const match = firstMatch(rows, seen);
  return match ? commandOf(match.row.command, match.source, seen) : null;
}

function commandOf(command: string | null, source: string, seen: ProjectSnapshot): FoundCommand | null {
  if (command === null) return null;
  const called = CALLS[command];
  if (called !== undefined && !seen.scripts.has(called)) return null;
  return { command: command.replace('{scope}', () => seen.scope), source };
}

function flag(command: string | null, name: string): FoundCommand | null {
  return command === null ? null : { command, source: name };
}

function chosen(
  flagged: FoundCommand | null,
  configured: string | null | undefined,
  found: FoundCommand | null,
): FoundCommand | null {
  if (flagged !== null) return flagged;
  if (configured === undefined) return found;
  return configured === null ? null : { command: configured, source: 'baton.yaml' };
}

/** The placeholder script of `npm init`. It does not count as a test script. */
const NO_TEST = 'echo "Error: no test specified" && exit 1';

function readScripts(text: string | null): ReadonlySet<string> {
  const scripts = asObject(asObject(parseFile(text ?? ''))?.scripts) ?? {};
  const real = Object.entries(scripts).filter(
    ([, line]) => typeof line === 'string' && line.trim() !== '' && line.trim() !== NO_TEST,
  );
  return new Set(real.map(([name]) => name));
}

/** Parses a JSON file that may start with a byte order mark. */
function parseFile(text: string): unknown {
  return parseJson(text.replace(/^\ufeff/, ''));
}

function asObject(value: unknown): Readonly<Record<string, unknown>> | null {
  const isObject = value !== null && typeof value === 'object' && !Array.isArray(value);
  return isObject ? (value as Readonly<Record<string, unknown>>) : null;
}

/** Whether TOML has a table of this tool: its own header, or that of a table below it. */
function hasTable(toml: string, tool: string): boolean {
  return toml.split('\n').some((line) => {
    const header = line.trim().replace(/^\[+/, '');
    if (header === line.trim()) return false;
    const end = header.indexOf(']');
    const keys = header.slice(0, Math.max(end, 0)).split('.');
    const [first, second] = keys.map((key) => key.trim().replace(/^["']|["']$/g, ''));
    return first === 'tool' && second === tool;
  });
}

/** The literal path prefixes of a scope's globs, quoted for the shell. `.` if there are none. */
function scopeArguments(scope: readonly string[] | null): string {
  const bases = (scope ?? []).filter((glob) => !glob.startsWith('!')).map(globBase);
  const unique = [...new Set(bases)];
  return unique.length === 0 || unique.includes('.') ? '.' : unique.map(quote).join(' ');
}

function globBase(glob: string): string {
  const parts = glob.split('/');
  const magic = parts.findIndex((part) => /[*?[\]{}()!+@]/.test(part));
  const plain = (magic === -1 ? parts : parts.slice(0, magic)).join('/').replace(/^\.\//, '');
  if (plain === '') return '.';
  return plain.startsWith('-') ? `./${plain}` : plain;
}

function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
