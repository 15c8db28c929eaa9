import type { Msg } from '../contract/brief.ts';

/**
 * A refusal is a return value, not an exception: the caller sees it and nothing is written. Every surface maps it with
 * this table (`usage` to exit 2, `refused` to exit 3).
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
  no_sandbox: 'refused',
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
  code_needed: 'refused',
  answer_there: 'refused',
  gate_unseen: 'refused',
  wrong_moment: 'refused',
  no_such_command: 'usage',
  run_ended: 'refused',
  held_elsewhere: 'refused',
  bad_input: 'usage',
  bad_ticket_id: 'usage',
  path_refused: 'usage',
  reference_refused: 'refused',
  spec_refused: 'refused',
  newer_version: 'refused',
  state_corrupt: 'refused',
  unknown_workflow: 'usage',
  script_refused: 'usage',
} as const satisfies Record<string, 'usage' | 'refused'>;

export type RejectionCode = keyof typeof REJECTIONS;

export interface Rejection {
  readonly rejection: RejectionCode;
  readonly message: Msg;
  /** The current state for the caller: the gate, the answer that won, and so on. */
  readonly current?: Readonly<Record<string, unknown>>;
}

/** Builds a refusal. The message id comes from the code, unless `more` has a more specific one. */
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

/** Refuses a value that is not allowed, as a surface's own schema would. */
export function rejectValue(option: string, value: string, allowed: readonly string[]): Rejection {
  return reject('bad_input', { option, value, problem: 'one_of', limit: allowed.join(', '), field: option });
}
