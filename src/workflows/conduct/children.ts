import * as z from 'zod';
import { Child, type ConductState } from '../../contract/conduct.ts';
import { type Rejection, reject } from '../../engine/rejection.ts';
import { say } from './messages.ts';
import { activeChildren, andThen, ENGINE, go, type Next, travel } from './moves.ts';

const ChildNotice = Child.omit({ after: true }).extend({
  id: Child.shape.id.unwrap(),
  key: z.string().max(300).nullable(),
});

/** A child reports its state. When all live children are verified, the parent moves on by itself, once (CON-78). */
export function onChild(state: ConductState, data: unknown, at: string): Next | Rejection {
  const parsed = ChildNotice.safeParse(data);
  if (!parsed.success) return reject('bad_input', { field: 'child', problem: 'not readable' });
  const told = parsed.data;
  const isMeant = (child: Child) => child.id === told.id || (child.id === null && child.key === told.key);
  const children = state.children.map((child) =>
    isMeant(child) ? { ...child, ...told, key: child.key } : child,
  );
  return rollUp({ ...state, children }, at);
}

/** True if there is at least one live child and all are verified (S8). A stale parent is patched first. */
export function isRolledUp(state: ConductState): boolean {
  const live = activeChildren(state);
  const done = live.length > 0 && live.every((child) => child.state === 'Verified');
  return done && state.phase === 'Decomposed' && !state.stale && state.hops.length === 0;
}

/** Rolls the parent up at once. If it was in another state when the last child finished, its next step does this. */
export function rollUp(state: ConductState, at: string): Next {
  if (!isRolledUp(state)) return go(state, {});
  return andThen(travel(state, 'rolling-up', ENGINE, at), (after) =>
    go(after, { parent_ticket: true, idle_because: say('conduct.idle.rolled_up') }),
  );
}
