import type { Text } from '../contract/brief.ts';
import type { RunId } from '../contract/ids.ts';
import { renderBrief } from '../engine/brief.ts';
import { isRejection } from '../engine/rejection.ts';
import type { Announcement, BaseState } from '../engine/workflow.ts';
import type { At } from '../engine/write-change.ts';
import type { Deps } from './deps.ts';
import { loadRun } from './load.ts';
import { readTrust } from './settings.ts';
import { createTranslator } from './translate.ts';

/** What a surface passes in. The trust level and the text of the brief are added here. */
export type AnnouncementRequest = Announcement extends infer A
  ? A extends unknown
    ? A extends { kind: 'end' }
      ? /** Null: the phase where the newest drive began. */ {
          readonly kind: 'end';
          readonly began: string | null;
        }
      : Omit<A, 'trust' | 'content'>
    : never
  : never;

/** The workflow's own announcement for a drive. Empty if the workflow has none or the run cannot be read. */
export async function announce(deps: Deps, run: RunId, what: AnnouncementRequest): Promise<readonly Text[]> {
  const loaded = await loadRun(deps, run);
  if (isRejection(loaded) || !loaded.def.announce) return [];
  const { def, at } = loaded;
  const content = at.gate ? renderBrief(at.gate.brief, createTranslator(deps.texts, 'en')) : '';
  const trust = (await readTrust(deps)).raw;
  const began = what.kind === 'end' ? { began: what.began ?? (await beganAt(deps, at)) } : {};
  const asked = { ...what, trust, content, ...began } as Announcement;
  return def.announce?.(at.run.state as unknown as BaseState, asked) ?? [];
}

/**
 * The phase that the newest drive found: the one its first move left. If the drive was closed before the last move, the
 * phase that the last move left.
 */
async function beganAt({ store }: Deps, { run: { id, phase } }: At): Promise<string> {
  const drive = await store.drive(id);
  const moves = await store.records(id, 'entry', 'history');
  const last = moves.at(-1)?.at ?? '';
  const closed = drive?.closed_at ?? null;
  const since = closed !== null && closed < last ? last : (drive?.opened_at ?? last);
  const first = moves.find(({ at }) => at >= since)?.record;
  const from = first?.kind === 'entry' ? (first.data as { from?: unknown }).from : null;
  return typeof from === 'string' ? from : phase;
}
