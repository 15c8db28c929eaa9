import * as z from 'zod';
import { Child, type ConductState } from '../../contract/conduct.ts';
import { type Rejection, reject } from '../../engine/rejection.ts';
import { say } from './messages.ts';
import { activeChildren, andThen, ENGINE, go, type Next, travel } from './moves.ts';

const ChildTold = Child.omit({ after: true }).extend({
  id: Child.shape.id.unwrap(),
  key: z.string().max(300).nullable(),
});

/** A child told where it is. */
export function onChild(state: ConductState, data: unknown): Next | Rejection {
  const parsed = ChildTold.safeParse(data);
  if (!parsed.success) return reject('bad_input', { field: 'child', problem: 'not readable' });
  const told = parsed.data;
  const isMeant = (child: Child) => child.id === told.id || (child.id === null && child.key === told.key);
  const children = state.children.map((child) =>
    isMeant(child) ? { ...child, ...told, key: child.key } : child,
  );
  return go(state, { children });
}

/**
 * When all children that live are verified the parent goes on by itself, once (CON-78), whatever made it so: a child's
 * word, a patch, or the parent's own coming back. A move that brought it to Decomposed is one edge; this is the next.
 */
export function thenRollUp({ phase: from }: ConductState, move: Next, at: string): Next {
  return andThen(move, (state) => {
    if (!isDone(state) || state.phase !== 'Decomposed' || state.stale || state.hops.length > 0)
      return go(state, {});
    return from === 'Decomposed' ? rollUp(state, at) : go(state, { hops: ['rolling-up'] });
  });
}

function isDone(state: ConductState): boolean {
  const live = activeChildren(state);
  return live.length > 0 && live.every((child) => child.state === 'Verified');
}

/** A child that was added meanwhile comes first. */
export function rollUp(state: ConductState, at: string): Next {
  if (!isDone(state)) return go(state, { hops: [] });
  return andThen(travel(state, 'rolling-up', ENGINE, at), (after) =>
    go(after, { umbrella: true, resting: say('conduct.rests.rolled_up', { run: state.run }) }),
  );
}
