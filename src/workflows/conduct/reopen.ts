import type { ConductState } from '../../contract/conduct.ts';
import type { Instant } from '../../contract/ids.ts';
import type { MoveRecord } from '../../contract/move.ts';
import { TICKET_GATES, type TicketGate } from '../../contract/ticket.ts';
import { isRejection, type Rejection, reject } from '../../engine/rejection.ts';
import { planReopen } from './edges.ts';
import { say } from './messages.ts';
import { type Actor, go, type Next, notice, undone } from './moves.ts';

/** A person's request to go back. `fates` says what happens to each child that has been worked on. */
export interface ReopenOptions {
  readonly to: TicketGate;
  readonly why: string;
  readonly fates: Readonly<Record<string, 'keep' | 'cancel'>>;
}

/** Opens a gate that asks about going back. Only a person's accept executes it (CON-99). */
export function askReopen(state: ConductState, { to, why, fates }: ReopenOptions): Next | Rejection {
  const planned = state.parent_ticket ? refuseParentTicket(state, to) : planReopen(state.phase, to);
  if (isRejection(planned)) return planned;
  const known = new Set(state.children.map(({ id, key }) => id ?? key));
  const foreign = Object.keys(fates).find((id) => !known.has(id));
  if (foreign !== undefined)
    return reject('bad_input', { field: 'fate', id: foreign }, { msg: 'conduct.no_such_child' });
  const missing = childrenAtWork(state, to).filter((id) => !Object.hasOwn(fates, id));
  if (missing.length > 0)
    return reject('bad_input', { field: 'fate', list: missing.join(', ') }, { msg: 'conduct.fates_missing' });
  const asked = (state.reopening?.asked ?? 0) + 1;
  const reopening = { to, hops: [...planned.hops], why: why.slice(0, 2_000), fates: { ...fates }, asked };
  return go(state, { reopening }, [{ kind: 'entry', name: 'reopen_asked', data: reopening }]);
}

/** A rolled-up parent has no build of its own to go back to. Its children do. */
function refuseParentTicket({ phase: from }: ConductState, target: TicketGate): Rejection {
  const args = { from, target, sources: 'none', targets: 'none' };
  return reject('wrong_moment', args, { msg: 'conduct.reopen.not_from' });
}

/** Children that have been worked on, if the way back crosses the decomposition. */
function childrenAtWork({ children }: ConductState, to: TicketGate): string[] {
  if (TICKET_GATES.indexOf(to) > TICKET_GATES.indexOf('decompose')) return [];
  return children
    .filter(({ archived, state }) => !archived && state !== 'Idea' && state !== 'Cancelled')
    .map(({ id, key }) => id ?? key);
}

/**
 * Supersedes the decisions of the gates that the ticket goes back over,
 * and does not delete them. The next steps take the edges one by one.
 */
export function executeReopen(state: ConductState, by: Actor, at: Instant): Next {
  const { reopening } = state;
  if (!reopening) return go(state, {});
  const { to, hops, why, fates } = reopening;
  const crossed = state.decided.filter(({ gate }) => TICKET_GATES.indexOf(gate) >= TICKET_GATES.indexOf(to));
  const records: MoveRecord[] = [
    { kind: 'decision', name: 'reopened', data: { to, why, by: by.name, provenance: by.provenance, at } },
    { kind: 'entry', name: 'answers', data: { kind: 'reason for going back', text: why } },
    ...crossed.map(({ id }): MoveRecord => ({ kind: 'knowledge_status', id, status: 'Superseded' })),
    ...Object.entries(fates).flatMap(([id, fate]): MoveRecord[] =>
      fate === 'cancel' ? [{ kind: 'command', to: id, command: 'cancel' }] : [],
    ),
    notice(say('conduct.notice.reopened', { run: state.run, to })),
  ];
  return go(
    state,
    {
      ...undone(state, to),
      brief: null,
      round: null,
      pending: null,
      set_aside: null,
      idle_because: null,
      stale: null,
      stale_more: [],
      reopening: null,
      hops,
      decided: state.decided.filter((one) => !crossed.includes(one)),
    },
    records,
  );
}
