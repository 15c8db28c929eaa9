import type { BriefDoc, Text } from '../../contract/brief.ts';
import { ReleaseFacts } from '../../contract/code-host.ts';
import type { ConductState } from '../../contract/conduct.ts';
import type { ReleaseDraft } from '../../contract/conduct-work.ts';
import type { Instant } from '../../contract/ids.ts';
import type { Failure } from '../../contract/outcome.ts';
import type { Step } from '../../contract/step.ts';
import { secondsAfter } from '../../engine/calendar.ts';
import { InvariantError } from '../../engine/errors.ts';
import { brief } from '../../engine/whole-brief.ts';
import { ticketSlots, waits, work } from './calls.ts';
import { compose, docOf } from './compose.ts';
import { ask } from './drafts.ts';
import { say } from './messages.ts';
import { type Actor, andThen, ENGINE, go, inTrouble, type Next, notice, rest, travel } from './moves.ts';
import { classesOf } from './risks.ts';

type Release = ConductState['release'];

/** How often a release looks for checks that have not reported, and how long it waits between (CON-88). */
const CHECK_WAITS = 60;
const CHECK_SECONDS = 60;

/** Built: the brief, a person's word, and only then the merge and the deploy, each looked at first (CON-85). */
export function releaseStep(state: ConductState): Step {
  const { stage, wait_until } = state.release;
  switch (stage) {
    case 'look':
    case 'recheck':
      return { kind: 'look', during: 'Built', what: { what: 'host.release', input: pullOf(state) } };
    case 'draft':
      return work(state, 'release', {
        ...ticketSlots(state),
        build: { json: state.build },
        host: { json: state.release.found },
      });
    case 'checks':
      if (wait_until === null) return waits(['conduct'], say('conduct.rests.checks', { run: state.run }));
      return {
        kind: 'wait',
        until: { kind: 'time', at: wait_until, why: say('conduct.rests.checks', { run: state.run }) },
      };
    case 'approval':
      return { kind: 'gate', gate: { name: 'approval', brief: approvalBrief(state) } };
    case 'merge':
      return {
        kind: 'tracker',
        during: 'Built',
        op: { op: 'merge', input: { ...pullOf(state), message: mergeMessage(state) } },
      };
    case 'deploy':
      return {
        kind: 'deploy',
        during: 'Built',
        op: {
          op: 'deploy',
          input: { ticket: state.run, sha: state.release.merged_sha ?? '', base: pullOf(state).base },
        },
      };
  }
}

function mergeMessage({ run, title }: ConductState) {
  return say('conduct.merge', { run, title });
}

function pullOf({ build_pr, run }: ConductState) {
  if (!build_pr) throw new InvariantError(`${run}: built without a pull request`);
  const { branch, head_sha, pr_number, base } = build_pr;
  return { branch, head_sha, pr_number, base };
}

function approvalBrief(state: ConductState) {
  return brief({
    decide: say('conduct.approval.decide', { run: state.run }),
    context: [state.build_pr?.pr_url ?? ''],
  });
}

function withRelease(state: ConductState, changes: Partial<Release>): ConductState {
  return { ...state, release: { ...state.release, ...changes } };
}

/** What the host says: for the brief first, and again after the accept, right before anything is merged. */
export function onHostLooked(state: ConductState, raw: unknown, at: Instant): Next {
  const parsed = ReleaseFacts.safeParse(raw);
  if (!parsed.success) return inTrouble(state, 'world', 'release', 'what the code host says cannot be read');
  const found = parsed.data;
  if (found.pulls.length > 1) {
    const list = found.pulls.map(({ pr_number }) => `#${pr_number}`).join(', ');
    const reset = withRelease(state, { stage: 'look', found: null, accepted: null });
    return ask(reset, 'pulls', 'engine', [say('conduct.ask.pulls', { list })]);
  }
  if (state.release.stage === 'look') return go(withRelease(state, { stage: 'draft', found }), {});
  return recheck(state, found, at);
}

/** Every reason not to merge, in order; the first that holds decides, and nothing was written. */
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
    return stopRelease(state, say('conduct.rests.checks_failed', { run: state.run }));
  if (found.author_is_bot && !found.approved) return go(withRelease(state, { stage: 'approval', found }), {});
  return goOn(state, found, at);
}

/** To what is not done yet: the merge, the deploy, or neither. */
function goOn(state: ConductState, found: ReleaseFacts, at: Instant): Next {
  const { merged_sha, deployed_sha } = state.release;
  if (merged_sha === null) return go(withRelease(state, { stage: 'merge', found }), {});
  if (deployed_sha === merged_sha) return onDeployed(state, at);
  return go(withRelease(state, { stage: 'deploy', found }), {});
}

/** An accept of this very head, given after the ticket last became Built (CON-86). */
function hasGo({ release, build_pr }: ConductState): boolean {
  return release.accepted !== null && release.accepted.head_sha === build_pr?.head_sha;
}

/** The word given does not hold for what is there now: the brief is filed again. */
function fileAgain(state: ConductState, why: ReturnType<typeof say>): Next {
  return go(withoutGo(state), {}, [notice(why, 'warning')]);
}

/** It stays Built; whoever conducts it next gets a fresh brief. */
function stopRelease(state: ConductState, why: ReturnType<typeof say>): Next {
  return rest(withoutGo(state), why);
}

function waitForChecks(state: ConductState, at: Instant): Next {
  const waitsSoFar = state.release.waits + 1;
  if (waitsSoFar > CHECK_WAITS) return stopRelease(state, say('conduct.rests.checks', { run: state.run }));
  const wait_until = secondsAfter(at, CHECK_SECONDS);
  return go(withRelease(state, { stage: 'checks', waits: waitsSoFar, wait_until }), {});
}

export function onChecksWaited(state: ConductState): Next {
  return go(withRelease(state, { stage: 'recheck', wait_until: null }), {});
}

/** The brief shows what the host reports and the risk classes of the very paths, whatever the worker wrote (CON-87). */
export function onReleaseDrafted(state: ConductState, { brief: written }: ReleaseDraft): Next {
  return compose(state, {
    reason: 'release-decision-pending',
    doc: withHostLines(docOf(written), state),
    by: 'release',
    pending_activity: null,
  });
}

/** Lines of ours, made anew whoever wrote or edited the rest. */
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
  return { ...doc, context: [...context, ...written] };
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

/** The go: it stays Built, and everything is looked at once more before the merge. */
export function onReleaseAccepted(state: ConductState, by: Actor, at: Instant): Next {
  const accepted = { by: by.name, at, provenance: by.provenance, head_sha: state.build_pr?.head_sha ?? '' };
  return go(withRelease(state, { stage: 'recheck', accepted, waits: 0, wait_until: null }), { brief: null });
}

export function onMerged(state: ConductState, result: unknown): Next {
  const merged = (result as { merged_sha?: unknown }).merged_sha;
  const merged_sha = typeof merged === 'string' ? merged : (state.build_pr?.head_sha ?? '');
  return go(withRelease(state, { stage: 'deploy', merged_sha }), {}, [
    { kind: 'entry', name: 'merge', data: { merged_sha } },
    notice(say('conduct.notice.merged', { sha: merged_sha.slice(0, 12) })),
  ]);
}

/** Merged while the ticket was elsewhere: only a word that still stands goes on from it, and looks again first. */
export function onMergedLate(state: ConductState, result: unknown): Next {
  const { stage, accepted } = state.release;
  const merged = onMerged(state, result);
  return { ...merged, state: withRelease(merged.state, { stage: accepted ? 'recheck' : stage }) };
}

/** Deployed while the ticket was elsewhere: it is released when somebody says so again, and not deployed twice. */
export function onDeployedLate(state: ConductState): Next {
  return go(withRelease(state, { deployed_sha: state.release.merged_sha }), {});
}

/** What the go was given for has changed: the brief is filed again. What was done stays done. */
export function withoutGo(state: ConductState): ConductState {
  return withRelease(state, { stage: 'look', found: null, accepted: null, waits: 0, wait_until: null });
}

/** A conflict is work: back to the build, and a new head needs a new word (CON-89). */
export function onMergeFailed(state: ConductState, { code, detail }: Failure, at: Instant): Next {
  if (code === 'merge_conflict') {
    const back = travel(state, 'revising-building', ENGINE, at);
    return andThen(back, (after) =>
      rest(withRelease(after, { accepted: null }), say('conduct.rests.conflict', { run: state.run })),
    );
  }
  if (code === 'head_moved') return fileAgain(state, say('conduct.notice.head_moved', { run: state.run }));
  return inTrouble(state, 'world', 'merge', `${detail} (${code})`);
}

/** Released only now, with the deploy on record (INV-13). */
export function onDeployed(state: ConductState, at: Instant): Next {
  const sha = state.release.merged_sha;
  const moved = travel(state, 'releasing', ENGINE, at);
  return { ...moved, records: [{ kind: 'entry', name: 'deploy', data: { sha, at } }, ...moved.records] };
}

export function onDeployFailed(state: ConductState, { code, detail }: Failure): Next {
  const why = say('conduct.rests.deploy_failed', { run: state.run, detail: detail.slice(0, 500), code });
  return rest(withoutGo(state), why);
}
