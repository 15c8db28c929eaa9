import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { say } from '../agent-process/worker-record.ts';
import type { Part } from './part.ts';

// The worker process of the rehearsal agent: `worker.ts <part.json>`. It loads only Node, so that it starts fast. It
// has no write limits of its own, like any other worker.

const HUGE_LINE = 64 * 1024;

void play(JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as Part);

async function play(part: Part): Promise<void> {
  if (part.leaves_process !== null) leaveProcess(part.leaves_process);
  if (part.line !== null) say({ type: 'progress', line: part.line });
  if (part.delay_ms > 0) await wait(part.delay_ms);
  for (const { delay_ms, usage } of part.usage_steps) {
    if (delay_ms > 0) await wait(delay_ms);
    say({ type: 'usage', usage });
  }
  for (const edit of part.edits) applyEdit(edit);
  if (part.runs !== null) runCommand(part.runs);
  for (const what of part.denied) say({ type: 'denied', what });
  sayHuge(part.huge);
  sayResult(part);
  say({ type: 'usage', usage: part.usage });
  await end(part);
}

/** Starts a process outside the worker's session and group. Only its call id and process tag show its origin. */
function leaveProcess(command: string): void {
  spawn('/bin/sh', ['-c', command], { detached: true, stdio: 'ignore' }).unref();
}

/**
 * Runs a command and ignores its exit code, because the worker gives its result in any case. If the command was ended
 * from outside, the worker ends too. A killed call must not look like a finished one.
 */
function runCommand(command: string): void {
  const { signal } = spawnSync('/bin/sh', ['-c', command], { stdio: 'ignore' });
  if (signal === 'SIGTERM') process.kill(process.pid, 'SIGKILL');
}

function applyEdit({ path, content }: Part['edits'][number]): void {
  const file = resolve(path);
  if (content === null) {
    rmSync(file, { force: true });
    return;
  }
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
}

function sayHuge(bytes: number): void {
  for (let left = bytes; left > 0; left -= HUGE_LINE) {
    say({ type: 'text', text: '.'.repeat(Math.min(left, HUGE_LINE)) });
  }
}

function sayResult({ says, result_file }: Part): void {
  if (says.kind === 'text') say({ type: 'text', text: says.text });
  if (says.kind === 'result') giveResult(says, result_file);
}

function giveResult({ channel, value }: Extract<Part['says'], { kind: 'result' }>, file: string): void {
  const json = JSON.stringify(value, null, 2);
  if (channel === 'stream') say({ type: 'result', value });
  if (channel === 'text') say({ type: 'text', text: `\`\`\`json\n${json}\n\`\`\`\n` });
  if (channel === 'file') {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, json);
    say({ type: 'text', text: 'The result is in the result file.' });
  }
}

async function end({ ends }: Part): Promise<void> {
  if (ends.kind === 'crash') process.kill(process.pid, 'SIGKILL');
  if (ends.kind === 'limited') return endLimited(ends.until);
  // A timer, not a bare promise: Node would end a process that has nothing to wait for.
  while (ends.kind !== 'exit') await wait(60_000);
  say({ type: 'closing', exit: ends.code });
  process.exit(ends.code);
}

/** The stream records the absolute time, so that a replay gives the same time. */
function endLimited(given: number | string | null): never {
  const until = typeof given === 'number' ? new Date(Date.now() + given * 1000).toISOString() : given;
  say({ type: 'closing', outcome: 'limited', detail: 'the script says so', until });
  process.exit(1);
}
