import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { AgentCall } from '../ports/agent.ts';
import type { Job } from './job.ts';

/**
 * Brings the tree to where this attempt starts. A tree of the run's own is kept before the first start of the call
 * and put back before every further one; the person's folder is never put back: a writing worker that must start
 * over there leaves paths to ask about. A finished attempt that only plays its stream again is left alone.
 */
export async function beginInTree(job: Job, call: AgentCall): Promise<string[]> {
  const { ctx, effect, role, agent } = job;
  const began = existsSync(markFile(job, call));
  if (began && (await agent.isFinished(call))) return [];
  if (isOwn(job)) {
    await ctx.tree.snapshot(effect.id);
    if (began || job.failed.length > 0) await ctx.tree.restore(effect.id);
  } else if (began && role.profile.kind === 'writes') {
    return ctx.tree.changedSince(readFileSync(markFile(job, call), 'utf8'));
  }
  if (!began) await keepMark(job, call);
  return [];
}

/** Paths a worker changed that may only read. In a tree of the run's own they are put back at once. */
export async function straysOf(job: Job, call: AgentCall): Promise<string[]> {
  const file = markFile(job, call);
  if (job.role.profile.kind !== 'read_only' || !existsSync(file)) return [];
  const { tree } = job.ctx;
  const strayed = await tree.changedSince(readFileSync(file, 'utf8'));
  if (strayed.length > 0 && isOwn(job)) await tree.restore(job.effect.id);
  return strayed;
}

/** What a worker wrote that gave no result after all tries is not half kept: its tree goes back to where it began. */
export async function forgetEdits(job: Job): Promise<void> {
  const { ctx, effect, role } = job;
  if (isOwn(job) && role.profile.kind === 'writes') await ctx.tree.restore(effect.id);
}

/** The run's own tree, where nothing of the person's can be lost. */
export function isOwn({ ctx }: Job): boolean {
  return ctx.run.policy.tree === 'clone';
}

/** The tree before the first start of this attempt; a repeat after a crash compares with the same mark. */
async function keepMark(job: Job, call: AgentCall): Promise<void> {
  const mark = await job.ctx.tree.mark();
  if (mark === '') return;
  const file = markFile(job, call);
  mkdirSync(call.dir, { recursive: true, mode: 0o700 });
  // In this thread: folder, file and rename cost 0.11 ms here and 0.19 ms by way of the pool.
  writeFileSync(`${file}.new`, mark);
  renameSync(`${file}.new`, file);
}

/** A tree a person has taken as it is gets a mark of its own, or the same change would be asked about for ever. */
function markFile({ ctx }: Job, call: AgentCall): string {
  return path.join(call.dir, `tree-mark-${ctx.run.counters.tree_accepted ?? 0}`);
}
