import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach } from 'vitest';
import type { Gate } from '../../src/contract/gate.ts';
import type { SpecState } from '../../src/contract/spec.ts';
import type { SpecDoc } from '../../src/contract/spec-work.ts';
import { isRejection } from '../../src/engine/rejection.ts';
import type { DriveHandle, StopPoint } from '../../src/runtime/views.ts';
import { type AnswerMore, type Lab, type LabOptions, openLab, openLabAt } from '../support/lab.ts';

export const TASK = 'Rename photos by date';
export const SLUG = 'rename-photos-by-date';
export const DOCS = `docs/baton/${SLUG}`;
export const QUICK = { task: TASK, mode: 'quick' } as const;

type Entry = Readonly<Record<string, unknown>>;

/** Opens labs that are closed and removed after the test, the newest first. */
export function labsOfTest(): {
  open(options?: LabOptions): Promise<Lab>;
  /** The same folders once more, as they are now: a point many tests can start from. */
  copy(lab: Lab, options?: LabOptions): Promise<Lab>;
  /** A lab on the same folders that will be killed: nothing is written when it goes. */
  dying(lab: Lab, ...parts: Parameters<Lab['other']>): Promise<Lab>;
  /** A lab on the same folders as another process sees them. */
  other(lab: Lab, ...parts: Parameters<Lab['other']>): Promise<Lab>;
} {
  let closers: (() => Promise<void> | void)[] = [];
  afterEach(async () => {
    for (const close of closers) await close();
    closers = [];
  });
  const closing = (lab: Lab): Lab => {
    closers.unshift(lab.close);
    return lab;
  };
  return {
    open: async (options) => closing(await openLab(options)),
    other: async (lab, ...parts) => closing(await lab.other(...parts)),
    copy: async (lab, options = {}) => {
      const base = mkdtempSync(path.join(tmpdir(), 'baton-copy-'));
      cpSync(path.dirname(lab.root), base, { recursive: true });
      const location = { root: path.join(base, path.basename(lab.root)), home: path.join(base, 'home') };
      return closing(
        await openLabAt(location, options, () => rmSync(base, { recursive: true, force: true })),
      );
    },
    dying: async (lab, ...parts) => {
      const other = await lab.other(...parts);
      closers.unshift(() => other.deps.store.close());
      return other;
    },
  };
}

/** A script: JSON is YAML too. */
export function script(roles: Readonly<Record<string, readonly Entry[]>>): string {
  return JSON.stringify({ script: 1, language: 'en', roles });
}

/** The interviewer asks these questions; none means that nothing is open. */
export function ask(...texts: string[]): Entry {
  return { result: { questions: texts.map((text) => ({ text, why: 'it decides the names' })) } };
}

/** The writer gives a whole specification; `markers` are the questions it leaves open. */
export function draft(markers: readonly string[] = [], changes: Partial<SpecDoc> = {}): { result: SpecDoc } {
  return { result: specDoc(markers, changes) };
}

export function specDoc(markers: readonly string[] = [], changes: Partial<SpecDoc> = {}): SpecDoc {
  return {
    goal: 'Photos get names that sort by the time they were taken.',
    background_decisions: ['The date comes from the picture.', ...markers.map((id) => `[unconfirmed ${id}]`)],
    scope: ['Renaming files of one folder'],
    out_of_scope: ['Changing the pictures'],
    edge_cases: ['Two photos of one second get a counter.'],
    acceptance_criteria: [
      { id: 'AC-1', name: 'Named by date', given: 'a photo', when: 'the tool runs', outcome: 'a new name' },
    ],
    risks: [{ text: 'Wrong camera clock', likelihood: 'med', mitigation: 'Show the names first.' }],
    ...changes,
  };
}

/** One question, skipped, and a draft that leaves it open: the shortest way to the approval gate. */
export const SHORT = script({ interviewer: [ask('Which formats?')], writer: [draft(['q1'])] });

export function lines(n: number, word = 'rule'): string {
  return Array.from({ length: n }, (_, i) => `${word} ${i + 1}\n`).join('');
}

export type Answers = Readonly<Record<string, readonly (readonly [string, AnswerMore?])[]>>;

/** A person who approves and leaves the rest for another day. */
export const APPROVED: Answers = { approval: [['approve']], next_step: [['done']] };

/** Answers gates by name, in order, until a gate named `to` is open or nothing more happens. */
export async function playTo(
  lab: Lab,
  drive: DriveHandle,
  answers: Answers,
  to: string | null = null,
): Promise<StopPoint> {
  const used: Record<string, number> = {};
  for (;;) {
    const rest = await drive.advance();
    if (!rest.gate || rest.gate.name === to) return rest;
    const { name } = rest.gate;
    const next = answers[name]?.[used[name] ?? 0];
    if (!next) throw new Error(`no answer for gate '${name}': ${JSON.stringify(rest.gate.brief.decide)}`);
    used[name] = (used[name] ?? 0) + 1;
    await lab.answer(rest.gate, ...next);
  }
}

/** Takes the run in this lab and drives it. */
export async function reopen(lab: Lab, run: string): Promise<DriveHandle> {
  const drive = await lab.api.open({ run, attended: false });
  if (isRejection(drive)) throw new Error(`cannot open: ${JSON.stringify(drive)}`);
  return drive;
}

export async function openGate(lab: Lab, run: string): Promise<Gate> {
  const [shown] = await lab.api.gates(run);
  if (!shown) throw new Error(`${run} has no open gate`);
  return shown.gate;
}

export async function stateOf(lab: Lab, run: string): Promise<SpecState> {
  return (await lab.row(run)).state as unknown as SpecState;
}

/** One attempt of a worker as it was really started: its role is the first line of its part. */
export interface Dispatch {
  readonly turn: number;
  readonly attempt: number;
  readonly prompt: string;
}

/** Prompts that were really sent, oldest first, read from the calls folder. */
export function dispatches(lab: Lab, run: string): Dispatch[] {
  const calls = path.join(lab.home, 'calls', run);
  return readdirSync(calls)
    .filter((name) => /^\d+-\d+-\d+$/.test(name))
    .map((name) => {
      const [turn = 0, , attempt = 0] = name.split('-').map(Number);
      return { turn, attempt, prompt: promptIn(path.join(calls, name)) };
    })
    .sort((a, b) => a.turn - b.turn || a.attempt - b.attempt);
}

function promptIn(dir: string): string {
  const file = readdirSync(dir).find((name) => name.endsWith('.in'));
  if (!file) throw new Error(`no prompt in ${dir}`);
  return readFileSync(path.join(dir, file), 'utf8');
}

/** Roles of all calls in order, as the log tells them. */
export function rolesCalled(lab: Lab): string[] {
  return lab.progress.flatMap((event) =>
    event.type === 'call' && (event.state === 'started' || event.state === 'retry')
      ? [`${event.role} ${event.attempt}`]
      : [],
  );
}

export function notices(lab: Lab, level: 'info' | 'warning'): string[] {
  return lab.progress.flatMap((event) =>
    event.type === 'notice' && event.level === level ? [event.text.msg] : [],
  );
}
