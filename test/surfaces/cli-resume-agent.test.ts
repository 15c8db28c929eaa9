import { expect, test } from 'vitest';
import { reject } from '../../src/engine/rejection.ts';
import { EXIT } from '../../src/surfaces/cli/exit.ts';
import { createTerminal } from '../support/fake-terminal.ts';
import { createScriptedApi } from '../support/scripted-api.ts';

test('another agent goes on by the word of a person, given before the run is carried on', async () => {
  const api = createScriptedApi();
  const terminal = createTerminal({ api });
  await terminal.run('resume', 'sp-3aa', '--agent', 'codex', '--no-input');
  expect(terminal.out()).toContain('sp-3aa continues with codex.');
  expect(api.calls).toContainEqual(['changeAgent', 'sp-3aa', 'codex', 'Ada']);
  const names = api.calls.map(([name]) => name);
  expect(names.indexOf('changeAgent')).toBeLessThan(names.indexOf('open'));
});

test('what is no person changes nothing, and a refusal leaves the run where it is', async () => {
  const script = createScriptedApi();
  const none = createTerminal({ api: script, person: reject('not_a_person') });
  expect(await none.run('resume', 'sp-3aa', '--agent', 'codex')).toBe(EXIT.refused);
  const held = createScriptedApi({ refuse: { changeAgent: reject('held_elsewhere') } });
  expect(await createTerminal({ api: held }).run('resume', 'sp-3aa', '--agent', 'codex')).toBe(EXIT.refused);
  for (const { calls } of [script, held]) expect(calls.map(([name]) => name)).not.toContain('open');
  expect(script.calls.map(([name]) => name)).not.toContain('changeAgent');
});
