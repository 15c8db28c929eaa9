import type { DeliverState } from '../../contract/deliver.ts';
import type { Hash } from '../../contract/ids.ts';
import type { Move, MoveRecord } from '../../contract/move.ts';
import type { Outcome } from '../../contract/outcome.ts';
import { say } from './messages.ts';
import { go, haltFailed, notice } from './moves.ts';
import { workerLine, workersFailed } from './worker-lines.ts';

interface Group<Member extends string> {
  readonly name: 'proposals' | 'critiques' | 'reviews';
  readonly members: readonly Member[];
  /** The artefact name of a member's text. */
  readonly named: (member: Member) => string;
  /** How many members must give a result. */
  readonly of: number;
}

/** Results of a parallel group. Valid results are stored. If one is missing, the run halts and the valid ones stay. */
export function settleGroup<Member extends string>(
  state: DeliverState,
  outcome: Outcome,
  { name, members, named, of }: Group<Member>,
): Move<DeliverState> {
  const calls = outcome.kind === 'worked' ? outcome.calls : [];
  const kept: Partial<Record<string, Hash>> = { ...state[name] };
  const records: MoveRecord[] = [];
  for (const [index, member] of members.entries()) {
    const ended = calls[index];
    records.push(workerLine(member, ended));
    if (ended?.kind !== 'ok') continue;
    kept[member] = ended.artefact;
    records.push({ kind: 'artefact', name: named(member), hash: ended.artefact });
  }
  const n = Object.keys(kept).length;
  records.push(notice(say(`deliver.notice.${name}`, { n, of })));
  const stored = { ...state, [name]: kept };
  if (n < of) return haltFailed(stored, outcome.at, workersFailed(calls, members), records);
  return go(stored, outcome.at, {}, records);
}
