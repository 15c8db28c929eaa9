import { calledScripts, readScripts } from './called-scripts.ts';

/** Files of the project that define what a check command means. Null: missing or unreadable. */
export interface CommandFiles {
  readonly package_json: string | null;
  readonly makefile: string | null;
  /**
   * The command that `baton.yaml` sets for this check now. It does not run: a run's commands are fixed at its start.
   */
  readonly configured: string | null;
}

export interface DescribedCommand {
  /** The command to run. For a known test runner it has a flag that makes the runner name every test. */
  readonly line: string;
  /** The command and every npm script or make target it calls, as text. Two equal texts run the same commands. */
  readonly text: string;
}

/** Resolves a check command in a tree. Total: unreadable parts are left out. */
export function describeCommand(command: string, files: CommandFiles): DescribedCommand {
  const scripts = readScripts(files.package_json);
  const texts = [command];
  const seen = new Set<string>();
  for (let n = 0; n < texts.length && seen.size < MOST_CALLED; n += 1) {
    const text = texts[n] ?? '';
    for (const name of calledScripts(text)) addScripts(texts, seen, scripts, name);
    for (const target of calledTargets(text)) addTarget(texts, seen, files.makefile ?? '', target);
  }
  if (files.configured !== null && files.configured !== command)
    texts.push(`baton.yaml: ${files.configured}`);
  return { line: withNames(command, scripts), text: texts.join('\n') };
}

const MOST_CALLED = 50;

function addScripts(
  texts: string[],
  seen: Set<string>,
  scripts: ReadonlyMap<string, string>,
  name: string,
): void {
  if (seen.has(`script ${name}`)) return;
  seen.add(`script ${name}`);
  for (const one of [`pre${name}`, name, `post${name}`]) {
    const script = scripts.get(one);
    if (script !== undefined) texts.push(`${one}: ${script}`);
  }
}

function addTarget(texts: string[], seen: Set<string>, makefile: string, target: string): void {
  if (seen.has(`target ${target}`)) return;
  seen.add(`target ${target}`);
  const lines = makefile.split('\n');
  const at = lines.findIndex((line) => /^[^\s#:=][^:=]*:(?!=)/.test(line) && isTarget(line, target));
  if (at === -1) return;
  const end = lines.findIndex((line, n) => n > at && line !== '' && !/^[\t#]/.test(line));
  texts.push(
    lines
      .slice(at, end === -1 ? undefined : end)
      .join('\n')
      .trim(),
  );
}

function isTarget(line: string, target: string): boolean {
  return line.slice(0, line.indexOf(':')).trim().split(/\s+/).includes(target);
}

function calledTargets(text: string): string[] {
  return [...text.matchAll(/(?:^|[\s;&|])make((?:\s+[\w./=-]+)+)/g)].flatMap(([, words = '']) =>
    words
      .trim()
      .split(/\s+/)
      .filter((word) => !word.startsWith('-') && !word.includes('=')),
  );
}

interface Runner {
  /** Matches a text that runs only this tool. */
  readonly runs: RegExp;
  /** Options with which the flag would not work. */
  readonly unless: RegExp;
  readonly flag: string;
}

/**
 * Flags that make a runner name every test and change nothing else. Node, mocha, AVA and cargo always name theirs.
 * Other runners are compared by their counts.
 */
const RUNNERS: readonly Runner[] = [
  {
    runs: /^vitest(?: run)?(?!\S)/,
    unless: /--(?:reporter|outputFile|silent|watch)\b|-w\b/,
    flag: '--reporter=verbose',
  },
  { runs: /^jest(?!\S)/, unless: /--(?:verbose|silent|reporters|json|watch\w*)\b/, flag: '--verbose' },
  {
    runs: /^(?:python3? -m )?pytest(?!\S)/,
    unless: /(?:^|\s)-(?:v|q|-verbose|-quiet|-verbosity)/,
    flag: '-v',
  },
  { runs: /^python3? -m unittest(?!\S)/, unless: /(?:^|\s)-(?:v|q|-verbose|-quiet)/, flag: '-v' },
  { runs: /^go test(?!\S)/, unless: /(?:^|\s)-(?:v|json|args|exec)\b/, flag: '-v' },
];

/** A shell text that is one plain call: no second command, no redirection, no shell expansion. */
const PLAIN = /^[^;&|<>$`\n#()\\]*$/;

function withNames(command: string, scripts: ReadonlyMap<string, string>): string {
  const script = /^npm (?:test|t|run(?:-script)? [\w:.-]+)$/.test(command)
    ? npmScript(command, scripts)
    : null;
  const flag = flagOf(script ?? command);
  if (flag === null) return command;
  if (script !== null) return `${command} -- ${flag}`;
  // Arguments after the packages of `go test` go to the tests themselves, so the flag comes first.
  return command.startsWith('go test') ? command.replace('go test', `go test ${flag}`) : `${command} ${flag}`;
}

function npmScript(command: string, scripts: ReadonlyMap<string, string>): string {
  const name = command.split(' ').at(-1) ?? '';
  return scripts.get(name === 't' ? 'test' : name) ?? '';
}

function flagOf(text: string): string | null {
  const plain = text.trim().replace(/^(?:\w+=[\w./:-]* )*(?:npx (?:--no-install )?)?/, '');
  if (!PLAIN.test(plain) || plain.includes(' -- ')) return null;
  const runner = RUNNERS.find(({ runs }) => runs.test(plain));
  return runner && !runner.unless.test(plain) ? runner.flag : null;
}
