import type { AgentCall } from '../../ports/agent.ts';
import { delayMs } from './delay.ts';
import type { Part } from './part.ts';
import type { Score, ScoreAttempt } from './score-schema.ts';

/**
 * What a score says about one attempt of one call: the entry listed for it, else the entry of `else`, else null. A list
 * under `workflow.role` is for that workflow alone and comes before one under the role. A repeat after a crash has the
 * same role, number and attempt, so it is told the same.
 */
export function chooseAttempt(
  score: Score,
  call: Pick<AgentCall, 'workflow' | 'role' | 'nth' | 'attempt'>,
): ScoreAttempt | null {
  const names = [`${call.workflow}.${call.role}`, call.role];
  const name = names.find((one) => Object.hasOwn(score.roles, one));
  const listed = name === undefined ? undefined : score.roles[name];
  const entry = Array.isArray(listed) ? listed[call.nth - 1] : undefined;
  const attempt = call.attempt === 1 ? entry : entry?.attempts?.[call.attempt - 2];
  return attempt ?? score.roles.else ?? null;
}

/** Turns an attempt of a score into what the worker process is told. */
export function createPart(attempt: ScoreAttempt, call: Pick<AgentCall, 'result_file'>): Part {
  return {
    result_file: call.result_file,
    line: attempt.line ?? null,
    delay_ms: delayMs(attempt.delay ?? 0),
    edits: (attempt.edits ?? []).map((edit) => ({ path: edit.path, content: edit.content ?? null })),
    runs: attempt.runs ?? null,
    leaves_process: attempt.leaves_process ?? null,
    denied: attempt.denied === undefined ? [] : [attempt.denied].flat(),
    huge: attempt.huge ?? 0,
    usage_steps: (attempt.usage_steps ?? []).map(({ delay, ...usage }) => ({
      delay_ms: delayMs(delay ?? 0),
      usage,
    })),
    usage: attempt.usage ?? lastStep(attempt) ?? { money_usd: 0, tokens: 0 },
    says: sayingOf(attempt),
    ends: endOf(attempt),
  };
}

/** What was said last on the way still holds at the end. */
function lastStep({ usage_steps }: ScoreAttempt): Part['usage'] | undefined {
  const last = usage_steps?.at(-1);
  return last && { money_usd: last.money_usd, tokens: last.tokens };
}

function sayingOf(attempt: ScoreAttempt): Part['says'] {
  if (attempt.result !== undefined) {
    return { kind: 'result', channel: attempt.channel ?? 'stream', value: attempt.result };
  }
  if (attempt.garbage !== undefined) return { kind: 'text', text: attempt.garbage };
  return attempt.no_result ? { kind: 'text', text: 'Done.' } : { kind: 'nothing' };
}

function endOf(attempt: ScoreAttempt): Part['ends'] {
  if (attempt.hang) return { kind: 'hang' };
  if (attempt.crash) return { kind: 'crash' };
  if (attempt.limited !== undefined)
    return { kind: 'limited', until: attempt.limited === true ? null : attempt.limited };
  return { kind: 'exit', code: attempt.exit ?? 0 };
}
