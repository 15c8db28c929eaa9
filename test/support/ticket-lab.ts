import type { ConductState } from '../../src/contract/conduct.ts';
import { isRejection } from '../../src/engine/rejection.ts';
import { labsOfTest } from '../scenario/quick-lab.ts';
import { callerOf } from './caller.ts';
import { type Lab, type LabOptions, TESTER } from './lab.ts';

/** Labs of one test file with the real workflow of tickets. Every look at the clock is a second later, so that who waited longest is never a draw. */
export function ticketLabs() {
  const labs = labsOfTest();
  return async (
    policy: Partial<{ acknowledge: boolean; shadow_judge: boolean }> = {},
    more: LabOptions = {},
  ): Promise<Lab> => {
    let second = 0;
    return labs.open({
      ...more,
      wrap: (deps) => ({
        ...(more.wrap?.(deps) ?? deps),
        clock: { ...deps.clock, now: () => new Date(Date.UTC(2026, 10, 1) + 1000 * second++).toISOString() },
        policy: async () => ({
          ...(await deps.policy()),
          conduct: { acknowledge: false, shadow_judge: false, modules: [], globs: [], ...policy },
        }),
      }),
    });
  };
}

export const CLI = callerOf({ ...TESTER, surface: 'cli' }, 'tess');

export async function call<T = Record<string, unknown>>(
  lab: Lab,
  name: string,
  input: unknown,
  by = CLI,
): Promise<T> {
  const result = await lab.api.as(by).operate(name, input);
  if (isRejection(result)) throw new Error(`refused: ${JSON.stringify(result)}`);
  return result as T;
}

export async function create(lab: Lab, title: string, more: object = {}): Promise<string> {
  return (await call<{ id: string }>(lab, 'create_task', { title, ...more })).id;
}

export const ready = (value: unknown) => {
  if (isRejection(value)) throw new Error(`refused: ${JSON.stringify(value)}`);
};

/** Drives the ticket to its next rest, as a controlled drive does. */
export async function conduct(lab: Lab, id: string): Promise<void> {
  ready(await lab.api.command({ run: id, command: 'conduct' }));
  const drive = await lab.api.open({
    run: id,
    attended: false,
    invocation: { mode: 'controlled', one_shot: false },
  });
  if (isRejection(drive)) throw new Error(`refused: ${JSON.stringify(drive)}`);
  await drive.advance();
  await drive.close();
}

export async function stateOf(lab: Lab, id: string): Promise<ConductState> {
  return (await lab.row(id)).state as unknown as ConductState;
}

export const whole = async (lab: Lab) => ({
  rows: await lab.deps.store.states('conduct'),
  events: (await Promise.all((await lab.api.list(true)).map(({ id }) => lab.api.log(id, 0)))).flat(),
});
