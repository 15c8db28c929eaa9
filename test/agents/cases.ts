import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { stringify } from 'yaml';
import { changeNotes, deliverSpec } from '../support/deliver-script.ts';
import { editAndGive, findRole, giveResult } from '../support/model-server/play-roles.ts';
import type { Step } from '../support/model-server/script.ts';
import { writePersonConfig } from '../support/person-config.ts';
import { sharedBundle } from '../support/shared-bundle.ts';
import { typeRun } from '../support/typed-run.ts';
import { callAgent } from './call.ts';
import { type Ground, layGround, type Subject, type Wanted } from './ground.ts';
import { HOSTILE, playHostile } from './hostile-case.ts';
import { HAPPY, INPUT, playOn, spoiled, startAndPlay } from './play.ts';

/** One thing every real agent must do under Baton; throws when it does not. */
export type Case = (subject: Subject) => Promise<void>;

const READS = { kind: 'read_only' } as const;
const WRITES = { kind: 'writes', globs: ['**'] } as const;

/** Lays the ground, and sees at the end that no process of the case is left, also none that changed its group. */
function onGround(wanted: Wanted, play: (ground: Ground) => Promise<void>): Case {
  return async (subject) => {
    const ground = await layGround(subject, wanted);
    try {
      await play(ground);
      assert.deepEqual(await ground.alive(), [], 'no process of the agent is left');
    } finally {
      await ground.remove();
    }
  };
}

const has = (ground: Ground, file: string) => existsSync(path.join(ground.root, file));

const write = onGround({ parts: HAPPY }, async (ground) => {
  const { end } = await callAgent(ground, { role: 'generator_single', profile: WRITES });
  assert.equal(end.outcome, 'finished', end.detail);
  assert.match(readFileSync(path.join(ground.root, 'src/sums.js'), 'utf8'), /add = /);
});

/** The program says all went well; what counts is that nothing was written. In a sandbox nothing could be, whoever asks. */
const refuse = onGround(
  {
    parts: { evaluator: () => editAndGive({ 'stray.txt': 'no\n' }, { ok: true }) },
    person: { sandbox: 'off' },
  },
  async (ground) => {
    const { end } = await callAgent(ground, { role: 'evaluator', profile: READS });
    assert.equal(end.outcome, 'finished', end.detail);
    assert.equal(has(ground, 'stray.txt'), false);
  },
);

/** A plan that fits no schema is sent back with what was wrong, and the corrected one is taken. */
const schemaMiss = onGround(
  {
    parts: {
      ...HAPPY,
      planner_single: ({ correction }) =>
        correction ? giveResult(deliverSpec()) : [{ text: 'Here is a plan in prose.' }],
    },
  },
  async (ground) => {
    const lab = await ground.open();
    const rest = await startAndPlay(lab);
    await lab.close();
    assert.equal(rest.outcome, 'passed', JSON.stringify(rest));
    const planned = ground.server.turns().filter(({ prompt }) => prompt.includes('# Correction'));
    assert.ok(planned.length > 0, 'the correction reached the model');
  },
);

const hang = onGround(
  { parts: spoiled('generator_single', { fault: { kind: 'hang' } }), settings: { stall_minutes: 0.15 } },
  async (ground) => {
    const { end } = await callAgent(ground, { role: 'generator_single', profile: WRITES });
    assert.equal(end.outcome, 'unavailable');
    assert.match(end.detail, /no sign of life/);
  },
);

const NAP = 'setsid sh -c "sleep 613" >/dev/null 2>&1 & sleep 613';

/** A shell of the worker that changed its session must be gone as well. */
const cancel = onGround(
  {
    parts: {
      generator_single: () => [{ toolCalls: [{ shell: { command: NAP } }] }, ...giveResult(changeNotes())],
    },
    person: { sandbox: 'off' },
  },
  async (ground) => {
    const abort = new AbortController();
    const called = callAgent(ground, { role: 'generator_single', profile: WRITES, signal: abort.signal });
    for (let n = 0; n < 600 && !(await ground.alive()).some((line) => line.includes('sleep 613')); n++)
      await wait(100);
    assert.ok(
      (await ground.alive()).some((line) => line.includes('sleep 613')),
      'the shell was started',
    );
    abort.abort();
    const { end } = await called;
    assert.equal(end.outcome, 'aborted');
  },
);

/** Baton is killed while the author works; the next life ends in one commit. */
const killAndResume = onGround({ parts: HAPPY }, async (ground) => {
  const first = live(ground);
  for (let n = 0; n < 1200 && !ground.server.turns().some(isAuthor); n++) await wait(100);
  assert.ok(ground.server.turns().some(isAuthor), 'the author was at work');
  first.child.kill('SIGKILL');
  await once(first.child, 'exit');
  const told = JSON.parse(await live(ground).said) as { outcome: string | null };
  assert.equal(told.outcome, 'passed', JSON.stringify(told));
  assert.equal(ground.git('log', '--oneline', '--branches=baton/*', '--not', 'main').split('\n').length, 1);
});

function isAuthor({ prompt }: { prompt: string }): boolean {
  return findRole(prompt) === 'generator_single';
}

function live({ root, state, env }: Ground) {
  const processRun = path.join(import.meta.dirname, 'process-run.ts');
  const child = spawn(process.execPath, [processRun, root, state], {
    env: { ...env, GROUND: '' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return { child, said: text(child.stdout) };
}

const BIG: Step = { usage: { input: 400_000, output: 100_000 } };

/** The plan alone uses more than the run may; nothing is dispatched after it without a person's word. */
const budgetStop = onGround(
  { parts: spoiled('planner_single', BIG), config: { budget: { tokens: 200_000 } } },
  async (ground) => {
    const lab = await ground.open();
    const rest = await startAndPlay(lab);
    await lab.close();
    assert.equal(rest.gate?.name, 'trouble_budget', JSON.stringify(rest));
    assert.ok(!ground.server.turns().some(isAuthor), 'no author was asked');
  },
);

/** The provider takes no call of the first attempt; the run sleeps as long as it was told to, and goes on by itself. */
const quotaSleep = onGround(
  {
    parts: {
      ...HAPPY,
      planner_single: (brief) =>
        brief.result_file.endsWith('-1/out/result.json')
          ? [{ fault: { kind: 'status', status: 429, retry_after_s: 6 } }]
          : (HAPPY.planner_single?.(brief) ?? []),
    },
    settings: { stall_minutes: 1 },
  },
  async (ground) => {
    const lab = await ground.open();
    const rest = await startAndPlay(lab);
    await lab.close();
    assert.equal(rest.outcome, 'passed', JSON.stringify(rest));
    const slept = lab.progress.filter((event) => event.type === 'asleep');
    assert.deepEqual(
      slept.map(({ agent, why }) => [agent, why]),
      [[ground.subject.agent, 'limited']],
      'it was told that the run sleeps, and why',
    );
  },
);

/** The program is wrapped in one that writes into the tree, whatever the role: it is put back, and the call fails. */
const readOnlyRestore: Case = async (subject) => {
  const wrapper = path.join(path.dirname(subject.file), `.stray-${process.pid}.sh`);
  writeFileSync(
    wrapper,
    `#!/bin/sh\n[ -e package.json ] && echo stray > stray.txt\nexec "${subject.file}" "$@"\n`,
  );
  chmodSync(wrapper, 0o755);
  await onGround({ parts: HAPPY, person: { sandbox: 'off' } }, async (ground) => {
    const lab = await ground.open();
    const drive = await lab.start('deliver', { task: 'Add', mode: 'single', model_config: 'balanced' });
    const rest = await playOn(lab, drive);
    const events = await lab.deps.store.events(rest.run, 0, 1000);
    await drive.close();
    await lab.close();
    assert.notEqual(rest.outcome, 'passed');
    assert.match(JSON.stringify(events), /stray\.txt/, 'what was written is on record');
    const tree = path.join(ground.state, 'trees', rest.run, 'tree', 'stray.txt');
    assert.equal(existsSync(tree) || has(ground, 'stray.txt'), false, 'and put back');
  })({ ...subject, file: wrapper });
};

const wholeRun = onGround({ parts: HAPPY }, async (ground) => {
  const before = ground.git('status', '--porcelain');
  const lab = await ground.open();
  const rest = await startAndPlay(lab);
  await lab.close();
  assert.equal(rest.outcome, 'passed', JSON.stringify(rest));
  const branch = ground.git('for-each-ref', '--format=%(refname:short)', 'refs/heads/baton');
  assert.match(ground.git('show', `${branch}:src/sums.js`), /add = /);
  assert.equal(ground.git('status', '--porcelain'), before, "the person's checkout is as it was");
});

/** Names of variables a person must allow by hand, as docs/guide/agents.md says; the rest each kind declares itself. */
const NAMED: Readonly<Record<string, readonly string[]>> = {
  codex: ['SCRIPTED_API_KEY'],
  acp: ['ANTHROPIC_API_KEY', 'ANTHROPIC_BASE_URL'],
};

/** The built command line, the program on the PATH, a home of its own, and the gates answered at a terminal. */
const typed = onGround({ parts: HAPPY }, async (ground) => {
  const { subject, root, env } = ground;
  const { agent, file } = subject;
  const { main } = await sharedBundle();
  const kind = agent === 'acp' ? { kind: 'acp', command: [path.basename(file)] } : {};
  const allowed = { ...kind, env: ['GROUND', ...(NAMED[agent] ?? [])] };
  writePersonConfig(env.XDG_CONFIG_HOME ?? '', stringify({ agents: { [agent]: allowed } }));
  writeFileSync(path.join(root, 'baton.yaml'), 'agents: {}\n');
  const before = ground.git('status', '--porcelain');
  const { task, mode, model_config } = INPUT;
  const words = ['deliver', task, '--agent', agent, '--mode', mode, '--model-config', model_config];
  const PATH = [path.dirname(file), env.PATH].join(path.delimiter);
  const { code, screen } = await typeRun([process.execPath, main, ...words], {
    cwd: root,
    env: { ...env, PATH },
  });
  assert.equal(code, 0, screen);
  assert.match(screen, /ended: passed/);
  const branch = ground.git('for-each-ref', '--format=%(refname:short)', 'refs/heads/baton');
  assert.match(ground.git('show', `${branch}:src/sums.js`), /add = /);
  assert.equal(ground.git('status', '--porcelain'), before, "the person's checkout is as it was");
});

const hostileInside = onGround({ parts: HOSTILE }, (ground) => playHostile(ground, 'required'));
const hostileOutside = onGround({ parts: HOSTILE }, (ground) => playHostile(ground, 'off'));

export const CASES: Readonly<Record<string, Case>> = {
  write,
  refuse,
  'schema miss': schemaMiss,
  hang,
  'cancel leaves no process': cancel,
  'kill and resume': killAndResume,
  'budget stop': budgetStop,
  'quota sleep and go on': quotaSleep,
  'read-only restore': readOnlyRestore,
  'whole deliver run': wholeRun,
  'typed at a terminal': typed,
  'hostile in the sandbox': hostileInside,
  'hostile without a sandbox': hostileOutside,
};
