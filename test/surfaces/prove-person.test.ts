import { describe, expect, test } from 'vitest';
import { reject } from '../../src/engine/rejection.ts';
import { provePerson, refuseWorkerProcess } from '../../src/prove-person.ts';
import { EXIT } from '../../src/surfaces/cli/exit.ts';
import { createTerminal } from '../support/fake-terminal.ts';
import { createScriptedApi } from '../support/scripted-api.ts';

const SELF = { host: 'here', pid: 1, start: '1' };
const none = { workerAncestor: () => null, self: () => SELF, isAlive: () => false };
const WORKER = { ...none, workerAncestor: () => 'sp-abc/2/0.1' };

describe('a process started by a worker', () => {
  test('WF-33 never proves to be a person, and the refusal names its mark', async () => {
    const refused = await provePerson({ folder: '.', home: () => null, processes: WORKER }, null);
    expect(refused).toMatchObject({ rejection: 'not_a_person' });
    expect(JSON.stringify(refused)).toContain('sp-abc/2/0.1');
    expect(refuseWorkerProcess({}, none)).toBeNull();
  });

  test.each(['stop', 'resume'])('may not %s a run', async (command) => {
    const refused = reject('not_a_person', { reason: 'started by a worker' });
    const terminal = createTerminal({ refused, api: createScriptedApi() });
    expect(await terminal.run(command, 'sp-3aa')).toBe(EXIT.refused);
    expect(terminal.err()).toMatch(/not_a_person_decides.*started by a worker/);
  });
});
