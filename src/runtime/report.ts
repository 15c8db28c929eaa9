import type { Effect } from '../contract/change.ts';
import type { RunId } from '../contract/ids.ts';
import type { Run } from '../contract/run.ts';
import type { DriveMode } from '../contract/ticket.ts';
import { asBug } from '../engine/errors.ts';
import type { AtGate } from '../engine/input.ts';
import type { BaseState } from '../engine/workflow.ts';
import type { Applied } from './apply.ts';
import type { Deps } from './deps.ts';
import type { Loaded } from './load.ts';
import type { Progress } from './views.ts';

/** The listener for one run. */
interface Listener {
  readonly id: RunId;
  readonly tell: (progress: Progress) => void;
}

/** Reports attempts of workers to decide that other processes recorded, so that they are visible in this drive too. */
export async function reportRefused(
  deps: Deps,
  to: Listener,
  known: { seq: number | null },
  seq: number,
): Promise<void> {
  const since = known.seq ?? seq;
  known.seq = Math.max(since, seq);
  if (since >= seq) return;
  for (const { type, input } of await deps.store.events(to.id, since, seq - since)) {
    if (type !== 'worker_refused') continue;
    const text = { msg: 'engine.worker_refused', args: input as Record<string, string> };
    to.tell({ type: 'notice', run: to.id, level: 'warning', text });
  }
}

/** Reports how far the run has come, from the row just loaded (CON-23). */
export function reportOverview(to: Listener, { def, at }: Loaded, mode: DriveMode): void {
  if (!def.overview) return;
  const { phase, state } = at.run;
  const lines = asBug(to.id, () => def.overview?.(state as unknown as BaseState, mode) ?? []);
  to.tell({ type: 'overview', run: to.id, phase, lines });
}

/** Prefix of notices that were reported when found, before they were recorded with their step. */
const NOTIFIED_AT_ONCE = 'engine.recovered';

/** Reports what a commit contains: notices, an answer of the drive, a gate that opened, a step that begins. */
export function reportChange(to: Listener, applied: Applied): void {
  const { change } = applied;
  for (const { record } of change.records) {
    if (record.kind !== 'notice' || record.text.msg.startsWith(NOTIFIED_AT_ONCE)) continue;
    const { kind, ...notice } = record;
    to.tell({ type: kind, run: to.id, ...notice });
  }
  const { run } = change;
  for (const { type, input } of change.events) {
    if (type === 'auto_accepted') to.tell({ type, run: to.id, ...(input as AtGate) });
  }
  if (change.gate_opened) {
    const { id, name } = change.gate_opened;
    to.tell({ type: 'gate_opened', run: to.id, gate: id, name });
  }
  if (change.opened.length > 0) reportStep(to, run, change.opened);
}

/** Reports the step that begins. */
export function reportStep(to: Listener, { turn, phase, step }: Run, effects: readonly Effect[]): void {
  const calls =
    step.kind === 'check'
      ? step.checks.map(({ name }) => name)
      : effects.map((effect) => effect.role ?? effect.kind);
  to.tell({ type: 'step_started', run: to.id, turn, phase, kind: step.kind, calls });
}
