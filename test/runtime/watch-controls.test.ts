import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Outcome } from '../../src/contract/outcome.ts';
import { AdapterError } from '../../src/engine/errors.ts';
import { watchControls } from '../../src/runtime/watch-controls.ts';

let calls = '';
beforeEach(() => {
  calls = mkdtempSync(path.join(tmpdir(), 'baton-controls-'));
});
afterEach(() => rmSync(calls, { recursive: true, force: true }));

type Controls = Readonly<Record<string, string>> | Error;

/** Before and after a step of a run with this policy. */
async function watched(before: Controls, after: Controls, policy: object = {}, kind = 'work') {
  let now = before;
  const controls = async () => {
    if (now instanceof Error) throw now;
    return now;
  };
  const run = { id: 'de-1', turn: 3, step: { kind }, policy: { tree: 'clone', ...policy } };
  const seen = await watchControls({ calls }, { run, tree: { controls } } as never);
  now = after;
  return (outcome: object) => seen(outcome as Outcome);
}

const A = { '.git/config': '1', 'hooks/b': '1', 'hooks/a': '1' };
const gone = new AdapterError({ code: 'repository_unreadable', retry: 'permanent', detail: '' });

test.each<[string, Controls, Controls, string[] | undefined]>([
  ['nothing changed', A, A, undefined],
  ['one changed and one is new', A, { ...A, 'hooks/b': '2', 'hooks/0': '1' }, ['hooks/0', 'hooks/b']],
  ['one is gone', A, { '.git/config': '1', 'hooks/b': '1' }, ['hooks/a']],
  ['it cannot be read any more', { 'hooks/a': '1' }, gone, ['.git', 'hooks/a']],
  ['it could not be read before either', gone, gone, undefined],
])('watched controls: %s', async (_name, before, after, changed) => {
  const end = await watched(before, after);
  expect(await end({ kind: 'worked' })).toEqual({
    kind: 'worked',
    ...(changed && { controls_changed: changed }),
  });
});

test.each([
  ['a step of a sandboxed run', { containment: { kind: 'bwrap' } }, 'work', 'worked'],
  ['a run in the folder of the person', { tree: 'folder' }, 'work', 'worked'],
  ['a step that runs nothing of a worker', {}, 'wait', 'worked'],
  ['an outcome that no worker or check had', {}, 'check', 'waited'],
])('controls are not reported for %s', async (_name, policy, kind, outcome) => {
  const end = await watched(A, {}, policy, kind);
  expect(await end({ kind: outcome })).toEqual({ kind: outcome });
});

test('controls are compared with those before the step, also by the process after a killed one', async () => {
  await watched(A, A);
  const again = await watched({ ...A, 'hooks/a': '2' }, { ...A, 'hooks/a': '2' }, {}, 'check');
  expect(await again({ kind: 'checked' })).toEqual({ kind: 'checked', controls_changed: ['hooks/a'] });
});

test('an error of our own stops the step', async () => {
  await expect(watched(new Error('a bug'), A)).rejects.toThrow('a bug');
});
