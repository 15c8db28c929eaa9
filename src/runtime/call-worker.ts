import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod';
import type { Effect, FailedAttempt } from '../contract/change.ts';
import type { Hash } from '../contract/ids.ts';
import type { CallOutcome } from '../contract/outcome.ts';
import type { Run, Trouble } from '../contract/run.ts';
import type { WorkerCall } from '../contract/step.ts';
import { exceeded } from '../engine/budget.ts';
import { AdapterError, InvariantError } from '../engine/errors.ts';
import { renderCorrection, renderPrompt } from '../engine/prompt.ts';
import type { BaseState, RoleDefinition, Workflow } from '../engine/workflow.ts';
import type { Agent, AgentCall, AgentEvent } from '../ports/agent.ts';
import type { Progress } from './api.ts';
import type { Deps } from './deps.ts';
import { type Reading, readResult, type Said } from './read-result.ts';
import { resolveSlots } from './resolve-slots.ts';

/** Below this many free bytes no worker is started. */
const DISK_FLOOR = 64 * 1024 * 1024;

export interface PerformContext {
  readonly run: Run;
  readonly def: Workflow;
  readonly signal: AbortSignal;
  readonly tell: (progress: Progress) => void;
}

/** `texts` holds what a later record may name; it is written to disk only then. */
export type EffectEnd =
  | { readonly kind: 'done'; readonly result: unknown; readonly texts?: ReadonlyMap<Hash, string> }
  | { readonly kind: 'interrupted' }
  | {
      readonly kind: 'trouble';
      readonly trouble: Omit<Trouble, 'gate'>;
      readonly args: Readonly<Record<string, string | number>>;
      /** A valid result that waits for the person's word. */
      readonly result?: CallOutcome;
    };

/**
 * One logical call of a worker, with its corrections, fresh tries and infrastructure repeats. Each failed attempt is
 * kept before the next one starts, so that a crash goes on with the same attempt and spends no cap twice.
 */
export async function callWorker(deps: Deps, effect: Effect, ctx: PerformContext): Promise<EffectEnd> {
  const call = effect.spec as WorkerCall;
  const role = ctx.def.roles[call.role];
  if (!role) throw new InvariantError(`no role '${call.role}' in the role table`);
  const agent = await deps.agent(ctx.run.policy);
  const attempts: FailedAttempt[] = [...effect.attempts];
  for (;;) {
    const spent = spentCaps(attempts, ctx.run.counters.forgiven ?? 0);
    const over = await beforeAttempt(deps, effect, ctx, role, spent, attempts);
    if (over) return over;
    const attempt = attempts.length + 1;
    tell(ctx, effect, call.role, attempt === 1 ? 'started' : 'retry', attempt);
    const agentCall = await prepareCall(deps, effect, ctx, role, attempts);
    const end = await runAttempt(deps, agent, agentCall, role, call, ctx);
    if (end.kind === 'interrupted') return end;
    const strayed = await straysOf(deps, agentCall, role);
    if (strayed.length > 0) return treeTrouble(effect, attempts.length, strayed, end);
    if (end.kind === 'valid') {
      tell(ctx, effect, call.role, 'done', attempt);
      return { kind: 'done', result: end.outcome, texts: new Map([[end.outcome.artefact, end.text]]) };
    }
    const failed = await failedAttempt(deps, attempt, end);
    await deps.store.keepAttempt(effect.id, failed);
    attempts.push(failed);
  }
}

/** Corrections and fresh tries count together; infrastructure faults never spend them. */
function spentCaps(attempts: readonly FailedAttempt[], forgiven: number): { tries: number; infra: number } {
  const live = attempts.filter((attempt) => attempt.attempt > forgiven);
  const infra = live.filter((attempt) => attempt.kind === 'infrastructure').length;
  return { tries: live.length - infra, infra };
}

/** What must be true before money is spent: caps left, budget left, room on disk. */
async function beforeAttempt(
  deps: Deps,
  effect: Effect,
  ctx: PerformContext,
  role: RoleDefinition<BaseState>,
  spent: { tries: number; infra: number },
  attempts: readonly FailedAttempt[],
): Promise<EffectEnd | null> {
  const trouble = (kind: Trouble['kind'], args: Readonly<Record<string, string | number>>): EffectEnd => ({
    kind: 'trouble',
    trouble: { kind, effect: effect.n, attempts: attempts.length },
    args: { role: effect.role ?? '', ...args },
  });
  if (spent.tries > role.caps.correct + role.caps.fresh)
    return { kind: 'done', result: gaveUp(ctx, effect, attempts) };
  if (spent.infra > role.caps.infra) {
    return trouble('infrastructure', { tries: spent.infra, problem: attempts.at(-1)?.problems[0] ?? '' });
  }
  const total = await deps.store.spend(ctx.run.id);
  const factor = 1 + (ctx.run.counters.extensions ?? 0);
  const spend = { ...total, worker_minutes: total.seconds / 60 };
  const over = exceeded(scaled(ctx.run.policy.budget, factor), spend, { attempts: 1 });
  if (over) return trouble('budget', { budget: over });
  const free = await deps.workspace.freeBytes();
  return free < DISK_FLOOR ? trouble('disk', { free: Math.floor(free / 1e6) }) : null;
}

function scaled(budget: Run['policy']['budget'], factor: number): Run['policy']['budget'] {
  const times = (value: number | null) => (value === null ? null : value * factor);
  const { money_usd, tokens, worker_minutes, attempts } = budget;
  return {
    money_usd: times(money_usd),
    tokens: times(tokens),
    worker_minutes: times(worker_minutes),
    attempts: times(attempts),
  };
}

function gaveUp(ctx: PerformContext, effect: Effect, attempts: readonly FailedAttempt[]): CallOutcome {
  const last = attempts.findLast((attempt) => attempt.text !== null);
  const detail = attempts.at(-1)?.problems.join('; ') ?? '';
  tell(ctx, effect, effect.role ?? '', 'failed', attempts.length, detail);
  const kind = last ? 'parse_failed' : 'dispatch_failed';
  return { kind, detail, text: last?.text ?? null, attempts: attempts.length };
}

async function prepareCall(
  deps: Deps,
  effect: Effect,
  ctx: PerformContext,
  role: RoleDefinition<BaseState>,
  attempts: readonly FailedAttempt[],
): Promise<AgentCall> {
  const { run } = ctx;
  const call = effect.spec as WorkerCall;
  const attempt = attempts.length + 1;
  const dir = path.join(deps.calls, run.id, `${effect.turn}-${effect.n}-${attempt}`);
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const slots = await resolveSlots(deps, run.id, call, role.slots);
  const schema = z.toJSONSchema(role.result, { io: 'input', unrepresentable: 'any' });
  const result_file = path.join(dir, 'result.json');
  const nonce = deps.hash(`${effect.id} ${run.created_at}`).slice(7, 23);
  const first = renderPrompt({
    template: role.template,
    slots,
    nonce,
    schema: JSON.stringify(schema),
    result_file,
  });
  const last = attempts.at(-1);
  const corrects =
    last?.kind === 'invalid' && attempts.filter((a) => a.kind === 'invalid').length <= role.caps.correct;
  return {
    key: `${effect.id}.${attempt}`,
    role: call.role,
    nth: effect.nth ?? 1,
    attempt,
    prompt: corrects ? renderCorrection(first, last.problems) : first,
    cwd: deps.workspace.root,
    tier: call.tier,
    profile: role.profile,
    deadline_ms: role.deadline_minutes * 60_000,
    schema,
    result_file,
    dir,
    lang: run.lang,
    slots: Object.fromEntries(slots.map((slot) => [slot.name, slot.text])),
  };
}

type AttemptEnd = Reading | { kind: 'interrupted' } | { kind: 'infrastructure'; problem: string };

async function runAttempt(
  deps: Deps,
  agent: Agent,
  agentCall: AgentCall,
  role: RoleDefinition<BaseState>,
  call: WorkerCall,
  ctx: PerformContext,
): Promise<AttemptEnd> {
  await keepTreeMark(deps, agentCall);
  const started = Date.now();
  const heard = await listen(deps, agent, agentCall, ctx);
  const usage = heard.usage;
  await deps.store.addSpend(ctx.run.id, effectOf(agentCall.key), agentCall.attempt, {
    money_usd: usage?.money_usd ?? 0,
    money_unknown: usage !== null && usage.money_usd === null,
    tokens: usage?.tokens ?? 0,
    seconds: (Date.now() - started) / 1000,
  });
  if (ctx.signal.aborted) return { kind: 'interrupted' };
  const { ended } = heard;
  if (ended.outcome === 'unavailable') return { kind: 'infrastructure', problem: ended.detail };
  const reading = await readResult(deps, heard.said, role, ctx.run.state as unknown as BaseState, call);
  if (reading.kind !== 'valid') return reading;
  return { ...reading, outcome: { ...reading.outcome, line: heard.line } };
}

interface Heard {
  readonly said: Said;
  readonly line: string | null;
  readonly usage: { money_usd: number | null; tokens: number | null } | null;
  readonly ended: Extract<AgentEvent, { type: 'ended' }>;
}

/** Follows one attempt to its end. An agent that cannot even be started is infrastructure, not the worker's fault. */
async function listen(deps: Deps, agent: Agent, call: AgentCall, ctx: PerformContext): Promise<Heard> {
  const structured: unknown[] = [];
  const texts: string[] = [];
  let line: string | null = null;
  let usage: Heard['usage'] = null;
  let ended: Heard['ended'] = { type: 'ended', outcome: 'unavailable', detail: 'the agent gave no end' };
  try {
    for await (const event of agent.run(call, ctx.signal)) {
      if (event.type === 'text') texts.push(event.text);
      else if (event.type === 'result') structured.push(event.value);
      else if (event.type === 'usage') usage = event.usage;
      else if (event.type === 'ended') ended = event;
      else if (event.type === 'progress') {
        line = event.line;
        const n = Number(call.key.split('/')[2]?.split('.')[0]);
        ctx.tell({
          type: 'call',
          run: ctx.run.id,
          role: call.role,
          n,
          state: 'line',
          attempt: call.attempt,
          text: line,
        });
      }
    }
  } catch (error) {
    if (!(error instanceof AdapterError)) throw error;
    ended = { type: 'ended', outcome: 'unavailable', detail: error.message };
  }
  const { left } = await deps.processes.sweep(call.key);
  if (left.length > 0)
    ended = { type: 'ended', outcome: 'unavailable', detail: `processes left: ${left.join(' ')}` };
  return { said: { structured, text: texts.join('\n'), result_file: call.result_file }, line, usage, ended };
}

async function failedAttempt(
  deps: Deps,
  attempt: number,
  end: Exclude<AttemptEnd, { kind: 'interrupted' | 'valid' }>,
): Promise<FailedAttempt> {
  if (end.kind === 'infrastructure')
    return { attempt, kind: 'infrastructure', problems: [end.problem], text: null };
  if (end.kind === 'silent')
    return { attempt, kind: 'silent', problems: ['no text on any result channel'], text: null };
  return { attempt, kind: 'invalid', problems: end.problems, text: await deps.artefacts.put(end.text) };
}

/** The tree as it was before the first start of this attempt; a repeat after a crash compares with the same mark. */
async function keepTreeMark(deps: Deps, call: AgentCall): Promise<void> {
  if (call.profile.kind !== 'read_only') return;
  const file = markFile(call);
  if (existsSync(file)) return;
  await writeFile(`${file}.new`, await deps.workspace.mark());
  await rename(`${file}.new`, file);
}

async function straysOf(deps: Deps, call: AgentCall, role: RoleDefinition<BaseState>): Promise<string[]> {
  if (role.profile.kind !== 'read_only') return [];
  return deps.workspace.changedSince(await readFile(markFile(call), 'utf8'));
}

function markFile(call: AgentCall): string {
  return path.join(call.dir, 'tree-mark');
}

function treeTrouble(effect: Effect, attempts: number, paths: string[], end: AttemptEnd): EffectEnd {
  const shown = paths.slice(0, 5).join(', ');
  const args = { role: effect.role ?? '', count: paths.length, paths: shown };
  const trouble = { kind: 'tree_changed' as const, effect: effect.n, attempts };
  return end.kind === 'valid'
    ? { kind: 'trouble', trouble, args, result: end.outcome }
    : { kind: 'trouble', trouble, args };
}

function effectOf(key: string): `${string}/${number}/${number}` {
  return key.slice(0, key.lastIndexOf('.')) as `${string}/${number}/${number}`;
}

function tell(
  ctx: PerformContext,
  effect: Effect,
  role: string,
  state: 'started' | 'retry' | 'done' | 'failed',
  attempt: number,
  text: string | null = null,
): void {
  ctx.tell({ type: 'call', run: ctx.run.id, role, n: effect.n, state, attempt, text });
}
