import type { Move, RuleBreak } from './rule-break.ts';
import type { World } from './world.ts';

/** What the path so far has shown: which floors a person's answer stands under, and how far each tally is. */
export interface Monitor {
  readonly answered: readonly boolean[];
  readonly counts: readonly number[];
  /** Part of a state's key: the same state with another past is another state. */
  readonly key: string;
}

function monitorOf(answered: readonly boolean[], counts: readonly number[]): Monitor {
  return { answered, counts, key: `${answered.map(Number).join('')} ${counts.join(',')}` };
}

export function startMonitor({ floors, tallies }: World): Monitor {
  return monitorOf(
    floors.map(() => false),
    tallies.map(() => 0),
  );
}

/** The monitor after a move, and what the move did that it must not. */
export function watch(
  world: World,
  monitor: Monitor,
  move: Move,
): { readonly monitor: Monitor; readonly told: readonly RuleBreak[] } {
  const { before, change } = move;
  if (!change) return { monitor, told: [] };
  const told: RuleBreak[] = [];
  const answered = world.floors.map((floor, n) => {
    const voided = floor.voided && change.records.some(({ record }) => floor.voided?.(record));
    const stands = (monitor.answered[n] || answers(move, floor)) && !voided;
    if (!stands && floor.reached(change)) {
      told.push({
        rule: 'person_first',
        what: `${floor.what} without an answer at the gate '${floor.gate}'`,
      });
    }
    return stands && change.gate_opened?.name !== floor.gate;
  });
  const counts = world.tallies.map(({ what, cap, counts, resets }, n) => {
    const from = resets?.(before, change) ? 0 : (monitor.counts[n] ?? 0);
    const count = counts(before, change) ? from + 1 : from;
    if (count > cap) told.push({ rule: 'bounded', what: `${what}: more than ${cap}` });
    return Math.min(count, cap + 1);
  });
  return { monitor: monitorOf(answered, counts), told };
}

/** Only a person's word counts, given at that gate; what a drive answers for somebody does not. */
function answers({ before, change }: Move, floor: World['floors'][number]): boolean {
  const answer = change?.answer;
  if (!answer || !('person' in answer.by)) return false;
  return before.gate?.name === floor.gate && floor.options.includes(answer.option);
}
