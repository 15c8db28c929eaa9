import { ANALYST_SECTIONS } from '../../src/contract/spec-analysis.ts';
import { analyst, deepScript, review, spec, thrice } from '../support/deep-script.ts';
import type { Scenario } from './scenario.ts';

const DRAFT = spec('First draft.');
const REVISED = spec('Revised draft.', ['M1']);
const SILENT = thrice({ silence: true });
const GARBAGE = thrice({ garbage: 'all fine, I think' });
const names = Object.keys(ANALYST_SECTIONS) as (keyof typeof ANALYST_SECTIONS)[];
const everyAnalyst = (play: (name: (typeof names)[number]) => Readonly<Record<string, unknown>>[]) =>
  Object.fromEntries(names.map((name) => [name, play(name)]));

const told = { questions: [{ option: 'answer', fields: { q1: 'JPEG' } }] } as const;
const done = { next_step: [{ option: 'done' }] } as const;
const approve = { approval: [{ option: 'approve' }], ...done } as const;
const base = {
  workflow: 'spec',
  input: { task: 'Rename photos by date', mode: 'deep', model_config: 'balanced' },
  result: 'approved',
} as const;

/** Deep mode: revision, both critic gates, every failure reason, Modify at both gates, halt and reopen. */
export const deepScenarios: readonly Scenario[] = [
  {
    ...base,
    name: 'deep-revised',
    git: true,
    script: deepScript({ synthesis: [DRAFT, REVISED], critic: [review('M1', 'm1'), review('m1')] }),
    answers: {
      conventions: [{ option: 'skip' }],
      ...told,
      critic: [{ option: 'auto_revise' }],
      ...approve,
    },
  },
  {
    ...base,
    name: 'deep-modified-twice',
    script: deepScript({
      synthesis: [DRAFT, REVISED, spec('Third draft.')],
      critic: [review('M1'), review(), review()],
    }),
    answers: {
      ...told,
      critic: [{ option: 'modify', text: 'Say who may rename.' }],
      approval: [{ option: 'modify', text: 'Say what happens to scans.' }, { option: 'approve' }],
      ...done,
    },
  },
  {
    ...base,
    name: 'deep-findings-kept',
    script: deepScript({ synthesis: [DRAFT], critic: [review('C1')] }),
    answers: { ...told, critic: [{ option: 'approve' }], ...approve },
  },
  {
    ...base,
    name: 'deep-empty-input',
    script: deepScript({ ...everyAnalyst((name) => [analyst(name, null)]), synthesis: [DRAFT] }),
    answers: { ...told, ...approve },
  },
  {
    ...base,
    name: 'deep-analysts-fail',
    script: deepScript({
      ...everyAnalyst((name) => [SILENT, analyst(name, `late ${name}`)]),
      synthesis: [DRAFT],
      critic: [review()],
    }),
    answers: { ...told, analysts: [{ option: 'retry' }], ...approve },
  },
  {
    ...base,
    name: 'deep-one-analyst-unreadable',
    script: deepScript({ risk_auditor: [GARBAGE], synthesis: [DRAFT], critic: [review()] }),
    answers: { ...told, ...approve },
  },
  {
    ...base,
    name: 'deep-critic-unreadable',
    script: deepScript({ synthesis: [DRAFT], critic: [GARBAGE] }),
    answers: { ...told, critic: [{ option: 'approve' }], ...approve },
  },
  {
    ...base,
    name: 'deep-critic-silent',
    script: deepScript({ synthesis: [DRAFT], critic: [SILENT] }),
    answers: { ...told, ...approve },
  },
  {
    ...base,
    name: 'deep-synthesis-halts',
    script: deepScript({ synthesis: [SILENT, DRAFT], critic: [review()] }),
    answers: { ...told, ...approve },
    commands: ['resume'],
  },
  {
    ...base,
    name: 'deep-re-synthesis-fails',
    script: deepScript({ synthesis: [DRAFT, SILENT], critic: [review('M1')] }),
    answers: { ...told, critic: [{ option: 'auto_revise' }] },
    commands: ['abandon'],
    result: 'abandoned',
  },
  {
    ...base,
    name: 'deep-stopped-and-reopened',
    script: deepScript({
      synthesis: [DRAFT, REVISED, spec('After reopening.')],
      critic: [review('M1'), review('M1'), review()],
    }),
    answers: {
      questions: [...told.questions, { option: 'no_more' }],
      critic: [{ option: 'auto_revise' }, { option: 'stop' }],
      ...approve,
    },
    commands: ['reopen'],
  },
];
