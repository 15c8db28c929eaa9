import type { Msg } from '../../contract/brief.ts';
import type { DeliverState } from '../../contract/deliver.ts';
import { type Incidents, SHOWN } from '../../contract/deliver-report.ts';
import { oneLine } from './moves.ts';

type Kind = keyof Incidents;
type Args = Readonly<Record<string, string | number>>;

/** Engine notices that are repeated before a commit, and the names each one lists. */
const KINDS: Readonly<Record<string, { readonly kind: Kind; readonly names: (args: Args) => string[] }>> = {
  'engine.worker_refused': { kind: 'refused', names: ({ command, target }) => [`${command} ${target}`] },
  'engine.call_denied': { kind: 'denied', names: ({ what }) => String(what).split(', ') },
  'engine.attempt_wrote': { kind: 'wrote', names: ({ paths }) => String(paths).split(', ') },
  'engine.call_left': { kind: 'left', names: ({ what }) => String(what).split(', ') },
};

/** Records what workers did. A name that is already listed is not counted again. */
export function onNotices(state: DeliverState, notices: readonly Msg[]): DeliverState {
  return notices.reduce(noteOne, state);
}

function noteOne(state: DeliverState, { msg, args = {} }: Msg): DeliverState {
  const row = Object.hasOwn(KINDS, msg) ? KINDS[msg] : undefined;
  if (!row) return state;
  const { n, names: known } = state.incidents?.[row.kind] ?? { n: 0, names: [] };
  const fresh = row
    .names(args)
    .map((name) => oneLine(name))
    .filter((name) => !known.includes(name));
  if (fresh.length === 0) return state;
  const names = [...known, ...fresh].slice(0, SHOWN.failures);
  return { ...state, incidents: { ...state.incidents, [row.kind]: { n: n + fresh.length, names } } };
}
