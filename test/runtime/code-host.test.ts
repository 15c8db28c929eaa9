import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { Outcome } from '../../src/contract/outcome.ts';
import type { Step } from '../../src/contract/step.ts';
import type { BaseState, Workflow } from '../../src/engine/workflow.ts';
import type { Deps } from '../../src/runtime/deps.ts';
import { labsOfTest } from '../scenario/quick-lab.ts';
import { isRunning } from '../support/is-running.ts';
import { gateOf, type Lab, until } from '../support/lab.ts';
import { probeWorkflow } from '../support/probe.ts';

type Script = readonly Exclude<Step, { kind: 'gate' | 'wait' | 'end' }>[];

/** Does the steps that the run's name has as JSON; what came of them is the state's `last`. */
const hostWorkflow: Workflow = {
  ...probeWorkflow,
  start: (input, facts) => {
    const move = probeWorkflow.start(input, facts);
    return 'state' in move ? { ...move, state: { ...move.state, phase: 'running', last: [] } } : move;
  },
  next: (base) => {
    const state = base as BaseState & { pos: number; name: string };
    const script = JSON.parse(state.name) as Script;
    return script[state.pos] ?? { kind: 'end', outcome: { result: 'done' } };
  },
  settle: (base, _, outcome) => {
    const state = base as BaseState & { pos: number; name: string; last: Outcome[] };
    const isLast = (JSON.parse(state.name) as Script).length === state.pos + 1;
    const { at: _at, ...came } = outcome;
    const next = { pos: state.pos + 1, phase: isLast ? 'done' : 'running', last: [...state.last, came] };
    return { state: { ...state, ...next }, records: [] };
  },
};

const withHost = (deps: Deps): Deps => ({ ...deps, workflow: async () => hostWorkflow });

const labs = labsOfTest();

const git = (cwd: string, ...args: string[]) =>
  execFileSync('git', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();

/** A repository with a remote, a branch of a ticket, and these settings. */
async function released(release: string): Promise<Lab & { sha: string; remote: string }> {
  const lab = await labs.open({
    wrap: withHost,
    git: true,
    files: { 'baton.yaml': `release: {${release}}\n` },
  });
  const remote = path.join(path.dirname(lab.root), 'remote.git');
  git(lab.root, 'init', '-q', '--bare', '-b', 'main', remote);
  git(lab.root, 'remote', 'add', 'origin', remote);
  git(lab.root, 'push', '-q', 'origin', 'main');
  const sha = git(lab.root, 'commit-tree', '-p', 'main', '-m', 'export', 'main^{tree}');
  git(lab.root, 'branch', 'baton/B-12-export', sha);
  return { ...lab, sha, remote };
}

const during = 'running';
const branch = 'baton/B-12-export';

test('a pull request, what the host says, merge, deploy and a look at it, all from the settings at the start', async () => {
  const lab = await released('checks: exit 2, deploy: echo "out $BATON_SHA", observe: echo well');
  const body = { artefact: await lab.deps.artefacts.put('As planned.\n') };
  const pull = { ticket: 'B-12', branch, base: null, title: 'Export', body };
  const of = { pr_number: 1, branch, head_sha: lab.sha, base: 'main' };
  const sha = git(lab.root, 'rev-parse', 'main');
  const drive = await lab.start('probe', {
    name: JSON.stringify([
      { kind: 'tracker', during, op: { op: 'open_pull_request', input: pull } },
      { kind: 'query', during, what: { what: 'host.release', input: of } },
      { kind: 'tracker', during, op: { op: 'merge', input: { ...of, message: 'Merge B-12' } } },
      { kind: 'deploy', during, op: { op: 'deploy', input: { ticket: 'B-12', sha, base: 'main' } } },
      { kind: 'query', during, what: { what: 'host.observe', input: { sha, base: 'main' } } },
    ] satisfies Script),
    script: [],
  });
  writeFileSync(
    path.join(lab.root, 'baton.yaml'),
    'release: {checks: exit 0, deploy: exit 1, observe: exit 1}\n',
  );
  expect((await drive.advance()).outcome).toBe('done');
  const merged_sha = git(lab.remote, 'rev-parse', 'main');
  expect((await lab.row(drive.run)).state.last).toMatchObject([
    { kind: 'written', result: { pr_number: 1, head_sha: lab.sha, pr_url: 'local:origin#1' } },
    { kind: 'queried', found: { checks: { state: 'pending' }, mergeable: true, by_us: true } },
    { kind: 'written', result: { merged_sha, base: 'main' } },
    { kind: 'written', result: { deployed: true, command: 'echo "out $BATON_SHA"' } },
    { kind: 'queried', found: { configured: true, ok: true, output: 'well' } },
  ]);
  expect(git(lab.remote, 'show', 'refs/baton/pull/1/data')).toContain('"body":"As planned.\\n"');
  expect(git(lab.remote, 'show', '-s', '--format=%B', 'main')).toBe(
    `Merge B-12\n\nBaton-Effect: ${drive.run}/3/0`,
  );
});

/** A deploy whose process is taken over while the command runs; gives the heir at rest and how often it ran. */
async function takenOver(deployed: string | null) {
  const log = path.join(path.dirname((await released('')).root), 'log');
  const line = `echo $$ >> '${log}'; test $(wc -l < '${log}') -gt 1 || sleep 600`;
  const lab = await released(`deploy: ${JSON.stringify(line)}, deployed: ${JSON.stringify(deployed)}`);
  const input = { ticket: 'B-12', sha: git(lab.root, 'rev-parse', 'main'), base: 'main' };
  const name = JSON.stringify([{ kind: 'deploy', during, op: { op: 'deploy', input } }] satisfies Script);
  const drive = await lab.start('probe', { name, script: [] });
  const dead = drive.advance();
  await until(() => existsSync(log) && readFileSync(log, 'utf8').endsWith('\n'));
  const heir = await labs.other(lab, (deps) => ({
    ...withHost(deps),
    processes: { ...deps.processes, self: () => ({ host: 'x', pid: 1, start: 'x' }), isAlive: () => false },
    clock: { now: () => '2999-01-01T00:00:00.000Z' },
  }));
  const taken = await heir.api.open({ run: drive.run, attended: false });
  if ('rejection' in taken) throw new Error(JSON.stringify(taken));
  const rest = await taken.advance();
  await dead;
  const pids = readFileSync(log, 'utf8').trim().split('\n').map(Number);
  return { heir, rest, runs: pids.length, running: pids.filter(isRunning), run: drive.run };
}

test('checks that are taken over are told, once: they say nothing themselves for as long as they take', async () => {
  const lab = await labs.open({ wrap: withHost });
  const command = `test -e '${lab.home}/again' || { touch '${lab.home}/again'; sleep 600; }`;
  const checks = [{ name: 'test', command, source: 'test', timeout_seconds: 60 }];
  const name = JSON.stringify([{ kind: 'check', during, checks }]);
  const drive = await lab.start('probe', { name, script: [] });
  const first = drive.advance();
  await until(() => existsSync(path.join(lab.home, 'again')));
  await drive.close();
  await first;
  const heir = await labs.other(lab, withHost);
  const taken = await heir.api.open({ run: drive.run, attended: false });
  if ('rejection' in taken) throw new Error(JSON.stringify(taken));
  expect((await taken.advance()).outcome).toBe('done');
  expect(heir.progress.filter(({ type }) => type === 'step_started')).toMatchObject([
    { run: drive.run, turn: 1, kind: 'check', calls: ['test'] },
  ]);
});

test.each([
  ['exit 0', 1, { deployed: true, output: null }],
  ['exit 1', 2, { deployed: true }],
])(
  'a deploy whose process died is ended first; its look-up `%s` lets it run %i times in all',
  async (deployed, runs, result) => {
    const came = await takenOver(deployed);
    expect(came).toMatchObject({ runs, running: [] });
    expect(came.rest).toMatchObject({ outcome: 'done' });
    expect((await came.heir.row(came.run)).state.last).toMatchObject([{ kind: 'written', result }]);
  },
);

test.each([[null], ['exit 2']])(
  'a deploy that may have happened and cannot be looked up by %s is asked about and not repeated',
  async (deployed) => {
    const { heir, rest, runs, running, run } = await takenOver(deployed);
    expect({ runs, running }).toEqual({ runs: 1, running: [] });
    const gate = gateOf(rest);
    expect(gate).toMatchObject({ name: 'trouble_unknown_effect', class: 'trouble' });
    await heir.answer(gate, 'happened');
    expect((await heir.row(run)).state.last).toEqual([{ kind: 'written', result: { assumed: true } }]);
  },
);

test('a failure of the host that asking again cannot help is an outcome the workflow decides on', async () => {
  const lab = await released('deploy: "echo broken; exit 3"');
  const input = { ticket: 'B-12', sha: git(lab.root, 'rev-parse', 'main'), base: 'main' };
  const name = JSON.stringify([{ kind: 'deploy', during, op: { op: 'deploy', input } }] satisfies Script);
  const drive = await lab.start('probe', { name, script: [] });
  expect((await drive.advance()).outcome).toBe('done');
  const [failed] = (await lab.row(drive.run)).state.last as Extract<Outcome, { kind: 'failed' }>[];
  expect(failed).toMatchObject({ kind: 'failed', failure: { code: 'deploy_failed', retry: 'permanent' } });
  expect(failed?.failure.detail).toContain('exit code 3\nbroken');
});

test('a remote that is away is asked about, and trying again goes on', async () => {
  const lab = await released('remote: far');
  git(lab.root, 'remote', 'add', 'far', '../nowhere.git');
  const input = { ticket: 'B-12', branch, base: null, title: 'Export', body: '' };
  const step = { kind: 'tracker', during, op: { op: 'open_pull_request', input } } as const;
  const drive = await lab.start('probe', { name: JSON.stringify([step] satisfies Script), script: [] });
  const gate = gateOf(await drive.advance());
  expect(gate.name).toBe('trouble_infrastructure');
  const [shown] = await lab.api.gates(drive.run);
  expect(shown?.text).toMatch(/^DECIDE: Writing to the remote failed\. Try again\?/);
  expect(JSON.stringify(gate.brief)).not.toContain(path.dirname(lab.root));
  git(lab.root, 'remote', 'set-url', 'far', lab.remote);
  await lab.answer(gate, 'retry');
  expect((await drive.advance()).outcome).toBe('done');
  expect(git(lab.remote, 'rev-parse', branch)).toBe(lab.sha);
});

test.each([
  ['deploi: make', 'release.deploi'],
  ['deploy: ""', 'release.deploy'],
  ['remote: https://example.com/x.git', 'release.remote'],
  ['remote: --upload-pack=x', 'release.remote'],
  ['timeout_minutes: 0', 'release.timeout_minutes'],
  ['bot: maybe', 'release.bot'],
])('the setting `%s` is refused by name', async (setting, named) => {
  const lab = await labs.open({ files: { 'baton.yaml': `release: {${setting}}\n` } });
  expect(String(await lab.deps.policy().catch((error: unknown) => error))).toContain(named);
});
