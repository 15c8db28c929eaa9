import type { MoveRecord } from '../../contract/move.ts';
import { type Critic, REQUESTS_SHOWN, type SpecState } from '../../contract/spec.ts';
import type { ChangeRequest } from '../../contract/spec-work.ts';
import { cutText } from '../../engine/cut-text.ts';

/** A pass before its first worker. It does not carry over anything from an earlier pass (SP-53). */
export const NO_PASS = {
  spec: null,
  critic: null,
  analyses: null,
  notes_only: false,
  critic_gate: null,
  findings_shown: [],
  revising: null,
  not_addressed: [],
} satisfies Partial<SpecState>;

/** The critic's part of the state before the first review. */
export const NEW_CRITIC: Critic = {
  applied: 'pending',
  round: 0,
  last_findings_path: null,
  counts: null,
  modify_text: null,
  failure_reason: null,
};

/**
 * Changes and records that begin a new pass. A request made at the critic's gate was only for the synthesis of that
 * pass. From now on it reaches every worker like any other request, in the order it was made (SP-65).
 */
export function newPass(
  state: SpecState,
  text: string | null,
): { readonly changes: Partial<SpecState>; readonly records: readonly MoveRecord[] } {
  const asked = [state.critic?.modify_text ?? null, text].filter((one) => one !== null);
  const shown = [...state.requests_shown, ...asked.map((one) => cutText(one, REQUESTS_SHOWN.characters))];
  return {
    changes: {
      ...NO_PASS,
      requests: state.requests + asked.length,
      requests_shown: shown.slice(-REQUESTS_SHOWN.count),
    },
    records: asked.map((one) => ({ kind: 'entry', name: 'request', data: toRequest(one) }) as const),
  };
}

function toRequest(text: string): ChangeRequest {
  return { text };
}
