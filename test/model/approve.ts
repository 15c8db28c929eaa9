import type { ApproveState } from '../../src/contract/approve.ts';
import type { RunOutcome } from '../../src/contract/step.ts';
import { approveWorkflow } from '../../src/workflows/approve/workflow.ts';
import { hashOf, startFacts } from '../support/pure-run.ts';
import { defineWorld } from './world.ts';

/** One file, readable or not; a person who says yes, no or nothing. */
export const approveWorld = defineWorld<ApproveState>({
  def: approveWorkflow,
  starts: [
    {
      name: 'a file',
      input: { path: 'docs/baton/photos/spec.md', lang: null },
      facts: startFacts({ run: 'as-1' }),
    },
  ],
  results: () => [],
  looks: {
    spec_file: () => [
      { name: 'read', value: { hash: hashOf('a'), criteria: ['AC-1'] } },
      { name: 'empty', value: { hash: hashOf('b'), criteria: [] } },
    ],
  },
  writes: {},
  texts: {},
  commands: () => ['abandon', 'resume'],
  giving_up: ['abandon'],
  signals: () => [],
  over: ({ ended }) => ended !== null,
  seen: {
    spec: { as: ({ spec }) => spec !== null, because: 'which text it is is shown, never compared' },
    criteria: { as: () => null, because: 'listed at the gate, nothing else' },
    halted: { as: ({ halted }) => halted !== null, because: 'the reason is for people' },
    approved: { as: ({ approved }) => approved !== null, because: 'who and when are for people' },
  },
  floors: [
    {
      what: 'an approval',
      gate: 'approve',
      options: ['approve'],
      reached: ({ run, records }) =>
        (run.step.kind === 'end' && isApproved(run.step.outcome)) ||
        records.some(({ record }) => record.kind === 'decision' && record.name === 'spec_approved'),
      voided: (record) => record.kind === 'artefact' && record.name === 'spec',
    },
  ],
  tallies: [],
  turns: 1,
  unmet: {},
});

function isApproved({ result }: RunOutcome): boolean {
  return result === 'approved';
}
