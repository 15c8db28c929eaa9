import { expect } from 'vitest';
import type { Done, World } from '../surfaces/end-to-end.ts';

/** The fields of a ticket these tests look at. */
export interface Ticket {
  readonly id: string;
  readonly workflow_state: string;
  readonly description: string;
  readonly criteria: readonly { readonly text: string }[];
  readonly risk_classes: readonly string[];
}

/** Where a drive came to rest, as `--json` reports it. */
export interface StopPoint {
  readonly phase: string;
  readonly gate: string | null;
  readonly asks: { readonly name: string; readonly digest: string } | null;
  readonly pause: { readonly cause: string; readonly classes: readonly string[] } | null;
}

/** One operation without a terminal; its result. */
export async function call<T>(world: World, operation: string, input: unknown): Promise<T> {
  const done = await world.run('call', operation, JSON.stringify(input), '--json');
  expect([done.code, done.stderr]).toEqual([0, '']);
  return (JSON.parse(done.stdout) as { result: T }).result;
}

export async function create(world: World, title: string, ...options: string[]): Promise<void> {
  const done = await world.run('ticket', 'create', title, ...options);
  expect([done.code, done.stderr]).toEqual([0, '']);
}

export function ticket(world: World, id = 'B-1'): Promise<Ticket> {
  return call<Ticket>(world, 'get_task', { task_id: id });
}

/** The last resting place that a `--json` command reported. */
function stopPointOf({ stdout, stderr }: Done): StopPoint {
  const lines = stdout.split('\n').flatMap((line) => (line.startsWith('{') ? [JSON.parse(line)] : []));
  const rest = lines.findLast(({ type }: { type: string }) => type === 'waiting');
  if (!rest) throw new Error(`no resting place in: ${stdout}${stderr}`);
  return rest;
}

/** A person conducts in a terminal. */
export async function conduct(world: World, ...flags: string[]): Promise<StopPoint> {
  return stopPointOf(await world.person('conduct', 'B-1', ...flags, '--json'));
}

/** A person answers exactly the gate they were shown. */
export async function answer(world: World, { gate, asks }: StopPoint, ...words: string[]): Promise<Done> {
  const done = await world.person('answer', String(gate), ...words, '--digest', asks?.digest ?? '');
  expect(done.stdout + done.stderr).not.toContain('refused');
  return done;
}
