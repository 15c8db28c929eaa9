import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Holder } from '../../contract/run.ts';
import { errno } from '../../engine/system-error.ts';
import type { Processes } from '../../ports/processes.ts';

export interface SlotOptions {
  /** Folder shared by all processes that work on the repository. */
  readonly dir: string;
  /** How many workers and checks may run at once. It is read before each start. */
  readonly most: () => Promise<number>;
}

const POLL_MS = 100;
/** An empty file this old was left by a process that died while creating it. */
const UNWRITTEN_MS = 5_000;

/**
 * Limits how many processes run at once, counted over all Baton processes that share `dir`. The slot of a dead holder
 * is free. This keeps the machine usable. It is not a lock: nothing else depends on it.
 */
export function limitProcesses(processes: Processes, options: SlotOptions): Processes {
  return {
    ...processes,
    async spawn(spec) {
      const release = await takeSlot(processes, options, spec.signal);
      try {
        const running = await processes.spawn(spec);
        void running.exit.finally(release);
        return running;
      } catch (error) {
        release();
        throw error;
      }
    },
  };
}

/** Waits for a free slot. An abort ends the wait without a slot, and the caller sees the signal. */
async function takeSlot(
  processes: Processes,
  { dir, most }: SlotOptions,
  signal: AbortSignal | undefined,
): Promise<() => void> {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const count = await most();
  for (;;) {
    for (let n = 0; n < count; n++) {
      const file = path.join(dir, String(n));
      if (tryTake(processes, file)) return () => rmSync(file, { force: true });
    }
    if (signal?.aborted) return () => undefined;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

function tryTake(processes: Processes, file: string): boolean {
  try {
    writeFileSync(file, JSON.stringify(processes.self()), { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if (errno(error) !== 'EEXIST') throw error;
    if (isHeld(processes, file)) return false;
    rmSync(file, { force: true });
    return false; // free at the next try, for the first process that tries
  }
}

function isHeld(processes: Processes, file: string): boolean {
  try {
    const text = readFileSync(file, 'utf8');
    if (text === '') return Date.now() - statSync(file).mtimeMs < UNWRITTEN_MS;
    return processes.isAlive(JSON.parse(text) as Holder);
  } catch {
    return false; // gone meanwhile, or not a holder that we can read
  }
}
