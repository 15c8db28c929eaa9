import { hash, randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import type { Instant } from '../../contract/ids.ts';
import { isRejection, type Rejection, reject } from '../../engine/rejection.ts';
import type { Orders, WorkOrder } from '../../ports/orders.ts';
import { decide, type Entry, type Found, isOver, readOrder } from './order-files.ts';

interface OrdersOptions {
  /** Folder of the open orders, shared by all processes that work on the repository. */
  readonly dir: string;
  readonly now: () => Instant;
  /** A worker that does not extend its lease for this long loses its order. */
  readonly lease_ms?: number;
}

const LEASE_MS = 5 * 60_000;

/** Baton creates the names of orders, but a token from outside may contain anything. */
const TOKEN = /^([\w-]+_\d+_\d+\.\d+)\.([\w-]+)$/;

type Leased = Extract<Entry, { type: 'leased' }>;

/** The operations of outside workers on open orders, and `withdraw` for our own use. */
export function createOrders({ dir, now, lease_ms = LEASE_MS }: OrdersOptions): Orders {
  const until = ({ deadline }: WorkOrder) => {
    const end = new Date(Date.parse(now()) + lease_ms).toISOString();
    return end < deadline ? end : deadline;
  };

  /** Adds the next entry if the lease of this token is valid, else returns the reason why it is not. */
  const onLease = async (
    token: string,
    next: (lease: Leased, found: Found) => Entry,
  ): Promise<Entry | Rejection> => {
    const [, id = '', secret = ''] = TOKEN.exec(token) ?? [];
    if (id === '') return reject('no_such_order');
    let refused: Rejection = reject('no_such_order');
    const done = await decide(path.join(dir, id), (found) => {
      const lease = leaseOf(found, tokenHash(found, secret), now());
      if (!isRejection(lease)) return next(lease, found);
      refused = lease;
      return null;
    });
    return done ?? refused;
  };

  return {
    open: async () => {
      const ids = await readdir(dir).catch(() => []);
      const all = await Promise.all(
        ids.map(async (id) => ({ id, found: await readOrder(path.join(dir, id)) })),
      );
      return all
        .flatMap(({ id, found }) => (found && isFree(found, now()) ? [{ id, order: found.order }] : []))
        .sort((a, b) => (a.order.created_at < b.order.created_at ? -1 : 1))
        .map(({ id, order }) => ({ id, order: reportOf(order) }));
    },
    take: async (id, worker) => {
      const secret = randomBytes(24).toString('base64url');
      let order: WorkOrder | null = null;
      const lease = await decide(path.join(dir, id), (found) => {
        order = reportOf(found.order);
        if (!isFree(found, now())) return null;
        return { type: 'leased', worker, token_hash: tokenHash(found, secret), until: until(order) };
      });
      if (lease?.type !== 'leased' || !order) return null;
      return { token: `${id}.${secret}`, until: lease.until, order };
    },
    keep: async (token) => {
      const kept = await onLease(token, (lease, { order }) => ({ ...lease, until: until(order) }));
      if (isRejection(kept)) return kept;
      return { ok: true, until: (kept as Leased).until };
    },
    handIn: async (token, given) => okOf(await onLease(token, () => ({ type: 'handed_in', given }))),
    giveBack: async (token) => okOf(await onLease(token, () => ({ type: 'given_back' }))),
    withdraw: async (run) => {
      for (const id of await readdir(dir).catch(() => []))
        await decide(path.join(dir, id), (found) =>
          found.order.run !== run || isOver(found) ? null : { type: 'withdrawn' },
        );
    },
  };
}

function okOf(done: Entry | Rejection): { ok: true } | Rejection {
  return isRejection(done) ? done : { ok: true };
}

/** No worker holds it, and its deadline has not passed. */
function isFree(found: Found, now: Instant): boolean {
  const last = found.entries.at(-1);
  if (isOver(found) || found.order.deadline <= now) return false;
  return last?.type !== 'leased' || last.until <= now;
}

function leaseOf(found: Found, token_hash: string, now: Instant): Leased | Rejection {
  const isMine = (entry: Entry | undefined): entry is Leased =>
    entry?.type === 'leased' && entry.token_hash === token_hash;
  if (isOver(found) || !found.entries.some(isMine)) return reject('no_such_order');
  const last = found.entries.at(-1);
  return isMine(last) && last.until > now ? last : reject('order_expired');
}

/** Only this hash is stored. So a reader of our files cannot hand in for the worker. */
function tokenHash({ order: { key, role } }: Found, secret: string): string {
  return hash('sha256', `${key}\n${role}\n${secret}`);
}

/** The part of an order that a worker gets. */
function reportOf(order: WorkOrder): WorkOrder {
  const { run, turn, role, attempt, prompt, cwd, profile, schema, deadline } = order;
  return { run, turn, role, attempt, prompt, cwd, profile, schema, deadline };
}
