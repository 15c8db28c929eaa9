import type { ScanResult } from '../../contract/conventions.ts';
import { ANALYST_SECTIONS, type AnalystRole } from '../../contract/spec-analysis.ts';
import type { InterviewerResult } from '../../contract/spec-work.ts';
import { CONDUCT_PARTS } from './builtin-conduct.ts';
import { analyse, criticise, synthesise } from './builtin-deep.ts';
import { DELIVER_PARTS, deliverSynthesis } from './builtin-deliver.ts';
import { type BuiltinWords, builtinWords } from './builtin-messages.ts';
import { type BuiltinCall, cut } from './builtin-text.ts';
import { write } from './builtin-write.ts';
import type { ScriptAttempt } from './script-schema.ts';

type Part = (told: BuiltinCall, words: BuiltinWords) => ScriptAttempt;

const PARTS: Readonly<Record<string, Part>> = {
  interviewer: (told, words) => ({ line: words.asking, result: ask(told, words) }),
  writer: (told, words) => ({ line: words.writing, result: write(told, words) }),
  ...analystParts(),
  synthesis: (told, words) =>
    deliverSynthesis(told, words) ?? { line: words.writing, result: synthesise(told, words) },
  critic: (told, words) => ({ line: words.reviewing, result: criticise(told, words) }),
  convention_scanner: (_, words) => ({ line: words.scanning, result: scan(words) }),
  ...DELIVER_PARTS,
  ...CONDUCT_PARTS,
};

/**
 * The attempt that is played without a script. It repeats the task and the answers, does not invent anything, and says
 * in every result that no model wrote it. Null for an unknown role. Equal calls give equal results.
 */
export function builtinAttempt(told: BuiltinCall): ScriptAttempt | null {
  const part = Object.hasOwn(PARTS, told.role) ? PARTS[told.role] : undefined;
  return part?.(told, builtinWords(told.lang)) ?? null;
}

function analystParts(): Readonly<Record<string, Part>> {
  const roles = Object.keys(ANALYST_SECTIONS) as AnalystRole[];
  return Object.fromEntries(
    roles.map((role): [string, Part] => [
      role,
      (told, words) => ({ line: words.analysing, result: analyse(role, told, words) }),
    ]),
  );
}

/** Three questions in the first round, none afterwards. */
function ask({ nth, slots }: BuiltinCall, words: BuiltinWords): InterviewerResult {
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

function scan(words: BuiltinWords): ScanResult {
  return { db: 'N/A', api: 'N/A', files: [`${words.scanned} ${words.disclaimer}`], tests: 'N/A' };
}
