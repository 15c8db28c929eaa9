import type { Answer } from '../../contract/answer.ts';
import type { Instant } from '../../contract/ids.ts';
import type { Move, MoveRecord } from '../../contract/move.ts';
import type { CallOutcome, Outcome } from '../../contract/outcome.ts';
import { DocumentsWritten, type SpecState } from '../../contract/spec.ts';
import { CHILD } from '../../contract/step.ts';
import { InvariantError } from '../../engine/errors.ts';
import { documentSources, specDocuments } from './documents.ts';
import { draftOf, draftReady, haltGeneration } from './drafts.ts';
import { say } from './messages.ts';
import { go, haltFailed, languageAfter, nameOf, notice } from './moves.ts';
import { newPass } from './pass.ts';

/** The questions are done and the pass begins. Skipped conventions are reported again, because the draft lacks them. */
export function onQaComplete(state: SpecState, at: Instant, analysts: number): Move<SpecState> {
  const pass = state.passes + 1;
  const deep = state.mode === 'deep';
  const told = deep
    ? say('spec.notice.analysing', { n: analysts, pass })
    : say('spec.notice.writing', { pass });
  const records = [notice(told)];
  if (state.conventions === 'skipped') {
    records.unshift(notice(say('spec.notice.no_conventions'), 'warning'));
  }
  return go(state, at, { phase: 'gen_ready', passes: pass }, records);
}

/** Quick mode: a valid draft goes to approval. Without one after all attempts, the run halts. */
export function onWriter(state: SpecState, call: CallOutcome, at: Instant): Move<SpecState> {
  if (call.kind !== 'ok') return haltGeneration(state, call, at);
  const { draft, record } = draftOf(call);
  return draftReady(state, at, { spec: draft }, [record]);
}

/** Only Approve approves. It stores who answered, when, and which text (SP-52). */
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
    const request = text ?? '';
    const { changes, records } = newPass(state, request);
    const user_lang = languageAfter(state, request);
    return go(state, at, { ...changes, user_lang, phase: 'qa_complete' }, [
      ...records,
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

/**
 * The documents are written. The run is completed, reports where they are, and asks what comes next (SP-55). After a
 * failed write, the run halts and loses nothing.
 */
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
  return go(state, at, { phase: 'completed' }, records);
}

/**
 * The run is approved either way. The child gets only this run's id and reads what it inherits from this run (SP-56).
 */
export const onNextStep: Readonly<Record<string, (state: SpecState, answer: Answer) => Move<SpecState>>> = {
  start_deliver: (state, { at, run }) =>
    go(state, at, { ended: { result: 'approved', why: null, successor: CHILD } }, [
      { kind: 'spawn', key: 'deliver', workflow: 'deliver', input: { from_spec: run } },
      notice(say('spec.notice.handed_on', { path: `${state.docs_path}spec.md` })),
    ]),
  done: (state, { at, run }) =>
    go(state, at, { ended: { result: 'approved', why: null, successor: null } }, [
      notice(say('spec.notice.done', { run })),
    ]),
};

function plannedFiles(state: SpecState): string[] {
  return documentSources(state).map(([name]) => `${state.docs_path}${specDocuments[name].file}`);
}
