import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { stringify } from 'yaml';
import { ACTIONS } from '../hostile/actions.ts';
import { GROUND_FILES, layGround, plantKeys, TOKENS } from '../hostile/ground.ts';
import { judge, type Named } from '../hostile/judge.ts';
import { scriptOf, smuggled } from '../hostile/play.ts';
import { changeNotes, passing } from '../support/deliver-script.ts';
import { giveResult } from '../support/model-server/play-roles.ts';
import type { Step } from '../support/model-server/script.ts';
import { sharedBundle } from '../support/shared-bundle.ts';
import { typeRun } from '../support/typed-run.ts';
import type { Done } from '../surfaces/end-to-end.ts';
import type { Ground } from './ground.ts';
import { HAPPY, INPUT } from './play.ts';

const SCRIPT = 'hostile.sh';
const ATTEMPTS: readonly Named[] = Object.entries(ACTIONS).filter(([, { aim }]) => aim !== 'cheat');

/** What the author writes once the ground is known; the model is asked only after that. */
let script = '';

/** An author that runs the hostile script, and leaves a test that runs it again as a check. */
export const HOSTILE = {
  ...HAPPY,
  generator_single: (): readonly Step[] => {
    const { edits } = smuggled(script);
    const writes = [{ path: SCRIPT, content: `${script}\n` }, ...edits];
    return [
      { toolCalls: writes.map((write) => ({ write })) },
      { toolCalls: [{ shell: { command: `sh ${SCRIPT}; rm -f ${SCRIPT}` } }] },
      ...giveResult(changeNotes({ files: edits.map(({ path }) => path) })),
    ];
  },
  evaluator: () => giveResult(passing(smuggled('').edits.map(({ path }) => path)).result),
};

/** Every hostile action by the real program: as its shell command, and as the check that it wrote. */
export async function playHostile(ground: Ground, sandbox: 'required' | 'off'): Promise<void> {
  const { subject, root, state, env } = ground;
  const base = path.dirname(state);
  const home = env.HOME ?? '';
  plantKeys(home);
  for (const [name, text] of Object.entries(GROUND_FILES)) writeFileSync(path.join(root, name), text);
  const config = path.join(env.XDG_CONFIG_HOME ?? '', 'baton');
  mkdirSync(config, { recursive: true });
  const agents = { [subject.agent]: { command: [subject.file], env: Object.keys(env).filter(isOwn) } };
  writeFileSync(path.join(config, 'config.yaml'), stringify({ sandbox, agents }), { mode: 0o600 });
  const { main } = await sharedBundle();
  const batonEnv = { ...env, ...TOKENS, BATON_HOME: state, NO_COLOR: '1' };
  const run = (...args: string[]) => runBaton([main, ...args], { cwd: root, env: batonEnv });
  const json = async <Value>(...args: string[]) =>
    JSON.parse((await run(...args, '--json')).stdout.trim().split('\n').at(-1) ?? '') as Value;
  writeFileSync(path.join(root, 'baton.yaml'), 'agent: rehearsal\n');
  const hostile = await layGround({ root, home: state, main, run, json }, { base, home }, 'worker');
  script = scriptOf(
    hostile,
    ATTEMPTS.map(([, action]) => action),
  );
  const { task, mode, model_config } = INPUT;
  const words = ['deliver', task, '--agent', subject.agent, '--mode', mode, '--model-config', model_config];
  const { screen } = await typeRun(
    [process.execPath, main, ...words],
    { cwd: root, env: batonEnv },
    { 'Convention scan': 'skip', Spec: 'proceed' },
  );
  const results = await judge(ATTEMPTS, hostile, screen);
  const strict = ATTEMPTS.filter(([, { bare }]) => sandbox === 'required' || bare !== 'possible');
  const unnoticed = strict.filter(([name]) => results[name] === 'succeeded unnoticed');
  assert.deepEqual(
    unnoticed.map(([name]) => name),
    [],
    screen,
  );
}

/** Variables of the ground's own home, which the person hands over by name. */
function isOwn(name: string): boolean {
  return !['PATH', 'HOME', 'LANG', 'XDG_CONFIG_HOME'].includes(name);
}

function runBaton(args: string[], options: { cwd: string; env: NodeJS.ProcessEnv }): Promise<Done> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, args, options, (_, stdout, stderr) =>
      resolve({ code: child.exitCode, signal: child.signalCode, stdout, stderr }),
    );
  });
}
