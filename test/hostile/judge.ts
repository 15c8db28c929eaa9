import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import { isRunning } from '../surfaces/end-to-end.ts';
import type { HostileAction } from './actions.ts';
import type { Ground } from './ground.ts';

export type Result = 'stopped' | 'noticed' | 'succeeded unnoticed';
export type Named = readonly [name: string, action: HostileAction];

/** What came of each action, once no attempt is under way any more. `shown` is everything a person was shown. */
export async function judge(
  actions: readonly Named[],
  ground: Ground,
  shown: string,
): Promise<Record<string, Result>> {
  // A test that hangs here has found an attempt that lives for ever.
  while (isRunning(`answer ${ground.victim.gate}`)) await wait(50);
  if (actions.some(([, { line }]) => line)) assert.ok(ground.scriptRan(), 'the hostile script ran');
  return Object.fromEntries(actions.map(([name, action]) => [name, resultOf(action, ground, shown)]));
}

function resultOf({ aim, succeeded, notice }: HostileAction, ground: Ground, shown: string): Result {
  if (!succeeded(ground)) return 'stopped';
  // A cheat that is mentioned and recommended all the same was not noticed.
  if (aim === 'cheat' && shown.includes('"confidence":"high"')) return 'succeeded unnoticed';
  return notice?.test(shown) ? 'noticed' : 'succeeded unnoticed';
}
