import type { AnsweredBy } from '../../contract/answer.ts';
import type { Api, RunView } from '../../runtime/api.ts';
import { ANSWERED } from './answer-gate.ts';
import type { Words } from './messages.ts';
import { age } from './span.ts';

/** What a run came to, for a person and a machine alike. */
export interface RunResult {
  readonly criteria: RunView['left']['criteria'];
  readonly files: number;
  readonly lines: RunView['left']['lines'];
  readonly cost: RunView['spend'];
  /** From its start to its end, waiting included. */
  readonly seconds: number;
  /** Answers that a person gave; those of a drive are not among them. */
  readonly decisions: number;
}

/** Null where the run has not ended, or is not one that changes files. */
export async function resultOf(api: Api, { run, left, spend }: RunView): Promise<RunResult | null> {
  if (run.status !== 'ended' || left.files === null) return null;
  const log = await api.log(run.id, 0);
  const answers = Array.isArray(log) ? log.filter(({ type }) => ANSWERED.has(type)) : [];
  return {
    criteria: left.criteria,
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

/** The same as rows of the end block. */
export function resultRows(
  { criteria, files, lines, cost, seconds, decisions }: RunResult,
  words: Words,
): (readonly [label: string, value: string])[] {
  const proven = criteria ? words.with_evidence(criteria.met, criteria.of) : words.not_judged;
  const took = age(new Date(0).toISOString(), seconds * 1000);
  return [
    [words.criteria, proven],
    [words.change, [words.files(files), ...(lines ? [`+${lines.added} −${lines.removed}`] : [])].join(', ')],
    [words.cost, [moneyText(cost, words), took, words.decided(decisions)].join(', ')],
  ];
}

/** Known, known in part, or unknown; never a price that nobody named. */
function moneyText({ money_usd, money_unknown }: RunView['spend'], words: Words): string {
  const usd = `$${money_usd.toFixed(2)}`;
  if (!money_unknown) return usd;
  return money_usd > 0 ? words.cost_at_least(usd) : words.cost_unknown;
}
