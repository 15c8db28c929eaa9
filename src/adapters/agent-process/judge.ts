import type { Ended } from '../../ports/agent.ts';
import type { Exit } from '../../ports/processes.ts';
import { type Closing, ended } from './program.ts';
import { parseReset } from './reset-time.ts';
import { shortLine } from './short-line.ts';

/** The error that a program or its provider reported at a bad end. */
export interface Complaint {
  readonly words: string;
  /** HTTP status of the provider, if it is reported. */
  readonly status?: number | null;
  /** When it was reported. A reset "in two hours" counts from here. */
  readonly at?: Date | null;
  /** How a person signs in to this program, in one sentence. */
  readonly sign_in: string;
}

/** The earlier session could not be resumed. The next attempt starts a new one. */
export const NOT_TAKEN_UP = 'its earlier session could not be taken up';

type Bad = 'failed' | 'unavailable' | 'limited' | 'blocked';

interface Rule {
  readonly outcome: Bad;
  readonly status: (status: number) => boolean;
  readonly words: RegExp;
  /** What the person can do about it. */
  readonly hint?: (complaint: Complaint) => string;
}

const never = () => false;

/**
 * The meaning of complaints; the first match counts. Money comes before quota, because waiting does not fill an
 * account.
 */
const RULES: readonly Rule[] = [
  {
    outcome: 'blocked',
    status: (status) => status === 402,
    words: /credit balance|billing|insufficient_quota|out of (usage )?credits|payment/i,
    hint: () => 'the account with the provider needs money or another plan',
  },
  {
    outcome: 'limited',
    status: (status) => status === 429 || status === 529,
    words:
      /rate.?limit|(usage|session|weekly|spend) limit|limit reached|too many requests|quota|resource.?exhausted|overloaded|at capacity/i,
  },
  {
    outcome: 'blocked',
    status: (status) => status === 401 || status === 403,
    words:
      /not (logged|signed) in|run \/login|authenticat|unauthori[sz]ed|invalid api key|api key not valid|auth method|missing environment variable|refresh token/i,
    hint: ({ sign_in }) => sign_in,
  },
  {
    outcome: 'blocked',
    status: (status) => status === 404,
    words:
      /\bmodels?\b.{0,200}?(not|n't) (exist|found|supported|available)|(issue with|invalid) (the )?(selected )?model|unknown model|model_?not_?found/i,
    hint: () => 'name a model you may use under `models` in baton.yaml, or mend the provider’s address',
  },
  {
    outcome: 'unavailable',
    status: (status) => status >= 500 || status === 408,
    words:
      /high demand|stream (disconnected|error)|connection|network|timed? ?out|socket|ECONN|ENOTFOUND|EAI_AGAIN|error sending request|fetch failed|terminated|in JSON at|unavailable|internal error/i,
  },
  // The session to resume is gone. The next attempt starts a new one.
  {
    outcome: 'unavailable',
    status: never,
    words:
      /no conversation found|no rollout found|session not found|invalid session identifier|no previous sessions/i,
  },
];

const PLAIN: Rule = { outcome: 'failed', status: never, words: /^/ };

/** The end of the call for a complaint. A status outweighs the words around it, unless the words are about money. */
export function judge(complaint: Complaint): Ended {
  return endBy(complaint, findRule(complaint) ?? PLAIN);
}

/** The same as the closing of a stream. */
export function closeBy(complaint: Complaint): Closing {
  return { ...judge(complaint), type: 'closing' } as Closing;
}

/** The end of a program that exited without a closing. Null if its exit and last words do not show a cause. */
export function judgeGone(exit: Exit, complaint: Complaint): Ended | null {
  if (exit.code !== null && exit.code > 128)
    return ended('unavailable', `killed from outside: exit ${exit.code}`);
  if (exit.signal !== null || exit.code === 0) return null;
  const rule = findRule(complaint);
  return rule ? endBy(complaint, rule) : null;
}

function findRule(complaint: Complaint): Rule | undefined {
  const status = complaint.status ?? statusIn(complaint.words);
  const byStatus = status === null ? undefined : RULES.find((rule) => rule.status(status));
  const byWords = RULES.find((rule) => rule.words.test(complaint.words));
  // Only the money rule may outweigh a status, because an empty account is also answered with 429.
  return byWords === RULES[0] ? byWords : (byStatus ?? byWords);
}

function statusIn(words: string): number | null {
  const found = /\bstatus:? (\d{3})\b|\berror:? (\d{3})\b/i.exec(words);
  return found ? Number(found[1] ?? found[2]) : null;
}

function endBy(complaint: Complaint, { outcome, hint }: Rule): Ended {
  const said = shortLine(complaint.words, 200) || 'it gave no reason';
  const detail = hint ? `${said}: ${hint(complaint)}` : said;
  if (outcome !== 'limited') return ended(outcome, detail);
  return {
    ...ended(outcome, detail),
    until: complaint.at ? parseReset(complaint.words, complaint.at) : null,
  };
}
