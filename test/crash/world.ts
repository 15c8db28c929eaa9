import { parse } from 'yaml';
import { hash, withoutTimes } from './folder.ts';
import type { Scenario } from './scenario.ts';

/**
 * The history of a life as one digest: where it began and everything done to the world since. Two scenarios are in the
 * same world as long as theirs is equal, and dying there is one point, not two: what differs comes later.
 */
export interface World {
  tell(doing: unknown): void;
  readonly digest: () => string;
}

/** The world a scenario begins in. */
export function seedOf({ input, git, in_place, unattended, asks, files, before }: Scenario): string {
  return hash(JSON.stringify({ input, git, in_place, unattended, asks, files, before }));
}

export function openWorld(scenario: Scenario, from: string, dir: string): World {
  let digest = from;
  const script = parse(scenario.script) as Script;
  return {
    tell: (doing) => {
      const told = JSON.stringify([doing, isCall(doing) ? partOf(script, doing) : null], withoutHolder);
      digest = hash(digest + withoutTimes(told.replaceAll(dir, 'DIR')).replace(NONCE, 'data'));
    },
    digest: () => digest,
  };
}

/** Fences of a prompt carry a number made from the time the run began. */
const NONCE = /data-[0-9a-f]{16}/g;

/** Which process works is not part of the world; each life is one of its own. */
function withoutHolder(key: string, value: unknown): unknown {
  return key === 'holder' || key === 'drive' ? null : value;
}

interface Script {
  readonly roles: Readonly<Record<string, readonly unknown[]>>;
}

/** What the worker of a call will do: it goes on when we are dead. */
function partOf({ roles, ...rest }: Script, { role, nth }: { role: string; nth: number }): unknown {
  return roles[role]?.[nth - 1] ?? [roles[role], rest];
}

function isCall(doing: unknown): doing is { role: string; nth: number } {
  return typeof doing === 'object' && doing !== null && 'role' in doing && 'nth' in doing;
}
