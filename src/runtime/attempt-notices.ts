import type { Effect, FailedAttempt } from '../contract/change.ts';
import type { MoveRecord } from '../contract/move.ts';
import { shortReason } from './failed-attempt.ts';
import type { EffectEnd } from './job.ts';

/** What a person should know of attempts that were refused or ended, whatever came of the call after all (WF-81). */
export function attemptNotices(effect: Effect, end: EffectEnd | undefined): MoveRecord[] {
  const failed = (end?.kind === 'done' && end.failed) || effect.attempts;
  return failed.flatMap((attempt) => {
    const msg = MESSAGES[attempt.kind];
    const args = { role: roleOf(effect), attempt: attempt.attempt };
    const paths = FITS_NOT.has(attempt.kind) ? shortReason(attempt) : attempt.problems.join(', ');
    return [...(msg ? [warning(msg, { ...args, paths })] : []), ...toldOf(effect, attempt)];
  });
}

interface Told {
  readonly denied?: readonly string[];
  readonly left?: readonly string[];
}

/** What the worker of a call that came to its end asked for and did not get, and what it left running. */
export function callNotices(effect: Effect, result: unknown): MoveRecord[] {
  return toldOf(effect, (result as Told | null) ?? {});
}

function toldOf(effect: Effect, { denied = [], left = [] }: Told): MoveRecord[] {
  const role = roleOf(effect);
  return [
    ...(denied.length > 0 ? [warning('engine.call_denied', { role, what: denied.join(', ') })] : []),
    ...(left.length > 0
      ? [warning('engine.call_left', { role, n: left.length, what: left.join(', ') })]
      : []),
  ];
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
  blocked: 'engine.attempt_fault',
  invalid: 'engine.attempt_invalid',
  silent: 'engine.attempt_invalid',
};

const FITS_NOT: ReadonlySet<FailedAttempt['kind']> = new Set(['invalid', 'silent']);
