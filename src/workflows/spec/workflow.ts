import { SpecInput, SpecState } from '../../contract/spec.ts';
import { fromDecide } from '../../engine/decide.ts';
import {
  defineWorkflow,
  type Left,
  NOTHING_LEFT,
  type StatusLine,
  type Workflow,
} from '../../engine/workflow.ts';
import { ANALYSTS, type AnalystTable } from './analysts.ts';
import { decide } from './decide.ts';
import { analysisDocuments, documentSources, specDocuments } from './documents.ts';
import { specGates } from './gates.ts';
import { say } from './messages.ts';
import { specMigrations } from './migrations.ts';
import { failed } from './moves.ts';
import { specPhases } from './phases.ts';
import { receive } from './receive.ts';
import { rolesWith } from './roles.ts';
import { start } from './start.ts';

/** The workflow for any set of analysts. Nothing in it depends on their number. */
export function createSpec(analysts: AnalystTable): Workflow {
  return defineWorkflow<SpecState>({
    name: 'spec',
    prefix: 'sp',
    version: 2,
    measures: true,
    state: SpecState,
    input: SpecInput,
    migrations: specMigrations,
    phases: specPhases,
    roles: rolesWith(analysts),
    gates: specGates,
    documents: { ...specDocuments, ...analysisDocuments },
    start,
    ...fromDecide<SpecState>({ decide: (state) => decide(state, analysts), failed }),
    receive,
    title: (state) => state.task,
    status,
    left,
  });
}

/** From an idea to an approved specification. Always a human approval at the end. */
export const specWorkflow = createSpec(ANALYSTS);

/** The status block (SP-14). Reads only. */
function status(state: SpecState): readonly StatusLine[] {
  const { mode, model_config, branch, qa_round } = state;
  return [
    { label: say('spec.status.skill'), value: state.skill },
    { label: say('spec.status.task'), value: state.task },
    ...(mode ? [{ label: say('spec.status.mode'), value: mode }] : []),
    ...(model_config ? [{ label: say('spec.status.preset'), value: model_config.preset }] : []),
    { label: say('spec.status.phase'), value: specPhases[state.phase].label },
    { label: say('spec.status.round'), value: `${qa_round ?? 0}/3` },
    ...(branch ? [{ label: say('spec.status.branch'), value: branch }] : []),
    { label: say('spec.status.output'), value: `${state.docs_path}spec.md` },
  ];
}

function left(state: SpecState): Left {
  const { phase, branch, in_place, docs_path } = state;
  if (phase !== 'completed') return NOTHING_LEFT;
  const documents = documentSources(state).map(([name]) => `${docs_path}${specDocuments[name].file}`);
  return { ...NOTHING_LEFT, branch: in_place ? null : branch, documents };
}
