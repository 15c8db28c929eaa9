import ts from 'typescript';

/**
 * Words that no name carries any more, each with what to write instead (shared/WRITING.md). A segment is one word of
 * `camelCase`, `snake_case` or `kebab-case`; prose is not looked at.
 */
const SEGMENTS: Readonly<Record<string, string>> = {
  umbrella: 'parent_ticket',
  dial: 'trust',
  sweep: 'killLeftovers',
  swept: 'killed',
  beat: 'heartbeat',
  beats: 'heartbeats',
  stray: 'unauthorised',
  strays: 'unauthorised',
  strayed: 'unauthorised',
  thaw: 'parse',
  wish: 'options',
  wishes: 'options',
  pace: 'policy',
  jot: 'autosave',
  ride: 'joinCommit',
  rider: 'joinedWrite',
  riders: 'joinedWrites',
  lands: 'target',
  leads: 'effect_on_run',
  rests: 'idle',
  rested: 'was_idle',
  place: 'location or context',
  places: 'locations',
};

/** Names that are gone as a whole; their words may occur in others. */
const NAMES: Readonly<Record<string, string>> = {
  RestPause: 'StopPause',
  Told: 'what it holds',
  Heard: 'StreamState',
  Said: 'what it holds',
  Asked: 'what it holds',
  Brought: 'StepResult',
  Given: 'what it holds',
  Keep: 'StoreText',
  Kept: 'what it holds',
  Life: 'ProcessRun',
  Lives: 'ProcessRuns',
  Look: 'Query',
  LookAt: 'QueryHandler',
  Mark: 'Fingerprint',
  TreeMark: 'TreeFingerprint',
  Place: 'Location or Context',
  readOwn: 'readSmallFile',
  watch_minutes: 'attend_minutes',
};

/** Segments of file names that are gone. */
const FILES =
  /(^|-)(beat|dial|life|lives|look|mark|places?|rest|stray|sweep|tell|told|umbrella|wish)(?=[-.]|$)/;

/** Literals of docs/requirements, of other programs, or the other meaning of a word. */
const ALLOWED = /^(dial_override|\w*(in_place|[iI]nPlace))$/;

/** What is written for users and was renamed: refused in any text outside of CHANGELOG and docs/requirements. */
const TEXTS: readonly (readonly [RegExp, string])[] = [
  [/--score\b/, '--script'],
  [/\bwatch_minutes\b/, 'attend_minutes'],
  [/\bBATON_PLACE\b/, 'BATON_WORKSPACE'],
  [/\bscore_refused\b/, 'script_refused'],
  [/"type": ?"rest"|type: 'rest'/, '"type":"waiting"'],
];

const LONGEST_SUBJECT = 72;

/** The words of a name, in small letters. */
export function segmentsOf(name: string): string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1_$2')
    .toLowerCase()
    .split(/[^a-z0-9]+/);
}

/** Names in a source file that carry an old word, each with its line. */
export function oldNames(file: string, text: string): string[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest);
  const found = new Map<string, string>();
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node)) {
      const instead = insteadOf(node.text);
      const line = source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1;
      if (instead) found.set(`${line} ${node.text}`, `${file}:${line} ${node.text}: write ${instead}`);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return [...found.values()];
}

function insteadOf(name: string): string | undefined {
  if (Object.hasOwn(NAMES, name)) return NAMES[name];
  if (ALLOWED.test(name)) return undefined;
  const segment = segmentsOf(name).find((one) => Object.hasOwn(SEGMENTS, one));
  return segment === undefined ? undefined : SEGMENTS[segment];
}

/** Whether the name of a file carries an old word. */
export function isOldFile(file: string): boolean {
  const name = file.slice(file.lastIndexOf('/') + 1);
  return FILES.test(name.replaceAll('in-place', ''));
}

/** An old word for users in a line of text. */
export function oldText(line: string): string | null {
  const hit = TEXTS.find(([pattern]) => pattern.test(line));
  return hit ? `${hit[0].exec(line)?.[0]}: write ${hit[1]}` : null;
}

/** Subjects of commits that are too long. */
export function longSubjects(subjects: readonly string[]): string[] {
  return subjects
    .filter((subject) => subject.length > LONGEST_SUBJECT)
    .map((subject) => `commit subject of ${subject.length} characters: ${subject}`);
}
