import { describe, expect, test } from 'vitest';
import { reject } from '../../src/engine/rejection.ts';
import { provePerson, refuseMarked } from '../../src/prove-person.ts';
import { EXIT } from '../../src/surfaces/cli/exit.ts';
import { createTerminal } from '../support/fake-terminal.ts';
import { createScriptedApi } from '../support/scripted-api.ts';

const WORKER = { markedAncestor: () => 'sp-abc/2/0.1' };

describe('a process started by a worker', () => {
  test('WF-33 never proves to be a person, and the refusal names its mark', async () => {
    const refused = await provePerson('.', WORKER);
    expect(refused).toMatchObject({ rejection: 'not_a_person' });
    expect(JSON.stringify(refused)).toContain('sp-abc/2/0.1');
    expect(refuseMarked({ markedAncestor: () => null })).toBeNull();
  });

  test.each(['stop', 'resume'])('may not %s a run', async (command) => {
    const marked = reject('not_a_person', { reason: 'started by a worker' });
    const terminal = createTerminal({ marked, api: createScriptedApi() });
    expect(await terminal.run(command, 'sp-3aa')).toBe(EXIT.refused);
    expect(terminal.err()).toMatch(/not_a_person_decides.*started by a worker/);
  });
});
