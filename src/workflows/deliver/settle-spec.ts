import type { Answer } from '../../contract/answer.ts';
import type { DeliverState } from '../../contract/deliver.ts';
import { SHOWN } from '../../contract/deliver-report.ts';
import type { Move } from '../../contract/move.ts';
import { cutText } from '../../engine/cut-text.ts';
import { InvariantError } from '../../engine/errors.ts';
import { say } from './messages.ts';
import { go, languageAfter, notice, signed } from './moves.ts';

/** True if exactly the present specification was approved. */
export function isApproved({ approval, spec }: DeliverState): boolean {
  return approval !== null && approval.hash === spec?.hash;
}

/**
 * Only Proceed approves. It stores who answered, when, and which text (WF-43). Stop holds the gate and never reaches
 * this table.
 */
export const onSpecGate: Readonly<
  Record<string, (state: DeliverState, answer: Answer) => Move<DeliverState>>
> = {
  proceed: (state, { at, by, digest }) => {
    if (!state.spec) throw new InvariantError('an approval without a specification');
    const approval = { hash: state.spec.hash, ...signed(by), at, digest };
    const phase = state.phase === 'plan_done' ? 'generate_ready' : state.phase;
    return go(state, at, { approval, phase }, [
      {
        kind: 'decision',
        name: 'spec_approved',
        data: { ...approval, revision: state.spec.revision },
      },
      notice(say('deliver.notice.approved', { by: approval.by, revision: state.spec.revision })),
    ]);
  },
  modify: (state, { at, text }) => {
    const asked = text ?? '';
    const shown = [...state.requests_shown, cutText(asked, SHOWN.characters)].slice(-SHOWN.requests);
    const user_lang = languageAfter(state, asked);
    return go(state, at, { revising: true, approval: null, requests_shown: shown, user_lang }, [
      { kind: 'entry', name: 'request', data: { text: asked } },
      notice(say('deliver.notice.modify')),
    ]);
  },
};
