import type { Answer } from '../contract/answer.ts';
import type { Msg, Text } from '../contract/brief.ts';
import type { Gate } from '../contract/gate.ts';
import type { Step } from '../contract/step.ts';
import { cleanText } from './clean-text.ts';
import { shortText } from './cut-text.ts';

const EARLIER = 'engine.earlier_answer';
const LONGEST = 500;

/** The note of a gate about an answer that was given to another gate and not applied. */
export function earlierAnswer({ option, gate, by, text, fields }: Answer): Msg {
  const said = [text, ...Object.values(fields)].filter((one) => one !== null && one !== '').join('; ');
  const who = 'person' in by ? by.person : by.agent;
  const typed = said === '' ? 'no' : 'yes';
  return { msg: EARLIER, args: { option, gate, who, typed, text: shortText(cleanText(said), LONGEST) } };
}

/** The earlier answers that a gate already shows. */
export function earlierOf(gate: Gate | null): readonly Text[] {
  return gate?.brief.context.filter((text) => typeof text === 'object' && text.msg === EARLIER) ?? [];
}

/** The same step. A gate lists the earlier answers first in its context, which the digest does not cover. */
export function withEarlier(step: Step, earlier: readonly Text[]): Step {
  if (step.kind !== 'gate' || earlier.length === 0) return step;
  const { brief } = step.gate;
  return { ...step, gate: { ...step.gate, brief: { ...brief, context: [...earlier, ...brief.context] } } };
}
