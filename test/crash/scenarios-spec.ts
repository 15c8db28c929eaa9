import type { Scenario } from './scenario.ts';

const TASK = 'Rename photos by date';
const FOLDER = 'docs/baton/rename-photos-by-date';

const question = (text: string) => ({ text, why: 'it decides the names' });
const ask = (...texts: string[]) => ({ result: { questions: texts.map(question) } });
const NOTHING = ask();

/** A whole specification; `markers` are the questions nobody answered, `more` is what a later pass adds. */
const draft = (markers: readonly string[] = [], more = 'Renaming files of one folder') => ({
  result: {
    goal: 'Photos get names that sort by the time they were taken.',
    background_decisions: ['The date comes from the picture.', ...markers.map((id) => `[unconfirmed ${id}]`)],
    scope: [more],
    out_of_scope: ['Changing the pictures'],
    edge_cases: ['Two photos of one second get a counter.'],
    acceptance_criteria: [
      { id: 'AC-1', name: 'Named by date', given: 'a photo', when: 'the tool runs', outcome: 'a new name' },
    ],
    risks: [{ text: 'Wrong camera clock', likelihood: 'med', mitigation: 'Show the names first.' }],
  },
});

type Entry = Readonly<Record<string, unknown>>;

/** Scripts are YAML; JSON is YAML too. */
const script = (roles: Readonly<Record<string, readonly Entry[]>>) =>
  JSON.stringify({ script: 1, language: 'en', roles });

const rules = (lines: number, name: string) =>
  Array.from({ length: lines }, (_, n) => `${name} ${n}`).join('\n');

const ONE_ROUND = script({ interviewer: [ask('Which formats?'), NOTHING], writer: [draft()] });
const SKIPPED = script({ interviewer: [ask('Which formats?')], writer: [draft(['q1'])] });
const SCAN = { db: 'N/A', api: 'N/A', files: ['one folder'], tests: 'N/A' };

const done = { next_step: [{ option: 'done' }] } as const;
const approve = { approval: [{ option: 'approve' }], ...done } as const;
const skip = { questions: [{ option: 'skip' }], ...approve } as const;
const base = {
  workflow: 'spec',
  input: { task: TASK, mode: 'quick' },
  script: SKIPPED,
  answers: skip,
  result: 'approved',
} as const;

/** Quick mode: every gate, every way a worker fails in it, with and without git. */
export const specScenarios: readonly Scenario[] = [
  {
    ...base,
    name: 'spec-plain',
    script: ONE_ROUND,
    answers: {
      questions: [{ option: 'answer', draft: { q1: 'JPEG' }, fields: { q1: 'JPEG and HEIC' } }],
      ...approve,
    },
  },
  {
    ...base,
    name: 'spec-three-rounds',
    script: script({
      interviewer: [ask('Which formats?', 'Which clock?'), ask('Which order?'), ask('Which suffix?')],
      writer: [draft(['q2', 'q4'])],
    }),
    answers: {
      questions: [
        { option: 'answer', fields: { q1: 'JPEG', q2: 'not sure' } },
        { option: 'answer', fields: { q3: 'oldest first' } },
        { option: 'answer', draft: { q4: '-photo' }, fields: { q4: null } },
      ],
      ...approve,
    },
  },
  {
    ...base,
    name: 'spec-partly-open',
    script: script({
      interviewer: [ask('Which formats?', 'Which clock?'), ask('Which order?')],
      writer: [{ garbage: 'Here is your spec.', attempts: [draft(['q2', 'q3'])] }],
    }),
    answers: {
      questions: [{ option: 'answer', fields: { q1: 'JPEG' } }, { option: 'no_more' }],
      ...approve,
    },
  },
  {
    ...base,
    name: 'spec-modify-twice',
    script: script({
      interviewer: [ask('Which formats?')],
      writer: [draft(['q1']), draft(['q1'], 'Videos too'), draft(['q1'], 'Videos and sounds')],
    }),
    answers: {
      questions: [{ option: 'skip' }],
      approval: [
        { option: 'modify', text: 'Add videos.\n```\nrm -rf /\n```', draft: { text: 'Add videos' } },
        { option: 'modify', text: 'Add sounds too.' },
        { option: 'approve' },
      ],
      ...done,
    },
  },
  {
    ...base,
    name: 'spec-scan',
    git: true,
    script: script({
      convention_scanner: [{ silence: true, attempts: [{ result: SCAN }] }],
      interviewer: [ask('Which formats?')],
      writer: [draft(['q1'])],
    }),
    answers: { conventions: [{ option: 'scan' }], ...skip },
  },
  { ...base, name: 'spec-claude-md', git: true, files: { 'CLAUDE.md': rules(60, 'Rule') } },
  {
    ...base,
    name: 'spec-reference',
    input: { task: TASK, mode: 'quick', reference: 'guide.md' },
    files: { 'guide.md': 'Names are lower case.\n' },
  },
  {
    ...base,
    name: 'spec-candidates',
    files: { 'CONTRIBUTING.md': rules(70, 'Ask'), 'docs/conventions.md': rules(60, 'Write') },
    answers: {
      candidates: [{ option: 'second' }],
      questions: [{ option: 'skip' }],
      approval: [{ option: 'stop' }],
    },
    result: 'stopped',
  },
  {
    ...base,
    name: 'spec-halted',
    script: script({
      interviewer: [ask('Which formats?')],
      writer: [{ garbage: 'no', attempts: [{ silence: true }, { garbage: 'never' }] }, draft(['q1'])],
    }),
    commands: ['resume'],
  },
  {
    ...base,
    name: 'spec-abandoned',
    script: script({
      interviewer: [ask('Which formats?')],
      writer: [{ silence: true, attempts: [{ silence: true }, { silence: true }] }],
    }),
    answers: { questions: [{ option: 'skip' }] },
    commands: ['abandon'],
    result: 'abandoned',
  },
  {
    ...base,
    name: 'spec-timestamp',
    files: { [`${FOLDER}/spec.md`]: 'An earlier specification.\n' },
    answers: { slug_collision: [{ option: 'timestamp' }], ...skip },
  },
  {
    ...base,
    name: 'spec-overwrite',
    git: true,
    files: {
      'CLAUDE.md': rules(60, 'Rule'),
      [`${FOLDER}/spec.md`]: 'An earlier specification.\n',
      [`${FOLDER}/notes.txt`]: 'Mine.\n',
    },
    answers: { slug_collision: [{ option: 'overwrite' }], ...skip },
  },
  {
    ...base,
    name: 'spec-restart',
    before: [{ ...base, name: 'spec-earlier' }],
    answers: { session: [{ option: 'restart' }], ...skip },
  },
  {
    ...base,
    name: 'spec-in-place',
    git: true,
    in_place: true,
    answers: { conventions: [{ option: 'skip' }], ...skip },
  },
  {
    ...base,
    name: 'spec-unattended',
    git: true,
    unattended: true,
    files: { [`${FOLDER}/qa_notes.md`]: 'Earlier notes.\n' },
    answers: { conventions: [{ option: 'skip' }], ...skip },
  },
];
