import type { AnsweredBy } from '../../contract/answer.ts';
import type { Api, RunView } from '../../runtime/api.ts';
import { ANSWERED } from './answer-gate.ts';
import { age } from './span.ts';
import type { Words } from './words.ts';

/** The result of a run, for people and for machines. */
export interface RunResult {
  readonly criteria: RunView['left']['criteria'];
  /** Failures that the checks already had before the change. Absent if there are none. */
  readonly old_failures?: number;
  readonly files: number;
  readonly lines: RunView['left']['lines'];
  readonly cost: RunView['spend'];
  /** Time from the start of the run to its end, including waits. */
  readonly seconds: number;
  /** Answers given by a person. Answers of a drive do not count. */
  readonly decisions: number;
}

/** Null if the run has not ended or does not change files. */
export async function resultOf(api: Api, { run, left, spend }: RunView): Promise<RunResult | null> {
  if (run.status !== 'ended' || left.files === null) return null;
  const log = await api.log(run.id, 0);
  const answers = Array.isArray(log) ? log.filter(({ type }) => ANSWERED.has(type)) : [];
  return {
    criteria: left.criteria,
    ...(left.old_failures && { old_failures: left.old_failures }),
    files: left.files,
    lines: left.lines,
    cost: spend,
    seconds: Math.round((Date.parse(run.updated_at) - Date.parse(run.created_at)) / 1000),
    decisions: answers.filter(({ input }) => isByPerson(input as { by?: AnsweredBy })).length,
  };
}

function isByPerson({ by }: { readonly by?: AnsweredBy }): boolean {
  return by === undefined || 'person' in by;
}

/** The result as rows of the end block. */
export function resultRows(
  { criteria, old_failures, files, lines, cost, seconds, decisions }: RunResult,
  words: Words,
): (readonly [label: string, value: string])[] {
  const proven = criteria
    ? words('cli.with_evidence', { met: criteria.met, of: criteria.of })
    : words('cli.not_judged');
  const took = age(new Date(0).toISOString(), seconds * 1000, words);
  return [
    [words('cli.criteria'), proven],
    ...(old_failures
      ? [[words('cli.checks'), words('cli.failed_before', { n: old_failures })] as const]
      : []),
    [
      words('cli.change'),
      [words('cli.files', { n: files }), ...(lines ? [`+${lines.added} −${lines.removed}`] : [])].join(', '),
    ],
    [words('cli.cost'), [moneyText(cost, words), took, words('cli.decided', { n: decisions })].join(', ')],
  ];
}

/** The cost: known, partly known, or unknown. It never shows a price that was not reported. */
function moneyText({ money_usd, money_unknown }: RunView['spend'], words: Words): string {
  const usd = `$${money_usd.toFixed(2)}`;
  if (!money_unknown) return usd;
  return money_usd > 0 ? words('cli.cost_at_least', { usd }) : words('cli.money_unknown');
}
