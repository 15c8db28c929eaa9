import { createHash } from 'node:crypto';
import type { Change } from '../../../src/contract/change.ts';
import type { ConductState } from '../../../src/contract/conduct.ts';
import type { RunId } from '../../../src/contract/ids.ts';
import type { MoveRecord } from '../../../src/contract/move.ts';
import type { DriveMode, TrustLevel } from '../../../src/contract/ticket.ts';
import { secondsAfter } from '../../../src/engine/calendar.ts';
import type { Input } from '../../../src/engine/input.ts';
import { isRejection, type Rejection } from '../../../src/engine/rejection.ts';
import { createRun, transition } from '../../../src/engine/transition.ts';
import type { At, TransitionContext } from '../../../src/engine/write-change.ts';
import { conductWorkflow } from '../../../src/workflows/conduct/workflow.ts';
import { policy, startFacts } from '../../support/pure-run.ts';

const START = '2026-11-15T10:00:00.000Z';

/** A ticket in the engine's own hands, the drive that works it, and the workspace's trust level. */
export interface Scene {
  readonly at: At;
  readonly mode: DriveMode | null;
  readonly trust: TrustLevel;
  readonly minutes: number;
}

/** One thing that can happen. `good`: it usually does. */
export interface Happening {
  readonly name: string;
  readonly good?: true;
  readonly input?: Input | Rejection;
  /** What changes around the ticket instead: another trust level, another drive. */
  readonly around?: Partial<Pick<Scene, 'mode' | 'trust'>>;
}

export interface Moment {
  readonly one: Happening;
  readonly before: Scene;
  readonly after: Scene;
  readonly change: Change | null;
}

export const stateOf = ({ at }: Scene) => at.run.state as unknown as ConductState;
export const recordsIn = ({ change }: Moment): MoveRecord[] =>
  change?.records.map(({ record }) => record) ?? [];

export const nowOf = ({ minutes }: Scene) => secondsAfter(START, (minutes + 1) * 60);

export function context(minutes: number): TransitionContext {
  return {
    now: secondsAfter(START, minutes * 60),
    by: 'test',
    hash: (text) => `sha256:${createHash('sha256').update(text).digest('hex')}`,
    lease: { holder: null, epoch: 0, while_idle: false, drive: null },
  };
}

/** A new ticket as the engine creates it; its first change with it. */
export function begin(
  input: Record<string, unknown>,
  conduct: { shadow_judge?: boolean } = {},
): { scene: Scene; change: Change } {
  const set = { acknowledge: false, shadow_judge: false, modules: [], globs: [], ...conduct };
  const facts = startFacts({ run: 'B-12', policy: { ...policy, conduct: set } });
  const move = conductWorkflow.start({ title: 'Export as JSON', ...input }, facts);
  if (isRejection(move)) throw new Error(`start refused: ${move.rejection}`);
  const seed = { id: 'B-12' as RunId, move, policy: facts.policy, parent: null, parent_key: null };
  const change = createRun(conductWorkflow, seed, context(0));
  const at = { run: change.run, gate: change.gate_opened };
  return { scene: { at, mode: null, trust: 'balanced', minutes: 0 }, change };
}

/** What it leads to; null where it is refused. Throws where only a bug leads, and where a state does not fit. */
export function happen(before: Scene, one: Happening): Moment | null {
  const minutes = before.minutes + 1;
  const around = { ...before, minutes, ...one.around };
  if (one.input === undefined) return { one, before, after: around, change: null };
  if (isRejection(one.input)) return null;
  const change = transition(conductWorkflow, before.at, one.input, context(minutes));
  if (isRejection(change)) return null;
  const parsed = conductWorkflow.state.safeParse(change.run.state);
  if (!parsed.success) throw new Error(`${one.name}: ${parsed.error.message}`);
  const gate = change.gate_opened ?? (change.gate_closed ? null : before.at.gate);
  return { one, before, after: { ...around, at: { run: change.run, gate } }, change };
}
