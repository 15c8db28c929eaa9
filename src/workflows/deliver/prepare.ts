import type { DeliverChanges, DeliverState } from '../../contract/deliver.ts';
import type { HandoverFound, ProjectFound } from '../../contract/deliver-found.ts';
import type { Instant } from '../../contract/ids.ts';
import type { Move, MoveRecord } from '../../contract/move.ts';
import type { CheckResult } from '../../contract/outcome.ts';
import { check, pass, query, write } from '../../engine/decide.ts';
import { InvariantError } from '../../engine/errors.ts';
import { commandsOf, hasCommands, installCheck, plannedChecks } from './checks.ts';
import { runOf } from './halts.ts';
import { toBaseline } from './layer1.ts';
import { hasOwnTree, START } from './locations.ts';
import { say } from './messages.ts';
import { go, type Next, notice, warning } from './moves.ts';
import { hintNotices } from './sandbox-hints.ts';
import { setupSummary } from './summary.ts';

/**
 * The stages of `plan_ready`: the run's tree, the commands, the installation, the baseline, the handover. The convention
 * step follows.
 */
export function prepare(state: DeliverState): Next {
  const stage = state.plan.prepare;
  return stage ? STAGES[stage](state) : findConventions(state);
}

/** Missing conventions are searched for before anyone plans (WF-34). */
export function findConventions(state: DeliverState): Next {
  return pass((at) => go(state, at, { convention_stage: { at: 'query' } }));
}

const STAGES: Readonly<Record<NonNullable<DeliverState['plan']['prepare']>, (state: DeliverState) => Next>> =
  {
    open_tree: (state) => {
      const { base, branch } = state;
      return write('open_tree', { base, branch }, (opened, at) => {
        const start = opened === 'assumed' ? START : opened.snapshot;
        return go(state, at, { plan: { prepare: 'project' }, start });
      });
    },
    project: (state) => {
      const {
        checks: { lint_cmd, type_check_cmd, settings: checks },
        scope,
      } = state;
      return query('project', { lint_cmd, type_check_cmd, scope, checks }, (found, at) =>
        settleProject(state, found, at),
      );
    },
    install: (state) => check(installCheck(state), ([result], at) => settleInstall(state, result, at)),
    baseline: (state) => check(plannedChecks(state), (results, at) => settleBaseline(state, results, at)),
    handover: (state) => {
      const { docs_path, slug } = state;
      return query('handover', { docs_path, slug }, (found, at) => settleHandover(state, found, at));
    },
  };

/** The commands are fixed here. A command given by flag is never replaced. */
function settleProject(state: DeliverState, project: ProjectFound, at: Instant): Move<DeliverState> {
  const { lang, build, test, lint, type_check, install, config } = project;
  const checks = {
    ...state.checks,
    config,
    install_cmd: hasOwnTree(state) ? (install?.command ?? null) : null,
    build_cmd: build?.command ?? null,
    test_cmd: test?.command ?? null,
    lint_cmd: state.checks.lint_cmd ?? lint?.command ?? null,
    type_check_cmd: state.checks.type_check_cmd ?? type_check?.command ?? null,
    sources: sourcesOf(state, { build, test, lint, type_check }),
  };
  const known = { ...state, lang, checks };
  const first = checks.install_cmd ? 'install' : 'baseline';
  return go(known, at, { plan: { prepare: hasCommands(known) ? first : 'handover' } }, setupSummary(known));
}

function sourcesOf(
  { checks: { lint_cmd, type_check_cmd } }: DeliverState,
  { build, test, lint, type_check }: Pick<ProjectFound, 'build' | 'test' | 'lint' | 'type_check'>,
): DeliverState['checks']['sources'] {
  return {
    ...(build ? { build: build.source } : {}),
    ...(test ? { test: test.source } : {}),
    ...(lint_cmd ? { lint: '--lint-cmd' } : lint ? { lint: lint.source } : {}),
    ...(type_check_cmd
      ? { type_check: '--type-check-cmd' }
      : type_check
        ? { type_check: type_check.source }
        : {}),
  };
}

/** Reports whether the tools for the checks are installed. If not, the person learns why checks may not run. */
function settleInstall(
  state: DeliverState,
  result: CheckResult | undefined,
  at: Instant,
): Move<DeliverState> {
  if (!result) throw new InvariantError('an installation without a result');
  const command = state.checks.install_cmd ?? '';
  const program = command.split(' ')[0] ?? '';
  const args = { command, program, exit: result.exit ?? 'none', run: runOf(state) };
  const told =
    result.result === 'pass'
      ? notice(say('deliver.notice.installed', args))
      : warning(say('deliver.notice.install_failed', args));
  const { output } = result;
  return go(state, at, { plan: { prepare: 'baseline' } }, [
    ...(output ? [{ kind: 'artefact', name: 'install_output', hash: output } as const] : []),
    told,
    ...hintNotices([result]),
  ]);
}

/** Records failures of the untouched tree, so that no worker is blamed for them. */
function settleBaseline(
  state: DeliverState,
  results: readonly CheckResult[],
  at: Instant,
): Move<DeliverState> {
  const baseline = toBaseline(results);
  const failing = baseline.filter(({ result }) => result === 'fail' || result === 'unavailable');
  const records: MoveRecord[] = [
    { kind: 'entry', name: 'baseline', data: baseline },
    ...failing.map(({ name, keys, result }) => {
      const command = commandsOf(state)[name] ?? '';
      if (result === 'unavailable')
        return warning(say('deliver.notice.baseline_unavailable', { check: name, command }));
      return warning(say('deliver.notice.baseline_failing', { check: name, n: keys.length }));
    }),
  ];
  records.push(...hintNotices(results));
  if (failing.length === 0) records.push(notice(say('deliver.notice.baseline_clean')));
  return go(state, at, { checks: { baseline }, plan: { prepare: 'handover' } }, records);
}

/**
 * Reads what an earlier run left in docs_path. A missing file is ignored. An unreadable file adds a warning, and the
 * run continues without it (WF-37).
 */
function settleHandover(state: DeliverState, found: HandoverFound, at: Instant): Move<DeliverState> {
  const given = state.from_spec?.artefacts;
  const handover = {
    qa_notes: found.qa_notes ?? given?.qa_notes ?? null,
    critic_findings: found.critic_findings ?? given?.critic_findings ?? null,
    conventions: found.conventions ?? given?.conventions ?? null,
  };
  const spec_file = state.from_spec || found.spec ? ('deliver_spec.md' as const) : ('spec.md' as const);
  const records = found.unreadable.map((file) => warning(say('deliver.notice.unreadable', { file })));
  const plan = { handover, spec_file, prepare: null };
  if (!handover.conventions || state.conventions) {
    return go(state, at, { plan, ...conventionsDue(state) }, records);
  }
  const artefact = handover.conventions;
  return go(state, at, { plan, conventions: { artefact }, phase: 'planning' }, [
    ...records,
    { kind: 'artefact', name: 'conventions', hash: artefact },
    notice(say('deliver.notice.conventions_handed_over')),
  ]);
}

/** Conventions already in the state are used unchanged and never overwritten (WF-35, branch 1). */
function conventionsDue({ conventions }: DeliverState): DeliverChanges {
  return conventions ? { phase: 'planning' } : { convention_stage: { at: 'query' } };
}
