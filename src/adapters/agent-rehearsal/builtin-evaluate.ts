import type { Evaluation } from '../../contract/deliver-work.ts';
import { readCriteria } from './builtin-criteria.ts';
import type { BuiltinWords } from './builtin-messages.ts';
import type { BuiltinCall } from './builtin-text.ts';
import { rehearsalFile } from './rehearsal-file.ts';

/**
 * Fills the whole checklist from the slots alone. Every criterion is met in the first line of the file that the
 * built-in script wrote, or else of the first changed path. If nothing was changed, no criterion is met.
 */
export function evaluate(told: BuiltinCall, words: BuiltinWords): Evaluation {
  const { deliver, disclaimer } = words;
  const found = readCriteria(told.slots.spec).map(({ id }) => id);
  const ids = found.length > 0 ? found : ['AC-1'];
  const paths = (told.slots.changed_paths ?? '').split('\n').filter((path) => path.trim() !== '');
  const own = rehearsalFile(told);
  const file = paths.includes(own) ? own : paths[0];
  return {
    criteria: ids.map((id) => ({ id, ...metAt(file, words) })),
    files: paths.map((path) => ({ path, requirements: ids, note: deliver.notJudged })),
    tests: ids.map((criterion) => ({ criterion, test: null })),
    risks: [],
    layer3: file === undefined ? null : unread(words),
    verdict: file === undefined ? 'FAIL_L2' : 'PASS',
    summary: `${file === undefined ? deliver.failed : deliver.passed} ${disclaimer}`,
    fix_instructions: file === undefined ? [deliver.changeSomething] : [],
  };
}

function metAt(
  file: string | undefined,
  { deliver }: BuiltinWords,
): Omit<Evaluation['criteria'][number], 'id'> {
  if (file === undefined) return { met: 'NO', evidence: [], note: deliver.nothingSeen };
  return { met: 'YES', evidence: [{ file, line: 1 }], note: deliver.seen };
}

function unread({ deliver }: BuiltinWords): NonNullable<Evaluation['layer3']> {
  const passed = { result: 'PASS', evidence: deliver.notJudged } as const;
  const hypotheses = [1, 2].map((n) => ({
    text: deliver.hypothesis(n),
    finding: 'refuted' as const,
    evidence: deliver.notJudged,
  }));
  return {
    completion: passed,
    scope: passed,
    bug_free: { ...passed, hypotheses },
    consistency: passed,
    minimal_changes: passed,
  };
}
