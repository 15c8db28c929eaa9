import type { AgentCall } from '../../ports/agent.ts';
import { delayMs } from './delay.ts';
import type { Part } from './part.ts';
import type { Script, ScriptAttempt } from './script-schema.ts';

/**
 * The script's entry for one attempt of one call: the listed one, else the entry of `else`, else null. A list under
 * `workflow.role` applies to that workflow only, and comes before a list under the role. A repeat after a crash has the
 * same role, number and attempt, so it gets the same entry.
 */
export function chooseAttempt(
  script: Script,
  call: Pick<AgentCall, 'workflow' | 'role' | 'nth' | 'attempt'>,
): ScriptAttempt | null {
  const names = [`${call.workflow}.${call.role}`, call.role];
  const name = names.find((one) => Object.hasOwn(script.roles, one));
  const listed = name === undefined ? undefined : script.roles[name];
  const entry = Array.isArray(listed) ? listed[call.nth - 1] : undefined;
  const attempt = call.attempt === 1 ? entry : entry?.attempts?.[call.attempt - 2];
  return attempt ?? script.roles.else ?? null;
}

/** Converts an attempt of a script to the input of the worker process. */
export function createPart(attempt: ScriptAttempt, call: Pick<AgentCall, 'result_file'>): Part {
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

/** The last usage step is also the usage at the end, unless the attempt names one. */
function lastStep({ usage_steps }: ScriptAttempt): Part['usage'] | undefined {
  const last = usage_steps?.at(-1);
  return last && { money_usd: last.money_usd, tokens: last.tokens };
}

function sayingOf(attempt: ScriptAttempt): Part['says'] {
  if (attempt.result !== undefined) {
    return { kind: 'result', channel: attempt.channel ?? 'stream', value: attempt.result };
  }
  if (attempt.garbage !== undefined) return { kind: 'text', text: attempt.garbage };
  return attempt.no_result ? { kind: 'text', text: 'Done.' } : { kind: 'nothing' };
}

function endOf(attempt: ScriptAttempt): Part['ends'] {
  if (attempt.hang) return { kind: 'hang' };
  if (attempt.crash) return { kind: 'crash' };
  if (attempt.limited !== undefined)
    return { kind: 'limited', until: attempt.limited === true ? null : attempt.limited };
  return { kind: 'exit', code: attempt.exit ?? 0 };
}
