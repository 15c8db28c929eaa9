import type { StoredRecord } from '../../contract/change.ts';
import { Judgement, TICKET_GATES, type TicketGate } from '../../contract/ticket.ts';
import type { GateAgreement } from '../../contract/ticket-views.ts';
import type { OperationHost } from '../../engine/operation-host.ts';
import { GATE_OF_REASON } from './accept.ts';

interface Draft {
  readonly brief: string;
  readonly iteration: number;
}

interface Resolved extends Draft {
  readonly reason: keyof typeof GATE_OF_REASON;
  readonly command: string;
  readonly provenance: string;
}

type Verdict = 'agreed' | 'needless' | 'missed' | 'failed';

/** Compares the judge's verdict on a draft with what a person did with exactly that draft. */
export async function readStats(host: OperationHost): Promise<readonly GateAgreement[]> {
  const seen: { gate: TicketGate; verdict: Verdict }[] = [];
  for (const { id } of await host.states('conduct')) {
    const judged = new Map(
      dataOf<Draft & { verdict: unknown }>(await host.records(id, 'entry', 'judgement')).map((one) => [
        keyOf(one),
        one.verdict,
      ]),
    );
    for (const one of dataOf<Resolved>(await host.records(id, 'decision', 'brief_resolved'))) {
      const gate = GATE_OF_REASON[one.reason];
      if (!gate || !one.provenance.startsWith('human:') || !judged.has(keyOf(one))) continue;
      seen.push({ gate, verdict: compared(judged.get(keyOf(one)), one.command === 'accept') });
    }
  }
  return TICKET_GATES.flatMap((gate) => {
    const mine = seen.filter((one) => one.gate === gate);
    const count = (verdict: Verdict) => mine.filter((one) => one.verdict === verdict).length;
    if (mine.length === 0) return [];
    const [agreed, needless] = [count('agreed'), count('needless')];
    return [
      { gate, judged: mine.length, agreed, needless, missed: count('missed'), failed: count('failed') },
    ];
  });
}

function compared(raw: unknown, accepted: boolean): Verdict {
  const parsed = Judgement.safeParse(raw);
  if (!parsed.success) return 'failed';
  const { worth } = parsed.data;
  if (worth !== accepted) return 'agreed';
  return worth ? 'needless' : 'missed';
}

function keyOf({ brief, iteration }: Draft): string {
  return `${brief}/${iteration}`;
}

function dataOf<T>(records: readonly StoredRecord[]): T[] {
  return records.flatMap(({ record }) =>
    record.kind === 'entry' || record.kind === 'decision' ? [record.data as T] : [],
  );
}
