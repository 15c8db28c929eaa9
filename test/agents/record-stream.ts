import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { type Ask, CASES, type Case, COMMANDS, STARTED } from './record-cases.ts';
import { keep, killStage, PROMPT, type Stage, scrub, scrubLines, survey, withStage } from './record-stage.ts';

export type Streaming = keyof typeof COMMANDS;

const GRACE_MS = 10_000;
const PATIENCE_MS = 120_000;
const SESSION = /"(?:session_id|thread_id|sessionID)":"([^"]+)"/;

/** Runs a program through one case and keeps what it printed. */
export async function recordStream(program: Streaming, name: string): Promise<void> {
  const played = CASES[name];
  if (!played) throw new Error(`there is no case ${name}`);
  await withStage(program, played.steps, async (stage) => {
    const session = await recordRun(stage, { program, name, played, ask: played.ask });
    if (!played.resume || !session) return;
    await recordRun(stage, { program, name: `${name}-2`, played, ask: { ...played.ask, session } });
  });
}

interface Run {
  readonly program: Streaming;
  readonly name: string;
  readonly played: Case;
  readonly ask: Ask;
}

async function recordRun(stage: Stage, run: Run): Promise<string | null> {
  const { program, name, played, ask } = run;
  const schema = path.join(stage.home, 'schema.json');
  await writeFile(schema, JSON.stringify(ask.schema ?? {}));
  const { argv, env = {} } = COMMANDS[program](ask, { tree: stage.tree, schema });
  const before = stage.server.served.length;
  const started = Date.now();
  const all = { ...stage.env, ...env };
  const child = spawn(stage.file, argv, { cwd: stage.tree, env: all, stdio: 'pipe', detached: true });
  child.stdin.end(ask.session ? 'Go on.' : `${PROMPT} "${name}".`);
  const said = Promise.all([buffer(child.stdout), buffer(child.stderr)]);
  const exited = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
  const group = -(child.pid ?? 0);
  const patience = setTimeout(() => process.kill(group, 'SIGKILL'), PATIENCE_MS);
  const sent = ask.session ? null : await signalWhenDue(stage, played, { group, before });
  const never = sent !== null && (await Promise.race([exited.then(() => false), wait(GRACE_MS, true)]));
  if (never) process.kill(group, 'SIGKILL');
  const [exit, signal] = await exited;
  const ended = Date.now();
  clearTimeout(patience);
  const [out, err] = (await said).map(String) as [string, string];
  const ending = {
    what: ask.session ? `${played.what}: the second run` : played.what,
    argv: [program, ...argv].map((arg) => scrub(arg, stage)),
    env,
    exit,
    signal,
    seconds: Math.round((ended - started) / 100) / 10,
    ended_after_ms: sent === null ? null : never ? ('never' as const) : ended - sent,
    left: await killStage(stage),
    ...(await survey(stage, before)),
    stderr: scrubLines(err, stage),
  };
  await keep(program, name, { ending, lines: scrub(out, stage).split('\n') });
  return SESSION.exec(out)?.[1] ?? null;
}

/** When the signal was sent; null where the case has none. */
async function signalWhenDue(
  { tree, server }: Stage,
  { signal, until, steps }: Case,
  { group, before }: { group: number; before: number },
): Promise<number | null> {
  if (!signal) return null;
  const last = steps(tree).length - 1;
  const isDue = () =>
    until === 'shell'
      ? existsSync(path.join(tree, STARTED))
      : server.served.slice(before).some(({ step }) => step === last);
  while (!isDue()) await wait(50);
  await wait(500);
  process.kill(group, signal);
  return Date.now();
}
