import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';

// What the fake programs share. Each is started as `<file> <scenario> <arguments of the real program>` and speaks the
// real program's format; the scenarios are those of the conformance suite of agents.

export const scenario = process.argv[2];
export const task = () => readFileSync(0, 'utf8');
export const print = (line) =>
  process.stdout.write(`${typeof line === 'string' ? line : JSON.stringify(line)}\n`);
export const RESULT = '```json\n{"ok": true}\n```';

/** A process of its own session, as shells of agents have it. */
export function leaveProcess() {
  spawn('sleep', ['600'], { detached: true, stdio: 'ignore' }).unref();
}

export const hang = () => new Promise(() => setInterval(() => {}, 60_000));
