import { Deploy, Merge, ObserveQuery, OpenPullRequest, ReleaseQuery } from '../../contract/code-host.ts';
import type { QueryName, QueryResult } from '../../contract/world.ts';
import { parseInput, tableEntry } from '../../engine/outside-table.ts';
import { realFolder } from '../../files/real-path.ts';
import { withIo } from '../../files/with-io.ts';
import type { CodeHost, HostCall } from '../../ports/code-host.ts';
import type { Outside } from '../../ports/outside.ts';
import type { StoreText } from '../../ports/workspace.ts';
import { createGit, type GitEnvironment } from '../git/git.ts';
import { needPerson } from '../git/person.ts';
import type { HostParts } from './context.ts';
import { deploy, findDeployed, observe, type WithHost } from './deploy.ts';
import { findMerge, merge } from './merge.ts';
import { findPullRequest, openPullRequest } from './open-pull-request.ts';
import { findRelease } from './release-query.ts';
import { openRemote } from './remote.ts';
import { inScratch } from './scratch.ts';

export interface LocalHostOptions extends HostParts {
  /** Folder inside the person's repository. */
  readonly person: string;
  /** Folder for scratch folders, outside the repository. */
  readonly dir: string;
  readonly namespace: string;
  readonly environment?: GitEnvironment;
}

/**
 * A code host without a service. It uses any git remote, pull requests as refs in it, and the person's own commands for
 * checks, approval, deploying and observing. Operations are independent: nothing is stored between them.
 */
export function openLocalHost(options: LocalHostOptions): CodeHost {
  const outside = (table: Readonly<Record<string, HostWrite>>): Outside => ({
    perform: async ({ op, effect, input }, keep) => {
      const write = tableEntry(table, op, 'unknown_op');
      return withIo(`write ${op}`, () => write.perform(options, withHost(options, effect), input, keep));
    },
    lookup: async ({ op, effect, input }) => {
      const write = tableEntry(table, op, 'unknown_op');
      return withIo(`lookup ${op}`, () => write.lookup(options, withHost(options, effect), input));
    },
  });
  return {
    query: async ({ what, input }, call) => {
      const query = tableEntry(QUERIES, what, 'unknown_query');
      return withIo(`query ${what}`, () => query(options, withHost(options, call.effect), input, call));
    },
    changes: outside(CHANGES),
    deploys: outside(DEPLOYS),
  };
}

function withHost(options: LocalHostOptions, effect: string): WithHost {
  const { release, run, now, namespace, environment = process.env } = options;
  return async (work) => {
    const git = createGit(environment);
    const { top: root } = await needPerson(git, await realFolder(options.person));
    const person = { git, root, namespace, environment };
    return inScratch(person, options.dir, async (scratch) => {
      const remote = await openRemote(scratch, release.remote, effect);
      return work({ release, run, now, scratch, remote, effect });
    });
  };
}

type HostQuery<T = unknown> = (parts: HostParts, at: WithHost, input: unknown, call: HostCall) => Promise<T>;

const QUERIES: Readonly<Record<string, HostQuery>> = {
  'host.release': (_, at, input, { signal }) =>
    at((location) => findRelease(location, parseInput(ReleaseQuery, input), signal)),
  'host.observe': (parts, at, input, call) => observe(parts, at, parseInput(ObserveQuery, input), call),
} satisfies { readonly [Q in QueryName & `host.${string}`]: HostQuery<QueryResult<Q>> };

interface HostWrite {
  perform(parts: HostParts, at: WithHost, input: unknown, keep: StoreText): Promise<unknown>;
  lookup(parts: HostParts, at: WithHost, input: unknown): Promise<unknown | null | 'unknown'>;
}

const CHANGES: Readonly<Record<string, HostWrite>> = {
  open_pull_request: {
    perform: (_, at, input) =>
      at((location) => openPullRequest(location, parseInput(OpenPullRequest, input))),
    lookup: (_, at, input) => at((location) => findPullRequest(location, parseInput(OpenPullRequest, input))),
  },
  merge: {
    perform: (_, at, input) => at((location) => merge(location, parseInput(Merge, input))),
    lookup: (_, at, input) => at((location) => findMerge(location, parseInput(Merge, input))),
  },
};

const DEPLOYS: Readonly<Record<string, HostWrite>> = {
  deploy: {
    perform: (parts, at, input, keep) => deploy(parts, at, parseInput(Deploy, input), keep),
    lookup: (parts, at, input) => findDeployed(parts, at, parseInput(Deploy, input)),
  },
};
