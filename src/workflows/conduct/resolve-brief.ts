import type { StoredRecord } from '../../contract/change.ts';
import type { Gate } from '../../contract/gate.ts';
import type { RunId } from '../../contract/ids.ts';
import { canonicalJson } from '../../engine/canonical-json.ts';
import type { Caller } from '../../engine/operation.ts';
import type { OperationHost } from '../../engine/operation-host.ts';
import { parseProvenance } from '../../engine/provenance.ts';
import { isRejection, type Rejection, reject } from '../../engine/rejection.ts';
import { showBrief, showTicket } from './tickets.ts';

/**
 * A resolution is bound to exactly the draft that was seen (S16). `brief_id` is null only if no brief waits (CON-78).
 */
export interface Resolution {
  readonly brief_id: string | null;
  readonly iteration: number | null;
  readonly command: 'accept' | 'defer';
  readonly detail: string | null;
  readonly provenance: string;
  /** The text that release and verify require the person to type. */
  readonly typed: string | null;
}

/** The stored resolution. Every repeated call returns the same. */
interface Resolved {
  readonly task_id: RunId;
  readonly brief_id: string | null;
  readonly command: string;
  readonly reason: string;
  readonly provenance: string;
  readonly by: string;
  readonly at: string;
  readonly from: string | null;
  readonly to: string | null;
  readonly idempotent: boolean;
}

const OPTIONS = { accept: 'accept', defer: 'deny' } as const;

/**
 * Accepts or defers with the same answer that a person gives at the gate. A repeated call gets the same result
 * (CON-69).
 */
export async function resolveBrief(
  host: OperationHost,
  run: RunId,
  given: Resolution,
  surface: Caller['surface'],
): Promise<Resolved | Rejection> {
  const provenance = parseProvenance(given.provenance, surface);
  if (isRejection(provenance)) return provenance;
  const before = await resolvedBefore(host, run, given);
  if (before) return before;
  const brief = await draftOf(host, run, given);
  if (isRejection(brief)) return brief;
  const [open] = await host.gates(run);
  if (!open) return noBrief(run);
  if (!isAbout(open.gate, brief)) {
    // Another gate is open before it, or the brief was redrafted in the meantime.
    const now = await draftOf(host, run, given);
    return isRejection(now) ? now : noBrief(run);
  }
  const answer = {
    option: OPTIONS[given.command],
    text: given.detail,
    fields: {},
    digest: open.gate.digest,
    typed: given.typed,
  };
  const receipt = await host.answer({ gate: open.gate.id, answer });
  if (isRejection(receipt)) return receipt;
  return (await newest(host, run, given.brief_id)) ?? noBrief(run);
}

function noBrief(run: RunId): Rejection {
  return reject('wrong_moment', { run }, { msg: 'conduct.no_brief' });
}

/** The stored result if this draft is already resolved. A different command is a conflict. */
async function resolvedBefore(
  host: OperationHost,
  run: RunId,
  { brief_id, iteration, command }: Resolution,
): Promise<Resolved | Rejection | null> {
  const row = await showTicket(host, run);
  if (isRejection(row)) return row;
  const active = row.awaiting_human_ref?.id ?? null;
  if (brief_id !== null && active === brief_id) return null;
  const known = await newest(host, run, brief_id);
  if (!known || (iteration !== null && known.iteration !== iteration)) return null;
  if (known.command === command) return { ...known, idempotent: true };
  const args = { brief: brief_id ?? run, was: known.command, command };
  return reject('gate_closed', args, { msg: 'conduct.resolved_otherwise', current: { ...known } });
}

type Draft = Readonly<Record<string, unknown>> | null;

/** True if the gate is about this draft. Without a draft, it must be the gate at the end of a parent (CON-79). */
function isAbout(gate: Gate, brief: Draft): boolean {
  if (brief === null) return gate.name === 'parent_ticket';
  return gate.edition === brief.iteration && canonicalJson(gate.brief) === canonicalJson(brief.doc);
}

/** The draft that the resolution names. An outdated draft is refused, with the one that waits now (S16). */
async function draftOf(
  host: OperationHost,
  run: RunId,
  { brief_id, iteration }: Resolution,
): Promise<Draft | Rejection> {
  const brief = await showBrief(host, run);
  if (isRejection(brief)) return brief;
  if (brief === null) return brief_id === null ? null : noBrief(run);
  if (brief.pending_resolution !== null) return noBrief(run);
  if (brief.id === brief_id && brief.iteration === iteration) return brief;
  const args = { brief: String(brief.id), iteration: Number(brief.iteration) };
  return reject('stale_digest', args, { msg: 'conduct.brief_moved', current: brief });
}

/** The last resolution of the brief and the move it led to, from the records alone. */
async function newest(
  host: OperationHost,
  run: RunId,
  brief: string | null,
): Promise<(Resolved & { iteration: number | null }) | null> {
  const records = await host.records(run);
  const found = records.findLast(
    ({ record }) =>
      record.kind === 'decision' &&
      record.name === 'brief_resolved' &&
      dataOf(record).brief === brief &&
      Object.hasOwn(OPTIONS, String(dataOf(record).command)),
  );
  if (!found) return null;
  const data = dataOf(found.record);
  const moved = records.find(
    ({ seq, record }) => seq === found.seq && record.kind === 'entry' && record.name === 'history',
  );
  const way = moved ? dataOf(moved.record) : {};
  return {
    task_id: run,
    brief_id: brief,
    iteration: typeof data.iteration === 'number' ? data.iteration : null,
    command: String(data.command),
    reason: String(data.reason),
    provenance: String(data.provenance),
    by: String(data.by),
    at: found.at,
    from: typeof way.from === 'string' ? way.from : null,
    to: typeof way.to === 'string' ? way.to : null,
    idempotent: false,
  };
}

function dataOf(record: StoredRecord['record']): Readonly<Record<string, unknown>> {
  return 'data' in record ? (record.data as Record<string, unknown>) : {};
}
