import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { cliDeps } from '../src/cli-deps.ts';
import type { Caller } from '../src/engine/operation.ts';
import { isRejection, reject } from '../src/engine/rejection.ts';
import type { Api } from '../src/runtime/api.ts';
import { createTeller, type JsonLine } from './demo-print.ts';
import { SCENES, type Scene, START } from './demo-scenes.ts';
import {
  checkoutOf,
  git,
  happened,
  type ProcessRun,
  runTests,
  say,
  setStage,
  startProcessRun,
  startShipped,
  tell,
  typed,
} from './demo-stage.ts';

/** Only reads, so it needs no proof. */
const READER: Caller = {
  name: 'demo',
  surface: 'cli',
  refuseWorker: async () => null,
  person: async () => reject('not_a_person'),
};

if (process.argv.includes('--conduct')) {
  await (await import('./demo-conduct.ts')).conductDemo();
  process.exit(0);
}

const began = Date.now();
const stage = setStage();
process.env.BATON_HOME = stage.state;
let step = 0;

tell('Baton demo: an idea becomes an approved specification, then a tested commit.');
say('No model, no network: a rehearsal agent plays scripts/demo-script.yaml.');
say(`Everything is in ${stage.base}; your files and runs are not touched.`);
say(
  'A gate (?) is a question only a person answers. Here the demo answers, as a person called "demo". It may: it starts baton with a composition of its own, on a throw-away state directory. The installed baton cannot: see part 4.',
);

next('A small repository with a real test');
const before = showSample();
next('spec: an idea becomes a specification');
typed(['baton', ...START]);
await ended(drive(START), 4);
const api = await openApi();
const specRun = (await api.list(true))[0]?.id ?? '';
for (const scene of SCENES) await play(scene);
const run = await newestRun();
const branch = git(stage, 'for-each-ref', '--format=%(refname:short)', 'refs/heads/baton/deliver-*').trim();
await showResult();
await showFacts();
await api.close();
sayGoodbye();

function next(text: string): void {
  step += 1;
  tell(`${step}. ${text}`);
}

function showSample(): string {
  const tests = runTests(stage.folder);
  if (!tests.ok) fail('the tests of the sample repository fail');
  happened(`photos: one commit on main; npm test: ${tests.text}`);
  happened('not committed, and to stay as they are: README.md (edited), notes.txt (new)');
  return checkoutOf(stage);
}

/** A process that carries the run on, told as it goes. */
function drive(argv: readonly string[]): ProcessRun {
  const take = createTeller(happened);
  return startProcessRun(stage, [...argv, '--json'], (line) => take(linesOf(line)));
}

function linesOf(line: string): JsonLine {
  return line.startsWith('{') ? (JSON.parse(line) as JsonLine) : fail(line);
}

async function ended(processRun: ProcessRun, expected: number): Promise<void> {
  const code = await processRun.ended;
  if (code !== expected) fail(`a process ended with ${code}, not ${expected}`);
}

async function play(scene: Scene): Promise<void> {
  const [shown] = await api.gates();
  if (shown?.gate.name !== scene.gate)
    return fail(`expected the gate ${scene.gate}, found ${shown?.gate.name}`);
  if (scene.part) next(scene.part);
  const { id } = shown.gate;
  happened(`? ${(shown.text.split('\n')[0] ?? '').replace(/^DECIDE: /, '')}`);
  if (scene.shippedFirst) await tryShipped(id, scene.answer);
  const argv = ['answer', id, ...scene.answer];
  typed(['baton', ...argv], scene.because);
  const processRun = drive(argv);
  if (!scene.killed) return ended(processRun, scene === SCENES.at(-1) ? 0 : 4);
  await killHalfWay(processRun, shown.gate.run);
}

/** The installed command refuses to answer for nobody: shown, not only said. */
async function tryShipped(gate: string, answer: readonly string[]): Promise<void> {
  const argv = ['answer', gate, ...answer];
  typed(['baton', ...argv], 'installed baton, no terminal');
  const lines: string[] = [];
  const code = await startShipped(stage, argv, (line) => lines.push(line.trim())).ended;
  happened(`! ${lines.join(' ')}`);
  if (code !== 3) fail(`the shipped command was not refused: ${code}`);
  happened(`exit code ${code}: refused, nothing was written`);
}

/** Kills the process that drives the run while its worker has half a file written. Nothing can react to SIGKILL. */
async function killHalfWay(processRun: ProcessRun, of: string): Promise<void> {
  while (!isHalfWritten(of)) {
    if (processRun.child.exitCode !== null) fail('the process ended before it could be killed');
    await wait(50);
  }
  processRun.child.kill('SIGKILL');
  const signal = await processRun.ended;
  if (signal !== 'SIGKILL') fail(`the process was not killed: ${signal}`);
  next('Killed in the middle of the repair, and resumed');
  happened(`kill -9 ${processRun.child.pid}: gone by ${signal}, with src/names.js half written`);
  typed(['baton', 'resume', of]);
  await ended(drive(['resume', of]), 4);
}

function isHalfWritten(of: string): boolean {
  const [file] = globSync(path.join(stage.state, '*', 'trees', of, 'tree', 'src', 'names.js'));
  return file !== undefined && readFileSync(file, 'utf8').endsWith('that is there alr\n');
}

/** The newest run: the one `spec` started. */
async function newestRun(): Promise<string> {
  const runs = await api.list(true);
  return runs.find(({ workflow }) => workflow === 'deliver')?.id ?? fail('no run of deliver');
}

async function showResult(): Promise<void> {
  next('What there is now');
  const show = ['show', '--oneline', '--stat', branch, '--', 'src', 'test'];
  typed(['git', '-C', stage.folder, ...show]);
  for (const line of git(stage, ...show)
    .split('\n')
    .filter(Boolean))
    happened(`  ${line.trim()}`);
  const fresh = path.join(stage.base, 'checkout');
  git(stage, 'clone', '-q', '-b', branch, stage.folder, fresh);
  const tests = runTests(fresh);
  if (!tests.ok) fail('the tests of the new branch fail');
  happened(`a fresh checkout of that branch, npm test: ${tests.text}`);
  if (checkoutOf(stage) !== before) fail('the checkout of the person has changed');
  happened('your own checkout: same branch, same commit, every byte as before');
  await showCriteria();
}

/** The same ids in what was approved, in what was built, and in what was shown. */
async function showCriteria(): Promise<void> {
  const docs = git(stage, 'ls-tree', '-r', '--name-only', branch, 'docs').trim().split('\n');
  const textOf = (file: string) =>
    git(stage, 'show', `${branch}:${docs.find((one) => one.endsWith(`/${file}`))}`);
  const idsIn = (file: string) => [...new Set(textOf(file).match(/\bAC-\d+/g))].sort().join(' ');
  const ids = idsIn('spec.md');
  const files = ['spec.md', 'deliver_spec.md', 'evidence.md'];
  if (ids === '' || files.some((file) => idsIn(file) !== ids))
    fail('the criteria were not carried to the end');
  happened(`${ids}: the same ids in ${files.join(', ')}`);
  const found = textOf('evidence.md').matchAll(/^(Passed: .*)|^- (AC-.*|test: .*)/gm);
  happened(`evidence.md: ${[...found].map(([, passed, row]) => passed ?? row).join('; ')}`);
}

/** Counted from the logs, which are the only truth about a run. */
async function showFacts(): Promise<void> {
  const logs = await Promise.all([specRun, run].map((id) => api.log(id, 0)));
  const events = logs.flatMap((log) => (isRejection(log) ? [] : log));
  const opened = events.filter(({ type }) => type === 'gate_opened').length;
  const answers = events.filter(({ type }) => type === 'gate_answered').map(({ input }) => answerIn(input));
  const people = [...new Set(answers.map(({ person }) => person))].join(', ');
  const twice = answers.length - new Set(answers.map(({ gate }) => gate)).size;
  const names = SCENES.map(({ gate }) => gate.replace('_', ' ')).join(', ');
  happened(`${opened} gates, each answered once, by ${people}: ${names}`);
  if (opened !== SCENES.length || answers.length !== opened || twice > 0 || people !== 'demo')
    fail('the logs do not agree with the story');
}

function answerIn(input: unknown): { gate: string; person: string } {
  const { gate, by } = input as { gate: string; by: { person: string } };
  return { gate, person: by.person };
}

function sayGoodbye(): void {
  const baton = `node ${path.resolve(import.meta.dirname, '../bin/baton.cjs')}`;
  tell(`Done in ${((Date.now() - began) / 1000).toFixed(0)} s. To look at:`);
  say(`cd ${stage.folder} && export BATON_HOME=../state`);
  say(`${baton} show ${run} evidence`);
  say(`${baton} log ${run}`);
  say(`git merge ${branch}      takes the change over`);
  say(`rm -r ${stage.base}      removes all of it`);
}

async function openApi(): Promise<Api> {
  const opened = await cliDeps(stage.folder).openApi({ create: false, caller: READER });
  return 'refusal' in opened ? fail(`no runs in ${path.basename(stage.folder)}`) : opened;
}

function fail(problem: string): never {
  console.error(`\nThe demo did not go as planned: ${problem}.`);
  console.error(`What there is stays in ${stage.base}.`);
  process.exit(1);
}
