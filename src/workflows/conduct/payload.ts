import { type ConductState, PromisedWrite } from '../../contract/conduct.ts';

/** What a write is known by in the ledger: its content (CON-72). */
export function refOf(write: PromisedWrite): string {
  const { kind, ...rest } = write;
  return `${kind}:${JSON.stringify(rest)}`;
}

/** Each write once: its content is what tells it from another. */
export function unique(writes: readonly PromisedWrite[]): PromisedWrite[] {
  return [...new Map(writes.map((write) => [refOf(write), write])).values()];
}

/** The promised writes of a document that came from outside, each once; or where the first wrong one stands, and why. */
export function readPayload(
  payload: readonly unknown[],
  { phase }: Pick<ConductState, 'phase'>,
): PromisedWrite[] | { readonly at: string; readonly problem: string } {
  const read = payload.map((write) => PromisedWrite.safeParse(write).data ?? null);
  const unreadable = read.indexOf(null);
  if (unreadable >= 0) return { at: `payload.${unreadable}`, problem: 'not a promised write' };
  const writes = unique(read.filter((write) => write !== null));
  const keys = writes.flatMap((write) => (write.kind === 'child_ticket' ? [write.key] : []));
  const twice = keys.find((key, i) => keys.indexOf(key) !== i);
  if (twice !== undefined) return { at: 'payload', problem: `two children have the key ${twice}` };
  const late = !TAKES_DECISION_ONLY.includes(phase) && writes.some(isDecisionOnlyLabel);
  return late ? { at: 'payload', problem: `decision-only is too late at ${phase}` } : writes;
}

function isDecisionOnlyLabel(write: PromisedWrite): boolean {
  return write.kind === 'label_add' && write.label === 'decision-only';
}

/** States in which a ticket may still become one that is only a decision (CON-92). */
export const TAKES_DECISION_ONLY: readonly ConductState['phase'][] = [
  'Captured',
  'Idea',
  'Clarified',
  'Decomposed',
  'Designed',
];
