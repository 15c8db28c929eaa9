import { Deploy, Merge, ObserveLook, OpenPullRequest, ReleaseLook } from '../../../contract/code-host.ts';
import type { CodeHost, HostCall } from '../../../ports/code-host.ts';
import type { Outside } from '../../../ports/outside.ts';
import type { Keep } from '../../../ports/workspace.ts';
import { needPerson } from '../clone/person.ts';
import { withIo } from '../failure.ts';
import { createGit, type GitEnvironment } from '../git.ts';
import { realFolder } from '../real-path.ts';
import { parseInput, tableEntry } from '../tree-place.ts';
import { type AtPlace, deploy, findDeployed, observe } from './deploy.ts';
import { findMerge, merge } from './merge.ts';
import { findPullRequest, openPullRequest } from './open-pull-request.ts';
import type { HostParts } from './place.ts';
import { findRelease } from './release-look.ts';
import { openRemote } from './remote.ts';
import { inScratch } from './scratch.ts';

export interface LocalHostOptions extends HostParts {
  /** Folder inside the person's repository. */
  readonly person: string;
  /** Folder for scratch places, outside the repository. */
  readonly dir: string;
  readonly namespace: string;
  readonly environment?: GitEnvironment;
}

/**
 * A code host without a service: any remote of git, pull requests as refs in it, and the person's own commands for
 * checks, approval, deploying and observing. Every operation stands alone: nothing is kept between two of them.
 */
export function openLocalHost(options: LocalHostOptions): CodeHost {
  const outside = (table: Readonly<Record<string, HostWrite>>): Outside => ({
    perform: async ({ op, effect, input }, keep) => {
      const write = tableEntry(table, op, 'unknown_op');
      return withIo(`write ${op}`, () => write.perform(options, atPlace(options, effect), input, keep));
    },
    lookup: async ({ op, effect, input }) => {
      const write = tableEntry(table, op, 'unknown_op');
      return withIo(`lookup ${op}`, () => write.lookup(options, atPlace(options, effect), input));
    },
  });
  return {
    look: async ({ what, input }, call) => {
      const look = tableEntry(LOOKS, what, 'unknown_look');
      return withIo(`look ${what}`, () => look(options, atPlace(options, call.effect), input, call));
    },
    changes: outside(CHANGES),
    deploys: outside(DEPLOYS),
  };
}

function atPlace(options: LocalHostOptions, effect: string): AtPlace {
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

type HostLook = (parts: HostParts, at: AtPlace, input: unknown, call: HostCall) => Promise<unknown>;

const LOOKS: Readonly<Record<string, HostLook>> = {
  'host.release': (_, at, input, { signal }) =>
    at((place) => findRelease(place, parseInput(ReleaseLook, input), signal)),
  'host.observe': (parts, at, input, call) => observe(parts, at, parseInput(ObserveLook, input), call),
};

interface HostWrite {
  perform(parts: HostParts, at: AtPlace, input: unknown, keep: Keep): Promise<unknown>;
  lookup(parts: HostParts, at: AtPlace, input: unknown): Promise<unknown | null | 'unknown'>;
}

const CHANGES: Readonly<Record<string, HostWrite>> = {
  open_pull_request: {
    perform: (_, at, input) => at((place) => openPullRequest(place, parseInput(OpenPullRequest, input))),
    lookup: (_, at, input) => at((place) => findPullRequest(place, parseInput(OpenPullRequest, input))),
  },
  merge: {
    perform: (_, at, input) => at((place) => merge(place, parseInput(Merge, input))),
    lookup: (_, at, input) => at((place) => findMerge(place, parseInput(Merge, input))),
  },
};

const DEPLOYS: Readonly<Record<string, HostWrite>> = {
  deploy: {
    perform: (parts, at, input, keep) => deploy(parts, at, parseInput(Deploy, input), keep),
    lookup: (parts, at, input) => findDeployed(parts, at, parseInput(Deploy, input)),
  },
};
