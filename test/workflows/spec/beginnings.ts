import { type PureRun, policy } from '../../support/pure-run.ts';
import { atCritic, atHalt, atSecondCritic } from './deep-fixture.ts';
import { begin, GIT } from './fixture.ts';

const live = {
  run: 'sp-old',
  workflow: 'spec',
  subject: 'spec:a-tool-that-renames-photos-by-date',
  phase: 'qa_active',
  status: 'waiting',
  title: 'earlier',
} as const;

/** Ways to begin: both modes or none yet, with and without git, over a live run, with a routing hint, unattended, with a reference. */
export const BEGINNINGS: readonly (() => PureRun)[] = [
  () => begin(),
  () => begin({ mode: 'quick' }, { git: GIT }),
  () => begin({}, { live: [live] }),
  () => begin({ task: 'Fix the crash in the upload dialog' }, { git: GIT }),
  () => begin({ lang: 'ko' }, { policy: { ...policy, unattended: true } }),
  () => begin({ mode: null }),
  () => begin({ mode: 'deep', model_config: 'economy' }),
  () => begin({ mode: 'deep', model_config: 'balanced' }, { git: GIT }),
  () => atCritic(),
  () => atSecondCritic(),
  () => atHalt(),
  () => begin({ reference: 'g.md' }, { reference: { path: 'g.md', hash: `sha256:${'1'.repeat(64)}` } }),
];
