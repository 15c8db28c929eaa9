import { BuildReport } from '../../contract/build-report.ts';
import { type ConductState, TICKET_CAPS } from '../../contract/conduct.ts';
import { type Decision, pass, wait, write } from '../../engine/decide.ts';
import { askQuestions, isDecisionOnly } from './drafts.ts';
import { say } from './messages.ts';
import { ENGINE, go, inTrouble, type Next, notice, travel } from './moves.ts';
import { isFault, judgeWorkerEnd, type WorkerEnd } from './worker-end.ts';

/** Results that count as built: the build's own evidence passed, or a person accepted the change as it is. */
const GOOD_ENDS = ['passed', 'accepted_as_is'];

/** The go is given: the build run, then the pull request. */
export function build(state: ConductState, stage: NonNullable<ConductState['building']>): Decision<Next> {
  switch (stage) {
    case 'start':
      return pass(() => startBuild(state));
    case 'child':
      return wait({ kind: 'children', why: say('conduct.idle.building', { run: state.run }) });
    case 'pull_request':
      return openPullRequest(state);
  }
}

/** The build run starts from the accepted plan. It reads this row, so the row is stored first (CON-84). */
function startBuild(state: ConductState): Next {
  if (state.criteria.length === 0 && !isDecisionOnly(state))
    return askQuestions({ ...state, building: null }, 'criteria', 'engine', [say('conduct.ask.criteria')]);
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

/** The go is given. The next step starts the build from the row as stored at that time. */
export function readyToBuild(state: ConductState): Next {
  return go(state, { building: 'start', idle_because: null });
}

/**
 * Handles the final report of the build run. Its own checks and
 * comparison decide if the build counts, not a worker's claim.
 */
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
 * The row decides first (CON-21). If a person is being asked or the ticket is stale, that comes first, and the build
 * starts again later. Otherwise the end is a fault that a person sees.
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

/** Built needs recorded tests, or a person's reason why there are none. */
export function provePresent(state: ConductState): Next {
  const { build, exemption } = state;
  if (build && build.checks.length === 0 && exemption === null)
    return askQuestions(state, 'tests', 'engine', [say('conduct.ask.tests')]);
  return go(state, { building: 'pull_request' });
}

/** The build run ended without a report, so nothing was built. */
export function onBuildEnded(state: ConductState, result: string): Next {
  if (state.building !== 'child') return go(state, {});
  return onNothingBuilt(state, { exit: 0, branch_moved: false }, `the build ended: ${result}`);
}

/** The ticket becomes Built only if the pushed pull request holds exactly the judged commit (CON-84). */
function openPullRequest(state: ConductState): Decision<Next> {
  const { run, title, pulls: replaces } = state;
  const { branch, commit = null, summary, criteria = [] } = state.build ?? {};
  const input = {
    ticket: run,
    branch: branch ?? '',
    base: null,
    title: `${run} ${title}`,
    body: summary ?? '',
    replaces,
  };
  const trouble = (pushed: string) =>
    inTrouble(state, 'no-progress', 'pull request', `judged ${commit}, pushed ${pushed}`);
  return write(
    'open_pull_request',
    input,
    (pull, at) => {
      if (pull === 'assumed') return trouble('unknown');
      if (pull.head_sha !== commit) return trouble(pull.head_sha);
      const met = new Set(criteria.filter((one) => one.met).map(({ id }) => id));
      const built = {
        build_pr: pull,
        pulls: [...new Set([...state.pulls, pull.pr_number])].slice(-TICKET_CAPS.pulls),
        criteria: state.criteria.map((one) => ({ ...one, checked: met.has(one.id) })),
        checklist: state.checklist.map((item) => ({ ...item, done: true })),
      };
      return travel({ ...state, ...built, observed: null, runbook: [] }, 'building', ENGINE, at);
    },
    ({ code, detail }) => inTrouble(state, 'world', 'pull request', `${detail} (${code})`),
  );
}
