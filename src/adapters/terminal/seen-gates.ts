import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';

/** A gate, identified by what it shows. */
interface Shown {
  readonly id: string;
  readonly iteration: number;
  readonly digest: string;
}

/**
 * Gates already shown to the person who owns this state directory. Best effort: if a note is lost, the gate is shown
 * again.
 */
export interface SeenGates {
  has(gate: Shown): Promise<boolean>;
  add(gate: Shown): Promise<void>;
  forget(id: string): Promise<void>;
}

export function openSeenGates(home: string): SeenGates {
  const folder = path.join(home, 'seen');
  const fileOf = (id: string) => path.join(folder, encodeURIComponent(id));
  return {
    has: async (gate) => (await readFile(fileOf(gate.id), 'utf8').catch(() => '')) === noteOf(gate),
    add: async (gate) => {
      await mkdir(folder, { recursive: true, mode: 0o700 }).catch(ignore);
      await writeFile(fileOf(gate.id), noteOf(gate), { mode: 0o600 }).catch(ignore);
    },
    forget: (id) => rm(fileOf(id), { force: true }).catch(ignore),
  };
}

function noteOf({ iteration, digest }: Shown): string {
  return `${iteration} ${digest}\n`;
}

/** On a full or read-only disk the person sees the gate a second time. There is no other effect. */
function ignore(): void {}
