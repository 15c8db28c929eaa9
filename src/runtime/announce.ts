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

/** What a surface knows of it; dial and the brief as people read it are looked up here. */
export type Asked = Announcement extends infer A
  ? A extends unknown
    ? A extends { kind: 'end' }
      ? /** Null: where the drive that led there began. */ {
          readonly kind: 'end';
          readonly began: string | null;
        }
      : Omit<A, 'dial' | 'content'>
    : never
  : never;

/** The workflow's own words for a drive: empty where it has none, or the run cannot be read. */
export async function announce(deps: Deps, run: RunId, what: Asked): Promise<readonly Text[]> {
  const loaded = await loadRun(deps, run);
  if (isRejection(loaded) || !loaded.def.announce) return [];
  const { def, at } = loaded;
  const content = at.gate ? renderBrief(at.gate.brief, createTranslator(def, 'en')) : '';
  const dial = (await readTrust(deps)).raw;
  const began = what.kind === 'end' ? { began: what.began ?? (await beganAt(deps, at)) } : {};
  const asked = { ...what, dial, content, ...began } as Announcement;
  return def.announce?.(at.run.state as unknown as BaseState, asked) ?? [];
}

/** The state the newest drive found: what its first move left. A drive that was closed before the last move did not make it. */
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
