import type { Answer } from '../../contract/answer.ts';
import type { DeliverState } from '../../contract/deliver.ts';
import { Committed, ContentFound, PatchSaved } from '../../contract/deliver-found.ts';
import { SHOWN } from '../../contract/deliver-report.ts';
import { FilePath } from '../../contract/file-path.ts';
import type { Instant } from '../../contract/ids.ts';
import type { Move, MoveRecord } from '../../contract/move.ts';
import type { Failure, Outcome } from '../../contract/outcome.ts';
import type { Op, Step } from '../../contract/step.ts';
import { InvariantError } from '../../engine/errors.ts';
import { endRun } from './close.ts';
import { documentsOf, HANDED_ON } from './documents.ts';
import { SUBJECT } from './evidence-markdown.ts';
import { runOf } from './halts.ts';
import { say } from './messages.ts';
import { changedPaths, cutText, go, nameOf, notice, oneLine, warning, worldFailed } from './moves.ts';
import { hasOwnTree } from './places.ts';

type Finish = NonNullable<DeliverState['finish']>;

/** What a person chose (WF-70). The choice is on record before anything is written. */
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

/** The answer was about what was shown: the change is compared before it is committed or kept. */
function choose(
  state: DeliverState,
  { at, by, digest }: Answer,
  choice: Finish['choice'],
): Move<DeliverState> {
  const data = { choice, by: nameOf(by), digest };
  const finish = { choice, commit: null, stage: 'compare' } as const;
  return go(state, at, { finish, finish_error: null }, [{ kind: 'decision', name: 'finish', data }]);
}

/** One outside write per stage; nothing is removed before the commit it depends on is confirmed (WF-71). */
export function finishStep(state: DeliverState, finish: Finish): Step {
  if (finish.stage === 'compare') {
    const input = { since: state.start, paths: changedPaths(state) };
    return { kind: 'look', during: 'completed', what: { what: 'content', input } };
  }
  return {
    kind: 'workspace',
    during: 'completed',
    op: { op: finish.stage, input: INPUTS[finish.stage](state, finish) },
  };
}

type Inputs = (state: DeliverState, finish: Finish) => Op['input'];

const INPUTS: Readonly<Record<Exclude<Finish['stage'], 'compare'>, Inputs>> = {
  commit: (state, { choice }) => ({
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
  }),
  publish: ({ branch }, { commit }) => ({ branch, commit }),
  clean_up: (state, { choice, commit }) => {
    const { docs_path, slug } = state;
    return { docs_path, slug, remove: removedFiles(state, choice), commit };
  },
  save_patch: ({ start }) => ({ since: start }),
};

/** A hook may write where no change of ours goes, such as a protected folder: that is the person's, and their hook's to add. */
function leftToHooks({ rewritten = [], changes }: DeliverState): string[] {
  const outside = (changes?.outside ?? []).map(({ path }) => path);
  return rewritten.filter((path) => outside.includes(path));
}

/** What the commit is about in one short line; a path of an approved specification that does not fit says nothing. */
function subjectOf({ task, from_spec, slug, ticket }: DeliverState): string {
  const about = from_spec && oneLine(task).length > SUBJECT ? slug : oneLine(task, SUBJECT);
  return ticket === null || about.includes(ticket) ? about : oneLine(`${ticket} ${about}`, SUBJECT);
}

/** Code only takes along what a later run reads; Commit all takes every document (WF-71). */
function documentFiles(state: DeliverState, choice: Finish['choice']): string[] {
  const files = documentsOf(state).map(({ file }) => file);
  return choice === 'commit_all' ? files : files.filter((file) => HANDED_ON.includes(file));
}

/** Documents the commit does not hold. */
function removedFiles(state: DeliverState, choice: Finish['choice']): string[] {
  const kept = documentFiles(state, choice);
  return documentFiles(state, 'commit_all').filter((file) => !kept.includes(file));
}

/** What goes from the person's own folder is told before it goes (WF-69). */
function removalTold(state: DeliverState): MoveRecord[] {
  const files = removedFiles(state, finishOf(state).choice).join(', ');
  return files === '' ? [] : [notice(say('deliver.notice.removing', { path: state.docs_path, files }))];
}

/**
 * Still what was shown: on with the commit. Otherwise the pass is void, the evidence says so, the change is looked at
 * anew and a person is asked about what it is now.
 */
export function onCompared(state: DeliverState, outcome: Outcome): Move<DeliverState> {
  const { at } = outcome;
  if (outcome.kind === 'failed') return askAgain(state, at, outcome.failure);
  if (outcome.kind !== 'looked') throw new InvariantError(`look content gave '${outcome.kind}'`);
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

/** A failed commit deletes nothing and asks again, with the reason in plain sight. */
export function onCommitted(state: DeliverState, outcome: Outcome): Move<DeliverState> {
  const { at } = outcome;
  if (outcome.kind === 'failed') {
    const { failure } = outcome;
    return failure.code === 'hook_rewrote' ? onRewritten(state, at, failure) : askAgain(state, at, failure);
  }
  if (outcome.kind !== 'written') throw new InvariantError(`commit gave '${outcome.kind}'`);
  const { commit, skipped } = Committed.parse(outcome.result);
  const records: MoveRecord[] = (skipped ?? []).map(({ path, why }) =>
    warning(say('deliver.notice.not_staged', { path, why: oneLine(why) })),
  );
  records.push(notice(say('deliver.notice.committed', { commit: commit?.slice(0, 12) ?? 'none' })));
  const stage = hasOwnTree(state) ? 'publish' : 'clean_up';
  if (stage === 'clean_up') records.push(...removalTold(state));
  return go(state, at, { finish: { ...finishOf(state), commit: commit ?? null, stage } }, records);
}

/**
 * The person's hooks put something else into the commit than was judged: a formatter, a generated file. It is theirs
 * to want, so they are shown what is there now, and a commit from here on takes what the hooks make of it.
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
    // What a ticket builds is merged by its release gate.
    notice(say(state.ticket === null ? 'deliver.notice.published' : 'deliver.notice.on_branch', { branch })),
  ]);
}

export function onCleanedUp(state: DeliverState, outcome: Outcome): Move<DeliverState> {
  const { at } = outcome;
  if (outcome.kind === 'failed') return worldFailed(state, at, 'clean_up', outcome.failure);
  return endRun(state, at, []);
}

/** Nothing was committed; the whole change is kept as a patch beside the tree (WF-92). */
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
