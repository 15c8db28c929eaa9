import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import type { Exit } from '../../ports/processes.ts';
import { endBy, say } from '../agent-process/worker-record.ts';
import type { Part } from './part.ts';

// The worker process of a plain command: `worker.ts <part.json>`. It keeps what the command says and how it ended, so
// that both are found when Baton itself was killed meanwhile.

const LONGEST_LINE = 64 * 1024;
const NOT_STARTED = 127;
const LAST_WORDS_MS = 1000;

const { argv, prompt } = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as Part;
let asked = false;
// The command gets the interrupt too, as one of our group; its last words are waited for. The sweep comes anyway.
process.on('SIGINT', () => {
  asked = true;
});

const [program = '', ...args] = argv;
// Our own stdin is a file that holds the task.
const child = spawn(program, args, { stdio: [prompt === 'stdin' ? 'inherit' : 'ignore', 'pipe', 'inherit'] });
let rest = '';
child.stdout.setEncoding('utf8');
child.stdout.on('data', (chunk: string) => {
  const lines = (rest + chunk).split('\n');
  rest = lines.at(-1) ?? '';
  if (rest.length < LONGEST_LINE) lines.pop();
  else rest = '';
  if (lines.length > 0) sayLines(lines);
});
child.on('error', ({ message }) => {
  say({ type: 'closing', outcome: 'unavailable', detail: message });
  process.exit(NOT_STARTED);
});
child.on('exit', (code, signal) => void finish({ code, signal }));

/** All it said is read first; a process it left behind may hold its stdout for ever. */
async function finish(exit: Exit): Promise<void> {
  await Promise.race([once(child, 'close'), wait(LAST_WORDS_MS)]);
  if (rest !== '') sayLines([rest]);
  endBy(exit, asked);
}

/** Beyond this nothing is kept: the closing must stay within what is read of a stream. Its result has a file. */
const LONGEST_TEXT = 16 * 1024 * 1024;
let kept = 0;

function sayLines(lines: readonly string[]): void {
  if (kept > LONGEST_TEXT) return;
  kept += say({ type: 'text', text: lines.join('\n') });
  const last = lines.findLast((line) => /[\p{L}\p{N}]/u.test(line));
  if (last !== undefined) kept += say({ type: 'progress', line: last.trim().slice(0, 200) });
}
