import type { ScanResult } from '../../contract/conventions.ts';
import type { InterviewerResult, Note, SpecDoc } from '../../contract/spec.ts';
import type { AgentCall } from '../../ports/agent.ts';
import { type BuiltinWords, builtinWords } from './builtin-messages.ts';
import type { ScoreAttempt } from './score-schema.ts';

type Told = Pick<AgentCall, 'role' | 'nth' | 'lang' | 'slots'>;
type Part = (told: Told, words: BuiltinWords) => ScoreAttempt;

const PARTS: Readonly<Record<string, Part>> = {
  interviewer: (told, words) => ({ line: words.asking, result: ask(told, words) }),
  writer: (told, words) => ({ line: words.writing, result: write(told, words) }),
  convention_scanner: (_, words) => ({ line: words.scanning, result: scan(words) }),
};

/**
 * What is played without a score: it echoes the task and the answers, invents nothing, and says in every result that
 * no model wrote it. Null for a role it does not know. Equal calls give equal results.
 */
export function builtinAttempt(told: Told): ScoreAttempt | null {
  const part = Object.hasOwn(PARTS, told.role) ? PARTS[told.role] : undefined;
  return part?.(told, builtinWords(told.lang)) ?? null;
}

/** Three questions in the first round, none afterwards. */
function ask({ nth, slots }: Told, words: BuiltinWords): InterviewerResult {
  if (nth > 1) return { questions: [] };
  const task = cut(slots.task?.replace(/\s+/g, ' '), 120);
  return {
    questions: words.questions.map(({ text, why }, index) => ({
      id: `q${index + 1}`,
      text: text(task),
      why: `${why}. ${words.disclaimer}`,
    })),
  };
}

function write({ slots }: Told, words: BuiltinWords): SpecDoc {
  const task = cut(slots.task, 3000);
  const notes = readNotes(slots.notes);
  const known = notes.filter((note) => note.answer !== null && !note.unconfirmed);
  const open = notes.filter((note) => !known.includes(note));
  const requests = readRequests(slots).map((request) => words.requested(request));
  return {
    goal: `${words.goal(task)}\n\n${words.disclaimer}`,
    background_decisions: [
      words.disclaimer,
      ...known.map((note) => words.decided(question(note), answer(note))),
      ...open.map((note) => `${openMark(note)} ${words.open(question(note))}`),
      ...requests,
    ],
    scope: [words.inScope(task), ...known.map(answer), ...requests],
    out_of_scope: [words.outOfScope],
    edge_cases: [words.edgeCase, ...open.map((note) => `${openMark(note)} ${words.open(question(note))}`)],
    acceptance_criteria: [
      { id: 'AC-1', ...words.mainCriterion, when: words.mainCriterion.when(task) },
      ...known.map((note, index) => ({
        id: `AC-${index + 2}`,
        name: words.criterion.name(note.id),
        given: words.criterion.given(question(note)),
        when: words.criterion.when,
        outcome: words.criterion.outcome(answer(note)),
      })),
    ],
    risks: [
      { text: words.rehearsalRisk, likelihood: 'high', mitigation: words.rehearsalMitigation },
      ...open.map((note) => ({
        text: `${openMark(note)} ${words.openRisk(question(note))}`,
        likelihood: 'med' as const,
        mitigation: words.openMitigation,
      })),
    ],
  };
}

function scan(words: BuiltinWords): ScanResult {
  return { db: 'N/A', api: 'N/A', files: [`${words.scanned} ${words.disclaimer}`], tests: 'N/A' };
}

function openMark(note: Note): string {
  return `[unconfirmed ${note.id}]`;
}

function question(note: Note): string {
  return cut(note.question, 1000);
}

function answer(note: Note): string {
  return cut(note.answer ?? '', 2000);
}

/** The notes slot holds the records of the run as a JSON list; anything else in it is no note. */
function readNotes(slot: string | undefined): Note[] {
  const list: unknown = parseJson(slot ?? '');
  if (!Array.isArray(list)) return [];
  return list.filter(
    (note): note is Note => typeof note?.id === 'string' && typeof note.question === 'string',
  );
}

/** Requests come as one JSON list of records, or each as a slot of its own: `requests 1`, `requests 2`, ... */
function readRequests(slots: Told['slots']): string[] {
  const texts = Object.entries(slots).flatMap(([name, text]) => {
    if (!/^requests( \d+)?$/.test(name)) return [];
    const list = parseJson(text);
    return Array.isArray(list) ? list.map((request) => String(request?.text ?? request)) : [text];
  });
  return texts
    .filter((text) => text.trim() !== '')
    .slice(-20)
    .map((text) => cut(text, 2000));
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Never splits a character; blank text is said to be blank, since no part of a result may be empty. */
function cut(text: string | undefined, max: number): string {
  const trimmed = (text ?? '').trim();
  if (trimmed.length <= max) return trimmed === '' ? '-' : trimmed;
  return `${trimmed.slice(0, max - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}
