import { spawn } from 'node:child_process';
import { stripVTControlCharacters } from 'node:util';
import { TERMINAL, type World } from '../surfaces/end-to-end.ts';

/** A terminal with somebody at it: what it shows can be waited for, and lines can be typed. */
export interface Seat {
  /** The text after the last match of `until`, once it fits. */
  until(pattern: RegExp): Promise<RegExpExecArray>;
  type(line: string): void;
  screen(): string;
  /** Closes the terminal. */
  leave(): void;
  readonly done: Promise<number | null>;
}

/** Opens a terminal made by `script` and runs a shell command there; `baton` is the built program. */
export function sitDown(world: World, command: string): Seat {
  const line = command.replaceAll('baton ', `'${process.execPath}' '${world.main}' `);
  const child = spawn(TERMINAL, ['-qfec', line, '/dev/null'], {
    cwd: world.root,
    env: world.env,
    detached: true,
  });
  const waiting = new Set<() => void>();
  let shown = '';
  let from = 0;
  const show = (text: string) => {
    shown = plain(shown + text);
    for (const check of waiting) check();
  };
  child.stdout.setEncoding('utf8').on('data', show);
  const done = new Promise<number | null>((resolve) => child.on('close', resolve));
  return {
    done,
    screen: () => shown,
    type: (text) => void child.stdin.write(`${text}\r`),
    leave: () => void child.kill('SIGKILL'),
    until: (pattern) =>
      new Promise((resolve, reject) => {
        const check = () => {
          const found = pattern.exec(shown.slice(from));
          if (!found) return;
          from += found.index + found[0].length;
          waiting.delete(check);
          resolve(found);
        };
        waiting.add(check);
        void done.then(() => {
          check();
          reject(new Error(`ended without ${pattern}:\n${shown}`));
        });
        check();
      }),
  };
}

function plain(text: string): string {
  return stripVTControlCharacters(text).replaceAll('\r', '');
}
