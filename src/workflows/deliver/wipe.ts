import type { Answer } from '../../contract/answer.ts';
import type { DeliverState } from '../../contract/deliver.ts';
import { OutputBase } from '../../contract/deliver-found.ts';
import type { GateSpec } from '../../contract/gate.ts';
import type { Instant } from '../../contract/ids.ts';
import type { Move } from '../../contract/move.ts';
import type { Outcome } from '../../contract/outcome.ts';
import type { Step } from '../../contract/step.ts';
import { InvariantError } from '../../engine/errors.ts';
import { type Rejection, reject } from '../../engine/rejection.ts';
import { brief } from '../../engine/whole-brief.ts';
import { hasOwnTree } from './locations.ts';
import { say } from './messages.ts';
import { go, nameOf, notice, warning, worldFailed } from './moves.ts';

type Wipe = NonNullable<DeliverState['wipe']>;

/**
 * Only by name and only in the person's own folder. A run's own tree does not hold files of the person that could be
 * wiped.
 */
export function askWipe(state: DeliverState, at: Instant): Move<DeliverState> | Rejection {
  const busy = state.wipe !== null || state.setup !== null || state.finish !== null;
  if (busy || hasOwnTree(state)) return reject('wrong_moment', {}, { msg: 'deliver.wipe_not_now' });
  return go(state, at, { wipe: { at: 'query' } });
}

/** Query, gate, write. Only these steps remove the base. */
export function wipeStep({ phase, docs_path, slug }: DeliverState, wipe: Wipe): Step {
  switch (wipe.at) {
    case 'query':
      return { kind: 'query', during: phase, what: { what: 'output_base', input: { docs_path, slug } } };
    case 'gate':
      return { kind: 'gate', gate: wipeGate(wipe) };
    case 'write':
      return { kind: 'workspace', during: phase, op: { op: 'wipe_base', input: { base: wipe.base } } };
  }
}

function wipeGate({ base, folders, memory, ignored }: Extract<Wipe, { at: 'gate' }>): GateSpec {
  const files = folders.reduce((sum, folder) => sum + folder.files, 0);
  return {
    name: 'wipe',
    brief: brief({
      decide: say('deliver.wipe.decide', { base, n: folders.length, files }),
      recommend: { text: say('deliver.wipe.no'), cede: true },
      items: folders.map(({ name, files: n }) => ({
        kind: 'content-input',
        text: say('deliver.wipe.folder', { name, n }),
      })),
      banners: [
        ...(memory ? [say('deliver.wipe.memory')] : []),
        ...(ignored ? [say('deliver.wipe.ignored', { base })] : []),
      ],
    }),
  };
}

export function onOutputBase(state: DeliverState, outcome: Outcome): Move<DeliverState> {
  const { at } = outcome;
  if (outcome.kind === 'failed')
    return worldFailed({ ...state, wipe: null }, at, 'query output_base', outcome.failure);
  if (outcome.kind !== 'queried') throw new InvariantError(`query output_base gave '${outcome.kind}'`);
  return go(state, at, { wipe: { at: 'gate', ...OutputBase.parse(outcome.found) } });
}

export const onWipeGate: Readonly<
  Record<string, (state: DeliverState, answer: Answer) => Move<DeliverState>>
> = {
  yes: (state, { at, by, digest }) => {
    if (state.wipe?.at !== 'gate') throw new InvariantError('a wipe answer without its question');
    const { base } = state.wipe;
    const data = { base, by: nameOf(by), digest };
    return go(state, at, { wipe: { at: 'write', base } }, [{ kind: 'decision', name: 'wipe', data }]);
  },
  no: (state, { at }) => go(state, at, { wipe: null }, [notice(say('deliver.notice.not_wiped'))]),
};

export function onWiped(state: DeliverState, outcome: Outcome): Move<DeliverState> {
  const { at } = outcome;
  if (outcome.kind === 'failed') return worldFailed(state, at, 'wipe_base', outcome.failure);
  const base = state.wipe?.at === 'write' ? state.wipe.base : '';
  return go(state, at, { wipe: null }, [warning(say('deliver.notice.wiped', { base }))]);
}
