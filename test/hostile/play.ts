import {
  changeNotes,
  deliverScript,
  deliverSpec,
  HAPPY,
  passing,
  writes,
} from '../support/deliver-script.ts';
import type { World } from '../surfaces/end-to-end.ts';
import type { HostileAction } from './actions.ts';
import type { Actor, Ground } from './ground.ts';

/** How a hostile script or a hostile change gets into a run, and everything a person is shown of that run. */
export type Play = (world: World, ground: Ground, actions: readonly HostileAction[]) => Promise<string>;

/** Every attempt in a shell of its own, so that none keeps the next from being made. */
export function scriptOf(ground: Ground, actions: readonly HostileAction[]): string {
  const lines = actions.flatMap(({ line }) => (line ? [`( ${line(ground)} ) < /dev/null 2>&1 || true`] : []));
  return [ground.saysThatItRuns, ...lines].join('\n');
}

const inSpec: Play = async (world, ground, actions) => {
  const questions = [{ text: 'Which?', why: 'it decides' }];
  const roles = { interviewer: [{ runs: scriptOf(ground, actions), result: { questions } }] };
  world.file('hostile.yaml', deliverScript(roles));
  const { stdout } = await world.run('spec', 'Sort mails', ...QUICK, ...scripted);
  return stdout + (await shownOf(world, runIn(stdout)));
};

const inConduct: Play = async (world, ground, actions) => {
  const roles = { clarify: [{ runs: scriptOf(ground, actions), result: ASKED }] };
  world.file('hostile.yaml', deliverScript(roles));
  const { stdout } = await world.run('ticket', 'create', 'Sort mails', '--script', 'hostile.yaml', '--json');
  const { ticket } = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as { ticket: { id: string } };
  const driven = await world.run('conduct', ticket.id, '--no-input');
  return driven.stdout + (await shownOf(world, ticket.id));
};

const ASKED = { questions: ['Which?'], brief: null, decision: null, criteria: [] };

/** Single mode to the commit gate; the author makes the good change and `edits` besides. */
function inDeliver(author: (script: string) => Readonly<Record<string, unknown>>): Play {
  return async (world, ground, actions) => {
    const files = Object.assign({}, ...actions.map((action) => action.files ?? {})) as Files;
    const edits = Object.entries(files).map(([path, content]) =>
      content === null ? { path, delete: true } : { path, content },
    );
    const wrote = writes();
    const good = (wrote.edits as { path: string }[]).filter(({ path }) => !(path in files));
    const paths = [...good.map(({ path }) => path), ...Object.keys(files)];
    const told = { ...wrote, edits: [...good, ...edits], result: changeNotes({ files: paths }) };
    const evil = author(scriptOf(ground, actions));
    const more = (evil.edits as { path: string }[] | undefined) ?? [];
    const entry = { ...told, ...evil, edits: [...told.edits, ...more] };
    const seen = [...paths, ...more.map(({ path }) => path)];
    const roles = {
      ...HAPPY,
      planner_single: [{ result: deliverSpec() }],
      generator_single: [entry, entry, entry, entry],
      evaluator: Array.from({ length: 4 }, () => passing(seen)),
    };
    world.file('hostile.yaml', deliverScript(roles));
    const began = await world.run('deliver', 'Add two numbers', ...SINGLE, ...scripted);
    const run = runIn(began.stdout);
    await world.person('answer', run, 'skip');
    const { stdout } = await world.person('answer', run, 'proceed');
    return stdout + (await shownOf(world, run));
  };
}

type Files = Readonly<Record<string, string | null>>;

const scripted = ['--script', 'hostile.yaml', '--no-input'];
const QUICK = ['--mode', 'quick', '--reference', 'rules.md'];
const SINGLE = ['--mode', 'single', '--model-config', 'balanced'];

/** A test file that runs the script, as an author would smuggle it in. */
export const smuggled = (script: string) => ({
  edits: [
    { path: 'test/hostile.sh', content: `${script}\n` },
    {
      path: 'test/hostile.test.js',
      content: [
        "import { spawnSync } from 'node:child_process';",
        "import test from 'node:test';",
        "test('is innocent', () => {",
        "  const { stdout } = spawnSync('sh', ['test/hostile.sh'], { encoding: 'utf8' });",
        '  console.log(stdout);',
        '});',
        '',
      ].join('\n'),
    },
  ],
});

export const PLAYS: Readonly<Record<string, { readonly actor: Actor; readonly play: Play }>> = {
  'spec as worker': { actor: 'worker', play: inSpec },
  'conduct as worker': { actor: 'worker', play: inConduct },
  'deliver as worker': { actor: 'worker', play: inDeliver((runs) => ({ runs })) },
  'deliver as check': { actor: 'check', play: inDeliver(smuggled) },
};

/** A change that cheats is made by the author alone. */
export const CHEAT: Play = inDeliver(() => ({}));

function runIn(stdout: string): string {
  const run = /\b(?:sp|de)-[a-z0-9]{3,}\b/.exec(stdout)?.[0];
  if (!run) throw new Error(`no run in: ${stdout}`);
  return run;
}

/** The gate as it is stored, and the log: what a person can see without searching. */
async function shownOf(world: World, run: string): Promise<string> {
  const gates = await world.json<{ run: string }[]>('gates');
  const { stdout } = await world.run('log', run);
  return JSON.stringify(gates.filter((gate) => gate.run === run)) + stdout;
}
