import path from 'node:path';
import * as z from 'zod';
import type { AgentSign } from '../engine/breaker.ts';
import { cleanText } from '../engine/clean-text.ts';
import { AdapterError } from '../engine/errors.ts';
import { renderCorrection, renderPrompt } from '../engine/prompt.ts';
import type { AgentCall, AgentEvent, Ended, Usage } from '../ports/agent.ts';
import { type Admitted, isFault } from './admit-attempt.ts';
import { type Counted, guardAttempt, startedAs, startOf } from './guard-attempt.ts';
import { type Job, reportCall } from './job.ts';
import type { Passed } from './meter.ts';
import { type Reading, readResult, type WorkerOutput } from './read-result.ts';
import { resolveSlots } from './resolve-slots.ts';
import { beginInTree, forgetWords, unauthorisedWrites } from './worker-tree.ts';

export type AttemptEnd =
  | Reading
  | { kind: 'silent'; problem?: string }
  | { kind: 'interrupted' }
  | { kind: 'late' }
  | { kind: 'over'; passed: Passed }
  | { kind: 'infrastructure'; problem: string }
  | { kind: 'blocked'; problem: string }
  | { kind: 'limited'; problem: string; until: string | null };

/** `unauthorised`: paths that a read-only worker changed, or leftovers in a folder that Baton does not restore. */
export interface Tried {
  readonly end: AttemptEnd;
  readonly unauthorised: readonly string[];
  /** Requests of the worker that were denied. */
  readonly denied: readonly string[];
  /** Programs that it left running and Baton ended. */
  readonly left?: readonly string[];
}

/** Runs the next attempt of a call and reads the result and the paths that a read-only worker changed. */
export async function runAttempt(job: Job, admitted: Admitted): Promise<Tried> {
  const { metered } = admitted;
  try {
    const call = await prepareCall(job, metered.money_left_usd);
    const { leftover, hasFingerprint } = await beginInTree(job, call);
    if (leftover.length > 0) return { end: { kind: 'silent' }, unauthorised: leftover, denied: [] };
    const start = job.ctx.taken_over ? await startOf(job, call) : 1;
    const counted = startedAs(job, call, start);
    const streamState = await listen(job, call, { ...admitted, counted });
    // The spend stored while it ran would count as an attempt, with minutes and an unknown cost.
    if (isNothing(streamState)) await counted(null);
    else {
      await counted({ usage: streamState.usage, seconds: metered.seconds() });
      metered.end(streamState.usage);
    }
    return await endOf(job, streamState, hasFingerprint ? () => unauthorisedWrites(job, call) : null);
  } finally {
    // For every attempt without `metered.end`: it is over, so parallel calls must not count it as running.
    metered.withdraw();
    admitted.leave();
  }
}

/** True if the provider did not accept the call. Such an attempt does not count against a budget. */
function isNothing({ ended, usage }: StreamState): boolean {
  const untaken = ended.outcome === 'limited' || ended.outcome === 'blocked';
  return untaken && !usage?.money_usd && !usage?.tokens;
}

async function endOf(
  job: Job,
  streamState: StreamState,
  findUnauthorised: (() => Promise<string[]>) | null,
): Promise<Tried> {
  const { ended, denied } = streamState;
  if (job.ctx.signal.aborted) return { end: { kind: 'interrupted' }, unauthorised: [], denied };
  if (ended.outcome === 'aborted' && streamState.passed)
    return { end: { kind: 'over', passed: streamState.passed }, unauthorised: [], denied };
  const unauthorised = findUnauthorised ? await findUnauthorised() : [];
  return {
    end: faultOf(streamState) ?? (await readEnd(job, streamState)),
    unauthorised,
    denied,
    left: streamState.left,
  };
}

/** An end that says nothing about the work. Null if the result must be read. */
function faultOf({ ended: { outcome, detail, until } }: StreamState): AttemptEnd | null {
  if (outcome === 'unavailable') return { kind: 'infrastructure', problem: detail };
  if (outcome === 'blocked') return { kind: 'blocked', problem: detail };
  if (outcome === 'limited') return { kind: 'limited', problem: detail, until: until ?? null };
  return detail === 'deadline' ? { kind: 'late' } : null;
}

async function readEnd(job: Job, { said, ended, line, denied, left }: StreamState): Promise<AttemptEnd> {
  const reading = await readResult(job, said);
  if (ended.outcome !== 'finished') return endedBadly(reading, ended);
  if (reading.kind !== 'valid') return reading;
  const more = { ...(denied.length > 0 && { denied }), ...(left.length > 0 && { left }) };
  return { ...reading, outcome: { ...reading.outcome, line, ...more } };
}

/** A worker that ended abnormally has not finished its work, even if it gave a result. */
function endedBadly(reading: Reading, { detail }: Ended): AttemptEnd {
  const problem = `the worker ended badly: ${detail}`;
  if (reading.kind === 'silent') return { kind: 'silent', problem };
  const others = reading.kind === 'invalid' ? reading.problems : [];
  return { kind: 'invalid', problems: [problem, ...others], text: reading.text };
}

/** Everything that the agent gets. The same attempt gets the same bytes, also after a crash. */
export async function prepareCall(job: Job, money_left_usd: number | null): Promise<AgentCall> {
  const { deps, ctx, effect, call, role, failed } = job;
  const { run } = ctx;
  const attempt = failed.length + 1;
  const dir = [deps.calls, run.id, `${effect.turn}-${effect.n}-${attempt}`].join(path.sep);
  const slots = await resolveSlots(deps, run.id, call, role.slots);
  const { schema, json } = wantedSchema(role.result);
  const result_file = [dir, 'out', 'result.json'].join(path.sep);
  const nonce = deps.hash(`${effect.id} ${run.created_at}`).slice(7, 23);
  const template = deps.texts.prompt(role.prompt, role.words);
  const prompt = renderPrompt({ template, slots, nonce, schema: json, result_file });
  const last = failed.findLast((past) => !isFault(past));
  const corrected = failed.filter((past) => past.kind === 'invalid').length;
  return {
    key: `${effect.id}.${attempt}`,
    workflow: run.workflow,
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
    money_left_usd,
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

// A role's schema never changes. Building even a small one takes 0.02 ms a call.
const wanted = new WeakMap<z.ZodType, WantedSchema>();

function wantedSchema(result: z.ZodType): WantedSchema {
  const known = wanted.get(result);
  if (known) return known;
  const schema = z.toJSONSchema(result, { io: 'input', unrepresentable: 'any' });
  const made = { schema, json: JSON.stringify(schema) };
  wanted.set(result, made);
  return made;
}

interface StreamState {
  said: WorkerOutput;
  line: string | null;
  usage: Usage | null;
  denied: readonly string[];
  left: readonly string[];
  /** The limit that was passed while the attempt ran. */
  passed: Passed | null;
  ended: Ended;
}

interface Listening extends Admitted {
  readonly counted: Counted;
}

/**
 * Follows one attempt to its end. If the agent cannot even be started, that is infrastructure, not the worker's fault.
 */
async function listen(job: Job, call: AgentCall, listening: Listening): Promise<StreamState> {
  const { deps, ctx, agent } = job;
  const { metered, permit } = listening;
  const structured: unknown[] = [];
  const texts = keepTail(TEXT_LIMIT);
  const denied = new Set<string>();
  const running: string[] = [];
  let line: string | null = null;
  let ended = unavailable('the agent gave no end');
  const guard = guardAttempt(job, listening);
  const take: { [Type in AgentEvent['type']]?: (event: Extract<AgentEvent, { type: Type }>) => void } = {
    text: ({ text }) => texts.add(text),
    result: ({ value }) => structured.push(value),
    usage: ({ usage }) => {
      const sound = soundUsage(usage, guard.usage());
      guard.use(sound);
      // The provider is working on the call, so a caller waiting for this probe need not wait for its end.
      if (sound.tokens) permit.sign('answered');
    },
    denied: ({ what }) => {
      if (denied.size < DENIED_LIMIT) denied.add(cleanText(what).slice(0, DENIED_LENGTH));
    },
    left_running: ({ programs }) => running.push(...programs),
    progress: (event) => {
      line = event.line;
      reportCall(job, 'line', event.line);
    },
    ended: (event) => {
      ended = event;
    },
  };
  try {
    for await (const event of agent.run(call, guard.signal)) take[event.type]?.(event as never);
  } catch (error) {
    if (!(error instanceof AdapterError)) throw error;
    ended = unavailable(error.message);
  } finally {
    guard.end();
  }
  const own = ctx.run.policy.tree === 'clone';
  const { left, programs } = await deps.processes.killLeftovers(call.key, own ? ctx.tree.root : undefined);
  if (ended.outcome === 'aborted') forgetWords(call);
  if (left.length > 0) ended = unavailable(`processes left: ${left.join(' ')}`);
  permit.sign(SIGNS[ended.outcome]);
  const said = { structured, text: texts.all(), result_file: call.result_file };
  const named = [...running, ...programs].slice(0, LEFT_LIMIT).map((name) => cleanText(name));
  return {
    said,
    line,
    usage: guard.usage(),
    denied: [...denied],
    left: named,
    passed: metered.passed(),
    ended,
  };
}

/**
 * Each reported usage is the total so far. A value that is not a plausible number, or is less than the previous one, is
 * ignored.
 */
function soundUsage({ money_usd, tokens }: Usage, before: Usage | null): Usage {
  const sound = (value: unknown, known: number | null | undefined, most: number) =>
    typeof value === 'number' && value >= (known ?? 0) && value <= most ? value : (known ?? null);
  const whole = sound(tokens, before?.tokens, 1e12);
  return {
    money_usd: sound(money_usd, before?.money_usd, 1e6),
    tokens: whole === null ? null : Math.ceil(whole),
  };
}

const SIGNS: Readonly<Record<Ended['outcome'], AgentSign>> = {
  finished: 'answered',
  failed: 'answered',
  unavailable: 'failed',
  limited: 'failed',
  // A person can remove the cause at any moment, so the next call must not wait.
  blocked: 'answered',
  aborted: 'unknown',
};

/** Limits on the stored denials, because a worker may repeat requests in a loop. */
const DENIED_LIMIT = 20;
const DENIED_LENGTH = 200;

/** Number of left programs that are listed by name. */
const LEFT_LIMIT = 50;

/** The stored text of a worker keeps at least this many characters from its end, where the result is. */
const TEXT_LIMIT = 4_000_000;

/** Keeps the end of a text, between once and twice the limit, so that endless output cannot fill the memory. */
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

function unavailable(detail: string): Ended {
  return { type: 'ended', outcome: 'unavailable', detail };
}
