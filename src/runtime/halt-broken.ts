import type { RunId } from '../contract/ids.ts';
import type { InvariantError } from '../engine/errors.ts';
import { isRejection } from '../engine/rejection.ts';
import { type Applied, apply } from './apply.ts';
import type { Deps } from './deps.ts';

/** A bug of ours: halts this run and records the stack. Other runs continue. */
export async function haltBroken(deps: Deps, id: RunId, error: InvariantError): Promise<Applied | null> {
  const stack = await deps.artefacts.put(stackOf(error));
  const why = { msg: 'engine.halt.invariant', args: { problem: error.message, stack } };
  const applied = await apply(deps, id, {
    input: () => ({ kind: 'halt', halt: { kind: 'invariant', why, by: 'engine' } }),
  });
  return isRejection(applied) ? null : applied;
}

function stackOf({ stack, message, cause }: Error): string {
  const own = stack ?? message;
  return cause instanceof Error ? `${own}\ncaused by ${stackOf(cause)}` : own;
}
