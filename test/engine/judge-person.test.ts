import { describe, expect, test } from 'vitest';
import type { Person } from '../../src/contract/answer.ts';
import {
  claimAt,
  type PersonPolicy,
  type ProcessFacts,
  proofMessage,
  refuseProcess,
  refuseWorker,
} from '../../src/engine/judge-person.ts';
import { translator } from '../support/texts.ts';

const SPACES = 'user:[1] pid:[2] 0 0 4294967295';
const reference = { file_limit: null, namespaces: SPACES };
const PERSON: ProcessFacts = {
  call: null,
  tagged: false,
  file_limit: null,
  namespaces: SPACES,
  terminal: true,
};

describe('which process may decide', () => {
  test.each<[string, Partial<ProcessFacts>, PersonPolicy, string | null]>([
    ['a terminal of the person', {}, { reference }, null],
    ['a run from before there was a reference', { file_limit: '1000' }, {}, null],
    ['no terminal', { terminal: false }, { reference }, 'no_terminal'],
    ['a call id among the ancestors', { call: 'sp-1/2/0.1' }, { reference }, 'worker'],
    ['a process tag', { tagged: true, file_limit: '5' }, {}, 'worker'],
    ['a limit where there was none', { file_limit: '1000' }, { reference }, 'limit'],
    [
      'a lower limit than the reference',
      { file_limit: '999' },
      { reference: { ...reference, file_limit: '1000' } },
      'limit',
    ],
    ['the same limit', { file_limit: '1000' }, { reference: { ...reference, file_limit: '1000' } }, null],
    ['a higher limit, which no worker can have', {}, { reference: { ...reference, file_limit: '9' } }, null],
    ['another map of users', { namespaces: 'user:[9] pid:[2] 0 1000 1' }, { reference }, 'namespace'],
    [
      'the same container, started again',
      { namespaces: 'user:[1] pid:[9] 0 0 4294967295' },
      { reference },
      null,
    ],
    ['a machine without /proc', { namespaces: null }, { reference }, null],
  ])('%s', (_name, facts, policy, reason) => {
    const refused = refuseProcess({ ...PERSON, ...facts }, policy);
    expect(refused?.message.args?.reason ?? null).toBe(reason);
    // Only what a worker did goes on record.
    const isWorker = reason === 'worker' || reason === 'limit';
    expect(refuseWorker({ ...PERSON, ...facts }, policy) !== null).toBe(isWorker);
    expect(typeof refused?.message.args?.call_id === 'string').toBe(isWorker);
  });
});

const BWRAP = { kind: 'bwrap', check_network: false, why: null } as const;
const NONE = { kind: 'none', check_network: true, why: 'not_installed' } as const;

describe('what may be claimed', () => {
  test.each<[string, PersonPolicy, [number | null, number | null], string]>([
    ['sandbox, whatever the age', { containment: BWRAP }, [20, 20], 'sandboxed_network'],
    ['no sandbox, older terminal', { containment: NONE, reference }, [9, 9], 'older_terminal'],
    ['no sandbox, holder of another user', { containment: NONE, reference }, [9, null], 'older_terminal'],
    ['no sandbox, younger leader', { containment: NONE, reference }, [11, 1], 'terminal'],
    ['no sandbox, younger holder', { containment: NONE, reference }, [1, 11], 'terminal'],
    ['no sandbox, leader gone', { containment: NONE, reference }, [null, null], 'terminal'],
    ['an older run', {}, [9, 9], 'terminal'],
    [
      'another pid namespace',
      { containment: NONE, reference: { ...reference, namespaces: 'user:[1] pid:[7] 0 0 4294967295' } },
      [9, 9],
      'terminal',
    ],
  ])('%s', (_name, policy, [leader, holder], proof) => {
    const at = { namespaces: SPACES, age: () => ({ leader, holder }) };
    expect(claimAt(policy, 10, at)).toBe(proof);
  });

  test.each<[Partial<Person>, string]>([
    [
      { proof: 'sandboxed_network' },
      'Answered at a terminal by Ada. Workers and checks were sandboxed with network: services on this machine were in reach.',
    ],
    [
      { proof: 'older_terminal' },
      'Answered at a terminal opened before the work began. Workers were not sandboxed.',
    ],
    [
      { proof: 'terminal' },
      'Answered at a terminal. Workers were not sandboxed; a program of yours could have done this.',
    ],
    [{ proof: 'sudo' }, 'Answered at a terminal and confirmed with sudo. Workers were not sandboxed.'],
    [
      { proof: 'security_key' },
      'Answered at a terminal and confirmed with a security key. Workers were not sandboxed.',
    ],
    [
      { proof: 'older_terminal', code: true },
      'Answered at a terminal opened before the work began. Workers were not sandboxed; confirmed with the code of the driving terminal.',
    ],
  ])('%j is said in the words of the table', (known, said) => {
    const message = proofMessage({ person: 'Ada', proof: 'terminal', ...known });
    expect(message && translator('en')(message)).toBe(said);
    expect(message && translator('ko')(message)).toMatch(/터미널/);
  });

  test('an answer of a composition or a login says nothing of a terminal', () => {
    expect(proofMessage({ person: 'Ada', proof: 'composition' })).toBeNull();
    expect(proofMessage({ person: 'Ada', proof: 'login' })).toBeNull();
  });
});
