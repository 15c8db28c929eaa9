import { flagOf, parseMode } from '../../engine/drive-mode.ts';
import { overviewText } from '../../engine/overview-text.ts';
import type { Translate } from '../../engine/workflow.ts';
import type { Progress } from '../../runtime/views.ts';
import type { Screen } from './screen.ts';
import { stopwatch } from './span.ts';
import { asleepText } from './standing.ts';
import type { Words } from './words.ts';

/** The texts of one run. They change when the run's language changes. */
export interface Voice {
  readonly run: string;
  readonly words: Words;
  readonly t: Translate;
  /** The displayed name of a phase of the run. */
  readonly phase: (name: string) => Promise<string>;
  /** The run shows its whole route, again at each phase. */
  readonly has_way: boolean;
  /** The voice of another run whose progress is shown here. A child has messages of its own. */
  readonly of: (run: string) => Promise<Voice>;
}

/** Progress as lines: one for each event, and on a terminal one live line for the work in progress. */
export interface ProgressLines {
  take(progress: Progress): void;
  /** Shows the lines that were waiting for a voice. Later lines are shown at once. */
  speak(voice: Voice): void;
  /** Holds back later progress until the returned function is called, so that an answer is shown before its effects. */
  hold(): () => void;
  /** Resolves when everything taken so far is on the screen and the live line is removed. */
  settle(): Promise<void>;
  /** True if the last notice shown had exactly this text. */
  hasSaid(text: string): boolean;
}

interface RunningCall {
  readonly role: string;
  readonly since: number;
  readonly attempt: number;
  /** What the call waits for. Null while it works. */
  readonly asleep: string | null;
  /** The latest line of the worker about its work. */
  readonly says: string;
}

interface StepCalls {
  phase: string | null;
  expected: number;
  ok: number;
  ended: number;
  readonly running: Map<string, RunningCall>;
  /** The call with the latest line. */
  spoke: string | null;
  /** The phase for which the route was last shown. */
  overview: string | null;
  /** The text of the last notice. */
  said: string | null;
}

const TICK_MS = 1000;

export function createProgressLines(screen: Screen, now: () => number): ProgressLines {
  if (screen.json) return createJsonLines(screen);
  const calls: StepCalls = {
    phase: null,
    expected: 0,
    ok: 0,
    ended: 0,
    running: new Map(),
    spoke: null,
    overview: null,
    said: null,
  };
  const { promise: spoken, resolve: start } = Promise.withResolvers<void>();
  let voice: Voice | undefined;
  let queue: Promise<void> = spoken;
  let ticker: NodeJS.Timeout | undefined;

  const tick = () => screen.live(voice ? liveLine(calls, voice, now()) : null);
  const handle = async (progress: Progress) => {
    if (!voice) return;
    const own = progress.run === voice.run ? voice : await voice.of(progress.run);
    for (const line of await linesOf(progress, calls, own, now())) screen.text(toned(screen, line), '    ');
    tick();
    ticker ??= screen.terminal ? setInterval(tick, TICK_MS) : undefined;
  };
  return {
    take(progress) {
      queue = queue.then(() => handle(progress));
      // `settle` reports the failure. Until then it must not count as unhandled.
      queue.catch(() => undefined);
    },
    speak(next) {
      voice = next;
      start();
    },
    hold() {
      const { promise, resolve } = Promise.withResolvers<void>();
      queue = queue.then(() => promise);
      return resolve;
    },
    async settle() {
      if (voice) await queue;
      clearInterval(ticker);
      ticker = undefined;
      calls.running.clear();
      screen.live(null);
    },
    hasSaid: (text) => calls.said === text,
  };
}

/** One object for each event. A notice has its text in the run's language next to its message id. */
function createJsonLines(screen: Screen): ProgressLines {
  let voice: Voice | undefined;
  let held: Progress[] | null = null;
  const print = (progress: Progress) => {
    const told = progress.type === 'notice' || progress.type === 'recovered';
    const known = told && voice?.run === progress.run ? { rendered: voice.t(progress.text) } : {};
    screen.printJson({ ...progress, ...known });
  };
  return {
    take: (progress) => void (held ? held.push(progress) : print(progress)),
    speak: (next) => {
      voice = next;
    },
    hold() {
      const waiting: Progress[] = [];
      held = waiting;
      return () => {
        if (held === waiting) held = null;
        for (const progress of waiting.splice(0)) print(progress);
      };
    },
    settle: async () => undefined,
    hasSaid: () => false,
  };
}

async function linesOf(progress: Progress, calls: StepCalls, voice: Voice, now: number): Promise<string[]> {
  switch (progress.type) {
    case 'step_started':
      return stepLines(progress, calls, voice, now);
    case 'call':
      return callLines(progress, calls, voice, now);
    case 'asleep':
      return asleepLines(progress, calls, voice, now);
    case 'notice':
      return noticeLines(progress, calls, voice);
    case 'recovered':
      return [voice.t(progress.text)];
    case 'run_created':
    case 'gate_opened':
    case 'paused':
      return [];
    case 'overview':
      return overviewLines(progress, calls, voice);
    case 'auto_accepted':
      return [`  ✓ ${acceptedText(progress, voice)}`];
  }
}

function acceptedText(
  { name, mode, part }: Extract<Progress, { type: 'auto_accepted' }>,
  { words }: Voice,
): string {
  const accepted = { gate: name, mode: flagNamed(mode) };
  return part === undefined
    ? words('cli.accepted_for_you', accepted)
    : words('cli.track_accepted_for_you', { ...accepted, part });
}

/** The flag that allowed the accept, as it was typed (CON-55). */
function flagNamed(mode: string): string {
  const known = parseMode(mode);
  return known ? flagOf(known) : mode;
}

/** The whole route, shown each time another phase begins. */
function overviewLines(
  { run, phase, lines }: Extract<Progress, { type: 'overview' }>,
  calls: StepCalls,
  { t }: Voice,
): string[] {
  if (calls.overview === phase) return [];
  calls.overview = phase;
  return ['', `${run}: ${phase}`, ...lines.map((line) => `  ${overviewText(line, t)}`)];
}

async function stepLines(
  step: Extract<Progress, { type: 'step_started' }>,
  calls: StepCalls,
  voice: Voice,
  now: number,
): Promise<string[]> {
  calls.running.clear();
  Object.assign(calls, { expected: step.calls.length, ok: 0, ended: 0 });
  // Checks report only after all of them have ended, which can take minutes.
  if (step.kind === 'check') {
    const role = step.calls.map(roleName).join(', ');
    calls.running.set('check', { role, since: now, attempt: 1, asleep: null, says: '' });
  }
  // A notice reports a write inside a phase. The phase's own name may say that it waits for a person.
  if (calls.phase === step.phase || step.kind === 'workspace') return [];
  calls.phase = step.phase;
  // The route of a ticket already has its state above it.
  return voice.has_way ? [] : [await voice.phase(step.phase)];
}

/** The start of a phase becomes a heading, once. A worker's words are already shown next to its role. */
function noticeLines(
  { level, text, about }: Extract<Progress, { type: 'notice' }>,
  calls: StepCalls,
  { t }: Voice,
): string[] {
  if (about === 'call' || about === 'attempt') return [];
  if (typeof about !== 'object') {
    calls.said = t(text);
    return [`  ${level === 'warning' ? '!' : '·'} ${calls.said}`];
  }
  if (calls.phase === about.phase) return [];
  calls.phase = about.phase;
  return [t(text)];
}

function callLines(
  call: Extract<Progress, { type: 'call' }>,
  calls: StepCalls,
  { t, words }: Voice,
  now: number,
): string[] {
  const key = `${call.role}/${call.n}`;
  const { attempt } = call;
  const fresh = { role: roleName(call.role), since: now, attempt, asleep: null, says: '' };
  const running = calls.running.get(key) ?? fresh;
  const took = stopwatch(now - running.since);
  const says = call.text === null ? '' : `  ${t(call.text)}`;
  switch (call.state) {
    case 'started':
      calls.running.set(key, { ...running, asleep: null });
      return [];
    case 'line':
      calls.running.set(key, { ...running, says: says.trim(), asleep: null });
      calls.spoke = key;
      return [];
    case 'retry':
      calls.running.set(key, { ...running, attempt, asleep: null });
      return [`  … ${words('cli.tried_again', { role: running.role, n: call.attempt })}${says}`];
    case 'done':
    case 'failed': {
      calls.running.delete(key);
      calls.ended += 1;
      if (call.state === 'done') calls.ok += 1;
      const symbol = call.state === 'done' ? '✓' : '✗';
      return [`  ${symbol} ${running.role} ${took}${says}`, ...groupEnd(calls, words)];
    }
  }
}

/** Shown once as a line, and in the live line until the call continues. */
function asleepLines(
  sleep: Extract<Progress, { type: 'asleep' }>,
  calls: StepCalls,
  { words }: Voice,
  now: number,
): string[] {
  const key = `${sleep.role}/${sleep.n}`;
  const role = roleName(sleep.role);
  const asleep = asleepText(sleep, words, now);
  const running = calls.running.get(key) ?? { role, since: now, attempt: 1 };
  calls.running.set(key, { ...running, asleep, says: '' });
  return [`  … ${role}: ${asleep}`];
}

function groupEnd(calls: StepCalls, words: Words): string[] {
  const over = calls.expected > 1 && calls.ended === calls.expected;
  return over ? [`  ${words('cli.group_done', { done: calls.ok, all: calls.expected })}`] : [];
}

function liveLine(calls: StepCalls, { words }: Voice, now: number): string | null {
  if (calls.running.size === 0) return null;
  const parts = [...calls.running.values()].map(({ role, since, attempt, asleep }) => {
    if (asleep !== null) return `… ${role}: ${asleep}`;
    const again = attempt > 1 ? ` ${words('cli.tries', { n: attempt })}` : '';
    return `… ${role} ${stopwatch(now - since)}${again}`;
  });
  return parts.join('   ') + lastWord(calls);
}

/** The latest line of a worker, with its role if several are working. */
function lastWord({ running, spoke }: StepCalls): string {
  const speaker = running.get(spoke ?? '');
  if (!speaker || speaker.says === '') return '';
  return running.size > 1 ? ` ${speaker.role}: ${speaker.says}` : ` ${speaker.says}`;
}

function roleName(role: string): string {
  return role.replaceAll('_', ' ');
}

function toned(screen: Screen, line: string): string {
  if (!line.startsWith('  ')) return screen.paint('strong', line);
  return line
    .replace(/^ {2}✓/, () => `  ${screen.paint('proven', '✓')}`)
    .replace(/^ {2}✗/, () => `  ${screen.paint('failed', '✗')}`)
    .replace(/^ {2}!/, () => `  ${screen.paint('waits', '!')}`);
}
