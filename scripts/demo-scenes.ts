/** One gate of the story, and what the demo answers there. */
export interface Scene {
  readonly gate: string;
  readonly title: string;
  readonly says: string;
  /** What follows `baton answer <gate>`. */
  readonly answer: readonly string[];
  /** Exit code of the process that carries the run on: 4 at the next gate, 0 at the end. */
  readonly exit: number;
  /** The shipped command tries to answer first. */
  readonly shippedFirst?: true;
  /** The process is killed while a worker is busy and at least `done` of its siblings have finished. */
  readonly kill?: { readonly done: number; readonly what: string; readonly resume: string };
}

export const START = {
  title: 'A sample repository, a task, and the first questions',
  argv: [
    ['spec', 'Rename photos by date'],
    ['--mode', 'deep', '--model-config', 'balanced'],
    ['--reference', 'conventions.md', '--score', '../score.yaml'],
  ].flat(),
};

/** In the order the run asks. */
export const SCENES: readonly Scene[] = [
  {
    gate: 'questions',
    title: 'Two of the three answers; then the process is killed',
    says:
      'The demo answers two questions and leaves the third open on purpose: nothing is assumed for it, it is marked ' +
      '[unconfirmed] where it matters. Then four analysts start at the same time.',
    answer: [
      'answer',
      '--field',
      'q1=JPEG and HEIC',
      '--field',
      'q2=Add -2, -3 and so on, and never overwrite a photo',
    ],
    kill: {
      done: 2,
      what: 'with two analysts finished and two at work',
      resume: 'Going on: nothing is asked again; only the two unfinished analysts repeat',
    },
    exit: 4,
  },
  {
    gate: 'critic',
    title: 'The critic found something; the demo asks for a revision and a change',
    says: 'Now the demo, as its own person, asks for the revision and adds a wish:',
    answer: ['modify', '--text', 'Add a dry run that shows the new names and renames nothing.'],
    shippedFirst: true,
    exit: 4,
  },
  {
    gate: 'approval',
    title: 'The revised draft is clean; the demo approves it',
    says: 'It has the wish as AC-3 and cites the finding as [M1]. Only approval makes documents be written.',
    answer: ['approve'],
    exit: 4,
  },
  {
    gate: 'next_step',
    title: 'The documents stand; what comes next may be answered today or any day',
    says: 'The demo ends here. Start deliver would build the specification in a run of its own.',
    answer: ['done'],
    exit: 0,
  },
];
