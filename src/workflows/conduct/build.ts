import { BuildReport } from '../../contract/build-report.ts';
import { BuildPr } from '../../contract/code-host.ts';
import { type ConductState, TICKET_CAPS } from '../../contract/conduct.ts';
import type { Instant } from '../../contract/ids.ts';
import type { Failure } from '../../contract/outcome.ts';
import type { Step } from '../../contract/step.ts';
import { brief } from '../../engine/whole-brief.ts';
import { ask, isDecisionOnly } from './drafts.ts';
import { say } from './messages.ts';
import { ENGINE, go, inTrouble, type Next, notice, travel } from './moves.ts';
import { isFault, judgeWorkerEnd, type WorkerEnd } from './worker-end.ts';

/** Ends of a build that count: its own evidence passed, or a person took it as it is. */
const GOOD_ENDS = ['passed', 'accepted_as_is'];

/** Planned: the go, the run that builds, the pull request. */
export function buildStep(state: ConductState): Step {
  switch (state.building) {
    case 'start':
      return { kind: 'work', during: 'Planned', calls: [] };
    case 'child':
      return {
        kind: 'wait',
        until: { kind: 'children', why: say('conduct.rests.building', { run: state.run }) },
      };
    case 'pull_request':
      return openPullRequest(state);
    default:
      return { kind: 'gate', gate: { name: 'build_go', brief: goBrief(state) } };
  }
}

/** The plan was accepted for the person, and this gate was to be their own (S9): the plan is shown once more. */
function goBrief({ run, plan, checklist }: ConductState) {
  return brief({
    decide: say('conduct.build_go.decide', { run, decision: plan?.accepted?.decision ?? 'none' }),
    context: [
      ...(plan ? [plan.text] : []),
      ...checklist.map(({ text }) => say('conduct.context.step', { text })),
    ],
  });
}

/** The run that builds starts from the accepted plan; it reads this row, so the row is stored first (CON-84). */
export function startBuild(state: ConductState): Next {
  if (state.criteria.length === 0 && !isDecisionOnly(state))
    return ask({ ...state, building: null }, 'criteria', 'engine', [say('conduct.ask.criteria')]);
  const builds = state.builds + 1;
  const input = { from_spec: state.run, ticket: state.run, lang: state.user_lang };
  return go(
    state,
    { building: 'child', builds, build: null, exemption: null, build_run: null, build_pr: null },
    [
      { kind: 'spawn', key: `build-${builds}`, workflow: 'deliver', input },
      notice(say('conduct.notice.build_started', { run: state.run })),
    ],
  );
}

/** The go is given: the next step starts the build, from the row as it is stored then. */
export function readyToBuild(state: ConductState): Next {
  return go(state, { building: 'start', resting: null });
}

/** What the build's run told at its end. Its own checks and comparison say whether it is one, no worker's word. */
export function onBuilt(state: ConductState, data: unknown): Next {
  const parsed = BuildReport.safeParse(data);
  if (!parsed.success)
    return onNothingBuilt(state, { exit: null, branch_moved: false }, 'its report cannot be read');
  const build = parsed.data;
  const good = GOOD_ENDS.includes(build.result) && build.commit !== null && build.branch !== null;
  const told = { ...state, build };
  return good
    ? provePresent({ ...told, building: null })
    : onNothingBuilt(told, { exit: 0, branch_moved: build.commit !== null }, build.summary);
}

/**
 * What the row says comes first (CON-21): while a person is asked, or the ticket is stale, that is what goes on, and
 * the build is begun anew once the ticket gets back to it. Else its end is a fault a person is told.
 */
function onNothingBuilt(
  state: ConductState,
  facts: Pick<WorkerEnd, 'exit' | 'branch_moved'>,
  detail: string,
): Next {
  const { brief: shown, pending, round, reopening } = state;
  const awaiting = (shown !== null && pending === null) || round !== null || reopening !== null;
  const end = judgeWorkerEnd({
    row: state,
    awaiting,
    deadline_passed: false,
    board_changed: false,
    ...facts,
  });
  const told = inTrouble({ ...state, building: null }, isFault(end) ? end : 'no-progress', 'build', detail);
  return isFault(end) ? told : { ...told, state: { ...state, building: 'start' } };
}

/** Built needs tests on record, or a person's word why there are none. */
export function provePresent(state: ConductState): Next {
  const { build, exemption } = state;
  if (build && build.checks.length === 0 && exemption === null)
    return ask(state, 'tests', 'engine', [say('conduct.ask.tests')]);
  return go(state, { building: 'pull_request' });
}

/** The child ended and had told nothing: nothing was built. */
export function onBuildEnded(state: ConductState, result: string): Next {
  if (state.building !== 'child') return go(state, {});
  return onNothingBuilt(state, { exit: 0, branch_moved: false }, `the build ended: ${result}`);
}

function openPullRequest(state: ConductState): Step {
  const { run, title, build, pulls: replaces } = state;
  const input = {
    ticket: run,
    branch: build?.branch ?? '',
    base: null,
    title: `${run} ${title}`,
    body: build?.summary ?? '',
    replaces,
  };
  return { kind: 'tracker', during: 'Planned', op: { op: 'open_pull_request', input } };
}

/** Built only with a pull request that was pushed and holds exactly the commit that was judged (CON-84). */
export function onPullRequest(state: ConductState, result: unknown, at: Instant): Next {
  const parsed = BuildPr.safeParse(result);
  const commit = state.build?.commit ?? null;
  if (!parsed.success || parsed.data.head_sha !== commit) {
    const found = parsed.success ? parsed.data.head_sha : 'unknown';
    return inTrouble(state, 'no-progress', 'pull request', `judged ${commit}, pushed ${found}`);
  }
  const met = new Set(state.build?.criteria.filter((one) => one.met).map(({ id }) => id));
  const built = {
    build_pr: parsed.data,
    pulls: [...new Set([...state.pulls, parsed.data.pr_number])].slice(-TICKET_CAPS.pulls),
    criteria: state.criteria.map((one) => ({ ...one, checked: met.has(one.id) })),
    checklist: state.checklist.map((item) => ({ ...item, done: true })),
  };
  return travel({ ...state, ...built, observed: null, runbook: [] }, 'building', ENGINE, at);
}

export function onPullRequestFailed(state: ConductState, { code, detail }: Failure): Next {
  return inTrouble(state, 'world', 'pull request', `${detail} (${code})`);
}
