import type { Answer } from '../../contract/answer.ts';
import type { DeliverState } from '../../contract/deliver.ts';
import { SHOWN } from '../../contract/deliver-report.ts';
import { FilePath } from '../../contract/file-path.ts';
import type { Instant } from '../../contract/ids.ts';
import type { Move, MoveRecord } from '../../contract/move.ts';
import type { Failure } from '../../contract/outcome.ts';
import type { WriteInput } from '../../contract/world.ts';
import { cutText } from '../../engine/cut-text.ts';
import { gate, pass, query, write } from '../../engine/decide.ts';
import { commitGate } from './briefs.ts';
import { endRun, endWithoutGit } from './close.ts';
import { documentsOf, HANDED_ON } from './documents.ts';
import { SUBJECT } from './evidence-markdown.ts';
import { findChanges } from './find-changes.ts';
import { deliverGates } from './gates.ts';
import { runOf } from './halts.ts';
import { hasOwnTree } from './locations.ts';
import { say } from './messages.ts';
import { changedPaths, go, type Next, nameOf, notice, oneLine, warning, withChanges } from './moves.ts';
import { commitByTicket, isCommittedByTicket } from './ticket.ts';
import { hooksSkipped } from './warnings.ts';

type Finish = NonNullable<DeliverState['finish']['chosen']>;

/** A closed run finishes. A change that was altered is shown to a person first. */
export function finish(state: DeliverState): Next {
  if (state.finish.chosen) return STAGES[state.finish.chosen.stage](state, state.finish.chosen);
  if (state.checks.pass_due) {
    return findChanges(state, (found, at, records) =>
      go(found, at, { checks: { pass_due: false } }, records),
    );
  }
  if (!state.has_git) return pass((at) => endWithoutGit(state, at));
  return isCommittedByTicket(state) ? pass((at) => commitByTicket(state, at)) : askCommit(state);
}

/** The chosen option (WF-70). The choice is recorded before anything is written. */
function askCommit(state: DeliverState): Next {
  return gate(deliverGates.commit, commitGate(state), {
    code_only: (answer) => choose(state, answer, 'code_only'),
    commit_all: (answer) => choose(state, answer, 'commit_all'),
    no_commit: (answer) => {
      if (hasOwnTree(state)) return choose(state, answer, 'no_commit');
      const { at, by } = answer;
      return endRun(state, at, [
        { kind: 'decision', name: 'finish', data: { choice: 'no_commit', by: nameOf(by) } },
        notice(say('deliver.notice.left', { path: state.docs_path })),
      ]);
    },
  });
}

/** The answer was about what the gate showed, so the change is compared before it is committed or stored. */
function choose(
  state: DeliverState,
  { at, by, digest }: Answer,
  choice: Finish['choice'],
): Move<DeliverState> {
  const data = { choice, by: nameOf(by), digest };
  const finish = { choice, commit: null, stage: 'compare', asked: true } as const;
  return go(state, at, { finish: { chosen: finish, error: null } }, [
    { kind: 'decision', name: 'finish', data },
  ]);
}

/** One step per stage. Nothing is removed before the commit it depends on is confirmed (WF-71). */
const STAGES: Readonly<Record<Finish['stage'], (state: DeliverState, finish: Finish) => Next>> = {
  compare,
  commit,
  publish,
  clean_up: cleanUp,
  save_patch: savePatch,
};

/**
 * If the change is still the one shown, the run commits it or saves the patch. Otherwise the pass is void and the
 * evidence records that. The change set is then computed again, and a person is asked about it.
 */
function compare(state: DeliverState, finish: Finish): Next {
  const input = { since: state.start, paths: changedPaths(state.attempt) };
  return query(
    'content',
    input,
    ({ content }, at) => {
      if (content !== state.attempt.changes?.content) return voidPass(state, at, content);
      const stage = finish.choice === 'no_commit' ? 'save_patch' : 'commit';
      return go(state, at, { finish: { chosen: { ...finish, stage } } });
    },
    (failure, at) => askAgain(state, at, failure),
  );
}

/** After a failed commit nothing is deleted. The commit gate asks again and shows the reason. */
function commit(state: DeliverState, finish: Finish): Next {
  return write(
    'commit',
    commitInput(state, finish),
    (written, at) => {
      const { commit, skipped = [], hooks_skipped = [] } = written === 'assumed' ? {} : written;
      const records: MoveRecord[] = skipped.map(({ path, why }) =>
        warning(say('deliver.notice.not_staged', { path, why: oneLine(why) })),
      );
      records.push(...hooksSkipped({ finish: { hooks_skipped } }).map(warning));
      const committed = say('deliver.notice.committed', { commit: commit?.slice(0, 12) ?? 'none' });
      records.push(notice(committed, 'info', 'outcome'));
      const done = { ...finish, commit: commit ?? null };
      const skips = hooks_skipped.length > 0 && { hooks_skipped: hooks_skipped.slice(0, SHOWN.items) };
      const after = withChanges(state, { finish: { ...skips } });
      if (hasOwnTree(state))
        return go(after, at, { finish: { chosen: { ...done, stage: 'publish' } } }, records);
      return cleanUpOrEnd(after, at, done, [...records, ...removalReported(state, finish.choice)]);
    },
    (failure, at) =>
      failure.code === 'hook_rewrote' ? settleRewritten(state, at, failure) : askAgain(state, at, failure),
  );
}

function commitInput(state: DeliverState, { choice, asked }: Finish): WriteInput<'commit'> {
  return {
    docs_path: state.docs_path,
    slug: state.slug,
    branch: state.branch,
    paths: changedPaths(state.attempt),
    staged: documentFiles(state, choice),
    message: say('deliver.commit', { task: subjectOf(state) }),
    body: { document: 'commit_body', source: { records: 'evidence' } },
    all: choice === 'commit_all',
    since: state.start,
    content: state.attempt.changes?.content,
    take_hooks: state.finish.rewritten !== undefined,
    left_to_hooks: leftToHooks(state),
    unasked: asked !== true,
  };
}

function publish(state: DeliverState, finish: Finish): Next {
  const { branch, ticket } = state;
  return write('publish', { branch, commit: finish.commit }, (_, at) => {
    // A ticket's build is merged by the ticket's release gate.
    const published = ticket === null ? 'deliver.notice.published' : 'deliver.notice.on_branch';
    return cleanUpOrEnd(state, at, finish, [notice(say(published, { branch: branch ?? '' }))]);
  });
}

function cleanUp(state: DeliverState, { choice, commit }: Finish): Next {
  const { docs_path, slug } = state;
  const input = { docs_path, slug, remove: removedFiles(state, choice), commit };
  return write('clean_up', input, (_, at) => endRun(state, at, []));
}

/** If the commit holds every document, there is nothing to remove and the run ends. */
function cleanUpOrEnd(
  state: DeliverState,
  at: Instant,
  finish: Finish,
  records: readonly MoveRecord[],
): Move<DeliverState> {
  if (removedFiles(state, finish.choice).length === 0)
    return endRun({ ...state, finish: { ...state.finish, chosen: finish } }, at, records);
  return go(state, at, { finish: { chosen: { ...finish, stage: 'clean_up' } } }, records);
}

/** The whole change is stored as a patch instead of a commit (WF-92). It also stays in the run's tree. */
function savePatch(state: DeliverState): Next {
  return write('save_patch', { since: state.start }, (written, at) => {
    const { patch } = written === 'assumed' ? {} : written;
    return endRun(state, at, [
      ...(patch ? [{ kind: 'artefact', name: 'patch', hash: patch } as const] : []),
      notice(say('deliver.notice.patch_saved', { path: state.docs_path, run: runOf(state) })),
    ]);
  });
}

/**
 * A hook may write where the run may not, such as a protected folder. The person's hook must add those files itself.
 */
function leftToHooks({ finish: { rewritten = [] }, attempt: { changes } }: DeliverState): string[] {
  const outside = (changes?.outside ?? []).map(({ path }) => path);
  return rewritten.filter((path) => outside.includes(path));
}

/**
 * The commit subject in one line. If the task is too long and comes from an approved specification, the slug is used,
 * because a cut path says nothing.
 */
function subjectOf({ task, from_spec, slug, ticket }: DeliverState): string {
  const about = from_spec && oneLine(task).length > SUBJECT ? slug : oneLine(task, SUBJECT);
  return ticket === null || about.includes(ticket) ? about : oneLine(`${ticket} ${about}`, SUBJECT);
}

/** Code only adds just the documents that a later run reads to the commit. Commit all adds every document (WF-71). */
function documentFiles(state: DeliverState, choice: Finish['choice']): string[] {
  const files = documentsOf(state).map(({ file }) => file);
  return choice === 'commit_all' ? files : files.filter((file) => HANDED_ON.includes(file));
}

/** Documents that the commit does not hold. */
function removedFiles(state: DeliverState, choice: Finish['choice']): string[] {
  const kept = documentFiles(state, choice);
  return documentFiles(state, 'commit_all').filter((file) => !kept.includes(file));
}

/** Reports what will be removed from the person's own folder before it is removed (WF-69). */
function removalReported(state: DeliverState, choice: Finish['choice']): MoveRecord[] {
  const files = removedFiles(state, choice).join(', ');
  return files === '' ? [] : [notice(say('deliver.notice.removing', { path: state.docs_path, files }))];
}

function voidPass(state: DeliverState, at: Instant, content: string | null): Move<DeliverState> {
  return go(
    state,
    at,
    {
      finish: { chosen: null },
      verdict: { altered: true },
      documents: 'outdated',
      checks: { pass_due: true },
    },
    [
      { kind: 'entry', name: 'evidence', data: { part: 'altered', content } },
      warning(say('deliver.notice.altered')),
    ],
  );
}

/**
 * The person's hooks put something else into the commit than was judged, such as formatted or generated files. The
 * person may want that, so the gate shows the new change. Later commits accept what the hooks write.
 */
function settleRewritten(state: DeliverState, at: Instant, failure: Failure): Move<DeliverState> {
  const asked = askAgain(state, at, failure);
  const paths = (failure.paths ?? []).filter((path) => FilePath.safeParse(path).success);
  const rewritten = paths.slice(0, SHOWN.items);
  const move = voidPass({ ...asked.state, finish: { ...asked.state.finish, rewritten } }, at, null);
  return { ...move, records: [...asked.records, ...move.records] };
}

function askAgain(state: DeliverState, at: Instant, { code, detail }: Failure): Move<DeliverState> {
  const error = cutText(`${code}: ${oneLine(detail)}`, SHOWN.characters);
  return go(state, at, { finish: { chosen: null, error } }, [
    warning(say('deliver.notice.commit_failed', { error })),
  ]);
}
