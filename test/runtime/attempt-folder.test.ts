import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { AgentCall } from '../../src/ports/agent.ts';
import type { Deps } from '../../src/runtime/deps.ts';
import { labsOfTest } from '../scenario/quick-lab.ts';

const labs = labsOfTest();

test('a result comes from a folder of its own: what a worker can write there holds no note of ours', async () => {
  const calls: AgentCall[] = [];
  const handing = (deps: Deps): Deps => ({
    ...deps,
    agent: async (policy, role) => ({
      ...(await deps.agent(policy, role)),
      async *run(call) {
        calls.push(call);
        const out = path.dirname(call.result_file);
        expect(existsSync(out) ? readdirSync(out) : []).toEqual([]);
        mkdirSync(out, { recursive: true });
        writeFileSync(call.result_file, '{ "say": "handed in" }');
        yield { type: 'ended', outcome: 'finished', detail: '' };
      },
    }),
  });
  const lab = await labs.open({ wrap: handing });
  const drive = await lab.start('probe', { script: [{ do: 'work', roles: ['alpha'] }] });
  expect((await drive.advance()).outcome).toBe('done');
  expect((await lab.row(drive.run)).state.last).toEqual(['ok']);
  const [{ dir, result_file } = { dir: '', result_file: '' }] = calls;
  expect(path.dirname(path.dirname(result_file))).toBe(dir);
  expect(readdirSync(dir)).toContain('tree-mark-0');
});
