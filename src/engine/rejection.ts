import type { Msg } from '../contract/brief.ts';

/**
 * A refusal is an answer, not an exception: the caller sees it and nothing is written. Every surface maps it from
 * this one table (`usage` to exit 2, `refused` to exit 3).
 */
export const REJECTIONS = {
  no_such_run: 'refused',
  no_such_gate: 'refused',
  no_such_artefact: 'refused',
  no_such_decision: 'refused',
  title_taken: 'refused',
  no_such_order: 'refused',
  order_expired: 'refused',
  no_such_agent: 'usage',
  ambiguous: 'refused',
  gate_closed: 'refused',
  stale_digest: 'refused',
  no_such_option: 'usage',
  text_required: 'usage',
  text_not_allowed: 'usage',
  field_required: 'usage',
  no_such_field: 'usage',
  typed_wrong: 'refused',
  not_a_person: 'refused',
  wrong_moment: 'refused',
  no_such_command: 'usage',
  run_ended: 'refused',
  held_elsewhere: 'refused',
  bad_input: 'usage',
  bad_ticket_id: 'usage',
  git_missing: 'refused',
  path_refused: 'usage',
  reference_refused: 'refused',
  spec_refused: 'refused',
  newer_version: 'refused',
  state_corrupt: 'refused',
  unknown_workflow: 'usage',
  score_refused: 'usage',
} as const satisfies Record<string, 'usage' | 'refused'>;

export type RejectionCode = keyof typeof REJECTIONS;

export interface Rejection {
  readonly rejection: RejectionCode;
  readonly message: Msg;
  /** What is true now, for the caller to look at: the gate as it stands, the winner of an answer, ... */
  readonly current?: Readonly<Record<string, unknown>>;
}

/** Builds a refusal; the message id follows from the code unless a more telling one is given. */
export function reject(
  rejection: RejectionCode,
  args: Readonly<Record<string, string | number>> = {},
  more: { msg?: string; current?: Readonly<Record<string, unknown>> } = {},
): Rejection {
  const message = { msg: more.msg ?? `engine.rejection.${rejection}`, args };
  return more.current ? { rejection, message, current: more.current } : { rejection, message };
}

export function isRejection(value: unknown): value is Rejection {
  return typeof value === 'object' && value !== null && 'rejection' in value;
}

/** A value that is none of those allowed, as a surface's own schema would refuse it. */
export function rejectValue(option: string, value: string, allowed: readonly string[]): Rejection {
  return reject('bad_input', { option, value, problem: 'one_of', limit: allowed.join(', '), field: option });
}
