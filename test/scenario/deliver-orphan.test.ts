import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { locationEnvironment } from '../../src/compose.ts';
import type { Deps } from '../../src/runtime/deps.ts';
import { changeNotes } from '../support/deliver-script.ts';
import { gateOf, type Lab } from '../support/lab.ts';
import { BRANCH, changedIn, changing, groundsOfTest, SINGLE, SMALL, YES } from './deliver-lab.ts';
import { diesOf, killAt } from './kill-in-process.ts';
import { playTo, reopen } from './quick-lab.ts';

const grounds = groundsOfTest();
let orphan: ChildProcess | null = null;
afterEach(() => {
  orphan?.kill('SIGKILL');
  orphan = null;
});

/** Dies while the hook of the commit runs: what the person's git left behind carries the mark of the effect. */
const dyingInHook =
  (lab: Lab) =>
  (deps: Deps): Deps => {
    const { wrap } = killAt(1, (label) => label === 'after write');
    const treeOf: Deps['treeOf'] = (run) => ({
      ...deps.treeOf(run),
      perform: async ({ effect }) => {
        orphan = spawn('sleep', ['600'], {
          env: { ...locationEnvironment(lab), BATON_CALL: effect },
          stdio: 'ignore',
        });
        await once(orphan, 'spawn');
        return {};
      },
    });
    return wrap({ ...deps, treeOf });
  };

test('a hook that outlives its process is ended before the commit is looked up and made again', async () => {
  const ground = grounds.repository(SMALL);
  const lab = await grounds.open(ground, changing());
  const drive = await lab.start('deliver', SINGLE);
  const gate = gateOf(await playTo(lab, drive, YES, 'commit'));
  await drive.close();
  const dying = await lab.other(dyingInHook(lab));
  const last = await reopen(dying, drive.run);
  await dying.answer(gate, 'code_only');
  expect(await diesOf(last.advance())).toBe(true);
  dying.deps.store.close();
  const rest = await (await reopen(lab, drive.run)).advance();
  expect(rest).toMatchObject({ status: 'ended', outcome: 'passed' });
  expect(orphan?.signalCode ?? orphan?.exitCode).toBe('SIGTERM');
  expect(changedIn(ground, BRANCH)).toEqual(['M greeting.txt']);
});

/** A worker in the middle of its edits that outlives its Baton and, asked to end, says that it is done. */
function dyingInWorker(deps: Deps): Deps {
  const { wrap } = killAt(1, (label) => label === 'while worker generator_single');
  return wrap({
    ...deps,
    agent: async (policy) => {
      const agent = await deps.agent(policy);
      return {
        ...agent,
        async *run(call, signal) {
          if (call.role !== 'generator_single') return yield* agent.run(call, signal);
          const said = [
            { type: 'result', value: changeNotes({ files: ['half.txt'] }) },
            { type: 'closing', key: call.key, exit: 0 },
          ];
          const stream = path.join(call.dir, 'stream.jsonl');
          const script = `trap 'printf "%s\\n" "$SAID" > ${stream}; exit 0' TERM
            echo half > half.txt; mkdir -p ${call.dir}; echo ready; while :; do sleep 0.05; done`;
          const env = {
            ...process.env,
            BATON_CALL: call.key,
            SAID: said.map((one) => JSON.stringify(one)).join('\n'),
          };
          orphan = spawn('sh', ['-c', script], { cwd: call.cwd, env, stdio: ['ignore', 'pipe', 'ignore'] });
          await once(orphan.stdout as NodeJS.ReadableStream, 'data');
          yield { type: 'started', pid: orphan.pid ?? 0 };
        },
      };
    },
  });
}

test('a worker that says it is done when we end it was not done: its edits go, and it is called again', async () => {
  const ground = grounds.repository(SMALL);
  const lab = await grounds.open(ground, changing());
  const drive = await lab.start('deliver', SINGLE);
  const gate = gateOf(await playTo(lab, drive, YES, 'spec'));
  await drive.close();
  const dying = await lab.other(dyingInWorker);
  const last = await reopen(dying, drive.run);
  await dying.answer(gate, 'proceed');
  expect(await diesOf(last.advance())).toBe(true);
  dying.deps.store.close();
  const rest = await playTo(lab, await reopen(lab, drive.run), YES);
  expect(rest).toMatchObject({ status: 'ended', outcome: 'passed' });
  expect(changedIn(ground, BRANCH)).toEqual(['M greeting.txt']);
});
