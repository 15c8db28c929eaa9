import type { DeliverChanges, DeliverState } from '../../contract/deliver.ts';
import type { Hash } from '../../contract/ids.ts';
import type { MoveRecord } from '../../contract/move.ts';
import { type Call, work } from '../../engine/decide.ts';
import { say } from './messages.ts';
import { haltFailed, type Next, notice, withChanges } from './moves.ts';
import { workerLine, workersFailed } from './worker-lines.ts';

type Results<Member extends string> = Partial<Record<Member, Hash>>;

interface Group<Member extends string> {
  readonly name: 'proposals' | 'critiques' | 'reviews';
  readonly members: readonly Member[];
  /** Results of this group so far. Only members without one are called. */
  readonly results: Results<Member>;
  readonly store: (results: Results<Member>) => DeliverChanges;
  readonly ask: (member: Member) => Call<unknown>;
  /** The artefact name of a member's text. */
  readonly named: (member: Member) => string;
}

/** Calls a group in parallel. Valid results are stored. If one is missing, the run halts and the valid ones stay. */
export function workGroup<Member extends string>(state: DeliverState, group: Group<Member>): Next {
  const { name, members, results, store, ask, named } = group;
  const open = members.filter((member) => !results[member]);
  return work(open.map(ask), (ended, at) => {
    const fresh: Partial<Record<string, Hash>> = {};
    const records: MoveRecord[] = [];
    for (const [index, member] of open.entries()) {
      const one = ended[index];
      if (!one) continue;
      records.push(workerLine(one, member));
      if (one.kind !== 'ok') continue;
      fresh[member] = one.artefact;
      records.push({ kind: 'artefact', name: named(member), hash: one.artefact });
    }
    const stored = { ...results, ...fresh };
    const n = Object.keys(stored).length;
    records.push(notice(say(`deliver.notice.${name}`, { n, of: members.length })));
    const after = { ...withChanges(state, store(stored)), updated_at: at };
    if (n < members.length) return haltFailed(after, at, workersFailed(ended, open), records);
    return { state: after, records };
  });
}

/** True if a member of the group has no result yet. */
export function isOpen<Member extends string>(members: readonly Member[], results: Results<Member>): boolean {
  return members.some((member) => !results[member]);
}
