import type { Effect, FailedAttempt } from '../contract/change.ts';
import type { MoveRecord } from '../contract/move.ts';
import type { EffectEnd } from './job.ts';

/** What a person should know of attempts that were refused or ended, whatever came of the call after all (WF-81). */
export function attemptNotices(effect: Effect, end: EffectEnd | undefined): MoveRecord[] {
  const failed = (end?.kind === 'done' && end.failed) || effect.attempts;
  return failed.flatMap((attempt) => {
    const msg = MESSAGES[attempt.kind];
    const args = { role: roleOf(effect), attempt: attempt.attempt };
    const paths = attempt.problems.join(', ');
    return [...(msg ? [warning(msg, { ...args, paths })] : []), ...refusals(effect, attempt.denied)];
  });
}

/** What the worker of a call that came to its end asked for and did not get. */
export function deniedNotices(effect: Effect, result: unknown): MoveRecord[] {
  return refusals(effect, (result as { denied?: readonly string[] } | null)?.denied);
}

function refusals(effect: Effect, denied: readonly string[] | undefined): MoveRecord[] {
  return denied?.length
    ? [warning('engine.call_denied', { role: roleOf(effect), what: denied.join(', ') })]
    : [];
}

function warning(msg: string, args: Readonly<Record<string, string | number>>): MoveRecord {
  return { kind: 'notice', level: 'warning', text: { msg, args } };
}

function roleOf({ role, kind }: Effect): string {
  return (role ?? kind).replaceAll('_', ' ');
}

/** Problems stand in `paths`: what was written, why it could not run, what the provider said. */
const MESSAGES: Readonly<Partial<Record<FailedAttempt['kind'], string>>> = {
  wrote: 'engine.attempt_wrote',
  deadline: 'engine.attempt_late',
  limited: 'engine.attempt_limited',
  infrastructure: 'engine.attempt_fault',
};
