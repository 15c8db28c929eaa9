import type { ConductState } from '../../src/contract/conduct.ts';
import type { Seen } from './world.ts';

const words = 'words: shown or handed to workers, never compared';
const counter = 'a counter that only makes names';
const there = <K extends keyof ConductState>(key: K, because: string): Seen<ConductState> => ({
  as: (state) => state[key] !== null,
  because,
});

const makesChildren = ({ doc }: NonNullable<ConductState['brief']>) =>
  doc.payload.some((write) => (write as { kind: string }).kind === 'child_ticket');

/** Asked only in these states; a ticket that is parked may come back to any. */
const within = (
  phases: readonly ConductState['phase'][],
  query: (state: ConductState) => unknown,
  because: string,
) => ({
  as: (state: ConductState) =>
    phases.includes(state.phase === 'Parked' && state.prev_state ? state.prev_state : state.phase)
      ? query(state)
      : null,
  because,
});

/** How a ticket stands in the key of a state: what decides, without words, names and counters. */
export const seenInConduct: { readonly [K in keyof ConductState]?: Seen<ConductState> } = {
  title: { as: () => null, because: words },
  activity: { as: () => null, because: 'how it came here; only recorded' },
  left: { as: () => null, because: words },
  idle_because: there('idle_because', 'why it rests is shown'),
  brief: {
    as: ({ brief }) =>
      brief && [
        brief.reason,
        brief.track,
        brief.pending_activity,
        brief.revised,
        brief.deliverable,
        makesChildren(brief),
      ],
    because: 'its text is shown, its number and draft make names',
  },
  unproven: there('unproven', 'who changed what is shown'),
  round: { as: ({ round }) => round?.kind ?? null, because: words },
  pending: there('pending', words),
  judged: {
    as: ({ judged, brief }) =>
      judged && judged.brief === brief?.id && judged.iteration === brief.iteration
        ? (judged.verdict?.worth ?? 'failed')
        : null,
    because: 'a verdict about an earlier draft counts for nothing',
  },
  remark: there('remark', words),
  criteria: {
    as: ({ criteria }) => criteria.length > 0,
    because: 'that there is one is asked before a build',
  },
  checklist: { as: () => null, because: words },
  children: {
    as: ({ children }) => children.map(({ state, archived, id }) => [state, archived, id !== null]),
    because: 'titles and keys are names',
  },
  plan: within(
    ['Planned', 'Built', 'Released'],
    ({ plan }) => plan && [plan.go, plan.accepted !== null],
    'who accepted it is on record; a plan made anew replaces it',
  ),
  build_run: { as: ({ build_run }) => build_run, because: 'no build tells its run here' },
  builds: { as: () => null, because: counter },
  build: within(
    ['Planned'],
    ({ build }) => build && build.checks.length > 0,
    'afterwards it goes to workers and the brief',
  ),
  exemption: within(
    ['Planned'],
    ({ exemption }) => exemption !== null,
    'asked about before the pull request alone',
  ),
  build_pr: within(['Built', 'Released'], ({ build_pr }) => build_pr !== null, 'a new build makes a new one'),
  pulls: { as: () => null, because: 'told to the host, which closes those still open' },
  release: within(
    ['Built', 'Released'],
    ({ phase, release }) => [
      release.merged_sha !== null,
      ...(phase === 'Built'
        ? [
            release.stage,
            release.found !== null,
            release.accepted !== null,
            release.waits > 0,
            release.wait_until !== null,
          ]
        : []),
    ],
    'begun anew whenever Built is entered, but for what was merged',
  ),
  observed: within(['Released'], ({ observed }) => observed !== null, words),
  runbook: { as: () => null, because: words },
  knowledge: there('knowledge', words),
  tracks: within(
    ['Captured', 'Idea', 'Clarified', 'Decomposed'],
    ({ tracks }) => tracks,
    'going back over the design begins them anew',
  ),
  decided: { as: () => null, because: 'superseded by name when they are gone back over' },
  counts: { as: () => null, because: counter },
  trouble: { as: ({ trouble }) => trouble?.fault ?? null, because: words },
  reopening: { as: ({ reopening }) => reopening && [reopening.to, reopening.hops], because: words },
};
