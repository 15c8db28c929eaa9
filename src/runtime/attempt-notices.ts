import type { Effect, FailedAttempt } from '../contract/change.ts';
import type { MoveRecord } from '../contract/move.ts';
import type { Check } from '../contract/step.ts';
import { shortReason } from './failed-attempt.ts';
import type { EffectEnd } from './job.ts';

/** Warnings about attempts that were refused or ended early, whatever the result of the whole call (WF-81). */
export function attemptNotices(effect: Effect, end: EffectEnd | undefined): MoveRecord[] {
  const failed = (end?.kind === 'done' && end.failed) || effect.attempts;
  return failed.flatMap((attempt) => {
    const msg = MESSAGES[attempt.kind];
    const args = { role: roleOf(effect), attempt: attempt.attempt };
    const unfit = FITS_NOT.has(attempt.kind);
    const paths = unfit ? shortReason(attempt) : attempt.problems.join(', ');
    // Progress shows an attempt without a valid result when it fails.
    const about = unfit ? ({ about: 'attempt' } as const) : {};
    return [
      ...(msg ? [{ ...warning(msg, { ...args, paths }), ...about }] : []),
      ...reportOf(effect, attempt),
    ];
  });
}

interface WorkerReport {
  readonly denied?: readonly string[];
  readonly left?: readonly string[];
}

/** Warnings about what a finished worker was denied, and about programs that it or a check left running. */
export function callNotices(effect: Effect, result: unknown): MoveRecord[] {
  return reportOf(effect, (result as WorkerReport | null) ?? {});
}

function reportOf(effect: Effect, { denied = [], left = [] }: WorkerReport): MoveRecord[] {
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

function roleOf({ role, kind, spec }: Effect): string {
  const check = kind === 'check' ? ` ${(spec as Check).name}` : '';
  return `${role ?? kind}${check}`.replaceAll('_', ' ');
}

/** The argument `paths` holds the problems: written paths, why it could not run, or the provider's message. */
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
