import type { Workspace } from './ports/workspace.ts';

/** A workspace that is opened by its first use, or ahead of it; why it cannot be opened is told to the use. */
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
    look: async (look, keep) => (await open()).look(look, keep),
    perform: async (op, keep) => (await open()).perform(op, keep),
    lookup: async (op) => (await open()).lookup(op),
    mark: async () => (await open()).mark(),
    changedSince: async (mark) => (await open()).changedSince(mark),
    noteIgnored: async (run, since) => (await open()).noteIgnored(run, since),
    snapshot: async (name) => (await open()).snapshot(name),
    restore: async (name) => (await open()).restore(name),
    freeBytes: async () => (await open()).freeBytes(),
  };
}
