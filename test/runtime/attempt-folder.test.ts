import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { prepareFiles } from '../../src/adapters/agent-process/call-files.ts';
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
  expect(readdirSync(dir)).toContain('tree-fingerprint-0');
});

const ODD: readonly [string, (file: string) => void][] = [
  ['a pipe nobody writes into', (file) => execFileSync('mkfifo', [file])],
  ['a link to a file of somebody else', linkToForeign],
  ['a folder', (file) => mkdirSync(file)],
];

function linkToForeign(file: string): void {
  const foreign = path.join(path.dirname(path.dirname(file)), 'foreign.json');
  writeFileSync(foreign, '{ "say": "not written by the worker" }');
  symlinkSync(foreign, file);
}

test.for(ODD)(
  '%s in the place of the result file is no result, and nothing waits for it',
  async ([, put]) => {
    const handing = (deps: Deps): Deps => ({
      ...deps,
      agent: async (policy, role) => ({
        ...(await deps.agent(policy, role)),
        async *run(call) {
          mkdirSync(path.dirname(call.result_file), { recursive: true });
          put(call.result_file);
          yield { type: 'ended', outcome: 'finished', detail: '' };
        },
      }),
    });
    const lab = await labs.open({ wrap: handing });
    const drive = await lab.start('probe', { script: [{ do: 'work', roles: ['alpha'] }] });
    await drive.advance();
    expect((await lab.row(drive.run)).state.last).not.toEqual(['ok']);
  },
);

test('an attempt starts over although an earlier try left a folder in the place of its result', async () => {
  const dir = mkdtempSync(path.join(tmpdir(), 'baton-attempt-'));
  try {
    const result_file = path.join(dir, 'out', 'result.json');
    mkdirSync(path.join(result_file, 'inner'), { recursive: true });
    await prepareFiles({ name: 'any' }, { dir, result_file, key: 'sp-1/1/0.1' } as AgentCall);
    expect(readdirSync(path.dirname(result_file))).toEqual([]);
  } finally {
    rmSync(dir, { recursive: true });
  }
});
