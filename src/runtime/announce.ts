import type { Text } from '../contract/brief.ts';
import type { RunId } from '../contract/ids.ts';
import { renderBrief } from '../engine/brief.ts';
import { isRejection } from '../engine/rejection.ts';
import type { Announcement, BaseState } from '../engine/workflow.ts';
import type { Deps } from './deps.ts';
import { loadRun } from './load.ts';
import { readTrust } from './settings.ts';
import { createTranslator } from './translate.ts';

/** What a surface knows of it; dial and the brief as people read it are looked up here. */
export type Asked = Announcement extends infer A
  ? A extends unknown
    ? Omit<A, 'dial' | 'content'>
    : never
  : never;

/** The workflow's own words for a drive: empty where it has none, or the run cannot be read. */
export async function announce(deps: Deps, run: RunId, what: Asked): Promise<readonly Text[]> {
  const loaded = await loadRun(deps, run);
  if (isRejection(loaded) || !loaded.def.announce) return [];
  const { def, at } = loaded;
  const content = at.gate ? renderBrief(at.gate.brief, createTranslator(def, 'en')) : '';
  const dial = (await readTrust(deps)).raw;
  return (
    def.announce?.(at.run.state as unknown as BaseState, { ...what, dial, content } as Announcement) ?? []
  );
}
