import { flagOf, parseMode } from '../../engine/drive-mode.ts';
import { overviewText } from '../../engine/overview-text.ts';
import type { Translate } from '../../engine/workflow.ts';
import type { Progress } from '../../runtime/api.ts';
import type { Words } from './messages.ts';
import type { Screen } from './screen.ts';
import { stopwatch } from './span.ts';
import { asleepText } from './standing.ts';

/** How this run is spoken about. Changes when the run's language does. */
export interface Voice {
  readonly run: string;
  readonly words: Words;
  readonly t: Translate;
  /** The shown name of a phase of the run. */
  readonly phase: (name: string) => Promise<string>;
  /** Its phases are shown as a way, again at each of them. */
  readonly has_way: boolean;
  /** The voice of another run whose progress is told here: a child has messages of its own. */
  readonly of: (run: string) => Promise<Voice>;
}

/** Progress as lines: one per thing that happened, and on a terminal one live line for what is going on. */
export interface ProgressLines {
  take(progress: Progress): void;
  /** Lines that came before are shown now, later ones at once. */
  speak(voice: Voice): void;
  /** What is taken from here on waits for the call of what is given back: an answer is told before what follows it. */
  hold(): () => void;
  /** Everything taken so far is on the screen and the live line is gone. */
  settle(): Promise<void>;
  /** The last notice shown said exactly this. */
  hasSaid(text: string): boolean;
}

interface RunningCall {
  readonly role: string;
  readonly since: number;
  readonly attempt: number;
  /** What it waits for; null while it works. */
  readonly asleep: string | null;
  /** What the worker says it does now. */
  readonly says: string;
}

interface StepCalls {
  phase: string | null;
  expected: number;
  ok: number;
  ended: number;
  readonly running: Map<string, RunningCall>;
  /** Who spoke last. */
  spoke: string | null;
  /** The phase the way was last shown for. */
  overview: string | null;
  /** What the last notice said. */
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
      // The failure is told by `settle`; until then it must not count as unhandled.
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

/** One object per thing that happened; what a notice says is beside its message id, in the run's language. */
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
      return [`  ✓ ${voice.words.accepted_for_you(progress.name, flagNamed(progress.mode), progress.part)}`];
  }
}

/** The flag that allowed it, as it was typed (CON-55). */
function flagNamed(mode: string): string {
  const known = parseMode(mode);
  return known ? flagOf(known) : mode;
}

/** The whole way, each time another phase of it is under way. */
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
  // Checks tell nothing until all of them have ended, and that can take minutes.
  if (step.kind === 'check') {
    const role = step.calls.map(roleName).join(', ');
    calls.running.set('check', { role, since: now, attempt: 1, asleep: null, says: '' });
  }
  // A write inside a phase is told by its notice; the phase's own name may say that it waits for a person.
  if (calls.phase === step.phase || step.kind === 'workspace') return [];
  calls.phase = step.phase;
  // The way of a ticket has its state above it already.
  return voice.has_way ? [] : [await voice.phase(step.phase)];
}

/** A phase that begins is a heading, once; what a worker said stands beside its role already. */
function noticeLines(
  { level, text }: Extract<Progress, { type: 'notice' }>,
  calls: StepCalls,
  { t }: Voice,
): string[] {
  if (/\.notice\.worker(_done)?$|\.attempt_invalid$/.test(text.msg)) return [];
  const phase = /\.phase\.(\w+)$/.exec(text.msg)?.[1];
  if (phase === undefined) {
    calls.said = t(text);
    return [`  ${level === 'warning' ? '!' : '·'} ${calls.said}`];
  }
  if (calls.phase === phase) return [];
  calls.phase = phase;
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
      return [`  … ${words.tried_again(running.role, call.attempt)}${says}`];
    case 'done':
    case 'failed': {
      calls.running.delete(key);
      calls.ended += 1;
      if (call.state === 'done') calls.ok += 1;
      const mark = call.state === 'done' ? '✓' : '✗';
      return [`  ${mark} ${running.role} ${took}${says}`, ...groupEnd(calls, words)];
    }
  }
}

/** Said once, and shown in the live line until the call goes on. */
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
  return over ? [`  ${words.group_done(calls.ok, calls.expected)}`] : [];
}

function liveLine(calls: StepCalls, { words }: Voice, now: number): string | null {
  if (calls.running.size === 0) return null;
  const parts = [...calls.running.values()].map(({ role, since, attempt, asleep }) => {
    if (asleep !== null) return `… ${role}: ${asleep}`;
    const again = attempt > 1 ? ` ${words.tries(attempt)}` : '';
    return `… ${role} ${stopwatch(now - since)}${again}`;
  });
  return parts.join('   ') + lastWord(calls);
}

/** What was said last, by whom where several work. */
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
