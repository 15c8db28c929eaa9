import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { cliDeps } from '../src/cli-deps.ts';
import { isRejection } from '../src/engine/rejection.ts';
import type { Api } from '../src/runtime/api.ts';
import { SCENES, type Scene, START } from './demo-scenes.ts';
import { echo, git, say, setStage, startLife, startShipped, tell, typed } from './demo-stage.ts';

const began = Date.now();
const stage = setStage();
process.env.BATON_HOME = stage.state;
let step = 0;
let killed = 0;
let sent = 0;

tell('Baton demo: an idea becomes an approved specification, and the process is killed on the way.');
say('No model, no account, no network: the agent is a rehearsal that plays scripts/demo-score.yaml.');
say('Everything happens under a new temporary folder; your own files and runs are not touched.');
console.log('');
say(
  'The demo gives the answers of the person itself. It may, because it starts the command line with a composition ' +
    'of its own, whose person is called "demo", on a state directory made for this one time. The command you ' +
    'install has no such path; you will see it refuse.',
);

next(START.title);
await live(START.argv, 4);
const api = await openApi();
const run = (await api.list(true))[0]?.id ?? '';
for (const scene of SCENES) await play(scene);
await showDocuments();
await showFacts();
await api.close();
sayGoodbye();

function next(text: string): void {
  step += 1;
  tell(`${step}. ${text}`);
}

async function play(scene: Scene): Promise<void> {
  const [shown] = await api.gates(run);
  if (shown?.gate.name !== scene.gate)
    return fail(`expected the gate ${scene.gate}, found ${shown?.gate.name}`);
  const { id } = shown.gate;
  next(scene.title);
  if (scene.shippedFirst) await tryShipped(id);
  say(scene.says);
  const answer = ['answer', id, ...scene.answer];
  sent += 1;
  if (!scene.kill) return live(answer, scene.exit);
  await killDuring(answer, scene.kill);
  next(scene.kill.resume);
  await live(['resume', run], scene.exit);
}

/** The installed command refuses to answer for nobody: shown, not only said. */
async function tryShipped(gate: string): Promise<void> {
  say('First the proof that only a person answers. Nobody sits at a terminal here, so:');
  const code = await startShipped(stage, ['answer', gate, 'approve']).ended;
  if (code !== 3) fail(`the shipped command was not refused: ${code}`);
  say(`Exit code ${code}: refused, nothing was written.`);
  console.log('');
}

async function live(argv: readonly string[], expected: number): Promise<void> {
  const code = await startLife(stage, argv).ended;
  if (code !== expected) fail(`baton ${argv[0]} ended with ${code}, not ${expected}`);
}

/** Kills the process that drives the run once its workers are so far. Nothing in it can react to SIGKILL. */
async function killDuring(
  argv: readonly string[],
  { done, what }: NonNullable<Scene['kill']>,
): Promise<void> {
  const life = startLife(stage, argv);
  for (;;) {
    const view = await api.view(run);
    const work = isRejection(view) || view.run.status !== 'working' ? [] : view.calls;
    const busy = work.filter((call) => !call.done && Date.now() - Date.parse(call.since) > 1000);
    if (busy.length > 0 && work.length - busy.length >= done) break;
    if (life.child.exitCode !== null) fail('the process ended before it could be killed');
    await wait(50);
  }
  life.child.kill('SIGKILL');
  const signal = await life.ended;
  if (signal !== 'SIGKILL') fail(`the process was not killed: ${signal}`);
  killed += 1;
  console.log('');
  say(`kill -9 ${life.child.pid}: gone by ${signal}, ${what}.`);
  await live(['status'], 0);
}

async function showDocuments(): Promise<void> {
  next('The approved specification');
  await live(['show', run, 'spec'], 0);
  const branch = git(stage, 'for-each-ref', '--format=%(refname:short)', 'refs/heads/baton').trim();
  next('It stands on a branch of its own; your branch has not moved');
  const log = ['log', '--format=%h %an: %s', '--name-only', `main..${branch}`];
  typed(['git', ...log]);
  for (const line of git(stage, ...log)
    .split('\n')
    .filter(Boolean))
    echo(line);
  typed(['git', 'status', '--short', '--branch']);
  for (const line of git(stage, 'status', '--short', '--branch').split('\n').filter(Boolean)) echo(line);
  await live(['status'], 0);
}

/** Counted from the log, which is the only truth about a run. */
async function showFacts(): Promise<void> {
  const log = await api.log(run, 0);
  const events = isRejection(log) ? [] : log;
  const gateOf = (input: unknown) => (input as { gate?: string } | null)?.gate ?? '';
  const answered = events.filter((event) => event.type === 'gate_answered').map(({ input }) => gateOf(input));
  const opened = events.filter((event) => event.type === 'gate_opened').length;
  const twice = answered.length - new Set(answered).size;
  next('Counted from the log of the run');
  say(`${opened} gates opened, ${answered.length} answers by "demo", ${twice} gates answered twice`);
  say(`${killed} process killed, ${sent - answered.length} answers lost`);
  say(`${events.length} events, ${seconds()} seconds in all`);
  const asked = opened === answered.length && sent === answered.length;
  if (!asked || twice > 0 || killed === 0) fail('the log does not agree with the story');
}

function seconds(): string {
  return ((Date.now() - began) / 1000).toFixed(0);
}

function sayGoodbye(): void {
  tell('Kept for you to look at');
  say(`sample folder   ${stage.folder}`);
  say(`its runs        ${stage.state}`);
  say(`look inside     BATON_HOME=../state baton log ${run}, in the sample folder`);
  say(`remove both     rm -r ${stage.base}`);
  tell('Next, in a folder of your own');
  say('npm run build && npm link      puts baton on your PATH');
  say('baton spec "what you want"     asks you, in your terminal');
  say('README.md                      the manual');
}

async function openApi(): Promise<Api> {
  const opened = await cliDeps(stage.folder).openApi({ create: false });
  return 'refusal' in opened ? fail(`no runs in ${path.basename(stage.folder)}`) : opened;
}

function fail(problem: string): never {
  console.error(`\nThe demo did not go as planned: ${problem}.`);
  console.error(`What there is stays in ${stage.base}.`);
  process.exit(1);
}
