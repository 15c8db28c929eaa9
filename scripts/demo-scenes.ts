/** One gate of the story, and what the demo answers there. */
export interface Scene {
  readonly gate: string;
  /** What follows `baton answer <gate>`. */
  readonly answer: readonly string[];
  /** Why the demo answers so, in a few words; null where it speaks for itself. */
  readonly because: string | null;
  /** Title of the part that begins with this gate. */
  readonly part?: string;
  /** The shipped command tries to answer first. */
  readonly shippedFirst?: true;
  /** The process that carries the run on is killed while a worker repairs. */
  readonly killed?: true;
}

export const START = [
  ['spec', 'Unique photo names', '--mode', 'deep', '--model-config', 'balanced'],
  ['--reference', 'conventions.md', '--script', '../script.yaml'],
].flat();

/** In the order they are asked: the first four by `spec`, the others by the `deliver` run it starts. */
export const SCENES: readonly Scene[] = [
  {
    gate: 'questions',
    answer: ['answer', '--field', 'q1=Add -2, -3', '--field', 'q2=JPEG and HEIC'],
    because: 'q3 stays open and is marked [unconfirmed]',
  },
  { gate: 'critic', answer: ['auto_revise'], because: null },
  { gate: 'approval', answer: ['approve'], because: 'only now is it written' },
  {
    gate: 'next_step',
    answer: ['start_deliver'],
    because: 'a second run, de-...',
    part: 'deliver: the specification becomes a plan',
  },
  { gate: 'mode', answer: ['single'], because: 'plan, write, evaluate' },
  { gate: 'model', answer: ['balanced'], because: 'none is asked here' },
  {
    gate: 'spec',
    answer: ['proceed'],
    because: 'as "demo"',
    part: 'Build it? Only a person says so',
    shippedFirst: true,
    killed: true,
  },
  {
    gate: 'commit',
    answer: ['commit_all'],
    because: 'the change and its documents',
    part: 'Judged; the commit is decided by a person too',
  },
];
