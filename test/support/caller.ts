import type { Person } from '../../src/contract/answer.ts';
import type { Caller } from '../../src/engine/operation.ts';
import { reject } from '../../src/engine/rejection.ts';

export const TESTER: Person = { person: 'Tess Tester', surface: 'test', proof: 'composition' };

/** A caller who proves to be this person. */
export function callerOf(person: Person, name = person.person): Caller {
  return { name, surface: 'cli', refuseWorker: async () => null, person: async () => person };
}

/** A caller without proof: neither a worker nor a person at a terminal. */
export function nameless(name: string): Caller {
  return { ...callerOf(TESTER, name), person: async () => reject('not_a_person', { reason: 'no_terminal' }) };
}

const refused = () => reject('not_a_person', { call_id: 'B-1/1', reason: 'started by a worker' });

/** A process that a worker started. */
export const WORKER: Caller = {
  ...callerOf(TESTER, 'worker'),
  refuseWorker: async () => refused(),
  person: async () => refused(),
};
