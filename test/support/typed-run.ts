import { spawn } from 'node:child_process';
import { stripVTControlCharacters } from 'node:util';

/** Gives a command a terminal of its own; part of util-linux. */
const TERMINAL = 'script';

/** What a person who wants the change types at each gate of a deliver run, by the gate's title. */
const ANSWERS: Readonly<Record<string, string>> = {
  'Convention scan': 'skip',
  Spec: 'proceed',
  Commit: 'code_only',
};

/** A gate on the screen whose prompt waits: its title, its id, and nothing typed behind the last sign. */
const ASKS = /^(\S.*?) · (\S+\.g\d+)$(?![\s\S]*^\S.* · \S+\.g\d+$)[\s\S]*^› $/m;

export interface TypedRun {
  readonly code: number | null;
  /** Everything the terminal showed, without its signs for colours and places. */
  readonly screen: string;
  /** Titles of the gates that were answered. */
  readonly answered: readonly string[];
}

/**
 * Types a command into a terminal of its own and answers its gates as they come. A gate
 * there is no answer for is left by Ctrl-C.
 */
export function typeRun(
  argv: readonly string[],
  location: { cwd: string; env: NodeJS.ProcessEnv },
  answers: Readonly<Record<string, string>> = ANSWERS,
): Promise<TypedRun> {
  const command = argv.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ');
  const child = spawn(TERMINAL, ['-qfec', command, '/dev/null'], { ...location, detached: true });
  const asked = new Map<string, string>();
  let screen = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    screen += chunk;
    const [, title = '', id = ''] = ASKS.exec(plain(screen)) ?? [];
    if (id === '' || asked.has(id)) return;
    asked.set(id, title);
    const answer = answers[title];
    child.stdin.write(answer === undefined ? '\x03' : `${answer}\r`);
  });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, screen: plain(screen), answered: [...asked.values()] }));
  });
}

function plain(text: string): string {
  return stripVTControlCharacters(text).replaceAll('\r', '');
}
