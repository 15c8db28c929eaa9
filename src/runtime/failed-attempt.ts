import type { FailedAttempt } from '../contract/change.ts';
import type { Instant } from '../contract/ids.ts';
import { type BackOff, backOffMs } from '../engine/back-off.ts';
import { cutText } from '../engine/cut-text.ts';
import type { Job } from './job.ts';
import type { Tried } from './run-attempt.ts';

/** The stored form of an attempt without a valid result, with the earliest time of the next attempt. */
export async function toFailedAttempt(
  job: Job,
  { end, unauthorised, denied, left }: Tried,
): Promise<FailedAttempt> {
  const told = { ...(denied.length > 0 && { denied }), ...(left?.length && { left }) };
  const base = { attempt: job.failed.length + 1, text: null, ...told };
  if (unauthorised.length > 0) return { ...base, kind: 'wrote', problems: unauthorised.slice(0, 5) };
  switch (end.kind) {
    case 'blocked':
      return { ...base, kind: end.kind, problems: [end.problem] };
    case 'infrastructure':
    case 'limited':
      return { ...base, kind: end.kind, problems: [end.problem], ...pauseAfter(job, end) };
    case 'late': {
      const { deadline_minutes } = job.role;
      const problems = [`it did not end within ${deadline_minutes} minutes`, ...refused(denied)];
      return { ...base, kind: 'deadline', problems };
    }
    case 'invalid': {
      const text = await job.deps.artefacts.put(end.text);
      return { ...base, kind: 'invalid', problems: [...end.problems, ...refused(denied)], text };
    }
    default: {
      const problem = ('problem' in end && end.problem) || 'no text on any result channel';
      return { ...base, kind: 'silent', problems: [problem, ...refused(denied)] };
    }
  }
}

/** Why an attempt gave no valid result, in full length. */
export function reasonOf({ kind, problems }: FailedAttempt): string {
  const said = problems.join('; ');
  return kind === 'wrote' ? `wrote although the role may only read: ${said}` : said;
}

const SHOWN = 300;

/** The same, shortened for one line on the screen or in the log. */
export function shortReason(attempt: FailedAttempt): string {
  const reason = reasonOf(attempt).replace(/\s+/g, ' ');
  return reason.length > SHOWN ? `${cutText(reason, SHOWN)} …` : reason;
}

function refused(denied: readonly string[]): string[] {
  return denied.length > 0 ? [`the worker was refused: ${denied.join(', ')}`] : [];
}

type Fault = Extract<Tried['end'], { kind: 'infrastructure' | 'limited' }>;

/**
 * Waits until the time that the provider named, if it is in the future. Otherwise the wait grows with each failure of
 * this kind in a row.
 */
function pauseAfter(job: Job, end: Fault): Required<Pick<FailedAttempt, 'at' | 'not_before'>> {
  const { deps, failed } = job;
  const at = deps.clock.now();
  const until = end.kind === 'limited' ? toInstant(end.until) : null;
  if (until !== null && until > at) return { at, not_before: until };
  const others = failed.findLastIndex(({ kind }) => kind !== end.kind);
  const ms = backOffMs(
    deps.backoff_policy[end.kind] satisfies BackOff,
    failed.length - others,
    chanceOf(job),
  );
  return { at, not_before: new Date(Date.parse(at) + ms).toISOString() };
}

/** Converts a time from an agent to our format. Null if it cannot be parsed. */
function toInstant(given: string | null): Instant | null {
  const ms = Date.parse(given ?? '');
  return Number.isNaN(ms) ? null : new Date(ms).toISOString();
}

/** Pseudo-random number from 0 to 1, always the same for the same attempt of the same call. */
function chanceOf({ deps, effect, failed }: Job): number {
  return Number.parseInt(deps.hash(`${effect.id}.${failed.length}`).slice(7, 11), 16) / 0xffff;
}
