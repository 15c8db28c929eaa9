import type { Evaluation } from '../../src/contract/deliver-work.ts';
import type { Roles } from '../support/deliver-script.ts';
import { changeNotes, deliverSpec, type Entry, failing, passing } from '../support/deliver-script.ts';
import type { Scenario } from './scenario.ts';

/** A project whose only check is a shell script: it fails as long as a word in capitals stands in `sums.txt`. */
const CHECK = `if grep -q BAD sums.txt; then
  echo "sums.txt:1:1: error: $(cat sums.txt)"
  exit 1
fi
echo fine
`;

export const FILES: Readonly<Record<string, string>> = {
  'baton.yaml': "checks: { test: 'sh check.sh' }\n",
  'check.sh': CHECK,
  'sums.txt': 'one\n',
  'mine.txt': 'committed\n',
};

const PATHS = ['more.txt', 'sums.txt'];

/** What the author writes in one attempt. */
export const writing = (text: string, more: Entry = {}): Entry => ({
  line: 'editing',
  edits: [
    { path: 'sums.txt', content: `${text}\n` },
    { path: 'more.txt', content: 'more\n' },
  ],
  result: changeNotes({ files: PATHS }),
  ...more,
});

export const GOOD = writing('one and two');
/** Attempts that fail, each in another way. */
export const BAD = ['left', 'right', 'above', 'below'].map((word) => writing(`BAD ${word}`));
export const PLANNED: Entry = { line: 'planning', result: deliverSpec() };

/** An evaluation cites places of this project; where a criterion is not met it cites none. */
const judged = ({ result }: { result: Evaluation }): Entry => {
  const locations = (cited: readonly unknown[]) => cited.map(() => ({ file: 'sums.txt', line: 1 }));
  const criteria = result.criteria.map((row) => ({ ...row, evidence: locations(row.evidence) }));
  return { line: 'judging', result: { ...result, criteria } };
};
export const PASSED = judged(passing(PATHS));
export const FAILED_2 = judged(failing(2, PATHS));
export const FAILED_3 = judged(failing(3, PATHS));
/** An attempt that says nothing usable, three times over. */
export const USELESS: Entry = { silence: true, attempts: [{ silence: true }, { silence: true }] };

/** A script in single mode; the happy one unless a role is given. */
export const script = (roles: Roles = {}): string =>
  JSON.stringify({
    script: 1,
    language: 'en',
    roles: {
      planner_single: [PLANNED],
      generator_single: [GOOD],
      evaluator: [PASSED],
      ...roles,
      // A call no scenario thought of must not be played by the built-in script.
      else: { silence: true },
    },
  });

/** A proposed patch that makes this of the last bad attempt. */
export const proposal = (diff: string): Entry => ({
  result: { confidence: 'High', diff, rationale: 'The word is wrong.', limitations: null },
});

export const patchOf = (file: string, to: string): string =>
  [`--- a/${file}`, `+++ b/${file}`, '@@ -1 +1 @@', '-BAD below', `+${to}`, ''].join('\n');

export const base = {
  workflow: 'deliver',
  git: true,
  files: FILES,
  input: { task: 'Add the second sum', mode: 'single', model_config: 'balanced' },
  script: script(),
  answers: {
    conventions: [{ option: 'skip' }],
    spec: [{ option: 'proceed' }],
    commit: [{ option: 'code_only' }],
  },
  result: 'passed',
} as const satisfies Omit<Scenario, 'name'>;
