import type { RunEvent } from '../../src/contract/event.ts';
import type { TrustLevel } from '../../src/contract/ticket.ts';
import { isRejection } from '../../src/engine/rejection.ts';
import type { Deps } from '../../src/runtime/deps.ts';
import type { DriveHandle } from '../../src/runtime/views.ts';
import { type Lab, TESTER } from './lab.ts';

export const MINUTE = 60_000;

/** What a person or time can change while a run goes on. */
export interface Setting {
  trust: TrustLevel;
  now: number;
}

export function setting(trust: TrustLevel = 'balanced'): Setting {
  return { trust, now: Date.parse('2030-01-01T00:00:00.000Z') };
}

/** A composition in that setting; its clock stands still unless the test moves it. */
export function within(set: Setting, more: (deps: Deps) => Deps = (deps) => deps) {
  return (deps: Deps): Deps =>
    more({
      ...deps,
      trust: async () => set.trust,
      attend_minutes: async () => 10,
      clock: { now: () => new Date(set.now).toISOString() },
    });
}

/** Another process on the same host, alive as long as `dead` does not say otherwise. */
export function asProcess(pid: number, dead: ReadonlySet<number> = new Set()) {
  return (deps: Deps): Deps => ({
    ...deps,
    processes: {
      ...deps.processes,
      self: () => ({ host: 'here', pid, start: String(pid) }),
      isAlive: (holder) => !dead.has(holder.pid),
    },
  });
}

/** Stations with these texts, all of them forward gates unless a text begins with another name. */
export function stations(...texts: string[]) {
  return texts.map((text) => {
    const [gate = '', rest] = text.split(':');
    return ['hard', 'form', 'review'].includes(gate) ? { gate, text: rest ?? gate } : { text };
  });
}

export function flag(mode: string, one_shot = false) {
  return { invocation: { mode, one_shot, person: TESTER } };
}

export async function reopened(lab: Lab, run: string, mode?: string, one_shot = false): Promise<DriveHandle> {
  const opened = await lab.api.open({
    run,
    attended: false,
    invocation: mode === undefined ? undefined : flag(mode, one_shot).invocation,
  });
  if (isRejection(opened)) throw new Error(JSON.stringify(opened));
  return opened;
}

/** Events of these types, as what they tell. */
export async function told(
  lab: Lab,
  run: string,
  ...types: RunEvent['type'][]
): Promise<Readonly<Record<string, unknown>>[]> {
  const events = await lab.deps.store.events(run, 0, 1000);
  return events.flatMap(({ type, input }) =>
    types.includes(type) ? [{ type, ...(input as Readonly<Record<string, unknown>>) }] : [],
  );
}

/** Texts of the stations whose accept was carried out, in order. */
export async function accepted(lab: Lab, run: string): Promise<unknown[]> {
  const records = await lab.deps.store.records(run, 'entry', 'accepted');
  return records.map(({ record }) => (record.kind === 'entry' ? record.data : null));
}
