import type { BriefDoc, Text } from '../../contract/brief.ts';
import type { ReleaseFacts } from '../../contract/code-host.ts';
import type { ConductState } from '../../contract/conduct.ts';
import { ReleaseDraft } from '../../contract/conduct-work.ts';
import type { Instant } from '../../contract/ids.ts';
import type { Failure } from '../../contract/outcome.ts';
import type { Written } from '../../contract/world.ts';
import { secondsAfter } from '../../engine/calendar.ts';
import { ask, type Decision, query, wait, write } from '../../engine/decide.ts';
import { InvariantError } from '../../engine/errors.ts';
import { callWorker, ticketSlots, waits } from './calls.ts';
import { compose, docOf } from './compose.ts';
import { askQuestions } from './drafts.ts';
import { say } from './messages.ts';
import { type Actor, andThen, ENGINE, go, inTrouble, type Next, notice, stayIdle, travel } from './moves.ts';
import { classesOf } from './risks.ts';

type Release = ConductState['release'];

/** The most polls for checks that have not reported, and the seconds between two polls (CON-88). */
const CHECK_WAITS = 60;
const CHECK_SECONDS = 60;

/**
 * Built: the brief, then a person's accept, then the merge and the deploy
 * (CON-85). The host is queried before the brief and before the merge.
 */
export function release(state: ConductState): Decision<Next> {
  const { run, release } = state;
  switch (release.stage) {
    case 'draft': {
      const slots = { build: { json: state.build }, host: { json: release.found } };
      const call = ask('release', ReleaseDraft, { ...ticketSlots(state), ...slots });
      return callWorker(state, call, (draft) => onReleaseDrafted(state, draft));
    }
    case 'checks': {
      const why = say('conduct.idle.checks', { run });
      if (release.wait_until === null) return waits(['conduct'], why);
      return wait({ kind: 'time', at: release.wait_until, why }, () =>
        go(withRelease(state, { stage: 'recheck', wait_until: null }), {}),
      );
    }
    case 'merge': {
      const message = say('conduct.merge', { run, title: state.title });
      return write(
        'merge',
        { ...pullOf(state), message },
        (merged) =>
          onMerged(state, merged === 'assumed' ? (state.build_pr?.head_sha ?? '') : merged.merged_sha),
        (failure, at) => onMergeFailed(state, failure, at),
      );
    }
    case 'deploy': {
      const input = { ticket: run, sha: release.merged_sha ?? '', base: pullOf(state).base };
      return write(
        'deploy',
        input,
        (_, at) => onDeployed(state, at),
        (failure) => onDeployFailed(state, failure),
      );
    }
    default:
      return query('host.release', pullOf(state), (found, at) => onHostQueried(state, found, at));
  }
}

function pullOf({ build_pr, run }: ConductState) {
  if (!build_pr) throw new InvariantError(`${run}: built without a pull request`);
  const { branch, head_sha, pr_number, base } = build_pr;
  return { branch, head_sha, pr_number, base };
}

function withRelease(state: ConductState, changes: Partial<Release>): ConductState {
  return { ...state, release: { ...state.release, ...changes } };
}

/** Handles the host's report: first for the brief, and again after the accept, right before the merge. */
function onHostQueried(state: ConductState, found: ReleaseFacts, at: Instant): Next {
  if (found.pulls.length > 1) {
    const list = found.pulls.map(({ pr_number }) => `#${pr_number}`).join(', ');
    const reset = withRelease(state, { stage: 'query', found: null, accepted: null });
    return askQuestions(reset, 'pulls', 'engine', [say('conduct.ask.pulls', { list })]);
  }
  if (state.release.stage === 'query') return go(withRelease(state, { stage: 'draft', found }), {});
  return recheck(state, found, at);
}

/** Checks the reasons not to merge, in order. The first one that applies decides. It does not write to the host. */
function recheck(state: ConductState, found: ReleaseFacts, at: Instant): Next {
  const { release, build_pr } = state;
  const { checks } = found;
  if (!hasGo(state)) return fileAgain(state, say('conduct.notice.no_accept', { run: state.run }));
  if (!found.by_us) return inTrouble(state, 'world', 'release', 'the pull request was not opened by us');
  if (found.head_sha !== build_pr?.head_sha)
    return fileAgain(state, say('conduct.notice.head_moved', { run: state.run }));
  if (!checks.readable && release.found?.checks.readable)
    return fileAgain(state, say('conduct.notice.checks_unreadable', { why: checks.why ?? '' }));
  if (checks.state === 'pending') return waitForChecks(state, at);
  if (checks.state === 'failed')
    return stopRelease(state, say('conduct.idle.checks_failed', { run: state.run }));
  if (found.author_is_bot && !found.approved) return go(withRelease(state, { stage: 'approval', found }), {});
  return goOn(state, found, at);
}

/** Continues with what is not done yet: the merge, then the deploy. If both are done, the ticket is released. */
function goOn(state: ConductState, found: ReleaseFacts, at: Instant): Next {
  const { merged_sha, deployed_sha } = state.release;
  if (merged_sha === null) return go(withRelease(state, { stage: 'merge', found }), {});
  if (deployed_sha === merged_sha) return onDeployed(state, at);
  return go(withRelease(state, { stage: 'deploy', found }), {});
}

/** True if the accept names exactly this head and was given after the ticket last became Built (CON-86). */
function hasGo({ release, build_pr }: ConductState): boolean {
  return release.accepted !== null && release.accepted.head_sha === build_pr?.head_sha;
}

/** No accept covers what the host reports now, so the brief is drafted again. */
function fileAgain(state: ConductState, why: ReturnType<typeof say>): Next {
  return go(withoutGo(state), {}, [notice(why, 'warning')]);
}

/** The ticket stays Built. The next `conduct` drafts a new brief. */
function stopRelease(state: ConductState, why: ReturnType<typeof say>): Next {
  return stayIdle(withoutGo(state), why);
}

function waitForChecks(state: ConductState, at: Instant): Next {
  const waitsSoFar = state.release.waits + 1;
  if (waitsSoFar > CHECK_WAITS) return stopRelease(state, say('conduct.idle.checks', { run: state.run }));
  const wait_until = secondsAfter(at, CHECK_SECONDS);
  return go(withRelease(state, { stage: 'checks', waits: waitsSoFar, wait_until }), {});
}

/** The brief shows the host's report and the risk classes of the changed paths, whatever the worker wrote (CON-87). */
function onReleaseDrafted(state: ConductState, { brief: written }: ReleaseDraft): Next {
  return compose(state, {
    reason: 'release-decision-pending',
    doc: withHostLines(docOf(written), state),
    by: 'release',
    pending_activity: null,
  });
}

/** Messages of the engine. They are made again whenever a worker or a person writes or edits the other lines. */
const OURS = [
  'conduct.context.pull',
  'conduct.context.diff',
  'conduct.context.build',
  'conduct.context.checks',
  'conduct.context.checks_unreadable',
  'conduct.context.classes',
  'conduct.context.no_classes',
  'engine.brief.human_approval',
  'conduct.context.altered',
];

export function withHostLines(doc: BriefDoc, state: ConductState): BriefDoc {
  const { found } = state.release;
  const { build_pr } = state;
  const written = doc.context.filter((text) => typeof text === 'string' || !OURS.includes(text.msg));
  const context: Text[] = [
    say('conduct.context.pull', { url: build_pr?.pr_url ?? '', base: build_pr?.base ?? '' }),
    ...(build_pr ? [say('conduct.context.diff', { branch: build_pr.branch })] : []),
    ...(state.build_run ? [say('conduct.context.build', { build: state.build_run })] : []),
    checksLine(found),
    classesLine(state, found?.paths ?? []),
    ...(build_pr?.author_is_bot ? [{ msg: 'engine.brief.human_approval' }] : []),
    ...(state.build?.altered ? [say('conduct.context.altered')] : []),
  ];
  return withBuildWarnings({ ...doc, context: [...context, ...written] }, state);
}

/**
 * A build has no commit gate, so this brief shows the build's warnings at
 * the top. With warnings, it recommends with low confidence to look first.
 */
function withBuildWarnings(doc: BriefDoc, { build }: ConductState): BriefDoc {
  const isOurs = (text: Text) => typeof text === 'object' && text.msg.startsWith('engine.warn.');
  const banners = [...(build?.warnings ?? []), ...doc.banners.filter((text) => !isOurs(text))];
  if (!build?.warnings) return { ...doc, banners };
  return { ...doc, banners, recommend: { text: { msg: 'engine.warn.look_first' }, confidence: 'low' } };
}

function checksLine(found: ReleaseFacts | null): Text {
  if (!found?.checks.readable)
    return say('conduct.context.checks_unreadable', { why: found?.checks.why ?? '' });
  const list = found.checks.list.map(({ name, state }) => `${name}: ${state}`).join(', ');
  return say('conduct.context.checks', { state: found.checks.state, list });
}

function classesLine(state: ConductState, paths: readonly string[]): Text {
  const classes = classesOf({ ...state, brief: null }, { content: '', paths });
  return classes.length === 0
    ? say('conduct.context.no_classes')
    : say('conduct.context.classes', { classes: classes.join(', ') });
}

/** Records the person's go. The ticket stays Built, and the host is queried again before the merge. */
export function onReleaseAccepted(state: ConductState, by: Actor, at: Instant): Next {
  const accepted = { by: by.name, at, provenance: by.provenance, head_sha: state.build_pr?.head_sha ?? '' };
  return go(withRelease(state, { stage: 'recheck', accepted, waits: 0, wait_until: null }), { brief: null });
}

function onMerged(state: ConductState, merged_sha: string): Next {
  return go(withRelease(state, { stage: 'deploy', merged_sha }), {}, [
    { kind: 'entry', name: 'merge', data: { merged_sha } },
    notice(say('conduct.notice.merged', { sha: merged_sha.slice(0, 12) })),
  ]);
}

/**
 * The merge ended after the ticket had left that step. The release
 * continues only if an accept still holds, and queries the host first.
 */
export function onMergedLate(state: ConductState, result: Written<'merge'> | 'assumed'): Next {
  if (result === 'assumed') return go(state, {});
  const { stage, accepted } = state.release;
  const merged = onMerged(state, result.merged_sha);
  return { ...merged, state: withRelease(merged.state, { stage: accepted ? 'recheck' : stage }) };
}

/** The deploy ended after the ticket had left that step. A new accept releases the ticket without a second deploy. */
export function onDeployedLate(state: ConductState): Next {
  return go(withRelease(state, { deployed_sha: state.release.merged_sha }), {});
}

/** Withdraws the go, so the brief is drafted again. A completed merge or deploy stays recorded. */
export function withoutGo(state: ConductState): ConductState {
  return withRelease(state, { stage: 'query', found: null, accepted: null, waits: 0, wait_until: null });
}

/** A merge conflict sends the ticket back to build. The new head needs a new accept (CON-89). */
function onMergeFailed(state: ConductState, { code, detail }: Failure, at: Instant): Next {
  if (code === 'merge_conflict') {
    const back = travel(state, 'revising-building', ENGINE, at);
    return andThen(back, (after) =>
      stayIdle(withRelease(after, { accepted: null }), say('conduct.idle.conflict', { run: state.run })),
    );
  }
  if (code === 'head_moved') return fileAgain(state, say('conduct.notice.head_moved', { run: state.run }));
  return inTrouble(state, 'world', 'merge', `${detail} (${code})`);
}

/** The ticket becomes Released only now, with the deploy on record (INV-13). */
function onDeployed(state: ConductState, at: Instant): Next {
  const sha = state.release.merged_sha;
  const moved = travel(state, 'releasing', ENGINE, at);
  return { ...moved, records: [{ kind: 'entry', name: 'deploy', data: { sha, at } }, ...moved.records] };
}

function onDeployFailed(state: ConductState, { code, detail }: Failure): Next {
  const why = say('conduct.idle.deploy_failed', { run: state.run, detail: detail.slice(0, 500), code });
  return stayIdle(withoutGo(state), why);
}
