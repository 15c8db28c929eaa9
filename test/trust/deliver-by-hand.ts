import { execFileSync } from 'node:child_process';
import { deliverScript, type Roles } from '../support/deliver-script.ts';
import type { Done, World } from '../surfaces/end-to-end.ts';

/** What a person answers, in order, from the first gate on. */
const TO_VERIFY = ['skip', 'proceed'] as const;

export interface Played {
  readonly run: string;
  /** The last screen, with its line breaks taken out. */
  readonly screen: string;
  readonly code: number | null;
}

/** Runs `deliver` in mode single on a terminal of its own and answers its gates with these options, one command each. */
export async function playDeliver(
  world: World,
  roles: Roles,
  answers: readonly string[] = TO_VERIFY,
  args: readonly string[] = [],
): Promise<Played> {
  world.file('../script.yaml', deliverScript(roles));
  const flags = ['--mode', 'single', '--model-config', 'balanced', '--script', '../script.yaml'];
  let done = await world.person('deliver', 'Add an add function', ...flags, ...args);
  const run = /\bde-\w+/.exec(done.stdout)?.[0] ?? '';
  for (const option of answers) done = await world.person('answer', run, option);
  return { run, ...screenOf(done) };
}

/** One more answer in a run that is under way. */
export async function answerDeliver(world: World, run: string, option: string): Promise<Played> {
  return { run, ...screenOf(await world.person('answer', run, option)) };
}

function screenOf({ stdout, code }: Done): Omit<Played, 'run'> {
  return { screen: stdout.replace(/\s+/g, ' '), code };
}

/** A stored document or text of the run, as `baton show` prints it. */
export async function shown(world: World, run: string, name: string): Promise<string> {
  return (await world.run('show', run, name)).stdout;
}

/** How many calls a role had in this run. */
export async function callsOf(world: World, run: string, role: string): Promise<number> {
  const { stdout } = await world.run('log', run, '--json');
  return [...stdout.matchAll(new RegExp(`"role":"${role}"`, 'g'))].length;
}

export function gitIn(world: World, ...args: string[]): string {
  return execFileSync('git', args, { cwd: world.root, encoding: 'utf8' });
}
