import { expect, test } from 'vitest';
import type { Step } from '../../src/contract/step.ts';
import { fold } from '../../src/engine/fold.ts';
import type { Workflow } from '../../src/engine/workflow.ts';
import { coreOf } from '../../src/engine/write-change.ts';
import { labsOfTest } from '../scenario/quick-lab.ts';
import { createTerminal } from '../support/fake-terminal.ts';
import { gateOf, type Lab } from '../support/lab.ts';
import { probeWorkflow } from '../support/probe.ts';

const { open } = labsOfTest();
const PLAYED = 'script: 1\nlanguage: en\nroles:\n  alpha: [{ result: { say: a } }]\n';
const SCRIPT = [
  { do: 'gate', name: 'ask' },
  { do: 'gate', name: 'ask' },
];
/** What a newer version does where the version before asks `ask`; the state has the same version. */
const NEWER: Readonly<Record<string, object>> = {
  'another gate': { do: 'gate', name: 'hard' },
  'no gate': { do: 'work', roles: ['alpha'] },
};

/** The same workflow whose first step has become another one. */
function newer(first: object): Workflow {
  return {
    ...probeWorkflow,
    next: (state): Step => {
      const { pos, script } = state as unknown as { pos: number; script: unknown[] };
      const changed = pos === 0 ? { ...state, script: [first, ...script.slice(1)] } : state;
      return probeWorkflow.next(changed as never);
    },
  };
}

async function stale(first: object) {
  const lab = await open({ script: PLAYED });
  const drive = await lab.start('probe', { script: SCRIPT });
  const gate = gateOf(await drive.advance());
  await lab.api.stop({ run: drive.run });
  const def = newer(first);
  const next = await lab.other((deps) => ({
    ...deps,
    workflow: async (name) => (name === 'probe' ? def : deps.workflow(name)),
  }));
  return { lab: next, gate, run: drive.run };
}

async function expectFolds({ deps }: Lab, run: string): Promise<void> {
  const row = await deps.store.load(run);
  expect(fold(await deps.store.events(run, 0, 100))).toEqual(row && coreOf(row));
}

test.each(Object.entries(NEWER))(
  'TRUST-24 an answer settles only the gate it was given for: where %s is due it is stored and not applied',
  async (_, first) => {
    const { lab, gate, run } = await stale(first);
    const before = await lab.row(run);
    const receipt = await lab.answer(gate, 'change', { text: 'faster' });
    const row = await lab.row(run);
    expect(row.state).toEqual(before.state);
    expect(row.revision).toBe(before.revision + 1);
    expect(receipt.not_applied).toBe(true);
    expect(await lab.deps.store.gate(gate.id)).toMatchObject({ status: 'withdrawn' });
    expect(await lab.deps.store.answerOf(gate.id, 1)).toMatchObject({ option: 'change', text: 'faster' });
    await expectFolds(lab, run);
    expect((await lab.api.doctor(true)).problems).toEqual([]);
  },
);

test('TRUST-24 the gate that is due shows the earlier answer, to a person too, and takes an answer of its own', async () => {
  const { lab, gate, run } = await stale({ do: 'gate', name: 'hard' });
  const terminal = createTerminal({ api: { ...lab.api, close: async () => undefined } });
  await terminal.run('answer', gate.id, 'change', '--text', 'faster', '--digest', gate.digest, '--no-drive');
  const [due] = await lab.deps.store.openGates(run);
  expect(due).toMatchObject({ name: 'hard', iteration: 1 });
  expect(terminal.out()).toContain('stored, not applied: Change');
  const shown = createTerminal({ api: { ...lab.api, close: async () => undefined } });
  await shown.run('gates', run);
  const earlier = `Earlier answer, not applied: change at ${gate.id} by Ada: faster`;
  expect(shown.out().replace(/\s+/g, ' ')).toContain(earlier);

  await lab.api.command({ run, command: 'nudge' });
  const [again] = await lab.deps.store.openGates(run);
  expect(again).toMatchObject({ id: due?.id, iteration: 2, brief: { context: due?.brief.context } });
  if (again) await lab.answer(again, 'go', { typed: 'probe' });
  expect((await lab.row(run)).state).toMatchObject({ pos: 1, last: 'go' });
  await expectFolds(lab, run);
});
