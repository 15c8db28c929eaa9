import { execFileSync } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import path from 'node:path';
import { createTeller, type JsonLine } from './demo-print.ts';
import {
  git,
  happened,
  type Stage,
  say,
  setStage,
  startProcessRun,
  startShipped,
  tell,
  typed,
} from './demo-stage.ts';

const TITLE = 'Names that stay unique';
const DESCRIPTION = 'Two photos of one login session must never get the same name.';

const began = Date.now();

/** One ticket from Captured to Verified, with as much handed over as there is to hand over. */
export async function conductDemo(): Promise<void> {
  const stage = setStage();
  process.env.BATON_HOME = stage.state;
  tell('Baton demo: one ticket through seven gates, as much handed over as there is to hand over.');
  say('No model, no network: the rehearsal agent plays its built-in script.');
  say(`Everything is in ${stage.base}; your files and runs are not touched.`);
  say('Gates are answered by a person called "demo". The demo may: it starts baton with a');
  say('composition of its own, on a throw-away state directory. The installed baton cannot.');

  tell('1. A repository, a remote it is released to, and a ticket');
  addRemote(stage);
  await run(stage, ['ticket', 'create', TITLE, '--description', DESCRIPTION], 0);
  await run(stage, ['conduct', 'B-1', '--unattended', '--plan'], 0, showPlan);

  tell('2. conduct --unattended: it pauses at once, because words of the ticket trip a risk class');
  await run(stage, ['conduct', 'B-1', '--unattended'], 4, showPause);
  await tryShipped(stage);
  const why = ['--why', 'only a figure of speech'];
  await run(stage, ['ticket', 'acknowledge', 'B-1', '--class', 'auth', ...why], 0);

  tell('3. The person accepts this one gate; the rest goes on by itself, up to the release');
  await run(stage, ['answer', 'B-1', 'accept'], 4, showPause);

  tell('4. Release and verify wait for a person in every mode');
  await run(stage, ['answer', 'B-1', 'accept', '--typed', 'B-1'], 4, showPause);
  await run(stage, ['answer', 'B-1', 'accept', '--typed', 'B-1'], 0);
  happened(`main of the remote is now ${git(stage, 'ls-remote', 'origin', 'refs/heads/main').slice(0, 12)}`);

  tell('5. What was decided, and on whose word');
  await run(stage, ['decisions', 'list'], 0, showDecisions);
  sayGoodbye(stage);
}

function sayGoodbye(stage: Stage): void {
  tell(`Done in ${((Date.now() - began) / 1000).toFixed(0)} s. To look at:`);
  const baton = `node ${path.resolve(import.meta.dirname, '../bin/baton.cjs')}`;
  say(`cd ${stage.folder} && export BATON_HOME=../state`);
  say(`${baton} ticket show B-1`);
  say(`${baton} log B-1`);
  say(`rm -r ${stage.base}      removes all of it`);
}

/** The installed command refuses to answer for nobody: shown, not only said. */
async function tryShipped(stage: Stage): Promise<void> {
  typed(['baton', 'answer', 'B-1', 'accept'], 'installed baton, no terminal');
  const refused = await startShipped(stage, ['answer', 'B-1', 'accept'], () => undefined).ended;
  if (refused !== 3) fail(stage, `the shipped command was not refused: ${refused}`);
  happened('exit code 3: refused, nothing was written');
}

/** One command in a process of its own, told as it goes; then what it left is shown. */
async function run(
  stage: Stage,
  argv: readonly string[],
  expected: number,
  show: (told: JsonLine) => void = () => undefined,
): Promise<void> {
  typed(['baton', ...argv]);
  const lines: JsonLine[] = [];
  const take = createTeller(happened);
  const processRun = startProcessRun(stage, [...argv, '--json'], (line) => {
    if (!/^[{[]/.test(line)) fail(stage, line);
    const told = JSON.parse(line) as JsonLine;
    lines.push(told);
    take(told);
  });
  const code = await processRun.ended;
  for (const line of lines) show(line);
  if (code !== expected) fail(stage, `baton ${argv.join(' ')} ended with ${code}, not ${expected}`);
}

function fail(stage: Stage, problem: string): never {
  console.error(`\nThe demo did not go as planned: ${problem}.`);
  console.error(`What there is stays in ${stage.base}.`);
  process.exit(1);
}

/** A bare remote beside the folder; deploying writes one line, observing reads it. */
function addRemote(stage: { readonly base: string; readonly folder: string }): void {
  execFileSync('git', ['init', '-q', '--bare', '-b', 'main', path.join(stage.base, 'remote.git')]);
  const settings =
    'release:\n  branch: main\n  deploy: echo deployed\n  observe: echo it runs\nconduct:\n  acknowledge: true\n';
  appendFileSync(path.join(stage.folder, 'baton.yaml'), settings);
  git(stage, 'remote', 'add', 'origin', '../remote.git');
  git(stage, 'add', 'baton.yaml');
  git(stage, 'commit', '-q', '-m', 'baton: how it is released');
  git(stage, 'push', '-q', 'origin', 'main');
  happened('photos with a test, and remote.git with its main branch');
}

function showPlan({ gates }: JsonLine): void {
  for (const { gate, will } of (gates ?? []) as { gate: string; will: string }[])
    happened(`${gate.padEnd(10)} ${will}`);
}

function showPause(told: JsonLine): void {
  if (told.type !== 'waiting') return;
  const pause = told.pause as { cause?: string; classes?: readonly string[] } | undefined;
  const why = [pause?.cause, ...(pause?.classes ?? [])].filter(Boolean).join(' ');
  happened(`? waits for a person${why === '' ? '' : `: ${why}`}`);
}

function showDecisions(told: JsonLine): void {
  for (const entry of told as unknown as Record<string, unknown>[])
    happened(`${String(entry.id)}  ${String(entry.status)}  ${String(entry.title)}`);
}
