import type * as z from 'zod';
import type { QueryName, QueryResult } from '../../contract/world.ts';
import { parseInput, tableEntry } from '../../engine/outside-table.ts';
import { withIo } from '../../files/with-io.ts';
import type { StoreText, Workspace } from '../../ports/workspace.ts';

/** Reads the outside world: one entry per query. */
export type Query<P, R = unknown> = (location: P, input: unknown, keep: StoreText) => Promise<R>;

/** Queries by name. Those that a workflow can make return what it expects. */
export type QueryTable<P> = Table<Query<P>> & { readonly [Q in QueryName]?: Query<P, QueryResult<Q>> };

/** One outside write and how it is found again after a crash. */
export interface Write<P> {
  perform(location: P, effect: string, input: unknown, keep: StoreText | undefined): Promise<unknown>;
  lookup(location: P, effect: string, input: unknown): Promise<unknown | null>;
}

type Table<T> = Readonly<Record<string, T>>;

/** A query with the schema of its input. */
export function query<P, T, R>(
  schema: z.ZodType<T>,
  find: (location: P, input: T, keep: StoreText) => Promise<R>,
): Query<P, R> {
  return (location, input, keep) => find(location, parseInput(schema, input), keep);
}

/** A write with the schema of its input. Without `lookup` it is performed again after a crash. */
export function write<P, T>(
  schema: z.ZodType<T>,
  perform: (location: P, effect: string, input: T, keep: StoreText | undefined) => Promise<unknown>,
  lookup?: (location: P, effect: string, input: T) => Promise<unknown | null>,
): Write<P> {
  return {
    perform: (location, effect, input, keep) => perform(location, effect, parseInput(schema, input), keep),
    lookup: async (location, effect, input) =>
      (await lookup?.(location, effect, parseInput(schema, input))) ?? null,
  };
}

/** The same queries for another location, from which theirs follows. */
export function queriesAt<S, P>(table: Table<Query<P>>, at: (site: S) => Promise<P>): Table<Query<S>> {
  const entries = Object.entries(table).map(([what, find]): [string, Query<S>] => [
    what,
    async (site, input, keep) => find(await at(site), input, keep),
  ]);
  return Object.fromEntries(entries);
}

/** The same writes for another location, from which theirs follows. */
export function writesAt<S, P>(table: Table<Write<P>>, at: (site: S) => Promise<P>): Table<Write<S>> {
  const entries = Object.entries(table).map(([op, { perform, lookup }]): [string, Write<S>] => [
    op,
    {
      perform: async (site, effect, input, keep) => perform(await at(site), effect, input, keep),
      lookup: async (site, effect, input) => lookup(await at(site), effect, input),
    },
  ]);
  return Object.fromEntries(entries);
}

/** The methods of a workspace that its tables answer. Writes are loaded on first use. */
export function tableMethods<P>(
  location: P,
  queries: Table<Query<P>>,
  writes: () => Promise<Table<Write<P>>>,
): Pick<Workspace, 'query' | 'perform' | 'lookup'> {
  return {
    query: ({ what, input }, keep) =>
      withIo(`query ${what}`, async () => tableEntry(queries, what, 'unknown_query')(location, input, keep)),
    perform: ({ op, effect, input }, keep) =>
      withIo(`write ${op}`, async () =>
        tableEntry(await writes(), op, 'unknown_op').perform(location, effect, input, keep),
      ),
    lookup: ({ op, effect, input }) =>
      withIo(`lookup ${op}`, async () =>
        tableEntry(await writes(), op, 'unknown_op').lookup(location, effect, input),
      ),
  };
}
