import type { Answer } from '../../contract/answer.ts';
import type { DeliverState } from '../../contract/deliver.ts';
import { Committed, ContentFound, PatchSaved } from '../../contract/deliver-found.ts';
import { SHOWN } from '../../contract/deliver-report.ts';
import { FilePath } from '../../contract/file-path.ts';
import type { Instant } from '../../contract/ids.ts';
import type { Move, MoveRecord } from '../../contract/move.ts';
import type { Failure, Outcome } from '../../contract/outcome.ts';
import type { Op, Step } from '../../contract/step.ts';
import { cutText } from '../../engine/cut-text.ts';
import { InvariantError } from '../../engine/errors.ts';
import { endRun } from './close.ts';
import { documentsOf, HANDED_ON } from './documents.ts';
import { SUBJECT } from './evidence-markdown.ts';
import { runOf } from './halts.ts';
import { hasOwnTree } from './locations.ts';
import { say } from './messages.ts';
import { changedPaths, go, nameOf, notice, oneLine, warning, worldFailed } from './moves.ts';
import { hooksSkipped } from './warnings.ts';

type Finish = NonNullable<DeliverState['finish']>;

/** The chosen option (WF-70). The choice is recorded before anything is written. */
export const onCommitGate: Readonly<
  Record<string, (state: DeliverState, answer: Answer) => Move<DeliverState>>
> = {
  code_only: (state, answer) => choose(state, answer, 'code_only'),
  commit_all: (state, answer) => choose(state, answer, 'commit_all'),
  no_commit: (state, answer) => {
    if (hasOwnTree(state)) return choose(state, answer, 'no_commit');
    const { at, by } = answer;
    return endRun(state, at, [
      { kind: 'decision', name: 'finish', data: { choice: 'no_commit', by: nameOf(by) } },
      notice(say('deliver.notice.left', { path: state.docs_path })),
    ]);
  },
};

/** The answer was about what the gate showed, so the change is compared before it is committed or stored. */
function choose(
  state: DeliverState,
  { at, by, digest }: Answer,
  choice: Finish['choice'],
): Move<DeliverState> {
  const data = { choice, by: nameOf(by), digest };
  const finish = { choice, commit: null, stage: 'compare', asked: true } as const;
  return go(state, at, { finish, finish_error: null }, [{ kind: 'decision', name: 'finish', data }]);
}

/** One outside write per stage. Nothing is removed before the commit it depends on is confirmed (WF-71). */
export function finishStep(state: DeliverState, finish: Finish): Step {
  if (finish.stage === 'compare') {
    const input = { since: state.start, paths: changedPaths(state) };
    return { kind: 'query', during: 'completed', what: { what: 'content', input } };
  }
  return {
    kind: 'workspace',
    during: 'completed',
    op: { op: finish.stage, input: INPUTS[finish.stage](state, finish) },
  };
}

type Inputs = (state: DeliverState, finish: Finish) => Op['input'];

const INPUTS: Readonly<Record<Exclude<Finish['stage'], 'compare'>, Inputs>> = {
  commit: (state, { choice, asked }) => ({
    docs_path: state.docs_path,
    slug: state.slug,
    branch: state.branch,
    paths: changedPaths(state),
    staged: documentFiles(state, choice),
    message: say('deliver.commit', { task: subjectOf(state) }),
    body: { document: 'commit_body', source: { records: 'evidence' } },
    all: choice === 'commit_all',
    since: state.start,
    content: state.changes?.content,
    take_hooks: state.rewritten !== undefined,
    left_to_hooks: leftToHooks(state),
    unasked: asked !== true,
  }),
  publish: ({ branch }, { commit }) => ({ branch, commit }),
  clean_up: (state, { choice, commit }) => {
    const { docs_path, slug } = state;
    return { docs_path, slug, remove: removedFiles(state, choice), commit };
  },
  save_patch: ({ start }) => ({ since: start }),
};

/**
 * A hook may write where the run may not, such as a protected folder. The person's hook must add those files itself.
 */
function leftToHooks({ rewritten = [], changes }: DeliverState): string[] {
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
function removalReported(state: DeliverState): MoveRecord[] {
  const files = removedFiles(state, finishOf(state).choice).join(', ');
  return files === '' ? [] : [notice(say('deliver.notice.removing', { path: state.docs_path, files }))];
}

/**
 * If the change is still the one shown, the run commits it or saves the patch. Otherwise the pass is void and the
 * evidence records that. The change set is then computed again, and a person is asked about it.
 */
export function onCompared(state: DeliverState, outcome: Outcome): Move<DeliverState> {
  const { at } = outcome;
  if (outcome.kind === 'failed') return askAgain(state, at, outcome.failure);
  if (outcome.kind !== 'queried') throw new InvariantError(`query content gave '${outcome.kind}'`);
  const { content } = ContentFound.parse(outcome.found);
  const finish = finishOf(state);
  if (content === state.changes?.content) {
    const stage = finish.choice === 'no_commit' ? 'save_patch' : 'commit';
    return go(state, at, { finish: { ...finish, stage } });
  }
  return voidPass(state, at, content);
}

function voidPass(state: DeliverState, at: Instant, content: string | null): Move<DeliverState> {
  return go(state, at, { finish: null, altered: true, docs_due: true, pass_due: true }, [
    { kind: 'entry', name: 'evidence', data: { part: 'altered', content } },
    warning(say('deliver.notice.altered')),
  ]);
}

/** After a failed commit nothing is deleted. The commit gate asks again and shows the reason. */
export function onCommitted(state: DeliverState, outcome: Outcome): Move<DeliverState> {
  const { at } = outcome;
  if (outcome.kind === 'failed') {
    const { failure } = outcome;
    return failure.code === 'hook_rewrote' ? onRewritten(state, at, failure) : askAgain(state, at, failure);
  }
  if (outcome.kind !== 'written') throw new InvariantError(`commit gave '${outcome.kind}'`);
  const { commit, skipped, hooks_skipped = [] } = Committed.parse(outcome.result);
  const records: MoveRecord[] = (skipped ?? []).map(({ path, why }) =>
    warning(say('deliver.notice.not_staged', { path, why: oneLine(why) })),
  );
  records.push(...hooksSkipped({ hooks_skipped }).map(warning));
  records.push(
    notice(say('deliver.notice.committed', { commit: commit?.slice(0, 12) ?? 'none' }), 'info', 'outcome'),
  );
  const stage = hasOwnTree(state) ? 'publish' : 'clean_up';
  if (stage === 'clean_up') records.push(...removalReported(state));
  const finish = { ...finishOf(state), commit: commit ?? null, stage } as const;
  const skips = hooks_skipped.length > 0 && { hooks_skipped: hooks_skipped.slice(0, SHOWN.items) };
  return go(state, at, { finish, ...skips }, records);
}

/**
 * The person's hooks put something else into the commit than was judged, such as formatted or generated files. The
 * person may want that, so the gate shows the new change. Later commits accept what the hooks write.
 */
function onRewritten(state: DeliverState, at: Instant, failure: Failure): Move<DeliverState> {
  const told = askAgain(state, at, failure);
  const paths = (failure.paths ?? []).filter((path) => FilePath.safeParse(path).success);
  const rewritten = paths.slice(0, SHOWN.items);
  const move = voidPass({ ...told.state, rewritten }, at, null);
  return { ...move, records: [...told.records, ...move.records] };
}

function askAgain(state: DeliverState, at: Instant, { code, detail }: Failure): Move<DeliverState> {
  const error = cutText(`${code}: ${oneLine(detail)}`, SHOWN.characters);
  return go(state, at, { finish: null, finish_error: error }, [
    warning(say('deliver.notice.commit_failed', { error })),
  ]);
}

export function onPublished(state: DeliverState, outcome: Outcome): Move<DeliverState> {
  const { at } = outcome;
  if (outcome.kind === 'failed') return worldFailed(state, at, 'publish', outcome.failure);
  const branch = state.branch ?? '';
  return go(state, at, { finish: { ...finishOf(state), stage: 'clean_up' } }, [
    // A ticket's build is merged by the ticket's release gate.
    notice(say(state.ticket === null ? 'deliver.notice.published' : 'deliver.notice.on_branch', { branch })),
  ]);
}

export function onCleanedUp(state: DeliverState, outcome: Outcome): Move<DeliverState> {
  const { at } = outcome;
  if (outcome.kind === 'failed') return worldFailed(state, at, 'clean_up', outcome.failure);
  return endRun(state, at, []);
}

/** The whole change is stored as a patch instead of a commit (WF-92). It also stays in the run's tree. */
export function onPatchSaved(state: DeliverState, outcome: Outcome): Move<DeliverState> {
  const { at } = outcome;
  if (outcome.kind === 'failed') return worldFailed(state, at, 'save_patch', outcome.failure);
  if (outcome.kind !== 'written') throw new InvariantError(`save_patch gave '${outcome.kind}'`);
  const { patch } = PatchSaved.parse(outcome.result);
  const records: MoveRecord[] = patch ? [{ kind: 'artefact', name: 'patch', hash: patch }] : [];
  return endRun(state, at, [
    ...records,
    notice(say('deliver.notice.patch_saved', { path: state.docs_path, run: runOf(state) })),
  ]);
}

function finishOf({ finish }: DeliverState): Finish {
  if (!finish) throw new InvariantError('a finishing write without a choice');
  return finish;
}
