import type { DeliverState } from '../../contract/deliver.ts';
import type { GateSpec } from '../../contract/gate.ts';
import type { Instant } from '../../contract/ids.ts';
import type { Move } from '../../contract/move.ts';
import { gate, query, write } from '../../engine/decide.ts';
import { type Rejection, reject } from '../../engine/rejection.ts';
import { brief } from '../../engine/whole-brief.ts';
import { deliverGates } from './gates.ts';
import { hasOwnTree } from './locations.ts';
import { say } from './messages.ts';
import { go, type Next, nameOf, notice, warning, worldFailed } from './moves.ts';

type Wipe = NonNullable<DeliverState['wipe']>;

/**
 * Only by name and only in the person's own folder. A run's own tree does not hold files of the person that could be
 * wiped.
 */
export function askWipe(state: DeliverState, at: Instant): Move<DeliverState> | Rejection {
  const busy = state.wipe !== null || state.setup !== null || state.finish.chosen !== null;
  if (busy || hasOwnTree(state)) return reject('wrong_moment', {}, { msg: 'deliver.wipe_not_now' });
  return go(state, at, { wipe: { at: 'query' } });
}

/** Query, gate, write. Only these steps remove the base. */
export function wipe(state: DeliverState, stage: Wipe): Next {
  const { docs_path, slug } = state;
  switch (stage.at) {
    case 'query':
      return query(
        'output_base',
        { docs_path, slug },
        (found, at) => go(state, at, { wipe: { at: 'gate', ...found } }),
        (failure, at) => worldFailed({ ...state, wipe: null }, 'query output_base', failure, at),
      );
    case 'gate': {
      const { base } = stage;
      return gate(deliverGates.wipe, wipeGate(stage), {
        yes: ({ at, by, digest }) => {
          const data = { base, by: nameOf(by), digest };
          return go(state, at, { wipe: { at: 'write', base } }, [{ kind: 'decision', name: 'wipe', data }]);
        },
        no: ({ at }) => go(state, at, { wipe: null }, [notice(say('deliver.notice.not_wiped'))]),
      });
    }
    case 'write': {
      const { base } = stage;
      const wiped = warning(say('deliver.notice.wiped', { base }));
      return write('wipe_base', { base }, (_, at) => go(state, at, { wipe: null }, [wiped]));
    }
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
