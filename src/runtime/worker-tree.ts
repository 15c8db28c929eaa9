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
  /** Paths left behind by an attempt that must start over. */
  readonly leftover: readonly string[];
  /** True if the tree can be compared with its state at the start. */
  readonly hasFingerprint: boolean;
}

const FINGERPRINTED: Begun = { leftover: [], hasFingerprint: true };

/**
 * Brings the tree to the state in which this attempt starts. The run's own tree is saved before the first start of the
 * step and restored before every further start. The person's folder is never restored: if a writing worker must start
 * over there, a person is asked about the paths it left. An attempt that does not start over is left unchanged.
 */
export async function beginInTree(job: Job, call: AgentCall): Promise<Begun> {
  const { ctx, role, agent } = job;
  // A step that this process opened itself had no worker before.
  const began = ctx.taken_over && existsSync(fingerprintFile(job, call));
  if (began && (await livesOn(agent, call))) return FINGERPRINTED;
  if (isOwn(job)) {
    // One at a time: calls of a step share the tree, and each must find it as it was when the step began.
    await ctx.alone(() => beginInOwn(job, call, began));
    return FINGERPRINTED;
  }
  if (began && role.profile.kind === 'writes') {
    const file = fingerprintFile(job, call);
    await ctx.tree.noteIgnored(job.effect.run, statSync(file).mtimeMs);
    return { leftover: await ctx.tree.changedSince(readFileSync(file, 'utf8')), hasFingerprint: true };
  }
  if (began) return FINGERPRINTED;
  const fingerprint = await ctx.tree.fingerprint();
  storeFile(fingerprintFile(job, call), fingerprint);
  return { leftover: [], hasFingerprint: fingerprint !== '' };
}

/** True if the attempt does not start over: it has finished, or its worker is still running. */
async function livesOn(agent: Agent, call: AgentCall): Promise<boolean> {
  // In this order, because a worker may finish between the two queries.
  return ((await agent.isUnderWay?.(call)) ?? false) || (await agent.isFinished(call));
}

/** For a read-only worker, the tree is restored only if it differs, because a parallel call may be working in it. */
async function beginInOwn(job: Job, call: AgentCall, began: boolean): Promise<void> {
  const { ctx, role, failed } = job;
  await ctx.tree.snapshot(baseOf(job));
  const fingerprint = await stepFingerprint(job);
  const again = began || failed.length > 0;
  if (again && (role.profile.kind === 'writes' || (await ctx.tree.changedSince(fingerprint)).length > 0))
    await ctx.tree.restore(baseOf(job));
  rmSync(unauthorisedFile(call), { force: true });
  if (!began) storeFile(fingerprintFile(job, call), fingerprint);
}

/**
 * Paths that a read-only worker changed. In the run's own tree they are restored at once. Its writes to ignored files
 * are never restored. They are recorded.
 */
export async function unauthorisedWrites(job: Job, call: AgentCall): Promise<string[]> {
  const file = fingerprintFile(job, call);
  const { tree, alone } = job.ctx;
  if (!existsSync(file)) return [];
  const reads = job.role.profile.kind === 'read_only';
  if (isOwn(job) || !reads) await alone(() => tree.noteIgnored(job.effect.run, statSync(file).mtimeMs));
  if (!reads) return [];
  const look = () => tree.changedSince(readFileSync(file, 'utf8'));
  return alone(isOwn(job) ? () => undoUnauthorised(job, call, look) : look);
}

/** Stores the unauthorised paths before they are restored, so that a crash in between does not hide them. */
async function undoUnauthorised(job: Job, call: AgentCall, look: () => Promise<string[]>): Promise<string[]> {
  const file = unauthorisedFile(call);
  const known = existsSync(file);
  const unauthorised = known ? (JSON.parse(readFileSync(file, 'utf8')) as string[]) : await look();
  if (unauthorised.length === 0) return [];
  if (!known) storeFile(file, JSON.stringify(unauthorised));
  await job.ctx.tree.restore(baseOf(job));
  return unauthorised;
}

function unauthorisedFile(call: AgentCall): string {
  return path.join(call.dir, 'unauthorised.json');
}

/** If a worker gave no result in any attempt, none of its edits are kept: the tree is restored to its start. */
export async function forgetEdits(job: Job): Promise<void> {
  const { ctx, role } = job;
  if (isOwn(job) && role.profile.kind === 'writes') await ctx.tree.restore(baseOf(job));
}

/** Removes the output of an attempt that Baton ended and that starts over. Baton's own notes about it stay. */
export function forgetWords(call: AgentCall): void {
  if (!existsSync(call.dir)) return;
  const words = readdirSync(call.dir).filter((name) => !NOTED.test(name));
  for (const name of words) rmSync(path.join(call.dir, name), { recursive: true, force: true });
}

/** Fingerprints, unauthorised paths, the number of starts, and the program's session, which can be resumed. */
const NOTED = /^(?:tree-fingerprint-\d+|unauthorised\.json|starts|session\.json)$/;

/** True for the run's own tree, where no work of the person can be lost. */
export function isOwn({ ctx }: Job): boolean {
  return ctx.run.policy.tree === 'clone';
}

/** Name of the snapshot that all calls of a step start from. */
function baseOf({ effect }: Job): string {
  return `${effect.run}/${effect.turn}`;
}

/** The fingerprint of that snapshot, taken once, before any worker of the step begins. */
async function stepFingerprint({ deps, ctx, effect }: Job): Promise<string> {
  const file = path.join(deps.calls, effect.run, `${effect.turn}-fingerprint`);
  if (existsSync(file)) return readFileSync(file, 'utf8');
  const fingerprint = await ctx.tree.fingerprint();
  storeFile(file, fingerprint);
  return fingerprint;
}

/** Writes the whole file or nothing, so that a repeat after a crash compares with the same fingerprint. */
export function storeFile(file: string, text: string): void {
  if (text === '') return;
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  // Synchronous: folder, file and rename cost 0.11 ms here and 0.19 ms through the thread pool.
  writeFileSync(`${file}.new`, text);
  renameSync(`${file}.new`, file);
}

/**
 * The file name counts how often a person accepted the tree as it is. With the old fingerprint, Baton would ask about
 * the same change forever.
 */
function fingerprintFile({ ctx }: Job, call: AgentCall): string {
  return path.join(call.dir, `tree-fingerprint-${ctx.run.counters.tree_accepted ?? 0}`);
}
