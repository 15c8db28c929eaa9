import { SpecInput, SpecState } from '../../contract/spec.ts';
import { defineWorkflow, type StatusLine } from '../../engine/workflow.ts';
import { specDocuments } from './documents.ts';
import { specGates } from './gates.ts';
import { say, specMessages } from './messages.ts';
import { next } from './next.ts';
import { specPhases } from './phases.ts';
import { receive } from './receive.ts';
import { specRoles } from './roles.ts';
import { settle } from './settle.ts';
import { start } from './start.ts';

/** From an idea to an approved specification. Always a human approval at the end. */
export const specWorkflow = defineWorkflow<SpecState>({
  name: 'spec',
  prefix: 'sp',
  version: 1,
  state: SpecState,
  input: SpecInput,
  migrations: [],
  phases: specPhases,
  roles: specRoles,
  gates: specGates,
  documents: specDocuments,
  messages: specMessages,
  start,
  next,
  settle,
  receive,
  title: (state) => state.task,
  status,
});

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
