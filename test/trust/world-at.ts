import { spawn } from 'node:child_process';
import type { Done, World } from '../surfaces/end-to-end.ts';

/** The command line of a world, given in another folder. */
export interface WorldAt {
  run(...args: string[]): Promise<Done>;
  /** On a terminal of its own, as a person would; it never asks. */
  person(...args: string[]): Promise<Done>;
  /** Runs with `--json`; the last line as a value. */
  json<Value>(...args: string[]): Promise<Value>;
}

export function worldAt(world: World, cwd: string, more: Readonly<Record<string, string>> = {}): WorldAt {
  const env = { ...process.env, BATON_HOME: world.home, LANG: 'en_US.UTF-8', NO_COLOR: '1', ...more };
  const launch = (program: string, args: readonly string[]): Promise<Done> =>
    new Promise((resolve, reject) => {
      const child = spawn(program, args, { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
      const out: Buffer[] = [];
      const err: Buffer[] = [];
      child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
      child.stderr.on('data', (chunk: Buffer) => err.push(chunk));
      child.on('error', reject);
      child.on('close', (code, signal) => {
        const [stdout, stderr] = [out, err].map((chunks) => Buffer.concat(chunks).toString());
        resolve({ code, signal, stdout: stdout ?? '', stderr: stderr ?? '' });
      });
    });
  const run = (...args: string[]) => launch(process.execPath, [world.main, ...args]);
  const quoted = (word: string) => `'${word.replaceAll("'", "'\\''")}'`;
  return {
    run,
    person: (...args) => {
      const command = [process.execPath, world.main, ...args, '--no-input'].map(quoted).join(' ');
      return launch('script', ['-qec', command, '/dev/null']);
    },
    json: async (...args) =>
      JSON.parse((await run(...args, '--json')).stdout.trim().split('\n').at(-1) ?? ''),
  };
}
