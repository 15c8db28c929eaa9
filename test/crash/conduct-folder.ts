import type { WorkerBrief } from '../../src/contract/conduct-work.ts';
import type { Entry, Roles } from '../support/deliver-script.ts';
import { FILES as BUILDING } from './deliver-folder.ts';
import type { Move, Scenario, ScriptedAnswer } from './scenario.ts';

/** Lines of `release` in baton.yaml. Each finds its world at home: nothing of this machine stands in a row. */
const RELEASE = {
  branch: 'main',
  deploy: 'echo "$BATON_SHA" >> "$HOME/deployed.log"',
  deployed: 'cat "$HOME/deployed.log" 2>/dev/null | grep -q "$BATON_SHA"',
  observe: 'echo it runs',
};

/** The project of `deliver`, released to a remote. JSON is YAML too. */
export const filesOf = (release: Readonly<Record<string, string | boolean | null>> = {}) => ({
  ...BUILDING,
  'baton.yaml': `${JSON.stringify({ checks: { test: 'sh check.sh' }, release: { ...RELEASE, ...release } })}\n`,
});

/** A script of these roles; every other call is played by the built-in one, which makes a small real change. */
export const script = (roles: Roles = {}): string => JSON.stringify({ script: 1, language: 'en', roles });

const brief = (decide: string, more: Partial<WorkerBrief> = {}): WorkerBrief => ({
  decide,
  recommend: { text: 'Do it.', confidence: 'low' },
  why: ['It is asked for.'],
  alternatives: [],
  context: [],
  items: [],
  research: [],
  load_bearing_gap: null,
  ...more,
});

/** A draft that rests on nothing and says so. */
export const drafting = (decide: string, title: string, more: Entry = {}): Entry => ({
  brief: brief(decide),
  gap: 'Nothing is known of it yet.',
  decision: { title, body: `${title}, since it is simple.`, domains: ['product'] },
  ...more,
});

export const ACCEPT: ScriptedAnswer = { option: 'accept' };
export const DENY: ScriptedAnswer = { option: 'deny', text: 'Not this year.' };

/** A person's accept at every gate. */
export const ALL = {
  clarify: [ACCEPT],
  decompose: [ACCEPT],
  design: [ACCEPT],
  plan: [ACCEPT],
  release: [ACCEPT],
  verify: [ACCEPT],
} as const;
export const OUTWARD = { release: [ACCEPT], verify: [ACCEPT] } as const;

export const conduct = (mode = 'controlled', more: Partial<Move> = {}): Move => ({
  at: 'halt',
  command: 'conduct',
  mode,
  ...more,
});

export const base = {
  workflow: 'conduct',
  git: true,
  files: filesOf(),
  input: { title: 'Add the second sum', description: 'One more line.' },
  script: script(),
  answers: ALL,
  moves: [conduct()],
  result: 'verified',
} as const satisfies Omit<Scenario, 'name'>;
