import { spawn } from 'node:child_process';
import { stripVTControlCharacters } from 'node:util';
import type { World } from '../surfaces/end-to-end.ts';

/** Gives a command a terminal of its own; part of util-linux. */
const TERMINAL = 'script';
/** The line above a gate: its title and its id. */
const GATE = /^(\S.*?) · \S+\.g\d+/gm;

/** What a person types at each gate, by the gate's title, one prompt after the other. */
export type TypedAnswers = Readonly<Record<string, readonly string[]>>;

/** The gates of a deliver run up to the one that is looked at. */
export const TO_COMMIT: TypedAnswers = { 'Convention scan': ['skip'], Spec: ['proceed'] };

/**
 * Runs the shipped command line on a real terminal and types the answers as the prompts come; a prompt without an
 * answer is left by Ctrl-C. Returns everything the terminal was sent, byte for byte.
 */
export function typeGates(
  world: World,
  args: readonly string[],
  answers: TypedAnswers,
  more: Readonly<Record<string, string>> = {},
): Promise<string> {
  const command = [process.execPath, world.main, ...args].map(quoted).join(' ');
  const env = {
    ...process.env,
    BATON_HOME: world.home,
    LANG: 'en_US.UTF-8',
    TERM: 'xterm',
    NO_COLOR: '1',
    ...more,
  };
  const child = spawn(TERMINAL, ['-qfec', command, '/dev/null'], { cwd: world.root, env, detached: true });
  const used: Record<string, number> = {};
  let sent = '';
  let read = 0;
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    sent += chunk;
    const plain = stripVTControlCharacters(sent).replaceAll('\r', '');
    if (!/^› $/m.test(plain.slice(read))) return;
    read = plain.length;
    const title = [...plain.matchAll(GATE)].at(-1)?.[1] ?? '';
    const nth = used[title] ?? 0;
    used[title] = nth + 1;
    const answer = answers[title]?.[nth];
    child.stdin.write(answer === undefined ? '\u0003' : `${answer}\r`);
  });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', () => resolve(sent));
  });
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
