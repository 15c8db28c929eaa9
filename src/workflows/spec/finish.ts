import type { MoveRecord } from '../../contract/move.ts';
import type { SpecState } from '../../contract/spec.ts';
import { CHILD } from '../../contract/step.ts';
import { gate, write } from '../../engine/decide.ts';
import { InvariantError } from '../../engine/errors.ts';
import { approvalGate, nextStepGate } from './briefs.ts';
import { documentSources, specDocuments } from './documents.ts';
import { specGates } from './gates.ts';
import { say } from './messages.ts';
import { go, languageAfter, type Next, nameOf, notice } from './moves.ts';
import { newPass } from './pass.ts';

/** Only Approve approves. It stores who answered, when, and which text (SP-52). Then the documents are written. */
export function specReady(state: SpecState): Next {
  const { spec, approved } = state;
  if (!spec) throw new InvariantError('an approval without a specification');
  if (approved) return writeDocuments(state);
  return gate(specGates.approval, approvalGate(state, spec), {
    approve: ({ at, by, digest }) => {
      const approved = { spec: spec.hash, by: nameOf(by), at };
      return go(state, at, { approved }, [
        { kind: 'decision', name: 'spec_approved', data: { ...approved, digest } },
        notice(say('spec.notice.approved', { by: approved.by })),
      ]);
    },
    modify: ({ at, text }) => {
      const { changes, records } = newPass(state, text);
      return go(state, at, { ...changes, user_lang: languageAfter(state, text), phase: 'qa_complete' }, [
        ...records,
        notice(say('spec.notice.modify')),
      ]);
    },
    stop: ({ at, by }) => {
      const why = say('spec.notice.stopped');
      return go(state, at, { ended: { result: 'stopped', why, successor: null } }, [
        { kind: 'decision', name: 'spec_stopped', data: { spec: spec.hash, by: nameOf(by), at } },
        notice(why),
      ]);
    },
  });
}

/**
 * One outside write for all documents: written files, and with git their commit on the run's branch. Then the run is
 * completed, reports where they are, and asks what comes next (SP-55). After a failed write, the run halts and loses
 * nothing.
 */
function writeDocuments(state: SpecState): Next {
  const { docs_path, branch, base, in_place, overwrite, slug } = state;
  const documents = documentSources(state).map(([document, source]) => ({
    file: specDocuments[document].file,
    document,
    source,
  }));
  const message = say('spec.commit', { slug });
  const input = { docs_path, branch, base, in_place, overwrite, message, documents };
  return write('write_documents', input, (written, at) => {
    const { files, branch: on = branch, commit } = written === 'assumed' ? {} : written;
    const paths = files ?? documents.map(({ file }) => `${docs_path}${file}`);
    const records: MoveRecord[] = paths.map((path) => notice(say('spec.notice.document', { path })));
    if (on)
      records.push(notice(say('spec.notice.branch', { branch: on, commit: commit?.slice(0, 12) ?? 'none' })));
    records.push(notice(say('spec.notice.completed')));
    return go(state, at, { phase: 'completed' }, records);
  });
}

/**
 * The run is approved either way. The child gets only this run's id and reads what it inherits from this run (SP-56).
 */
export function completed(state: SpecState): Next {
  return gate(specGates.next_step, nextStepGate(state), {
    start_deliver: ({ at, run }) =>
      go(state, at, { ended: { result: 'approved', why: null, successor: CHILD } }, [
        { kind: 'spawn', key: 'deliver', workflow: 'deliver', input: { from_spec: run } },
        notice(say('spec.notice.handed_over', { path: `${state.docs_path}spec.md` })),
      ]),
    done: ({ at, run }) =>
      go(state, at, { ended: { result: 'approved', why: null, successor: null } }, [
        notice(say('spec.notice.done', { run })),
      ]),
  });
}
