import type { Answer } from '../../contract/answer.ts';
import type { Instant } from '../../contract/ids.ts';
import type { Move, MoveRecord } from '../../contract/move.ts';
import type { CallOutcome, Outcome } from '../../contract/outcome.ts';
import {
  type ChangeRequest,
  DocumentsWritten,
  REQUESTS_SHOWN,
  SpecDoc,
  type SpecState,
} from '../../contract/spec.ts';
import { InvariantError } from '../../engine/errors.ts';
import { specDocuments } from './documents.ts';
import { say } from './messages.ts';
import { cutText, go, halt, haltFailed, languageAfter, nameOf, notice } from './moves.ts';
import { partsWithCode } from './spec-checks.ts';

/** Questions are done: the pass begins. Skipped conventions are said again, because the draft lacks them. */
export function onQaComplete(state: SpecState, outcome: Outcome): Move<SpecState> {
  const records = [notice(say('spec.notice.writing', { pass: state.requests + 1 }))];
  if (state.conventions === 'skipped') {
    records.unshift(notice(say('spec.notice.no_conventions'), 'warning'));
  }
  return go(state, outcome.at, { phase: 'gen_ready' }, records);
}

/** A valid draft goes to approval; none after all tries halts with phase and answers kept (SP-35). */
export function onWriter(state: SpecState, call: CallOutcome, at: Instant): Move<SpecState> {
  if (call.kind !== 'ok') {
    const { attempts, kind: reason } = call;
    return halt({ ...state, phase: 'gen_ready' }, at, say('spec.halt.generation', { attempts, reason }));
  }
  const doc = SpecDoc.parse(call.result);
  const spec = {
    hash: call.artefact,
    criteria: doc.acceptance_criteria.length,
    code_in: partsWithCode(doc),
  };
  const ready = say('spec.notice.draft', {
    criteria: spec.criteria,
    open: state.unconfirmed.length,
    mode: state.mode ?? 'quick',
    round: state.qa_round ?? 1,
    output: `${state.docs_path}spec.md`,
  });
  return go(state, at, { phase: 'spec_ready', spec }, [
    { kind: 'artefact', name: 'spec', hash: spec.hash },
    notice(ready),
  ]);
}

/** Only Approve goes on; it keeps who, when and which text (SP-52). */
export const onApproval: Readonly<Record<string, (state: SpecState, answer: Answer) => Move<SpecState>>> = {
  approve: (state, { at, by, digest }) => {
    if (!state.spec) throw new InvariantError('an approval without a specification');
    const approved = { spec: state.spec.hash, by: nameOf(by), at };
    return go(state, at, { approved }, [
      { kind: 'decision', name: 'spec_approved', data: { ...approved, digest } },
      notice(say('spec.notice.approved', { by: approved.by })),
    ]);
  },
  modify: (state, { at, text }) => {
    const request: ChangeRequest = { text: text ?? '' };
    const shown = [...state.requests_shown, cutText(request.text, REQUESTS_SHOWN.characters)];
    const changes = {
      phase: 'qa_complete',
      critic: null,
      spec: null,
      user_lang: languageAfter(state, request.text),
      requests: state.requests + 1,
      requests_shown: shown.slice(-REQUESTS_SHOWN.count),
    } as const;
    return go(state, at, changes, [
      { kind: 'entry', name: 'request', data: request },
      notice(say('spec.notice.modify')),
    ]);
  },
  stop: (state, { at, by }) => {
    const why = say('spec.notice.stopped');
    return go(state, at, { ended: { result: 'stopped', why, successor: null } }, [
      {
        kind: 'decision',
        name: 'spec_stopped',
        data: { spec: state.spec?.hash ?? null, by: nameOf(by), at },
      },
      notice(why),
    ]);
  },
};

/** The documents stand: the run is completed and says where. A failed write halts with everything intact. */
export function onDocuments(state: SpecState, outcome: Outcome): Move<SpecState> {
  const { at } = outcome;
  if (outcome.kind === 'failed') return haltFailed(state, at, 'write_documents', outcome.failure);
  if (outcome.kind !== 'written') throw new InvariantError(`write_documents gave '${outcome.kind}'`);
  const { files, branch, commit } = DocumentsWritten.parse(outcome.result);
  const records: MoveRecord[] = (files ?? plannedFiles(state)).map((path) =>
    notice(say('spec.notice.document', { path })),
  );
  const on = branch === undefined ? state.branch : branch;
  if (on) {
    records.push(notice(say('spec.notice.branch', { branch: on, commit: commit?.slice(0, 12) ?? 'none' })));
  }
  records.push(notice(say('spec.notice.completed')));
  const ended = { result: 'approved', why: null, successor: null } as const;
  return go(state, at, { phase: 'completed', ended }, records);
}

function plannedFiles({ docs_path, conventions }: SpecState): string[] {
  const { spec, qa_notes, conventions: rules } = specDocuments;
  const documents = conventions && conventions !== 'skipped' ? [spec, qa_notes, rules] : [spec, qa_notes];
  return documents.map(({ file }) => `${docs_path}${file}`);
}
