import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import type { Exit } from '../../ports/processes.ts';
import { endBy, say } from '../agent-process/worker-record.ts';
import type { Part } from './kind.ts';

// The worker process of a plain command: `worker.ts <part.json>`. It records the output and the exit of the command, so
// that both are found if Baton itself is killed meanwhile.

const LONGEST_LINE = 64 * 1024;
const NOT_STARTED = 127;
const LAST_WORDS_MS = 1000;

const { argv, prompt } = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as Part;
let asked = false;
// The command is in our process group and gets the interrupt too. We wait for its last output. Leftovers are killed
// anyway.
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

/** Reads all output first. The wait is limited, because a process left behind may hold stdout open for ever. */
async function finish(exit: Exit): Promise<void> {
  await Promise.race([once(child, 'close'), wait(LAST_WORDS_MS)]);
  if (rest !== '') sayLines([rest]);
  endBy(exit, asked);
}

/**
 * Text beyond this is dropped, so that the closing stays within the part of a stream that is read. The result has its
 * own file.
 */
const LONGEST_TEXT = 16 * 1024 * 1024;
let kept = 0;

function sayLines(lines: readonly string[]): void {
  if (kept > LONGEST_TEXT) return;
  kept += say({ type: 'text', text: lines.join('\n') });
  const last = lines.findLast((line) => /[\p{L}\p{N}]/u.test(line));
  if (last !== undefined) kept += say({ type: 'progress', line: last.trim().slice(0, 200) });
}
