import type { Text } from '../../contract/brief.ts';
import type { DeliverState } from '../../contract/deliver.ts';
import type { MoveRecord } from '../../contract/move.ts';
import { type Left, NOTHING_LEFT, type StatusLine } from '../../engine/workflow.ts';
import { hasCommands } from './checks.ts';
import { documentsOf, HANDED_ON } from './documents.ts';
import { oldFailures } from './layer1.ts';
import { hasOwnTree } from './locations.ts';
import { say } from './messages.ts';
import { modelsText } from './models.ts';
import { changedPaths, notice, warning } from './moves.ts';
import { deliverPhases } from './phases.ts';

/** What setup settled, once the commands are known (WF-24), and the warnings a person needs. */
export function setupSummary(state: DeliverState): MoveRecord[] {
  const { model_config } = state;
  const verifier = model_config?.verifier ?? 'haiku';
  const records: MoveRecord[] = [
    notice(
      say('deliver.notice.setup', {
        folder: state.repo_name,
        branch: state.branch ?? 'none',
        mode: state.mode ?? 'none',
        models: model_config ? modelsText(model_config) : 'none',
        verifier,
        style: state.run_style,
        lang: state.user_lang,
        build: state.checks.build_cmd ?? 'none',
        test: state.checks.test_cmd ?? 'none',
        lint: state.checks.lint_cmd ?? 'none',
        types: state.checks.type_check_cmd ?? 'none',
        scope: scopeText(state) ?? 'none',
        output: state.docs_path,
      }),
    ),
  ];
  records.push(...baseNotice(state));
  if (verifier !== 'haiku') records.push(warning(say('deliver.notice.verifier', { verifier })));
  if (state.checks.config === 'uncommitted') records.push(warning(say('deliver.config_uncommitted')));
  if (!hasCommands(state)) records.push(warning(say('deliver.notice.no_commands')));
  return records;
}

function baseNotice(state: DeliverState): MoveRecord[] {
  const base = hasOwnTree(state) ? state.base : null;
  return base ? [notice(say('deliver.notice.base', { base: base.slice(0, 12) }))] : [];
}

/** The status block (WF-32). Reads only. */
export function status(state: DeliverState): readonly StatusLine[] {
  const { mode, model_config, branch, ticket } = state;
  const scope: Text = scopeText(state) ?? say('deliver.status.no_limit');
  const here = { label: say('deliver.status.tree'), value: say('deliver.status.your_folder') };
  return [
    ...(hasOwnTree(state) ? [] : [here]),
    { label: say('deliver.status.task'), value: state.task },
    ...(ticket ? [{ label: say('deliver.status.ticket'), value: ticket }] : []),
    ...(mode ? [{ label: say('deliver.status.mode'), value: mode }] : []),
    ...(model_config ? [{ label: say('deliver.status.preset'), value: modelsText(model_config) }] : []),
    { label: say('deliver.status.style'), value: state.run_style },
    { label: say('deliver.status.phase'), value: deliverPhases[state.phase].label },
    { label: say('deliver.status.round'), value: `${state.round}/${state.max_rounds}` },
    ...(branch ? [{ label: say('deliver.status.branch'), value: branch }] : []),
    { label: say('deliver.status.scope'), value: scope },
  ];
}

/** What remains on the branch or in the folder once the run has ended (WF-70, WF-71). */
export function left(state: DeliverState): Left {
  const {
    finish: { chosen: finish },
    branch,
    docs_path,
  } = state;
  if (state.phase !== 'completed') return NOTHING_LEFT;
  const own = hasOwnTree(state);
  const files = documentsOf(state).map(({ file }) => file);
  const committed = finish?.choice === 'code_only' ? files.filter((file) => HANDED_ON.includes(file)) : files;
  const documents =
    finish?.choice === 'no_commit' && own ? [] : committed.map((file) => `${docs_path}${file}`);
  const commit = finish?.commit ?? null;
  const path = documents.find((file) => file.endsWith('/evidence.md')) ?? null;
  const of = state.plan.spec?.criteria.length ?? 0;
  return {
    branch: own && commit ? branch : null,
    documents,
    commit,
    evidence: { path },
    ...failedBefore(state),
    criteria: state.verdict.qa && !state.verdict.altered ? { met: state.verdict.qa.met, of } : null,
    files: changedPaths(state.attempt).length,
    lines: state.attempt.changes?.lines ?? null,
  };
}

function failedBefore({ checks: { report } }: DeliverState): Pick<Left, 'old_failures'> {
  const old_failures = oldFailures(report);
  return old_failures > 0 ? { old_failures } : {};
}

function scopeText({ scope }: DeliverState): string | null {
  return scope ? scope.join(', ') : null;
}
