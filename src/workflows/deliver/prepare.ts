import type { DeliverState } from '../../contract/deliver.ts';
import { HandoverFound, ProjectFound, SnapshotTaken } from '../../contract/deliver-found.ts';
import type { Move, MoveRecord } from '../../contract/move.ts';
import type { Outcome } from '../../contract/outcome.ts';
import type { Step } from '../../contract/step.ts';
import { InvariantError } from '../../engine/errors.ts';
import { checkStep, commandsOf, hasCommands, installStep } from './checks.ts';
import { runOf } from './halts.ts';
import { toBaseline } from './layer1.ts';
import { hasOwnTree, START } from './locations.ts';
import { say } from './messages.ts';
import { go, notice, warning, worldFailed } from './moves.ts';
import { hintNotices } from './sandbox-hints.ts';
import { setupSummary } from './summary.ts';

type Stage = NonNullable<DeliverState['prepare']>;

/**
 * The stages of `plan_ready` before the convention step: the run's tree, the commands, the installation, the baseline
 * and the handover.
 */
export function prepareStep(state: DeliverState, stage: Stage): Step {
  const { base, branch, scope, lint_cmd, type_check_cmd, docs_path } = state;
  switch (stage) {
    case 'open_tree':
      return { kind: 'workspace', during: 'plan_ready', op: { op: 'open_tree', input: { base, branch } } };
    case 'project':
      return query('project', { lint_cmd, type_check_cmd, scope, checks: state.checks });
    case 'install':
      return installStep(state);
    case 'baseline':
      return checkStep(state);
    case 'handover':
      return query('handover', { docs_path, slug: state.slug });
  }
}

function query(what: string, input: Record<string, unknown>): Step {
  return { kind: 'query', during: 'plan_ready', what: { what, input } };
}

export function onTreeOpened(state: DeliverState, outcome: Outcome): Move<DeliverState> {
  const { at } = outcome;
  if (outcome.kind === 'failed') return worldFailed(state, at, 'open_tree', outcome.failure);
  const opened = SnapshotTaken.safeParse(outcome.kind === 'written' ? outcome.result : null);
  return go(state, at, { prepare: 'project', start: opened.data?.snapshot ?? START });
}

/** The commands are fixed here. A command given by flag is never replaced. */
export function onProject(state: DeliverState, outcome: Outcome): Move<DeliverState> {
  const { at } = outcome;
  if (outcome.kind === 'failed') return worldFailed(state, at, 'query project', outcome.failure);
  if (outcome.kind !== 'queried') throw new InvariantError(`query project gave '${outcome.kind}'`);
  const { lang, build, test, lint, type_check, install, config } = ProjectFound.parse(outcome.found);
  const found: Partial<DeliverState> = {
    lang,
    config,
    install_cmd: hasOwnTree(state) ? (install?.command ?? null) : null,
    build_cmd: build?.command ?? null,
    test_cmd: test?.command ?? null,
    lint_cmd: state.lint_cmd ?? lint?.command ?? null,
    type_check_cmd: state.type_check_cmd ?? type_check?.command ?? null,
    sources: sourcesOf(state, { build, test, lint, type_check }),
  };
  const known = { ...state, ...found };
  const checks = known.install_cmd ? 'install' : 'baseline';
  return go(known, at, { prepare: hasCommands(known) ? checks : 'handover' }, setupSummary(known));
}

function sourcesOf(
  { lint_cmd, type_check_cmd }: DeliverState,
  { build, test, lint, type_check }: Pick<ProjectFound, 'build' | 'test' | 'lint' | 'type_check'>,
): DeliverState['sources'] {
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
export function onInstalled(state: DeliverState, outcome: Outcome): Move<DeliverState> {
  const [check] = outcome.kind === 'checked' ? outcome.checks : [];
  if (!check) throw new InvariantError(`the installation gave '${outcome.kind}'`);
  const command = state.install_cmd ?? '';
  const program = command.split(' ')[0] ?? '';
  const args = { command, program, exit: check.exit ?? 'none', run: runOf(state) };
  const told =
    check.result === 'pass'
      ? notice(say('deliver.notice.installed', args))
      : warning(say('deliver.notice.install_failed', args));
  const { output } = check;
  return go(state, outcome.at, { prepare: 'baseline' }, [
    ...(output ? [{ kind: 'artefact', name: 'install_output', hash: output } as const] : []),
    told,
    ...hintNotices([check]),
  ]);
}

/** Records failures of the untouched tree, so that no worker is blamed for them. */
export function onBaseline(state: DeliverState, outcome: Outcome): Move<DeliverState> {
  if (outcome.kind !== 'checked') throw new InvariantError(`the baseline gave '${outcome.kind}'`);
  const baseline = toBaseline(outcome.checks);
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
  records.push(...hintNotices(outcome.checks));
  if (failing.length === 0) records.push(notice(say('deliver.notice.baseline_clean')));
  return go(state, outcome.at, { baseline, prepare: 'handover' }, records);
}

/**
 * Reads what an earlier run left in docs_path. A missing file is ignored. An unreadable file adds a warning, and the
 * run continues without it (WF-37).
 */
export function onHandover(state: DeliverState, outcome: Outcome): Move<DeliverState> {
  const { at } = outcome;
  if (outcome.kind === 'failed') return worldFailed(state, at, 'query handover', outcome.failure);
  if (outcome.kind !== 'queried') throw new InvariantError(`query handover gave '${outcome.kind}'`);
  const found = HandoverFound.parse(outcome.found);
  const given = state.from_spec?.artefacts;
  const handover = {
    qa_notes: found.qa_notes ?? given?.qa_notes ?? null,
    critic_findings: found.critic_findings ?? given?.critic_findings ?? null,
    conventions: found.conventions ?? given?.conventions ?? null,
  };
  const spec_file = state.from_spec || found.spec ? ('deliver_spec.md' as const) : ('spec.md' as const);
  const records = found.unreadable.map((file) => warning(say('deliver.notice.unreadable', { file })));
  const changes = { handover, spec_file, prepare: null };
  if (!handover.conventions || state.conventions) {
    return go(state, at, { ...changes, ...conventionsDue(state) }, records);
  }
  const artefact = handover.conventions;
  return go(state, at, { ...changes, conventions: { artefact }, phase: 'planning' }, [
    ...records,
    { kind: 'artefact', name: 'conventions', hash: artefact },
    notice(say('deliver.notice.conventions_handed_over')),
  ]);
}

/** Conventions already in the state are used unchanged and never overwritten (WF-35, branch 1). */
function conventionsDue({ conventions }: DeliverState): Partial<DeliverState> {
  return conventions ? { phase: 'planning' } : { convention_stage: { at: 'query' } };
}
