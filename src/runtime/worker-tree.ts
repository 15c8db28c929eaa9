import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import type { Agent, AgentCall } from '../ports/agent.ts';
import type { Job } from './job.ts';

interface Begun {
  /** Paths an attempt that must start over left behind. */
  readonly leftover: readonly string[];
  /** The tree can be compared with how it was. */
  readonly marked: boolean;
}

const MARKED: Begun = { leftover: [], marked: true };

/**
 * Brings the tree to where this attempt starts. A tree of the run's own is kept before the first start of the step
 * and put back before every further one; the person's folder is never put back: a writing worker that must start
 * over there leaves paths to ask about. An attempt that does not start over is left alone.
 */
export async function beginInTree(job: Job, call: AgentCall): Promise<Begun> {
  const { ctx, role, agent } = job;
  // A step this process has opened itself has had no worker before.
  const began = ctx.taken_over && existsSync(markFile(job, call));
  if (began && (await livesOn(agent, call))) return MARKED;
  if (isOwn(job)) {
    // One after the other: calls of one step share the tree, and each must find it as the step began.
    await ctx.alone(() => beginInOwn(job, call, began));
    return MARKED;
  }
  if (began && role.profile.kind === 'writes') {
    const file = markFile(job, call);
    await ctx.tree.noteIgnored(job.effect.run, statSync(file).mtimeMs);
    return { leftover: await ctx.tree.changedSince(readFileSync(file, 'utf8')), marked: true };
  }
  if (began) return MARKED;
  const mark = await ctx.tree.mark();
  keepFile(markFile(job, call), mark);
  return { leftover: [], marked: mark !== '' };
}

/** The attempt does not start over: it has come to its end, or its worker outlived us. */
async function livesOn(agent: Agent, call: AgentCall): Promise<boolean> {
  // In this order: a worker may come to its end between the two looks.
  return ((await agent.isUnderWay?.(call)) ?? false) || (await agent.isFinished(call));
}

/** A reader's tree is put back only where it differs: a call beside it may be at work in it. */
async function beginInOwn(job: Job, call: AgentCall, began: boolean): Promise<void> {
  const { ctx, role, failed } = job;
  await ctx.tree.snapshot(baseOf(job));
  const mark = await stepMark(job);
  const again = began || failed.length > 0;
  if (again && (role.profile.kind === 'writes' || (await ctx.tree.changedSince(mark)).length > 0))
    await ctx.tree.restore(baseOf(job));
  rmSync(strayFile(call), { force: true });
  if (!began) keepFile(markFile(job, call), mark);
}

/**
 * Paths a worker changed that may only read. In a tree of the run's own they are put back at once. What it wrote where
 * git does not look is never put back and goes on record.
 */
export async function straysOf(job: Job, call: AgentCall): Promise<string[]> {
  const file = markFile(job, call);
  const { tree, alone } = job.ctx;
  if (!existsSync(file)) return [];
  const reads = job.role.profile.kind === 'read_only';
  if (isOwn(job) || !reads) await alone(() => tree.noteIgnored(job.effect.run, statSync(file).mtimeMs));
  if (!reads) return [];
  const look = () => tree.changedSince(readFileSync(file, 'utf8'));
  return alone(isOwn(job) ? () => putBackStrays(job, call, look) : look);
}

/** What strayed is on record before it is put back: a crash in between must not make the worker look innocent. */
async function putBackStrays(job: Job, call: AgentCall, look: () => Promise<string[]>): Promise<string[]> {
  const file = strayFile(call);
  const known = existsSync(file);
  const strayed = known ? (JSON.parse(readFileSync(file, 'utf8')) as string[]) : await look();
  if (strayed.length === 0) return [];
  if (!known) keepFile(file, JSON.stringify(strayed));
  await job.ctx.tree.restore(baseOf(job));
  return strayed;
}

function strayFile(call: AgentCall): string {
  return path.join(call.dir, 'strayed.json');
}

/** What a worker wrote that gave no result after all tries is not half kept: its tree goes back to where it began. */
export async function forgetEdits(job: Job): Promise<void> {
  const { ctx, role } = job;
  if (isOwn(job) && role.profile.kind === 'writes') await ctx.tree.restore(baseOf(job));
}

/** Everything an attempt said so far goes: it was ended by us, and starts over. What we noted of it stays. */
export function forgetWords(call: AgentCall): void {
  if (!existsSync(call.dir)) return;
  const words = readdirSync(call.dir).filter((name) => !NOTED.test(name));
  for (const name of words) rmSync(path.join(call.dir, name), { recursive: true, force: true });
}

/** Marks of the tree, how often it was started, and the program's session, which can be taken up. */
const NOTED = /^(?:tree-mark-\d+|strayed\.json|starts|session\.json)$/;

/** The run's own tree, where nothing of the person's can be lost. */
export function isOwn({ ctx }: Job): boolean {
  return ctx.run.policy.tree === 'clone';
}

/** The snapshot all calls of a step start from. */
function baseOf({ effect }: Job): string {
  return `${effect.run}/${effect.turn}`;
}

/** The mark of that snapshot: taken once, while no worker of the step has begun. */
async function stepMark({ deps, ctx, effect }: Job): Promise<string> {
  const file = path.join(deps.calls, effect.run, `${effect.turn}-mark`);
  if (existsSync(file)) return readFileSync(file, 'utf8');
  const mark = await ctx.tree.mark();
  keepFile(file, mark);
  return mark;
}

/** Whole or not at all: a repeat after a crash compares with the same mark. */
export function keepFile(file: string, text: string): void {
  if (text === '') return;
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  // In this thread: folder, file and rename cost 0.11 ms here and 0.19 ms by way of the pool.
  writeFileSync(`${file}.new`, text);
  renameSync(`${file}.new`, file);
}

/** A tree a person has taken as it is gets a mark of its own, or the same change would be asked about for ever. */
function markFile({ ctx }: Job, call: AgentCall): string {
  return path.join(call.dir, `tree-mark-${ctx.run.counters.tree_accepted ?? 0}`);
}
