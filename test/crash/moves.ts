import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { RunId } from '../../src/contract/ids.ts';
import { DOMAINS } from '../../src/contract/knowledge.ts';
import { isRejection } from '../../src/engine/rejection.ts';
import type { DriveHandle, StopPoint } from '../../src/runtime/views.ts';
import { TESTER } from '../support/caller.ts';
import type { Lab } from '../support/lab.ts';
import { isPushed, pushMain } from './folder.ts';
import type { Move, Scenario } from './scenario.ts';

/** The names that commands of the person are recorded with: with proof of the person, and without. */
const BY: readonly string[] = [TESTER.person, 'test'];

/** The first move that was not made yet, read from the traces of those before it; null when all were. */
export async function nextMove(lab: Lab, scenario: Scenario, root: RunId): Promise<Move | null> {
  const moves = scenario.moves ?? [];
  return moves[await made(lab, moves, root)] ?? null;
}

async function made(lab: Lab, moves: readonly Move[], root: RunId): Promise<number> {
  for (const [n, move] of moves.entries()) {
    const same = moves
      .slice(0, n + 1)
      .filter(({ command, on }) => command === move.command && on === move.on);
    if (!(await isMade(lab, move, root, same.length))) return n;
  }
  return moves.length;
}

/** `nth`: which of the equal commands to one run it is. */
async function isMade(lab: Lab, move: Move, root: RunId, nth: number): Promise<boolean> {
  const { command, trust, record, supersede, file, push } = move;
  if (trust) return (await lab.api.settingChanges('trust')).some(({ to }) => to === trust);
  if (file) return existsSync(beside(lab, file));
  if (push) return isPushed(lab.root, push);
  const title = record ?? supersede?.title;
  if (title) return (await ledger(lab)).includes(title);
  return (await commandsOn(lab, move.on, root)).filter((given) => given === command).length >= nth;
}

function beside(lab: Lab, file: string): string {
  return path.join(lab.root, '..', file);
}

async function ledger(lab: Lab): Promise<string[]> {
  const entries = await lab.api.decisions({ limit: 100 });
  if (isRejection(entries)) throw new Error(JSON.stringify(entries));
  return entries.map(({ title }) => title);
}

/** Names of the commands the person gave; `build` means every build there was. */
async function commandsOn(lab: Lab, on: string | undefined, root: RunId): Promise<string[]> {
  const runs = on === 'build' ? await builds(lab) : [on ?? root];
  const events = await Promise.all(runs.map((run) => lab.deps.store.events(run, 0, 10_000)));
  return events.flat().flatMap(({ type, input }) => {
    const { signal } = (input ?? {}) as { signal?: { type: string; command?: string; by?: string } };
    return type === 'signal_received' && signal?.type === 'command' && BY.includes(signal.by ?? '')
      ? [signal.command ?? '']
      : [];
  });
}

async function builds(lab: Lab, ended?: false): Promise<RunId[]> {
  const runs = await lab.deps.store.list(ended === undefined ? {} : { ended });
  return runs.filter(({ workflow }) => workflow === 'deliver').map(({ id }) => id);
}

/** Whether the move belongs where the drive came to rest. */
export function belongs({ at }: Move, { gate, status }: StopPoint): boolean {
  return gate ? gate.name === at : at === 'halt' && status === 'halted';
}

/** Makes it. A ticket that is conducted comes with its drive, as the command line has it. */
export async function make(lab: Lab, move: Move, root: RunId): Promise<DriveHandle | null> {
  const { command, args, trust, record, supersede, file, push } = move;
  if (trust) taken(await lab.api.setTrust({ level: trust }));
  if (file) writeFileSync(beside(lab, file), '');
  if (push) pushMain(lab.root, push);
  if (record) taken(await lab.api.recordDecision(entry(record)));
  if (supersede) taken(await lab.api.supersedeDecision({ id: supersede.id, ...entry(supersede.title) }));
  if (!command) return null;
  const run = move.on === 'build' ? ((await builds(lab, false))[0] ?? '') : (move.on ?? root);
  const drive = command === 'conduct' ? await invoke(lab, run, move.mode ?? 'controlled') : null;
  taken(await lab.api.command({ run, command, ...(args && { args }) }));
  return drive;
}

function entry(title: string) {
  return { type: 'convention', title, body: `${title}.`, domains: [...DOMAINS] };
}

function taken(result: unknown): void {
  if (isRejection(result)) throw new Error(JSON.stringify(result));
}

async function invoke(lab: Lab, run: RunId, mode: string): Promise<DriveHandle> {
  const drive = await lab.api.open({ run, attended: false, invocation: { mode, one_shot: false } });
  if (isRejection(drive)) throw new Error(`cannot conduct ${run}: ${JSON.stringify(drive)}`);
  return drive;
}

/** The run the person is at: the one they conducted last, as long as it lives, else the run under test. */
async function focus(lab: Lab, scenario: Scenario, root: RunId): Promise<RunId> {
  const moves = scenario.moves ?? [];
  const done = moves.slice(0, await made(lab, moves, root));
  const { on } = done.findLast(({ command }) => command === 'conduct') ?? {};
  return on && (await lab.row(on)).status !== 'ended' ? on : root;
}

/** Carries it on. Whoever handed something over says so again where the drive that had it is gone (CON-18). */
export async function carryOn(lab: Lab, scenario: Scenario, root: RunId): Promise<DriveHandle> {
  const run = await focus(lab, scenario, root);
  const moves = scenario.moves ?? [];
  const done = moves.slice(0, await made(lab, moves, root));
  const { mode = 'controlled' } = done.findLast(({ command }) => command === 'conduct') ?? {};
  const drive = await lab.deps.store.drive(run);
  if (mode !== 'controlled' && drive?.mode !== mode && drive?.denied !== mode) return invoke(lab, run, mode);
  const handle = await lab.api.open({ run, attended: false });
  if (isRejection(handle)) throw new Error(`cannot open ${run}: ${JSON.stringify(handle)}`);
  return handle;
}
