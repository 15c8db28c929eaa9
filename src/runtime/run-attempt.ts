import path from 'node:path';
import * as z from 'zod';
import { AdapterError } from '../engine/errors.ts';
import { renderCorrection, renderPrompt } from '../engine/prompt.ts';
import type { AgentCall, AgentEvent } from '../ports/agent.ts';
import { type Job, tellCall } from './job.ts';
import { type Reading, readResult, type Said } from './read-result.ts';
import { resolveSlots } from './resolve-slots.ts';
import { beginInTree, forgetWords, straysOf } from './worker-tree.ts';

export type AttemptEnd =
  | Reading
  | { kind: 'interrupted' }
  | { kind: 'late' }
  | { kind: 'infrastructure'; problem: string };

/** `strayed`: paths a worker changed that may only read, or left behind in a folder that is never put back. */
export interface Tried {
  readonly end: AttemptEnd;
  readonly strayed: readonly string[];
}

/** Runs the next attempt of a call and reads what it left: the result, and paths a read-only worker changed. */
export async function runAttempt(job: Job): Promise<Tried> {
  const call = await prepareCall(job);
  const leftover = await beginInTree(job, call);
  if (leftover.length > 0) return { end: { kind: 'silent' }, strayed: leftover };
  const started = Date.now();
  const heard = await listen(job, call);
  const { usage, ended } = heard;
  // A start that was interrupted is made again under the same number: what it used must count beside that.
  const attempt = job.ctx.signal.aborted ? -started : call.attempt;
  await job.deps.store.addSpend(job.ctx.run.id, job.effect.id, attempt, {
    money_usd: usage?.money_usd ?? 0,
    money_unknown: usage === null || usage.money_usd === null,
    tokens: usage?.tokens ?? 0,
    seconds: (Date.now() - started) / 1000,
  });
  if (job.ctx.signal.aborted) return { end: { kind: 'interrupted' }, strayed: [] };
  const strayed = await straysOf(job, call);
  if (ended.outcome === 'unavailable')
    return { end: { kind: 'infrastructure', problem: ended.detail }, strayed };
  if (ended.detail === 'deadline') return { end: { kind: 'late' }, strayed };
  const reading = await readResult(job, heard.said);
  // A worker that did not come to its own end has not finished its work, whatever it said on the way.
  if (ended.outcome !== 'finished' && reading.kind === 'valid')
    return {
      end: { kind: 'invalid', problems: [`the worker ended badly: ${ended.detail}`], text: reading.text },
      strayed,
    };
  if (reading.kind !== 'valid') return { end: reading, strayed };
  return { end: { ...reading, outcome: { ...reading.outcome, line: heard.line } }, strayed };
}

/** Everything the agent is told. The same attempt gets the same bytes, also after a crash. */
export async function prepareCall({ deps, ctx, effect, call, role, failed }: Job): Promise<AgentCall> {
  const { run } = ctx;
  const attempt = failed.length + 1;
  const dir = path.join(deps.calls, run.id, `${effect.turn}-${effect.n}-${attempt}`);
  const slots = await resolveSlots(deps, run.id, call, role.slots);
  const { schema, json } = wantedSchema(role.result);
  const result_file = `${dir}${path.sep}result.json`;
  const nonce = deps.hash(`${effect.id} ${run.created_at}`).slice(7, 23);
  const { template } = role;
  const prompt = renderPrompt({ template, slots, nonce, schema: json, result_file });
  const last = failed.at(-1);
  const corrected = failed.filter((past) => past.kind === 'invalid').length;
  return {
    key: `${effect.id}.${attempt}`,
    role: call.role,
    bound: run.policy.bound?.[call.role] ?? null,
    nth: effect.nth ?? 1,
    attempt,
    prompt:
      last?.kind === 'invalid' && corrected <= role.caps.correct
        ? renderCorrection(prompt, last.problems)
        : prompt,
    cwd: ctx.tree.root,
    tier: call.tier,
    model: run.policy.by_role?.[call.role]?.model ?? null,
    profile: role.profile,
    deadline_ms: role.deadline_minutes * 60_000,
    money_left_usd: null,
    schema,
    result_file,
    dir,
    lang: run.lang,
    slots: Object.fromEntries(slots.map((slot) => [slot.name, slot.text])),
  };
}

interface WantedSchema {
  readonly schema: unknown;
  readonly json: string;
}

// A role's schema never changes; making even a small one takes 0.02 ms a call.
const wanted = new WeakMap<z.ZodType, WantedSchema>();

function wantedSchema(result: z.ZodType): WantedSchema {
  const known = wanted.get(result);
  if (known) return known;
  const schema = z.toJSONSchema(result, { io: 'input', unrepresentable: 'any' });
  const made = { schema, json: JSON.stringify(schema) };
  wanted.set(result, made);
  return made;
}

interface Heard {
  said: Said;
  line: string | null;
  usage: { money_usd: number | null; tokens: number | null } | null;
  ended: Extract<AgentEvent, { type: 'ended' }>;
}

/** Follows one attempt to its end. An agent that cannot even be started is infrastructure, not the worker's fault. */
async function listen(job: Job, call: AgentCall): Promise<Heard> {
  const { deps, ctx, agent } = job;
  const structured: unknown[] = [];
  const texts = keepTail(TEXT_LIMIT);
  const heard: Omit<Heard, 'said'> = { line: null, usage: null, ended: unavailable('the agent gave no end') };
  const take: { [Type in AgentEvent['type']]?: (event: Extract<AgentEvent, { type: Type }>) => void } = {
    text: ({ text }) => texts.add(text),
    result: ({ value }) => structured.push(value),
    usage: ({ usage }) => {
      heard.usage = usage;
    },
    progress: ({ line }) => {
      heard.line = line;
      tellCall(job, 'line', line);
    },
    ended: (event) => {
      heard.ended = event;
    },
  };
  try {
    for await (const event of agent.run(call, ctx.signal)) take[event.type]?.(event as never);
  } catch (error) {
    if (!(error instanceof AdapterError)) throw error;
    heard.ended = unavailable(error.message);
  }
  const own = ctx.run.policy.tree === 'clone';
  const { left } = await deps.processes.sweep(call.key, own ? ctx.tree.root : undefined);
  if (heard.ended.outcome === 'aborted') forgetWords(call);
  if (left.length > 0) heard.ended = unavailable(`processes left: ${left.join(' ')}`);
  return { ...heard, said: { structured, text: texts.all(), result_file: call.result_file } };
}

/** Characters of a worker's text that are kept at least; its result stands at the end. */
const TEXT_LIMIT = 4_000_000;

/** The end of a text, between once and twice the limit: a worker that prints without end must not fill the memory. */
function keepTail(limit: number): { add(text: string): void; all(): string } {
  let before = '';
  let now = '';
  return {
    add: (text) => {
      if (now.length > limit) [before, now] = [now, ''];
      now += before === '' && now === '' ? text : `\n${text}`;
    },
    all: () => before + now,
  };
}

function unavailable(detail: string): Heard['ended'] {
  return { type: 'ended', outcome: 'unavailable', detail };
}
