import type { Note, SpecDoc } from '../../contract/spec-work.ts';
import type { BuiltinWords } from './builtin-messages.ts';
import { type BuiltinCall, cut, readNotes, readRequests } from './builtin-text.ts';

/** A specification that repeats task, answers and requests, marks what is open, and does not invent anything. */
export function write({ slots }: BuiltinCall, words: BuiltinWords): SpecDoc {
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
      ...open.map((note) => `${openTag(note)} ${words.open(question(note))}`),
      ...requests,
    ],
    scope: [words.inScope(task), ...known.map(answer), ...requests],
    out_of_scope: [words.outOfScope],
    edge_cases: [words.edgeCase, ...open.map((note) => `${openTag(note)} ${words.open(question(note))}`)],
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
        text: `${openTag(note)} ${words.openRisk(question(note))}`,
        likelihood: 'med' as const,
        mitigation: words.openMitigation,
      })),
    ],
  };
}

function openTag(note: Note): string {
  return `[unconfirmed ${note.id}]`;
}

function question(note: Note): string {
  return cut(note.question, 1000);
}

function answer(note: Note): string {
  return cut(note.answer ?? '', 2000);
}
