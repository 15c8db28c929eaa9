import type { BriefDoc } from '../../contract/brief.ts';
import type { ConductState } from '../../contract/conduct.ts';
import { PromisedWrite } from '../../contract/promised-write.ts';

/** The ledger identifies a write by its content (CON-72). */
export function refOf(write: PromisedWrite): string {
  const { kind, ...rest } = write;
  return `${kind}:${JSON.stringify(rest)}`;
}

/** Removes writes with the same content. */
export function unique(writes: readonly PromisedWrite[]): PromisedWrite[] {
  return [...new Map(writes.map((write) => [refOf(write), write])).values()];
}

/**
 * Parses the promised writes of a document from outside, each once. On
 * failure it returns the location of the first wrong one and the reason.
 */
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

/**
 * The document with exactly the writes an accept would make now, and with the ticket's criteria. Writes without effect
 * are left out: an existing criterion or label, and a transfer with an unknown criterion or without a new child.
 * Unreadable writes stay, so that an accept is refused.
 */
export function withPromises(doc: BriefDoc, state: Pick<ConductState, 'criteria' | 'labels'>): BriefDoc {
  const { criteria, labels } = state;
  const read = doc.payload.map((raw) => PromisedWrite.safeParse(raw).data ?? raw);
  const writes = read.filter(isWrite);
  const texts = new Map(criteria.map(({ id, text }) => [id, text]));
  const children = new Set(writes.flatMap((write) => (write.kind === 'child_ticket' ? [write.key] : [])));
  const counts = (write: PromisedWrite) =>
    write.kind === 'acceptance_criterion'
      ? !criteria.some(({ text }) => text === write.text)
      : write.kind === 'label_add'
        ? !labels.includes(write.label)
        : write.kind !== 'ac_transfer' || (texts.has(write.criterion) && children.has(write.child));
  const payload = read.flatMap((write): unknown[] => {
    if (!isWrite(write)) return [write];
    if (!counts(write)) return [];
    return [write.kind === 'ac_transfer' ? { ...write, text: texts.get(write.criterion) } : write];
  });
  const listed = criteria.map(({ id, text }) => `${id}: ${text}`);
  const { criteria: _, ...rest } = doc;
  return { ...rest, payload, ...(listed.length > 0 ? { criteria: listed } : {}) };
}

function isWrite(value: unknown): value is PromisedWrite {
  return PromisedWrite.safeParse(value).success;
}

function isDecisionOnlyLabel(write: PromisedWrite): boolean {
  return write.kind === 'label_add' && write.label === 'decision-only';
}

/** States in which a ticket may still become decision-only (CON-92). */
export const TAKES_DECISION_ONLY: readonly ConductState['phase'][] = [
  'Captured',
  'Idea',
  'Clarified',
  'Decomposed',
  'Designed',
];
