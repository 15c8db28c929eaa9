import { setTimeout as wait } from 'node:timers/promises';
import type { Capabilities } from '../../contract/agent-found.ts';
import type { Instant } from '../../contract/ids.ts';
import type { Agent, AgentCall, AgentEvent } from '../../ports/agent.ts';
import { ended } from '../agent-process/program.ts';
import {
  decide,
  type Entry,
  type Found,
  folderOf,
  isOver,
  putOut,
  readOrder,
  storedIn,
  takeIn,
} from './order-files.ts';

/** Its row in the table of agents. */
export const pull: { readonly title: string; readonly capabilities: Capabilities } = {
  title: 'Any worker that takes work orders',
  capabilities: {
    resume: true,
    cost: true,
    tokens: true,
    schema: false,
    cancel: 'protocol',
    permission_requests: false,
    read_only: false,
  },
};

export interface PullOptions {
  readonly name: string;
  /** Folder of the open orders. */
  readonly dir: string;
  readonly now: () => Instant;
  /** How often an open order is read. */
  readonly poll_ms: number;
}

/**
 * An agent that does not start a process. It publishes each call as a work order, and an outside worker takes it. An
 * order outlives us. It ends with a hand-in, with its deadline, or when we withdraw it.
 */
export function createPullAgent(options: PullOptions): Agent {
  const { dir, now } = options;
  return {
    name: options.name,
    capabilities: pull.capabilities,
    rehearsal: false,
    isFinished: async (call) => (await finishedOrder(dir, call)) !== null,
    isUnderWay: async (call) => isUnderWay(await readOrder(folderOf(dir, call.key)), now()),
    async *run(call, signal) {
      if (signal.aborted) return yield ended('aborted', 'before it began');
      const finished = await finishedOrder(dir, call);
      if (!finished) return yield* follow(options, call, signal);
      await takeIn(folderOf(dir, call.key), call);
      yield* eventsOf(finished.entries);
      yield ended('finished', '');
    },
  };
}

/** The order of this call if it was handed in, even if Baton has not collected it yet. */
async function finishedOrder(dir: string, call: AgentCall): Promise<Found | null> {
  for (const folder of [folderOf(dir, call.key), storedIn(call)]) {
    const found = await readOrder(folder);
    if (found?.order.key === call.key && isHandedIn(found)) return found;
  }
  return null;
}

function isHandedIn(found: Found | null): boolean {
  return found?.entries.at(-1)?.type === 'handed_in';
}

function isUnderWay(found: Found | null, now: Instant): boolean {
  return found !== null && !isOver(found) && now < found.order.deadline;
}

async function* follow(
  options: PullOptions,
  call: AgentCall,
  signal: AbortSignal,
): AsyncGenerator<AgentEvent> {
  const { dir, now } = options;
  const folder = folderOf(dir, call.key);
  const close = async () => {
    await withdraw(folder);
    await takeIn(folder, call);
  };
  const out = await readOrder(folder);
  // It may have been handed in after the check for finished orders. Then only its end is left to report.
  if (!isHandedIn(out) && !isUnderWay(out, now())) {
    await close();
    await putOut(folder, call, now());
  }
  try {
    const found = yield* listen(options, folder, signal);
    await close();
    yield found ? endOf(found, signal) : ended('unavailable', 'the work order is gone');
  } finally {
    // Without a listener no result is accepted. So the order is withdrawn, and no worker works in vain.
    await close();
  }
}

/** Reports what happens to an order until it is over; null if its files are gone. */
async function* listen(
  { now, poll_ms }: PullOptions,
  folder: string,
  signal: AbortSignal,
): AsyncGenerator<AgentEvent, Found | null> {
  for (let told = 0; ; ) {
    const found = await readOrder(folder);
    if (!found) return null;
    const events = eventsOf(found.entries);
    yield* events.slice(told);
    told = events.length;
    if (isOver(found)) return found;
    if (signal.aborted || !isUnderWay(found, now())) await withdraw(folder);
    else await wait(poll_ms, undefined, { signal }).catch(() => {});
  }
}

/** A hand-in that came first stays. */
async function withdraw(folder: string): Promise<void> {
  await decide(folder, (found) => (isOver(found) ? null : { type: 'withdrawn' }));
}

function endOf(found: Found, signal: AbortSignal): AgentEvent {
  if (isHandedIn(found)) return ended('finished', '');
  return signal.aborted ? ended('aborted', 'stopped by us') : ended('failed', 'deadline');
}

/** The events of an order, for a live call and for a replay. Extending a lease is not an event. */
function eventsOf(entries: readonly Entry[]): AgentEvent[] {
  return entries.flatMap((entry, index): AgentEvent[] => {
    if (entry.type === 'handed_in') return handedIn(entry.given);
    if (entry.type !== 'leased') return [];
    const before = entries[index - 1];
    const known = before?.type === 'leased' && before.token_hash === entry.token_hash;
    return known ? [] : [{ type: 'progress', line: entry.worker }];
  });
}

function handedIn(given: Extract<Entry, { type: 'handed_in' }>['given']): AgentEvent[] {
  const { usage } = given;
  return [
    ...(usage ? [{ type: 'usage' as const, usage }] : []),
    'result' in given ? { type: 'result', value: given.result } : { type: 'text', text: given.text },
  ];
}
