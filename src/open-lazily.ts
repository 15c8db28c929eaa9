import { InvariantError } from './engine/errors.ts';
import type { Workspace } from './ports/workspace.ts';

/**
 * A workspace that is opened on first use, or earlier by `open`. If it cannot be opened, every use throws the error,
 * `open` does not.
 */
export interface Lazy extends Workspace {
  open(): Promise<unknown>;
}

export function lazily(root: string, make: () => Promise<Workspace>): Lazy {
  let opened: Promise<Workspace> | null = null;
  const open = () => {
    opened ??= make();
    return opened;
  };
  return {
    root,
    open: () => open().catch(() => undefined),
    facts: async () => (await open()).facts(),
    checkReference: async (file) => (await open()).checkReference(file),
    query: async (query, keep) => (await open()).query(query, keep),
    perform: async (op, keep) => (await open()).perform(op, keep),
    lookup: async (op) => (await open()).lookup(op),
    fingerprint: async () => (await open()).fingerprint(),
    changedSince: async (fingerprint) => (await open()).changedSince(fingerprint),
    noteIgnored: async (run, since) => (await open()).noteIgnored(run, since),
    controls: async () => (await open()).controls(),
    snapshot: async (name) => (await open()).snapshot(name),
    restore: async (name) => (await open()).restore(name),
    checkOut: async (key, commit) => {
      const { checkOut } = await open();
      if (!checkOut) throw new InvariantError("no checkout is made of the person's own folder");
      return await checkOut(key, commit);
    },
    leaveCheckout: async () => (await open()).leaveCheckout?.(),
    freeBytes: async () => (await open()).freeBytes(),
  };
}
