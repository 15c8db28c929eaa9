import { describe, expect, test } from 'vitest';
import type { Hash } from '../../src/contract/ids.ts';
import { AdapterError } from '../../src/engine/errors.ts';
import { gateOf } from '../support/lab.ts';
import { labsOfTest, playTo, QUICK, reopen, SHORT } from './quick-lab.ts';

const labs = labsOfTest();

describe('a part that breaks', () => {
  test('a workflow that throws anything while it settles halts its run with the stack, and other runs go on', async () => {
    const lab = await labs.open({
      script: SHORT,
      wrap: (deps) => ({
        ...deps,
        workflow: async (name) => {
          const def = await deps.workflow(name);
          const broken: typeof def = def && {
            ...def,
            settle: (state, step, outcome) => {
              if (outcome.kind === 'worked' && name === 'spec')
                throw new TypeError('undefined is not a draft');
              return def.settle(state, step, outcome);
            },
          };
          return broken;
        },
      }),
    });
    const drive = await lab.start('spec', QUICK);
    expect(await drive.advance()).toMatchObject({ status: 'halted', halt: { kind: 'invariant' } });
    const { halt } = await lab.row(drive.run);
    if (typeof halt?.why !== 'object') throw new Error('a halt without a message');
    const { problem, stack } = halt.why.args ?? {};
    expect(problem).toContain('undefined is not a draft');
    expect(await lab.deps.artefacts.get(stack as Hash)).toContain('settle');
    const other = await lab.start('probe', { script: [{ do: 'query', path: 'x' }] });
    expect((await other.advance()).outcome).toBe('done');
    expect((await lab.api.doctor(true)).problems).toEqual([]);
  });

  test('a lease that cannot be given back keeps nobody from closing, and the next process takes the run', async () => {
    const lab = await labs.open({ script: SHORT });
    const full = new AdapterError({ code: 'disk_full', retry: 'transient', detail: 'no space' });
    const other = await labs.dying(lab, (deps) => ({
      ...deps,
      store: { ...deps.store, releaseLease: () => Promise.reject(full) },
    }));
    const drive = await other.start('spec', QUICK, { attended: true });
    const gate = gateOf(await playTo(other, drive, {}, 'questions'));
    await drive.close();
    expect((await lab.row(drive.run)).holder).not.toBeNull();
    const heir = await reopen(lab, drive.run);
    expect((await heir.advance()).gate?.id).toBe(gate.id);
  });
});
