import { execFileSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { AgentCall } from '../../src/ports/agent.ts';
import type { Deps } from '../../src/runtime/deps.ts';
import { changeNotes, passing } from '../support/deliver-script.ts';
import { gateOf } from '../support/lab.ts';
import { sharedBundle } from '../support/shared-bundle.ts';
import {
  BRANCH,
  changedIn,
  changing,
  deliver,
  GREETING,
  groundsOfTest,
  locationOf,
  personal,
  SINGLE,
  SMALL,
  told,
  walk,
  YES,
} from './deliver-lab.ts';
import { playTo, reopen, rolesCalled } from './quick-lab.ts';

const grounds = groundsOfTest();

/** The first attempt of the author has less than a second. */
function hurried(deps: Deps): Deps {
  return {
    ...deps,
    agent: async (policy, role) => {
      const agent = await deps.agent(policy, role);
      const soon = (call: AgentCall) =>
        call.role === 'generator_single' && call.attempt === 1 ? { ...call, deadline_ms: 600 } : call;
      return { ...agent, run: (call, signal) => agent.run(soon(call), signal) };
    },
  };
}

function running(words: string): string[] {
  const listed = execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' }).split('\n');
  return listed.filter((line) => line.startsWith(words));
}

test('processes a worker leaves behind, also without its mark and out of its group, are ended; 100 MB of words are no result and do no harm', async () => {
  const ground = grounds.repository(SMALL);
  const processRuns = (n: number) => `sleep ${process.pid}.${n}`;
  const more = {
    leaves_process: processRuns(1),
    runs: `setsid env -i ${processRuns(2)} & setsid ${processRuns(3)} &`,
    huge: 100 * 1024 * 1024,
    attempts: changing().generator_single,
  };
  const before = personal(ground);
  const lab = await grounds.open(ground, changing(GREETING, more));
  const rest = await deliver(lab);
  expect(rest).toMatchObject({ status: 'ended', outcome: 'passed' });
  expect(running(`sleep ${process.pid}.`)).toEqual([]);
  // The shell in front of the first may still be there.
  expect(told(lab, 'engine.call_left')).toMatchObject([
    { level: 'warning', role: 'generator single', what: expect.stringMatching(/sleep.*sleep/) },
  ]);
  const kept = path.join(ground.home, 'artefacts');
  const sizes = Object.keys(walk(kept, () => false)).map((name) => statSync(path.join(kept, name)).size);
  expect(Math.max(...sizes)).toBeLessThan(10 * 1024 * 1024);
  expect(ground.git('show', `${BRANCH}:greeting.txt`)).toBe('HELLO');
  expect(personal(ground)).toEqual(before);
});

test('WF-09 an author who never ends is ended and told, one who claims success without a result too; the phase does not advance', async () => {
  const ground = grounds.repository(SMALL);
  const before = personal(ground);
  const attempts = [{ no_result: true }, { edits: GREETING, no_result: true }];
  const first = { edits: [{ path: 'half.txt', content: 'half\n' }], hang: true, attempts };
  const roles = { ...changing(), generator_single: [first, ...(changing().generator_single ?? [])] };
  const lab = await grounds.open(ground, roles, { wrap: hurried });
  const drive = await lab.start('deliver', SINGLE);
  const rest = await playTo(lab, drive, YES);
  expect(rest).toMatchObject({ status: 'halted', phase: 'generating' });
  expect(rolesCalled(lab).filter((line) => line.startsWith('generator'))).toHaveLength(3);
  expect(told(lab, 'engine.attempt_late')[0]).toMatchObject({
    level: 'warning',
    role: 'generator single',
    attempt: 1,
  });
  expect(told(lab, 'deliver.halt.workers')).toMatchObject([{ roles: 'generator_single' }]);
  await drive.close();
  const calm = await grounds.open(ground, roles);
  await calm.api.command({ run: rest.run, command: 'resume' });
  const resumed = await reopen(calm, rest.run);
  expect(await playTo(calm, resumed, { commit: [['code_only']] })).toMatchObject({ outcome: 'passed' });
  expect(changedIn(ground, BRANCH)).toEqual(['M greeting.txt']);
  expect(personal(ground)).toEqual(before);
});

test('success claimed with nothing done: told, never a pass, and there is no empty commit', async () => {
  const ground = grounds.repository(SMALL);
  const nothing = { result: changeNotes({ files: ['greeting.txt'] }) };
  const claims = passing([], undefined, {}).result;
  const held = {
    ...claims,
    criteria: claims.criteria.map((row) => ({ ...row, evidence: [{ file: 'greeting.txt', line: 1 }] })),
  };
  const roles = {
    ...changing([]),
    generator_single: [nothing, nothing, nothing],
    evaluator: [{ result: held }, { result: held }, { result: held }],
  };
  const lab = await grounds.open(ground, roles);
  const drive = await lab.start('deliver', SINGLE);
  const asked = gateOf(await playTo(lab, drive, YES, 'verify'));
  expect(told(lab, 'deliver.notice.changes')[0]).toEqual({ level: 'warning', n: 0 });
  expect(asked.brief.decide).toMatchObject({ msg: 'deliver.verify.empty' });
  expect(ground.git('branch', '--list', 'baton/*')).toBe('');
});

test('WF-81 an evaluator that edits a file: result refused, tree restored, event recorded', async () => {
  const ground = grounds.repository(SMALL);
  const unauthorised = {
    edits: [{ path: 'greeting.txt', content: 'mine\n' }],
    runs: 'git config core.pager evil; echo > new',
  };
  const honest = passing(['greeting.txt']);
  const evaluator = [{ ...honest, ...unauthorised, attempts: [honest] }];
  const lab = await grounds.open(ground, { ...changing(), evaluator });
  const rest = await deliver(lab);
  expect(rest).toMatchObject({ status: 'ended', outcome: 'passed' });
  expect(rolesCalled(lab).filter((line) => line.startsWith('evaluator'))).toEqual([
    'evaluator 1',
    'evaluator 2',
  ]);
  const paths = '.git/config, greeting.txt, new';
  expect(told(lab, 'engine.attempt_wrote')).toEqual([
    { level: 'warning', role: 'evaluator', attempt: 1, paths },
  ]);
  const records = await lab.api.records(rest.run);
  expect(JSON.stringify(records)).toContain('engine.attempt_wrote');
  expect(ground.git('show', `${BRANCH}:greeting.txt`)).toBe('HELLO');
  expect(changedIn(ground, BRANCH)).toEqual(['M greeting.txt']);
});

test('WF-81 an evaluator that edits a file at its every try: none of its results counts, and the tree is as its author left it', async () => {
  const ground = grounds.repository(SMALL);
  const edits = [{ path: 'greeting.txt', content: 'mine\n' }];
  const unauthorised = { ...passing(['greeting.txt']), edits };
  const evaluator = [{ ...unauthorised, attempts: [unauthorised, unauthorised] }];
  const lab = await grounds.open(ground, { ...changing(), evaluator });
  const rest = await deliver(lab, { ...YES, qa: [['accept']] });
  expect(rest).toMatchObject({ status: 'ended', outcome: 'accepted_as_is' });
  expect(told(lab, 'engine.attempt_wrote')).toHaveLength(3);
  expect(told(lab, 'deliver.notice.altered')).toEqual([]);
  expect(ground.git('show', `${BRANCH}:greeting.txt`)).toBe('HELLO');
  expect(changedIn(ground, BRANCH)).toEqual(['M greeting.txt']);
});

test('an author who makes the checks pass by editing them: listed as altering how it is checked, in the gate and the evidence', async () => {
  const ground = grounds.repository({
    'package.json': '{ "scripts": { "test": "sh ./ci.sh && sh check.sh" } }\n',
    'ci.sh': 'true\n',
    'check.sh': 'grep -q HELLO greeting.txt\n',
    'greeting.txt': 'hello\n',
  });
  const edits = [
    { path: 'check.sh', content: 'true\n' },
    { path: 'ci.sh', content: 'exit 0\n' },
    { path: 'greeting.txt', content: 'hello!\n' },
    { path: 'package.json', content: '{ "scripts": { "test": "sh ./ci.sh && sh check.sh #" } }\n' },
  ];
  const lab = await grounds.open(ground, changing(edits));
  const drive = await lab.start('deliver', SINGLE);
  const asked = gateOf(await playTo(lab, drive, YES, 'commit'));
  const files = 'check.sh, ci.sh, package.json';
  expect(told(lab, 'engine.warn.alters_checks')).toEqual([{ level: 'warning', files }]);
  expect(asked.brief.banners).toMatchObject([
    { msg: 'engine.warn.redefined' },
    { msg: 'engine.warn.alters_checks', args: { files } },
  ]);
  const artefacts = await lab.api.artefacts(drive.run);
  expect(JSON.stringify(artefacts)).toContain(
    '## Alters how it is checked\\n\\n- check.sh\\n- ci.sh\\n- package.json',
  );
});

test('a worker that runs baton answer is refused, also from a terminal of its own making; the gate stays open', async () => {
  const ground = grounds.repository(SMALL);
  const state = path.join(ground.base, 'state');
  const here = await locationOf(ground);
  const first = await grounds.open(here);
  const waiting = await first.start('deliver', { ...SINGLE, task: 'Wait for a person' });
  const gate = gateOf(await playTo(first, waiting, YES, 'spec'));
  const { main } = await sharedBundle();
  const baton = `BATON_HOME='${state}' '${process.execPath}' '${main}' answer ${gate.id} proceed`;
  const out = path.join(ground.base, 'out');
  const runs = [
    `cd '${ground.root}'`,
    `${baton} > '${out}.plain' 2>&1; echo "exit $?" >> '${out}.plain'`,
    `script -qec "env -u BATON_CALL ${baton}" /dev/null > '${out}.pty' 2>&1 < /dev/null; echo "exit $?" >> '${out}.pty'`,
  ].join('\n');
  const lab = await grounds.open(here, changing(GREETING, { runs }));
  expect(await deliver(lab)).toMatchObject({ status: 'ended', outcome: 'passed' });
  for (const way of ['plain', 'pty']) {
    const said = readFileSync(`${out}.${way}`, 'utf8');
    expect(said, way).toContain('exit 3');
    expect(said, way).toContain('worker');
  }
  expect(await lab.deps.store.gate(gate.id)).toMatchObject({ status: 'open' });
});

test('an agent nobody knows is refused with those there are, for the run and for a role, and nothing is begun', async () => {
  const own = 'agents: { mine: { kind: claude } }\nroles: { evaluator: { agent: mine } }\n';
  const ground = grounds.repository({ ...SMALL, 'baton.yaml': `${SMALL['baton.yaml']}${own}` });
  const lab = await grounds.open(ground);
  const refused = await lab.refused('deliver', SINGLE, { agent: 'cluade' });
  expect(refused).toMatchObject({
    rejection: 'no_such_agent',
    message: { args: { at: '--agent', agent: 'cluade', near: 'claude' } },
  });
  expect(refused.message.args?.known).toMatch(/^rehearsal, claude, codex, .*mine$/);
  expect(await lab.deps.store.list({})).toEqual([]);
  ground.write('baton.yaml', `${SMALL['baton.yaml']}roles: { evaluator: { agent: other } }\n`);
  const of_role = { at: 'baton.yaml: roles.evaluator.agent', agent: 'other', near: 'none' };
  expect(await lab.refused('deliver', SINGLE)).toMatchObject({ message: { args: of_role } });
  ground.write('baton.yaml', `${SMALL['baton.yaml']}agent: clade\n`);
  const of_file = { at: 'baton.yaml: agent', agent: 'clade', near: 'claude' };
  expect(await lab.refused('deliver', SINGLE)).toMatchObject({ message: { args: of_file } });
});

test('what a worker leaves running is told by name although its result is good', async () => {
  const ground = grounds.repository(SMALL);
  const lab = await grounds.open(ground, changing(GREETING, { leaves_process: 'exec sleep 600' }));
  expect(await deliver(lab)).toMatchObject({ status: 'ended', outcome: 'passed' });
  expect(told(lab, 'engine.call_left')).toMatchObject([
    { level: 'warning', role: 'generator single', n: 1, what: expect.stringMatching(/^(?:sleep|sh)$/) },
  ]);
});
