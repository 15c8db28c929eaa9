import type { Effect, FailedAttempt } from '../contract/change.ts';
import type { MoveRecord } from '../contract/move.ts';
import type { EffectEnd } from './job.ts';

/** What a person should know of attempts that were refused or ended, whatever came of the call after all (WF-81). */
export function attemptNotices(effect: Effect, end: EffectEnd | undefined): MoveRecord[] {
  const failed = (end?.kind === 'done' && end.failed) || effect.attempts;
  const role = (effect.role ?? effect.kind).replaceAll('_', ' ');
  return failed.flatMap((attempt) => {
    const msg = MESSAGES[attempt.kind];
    if (!msg) return [];
    const args = { role, attempt: attempt.attempt, paths: attempt.problems.join(', ') };
    return [{ kind: 'notice', level: 'warning', text: { msg, args } } as const];
  });
}

const MESSAGES: Readonly<Partial<Record<FailedAttempt['kind'], string>>> = {
  wrote: 'engine.attempt_wrote',
  deadline: 'engine.attempt_late',
};
