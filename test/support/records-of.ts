import type { RunId } from '../../src/contract/ids.ts';
import type { MoveRecord } from '../../src/contract/move.ts';
import type { Deps } from '../../src/runtime/deps.ts';

/** Records of a run, to be compared with those of another one: without what only a run that was killed has. */
export async function recordsOf({ store }: Deps, run: RunId): Promise<MoveRecord[]> {
  const records = (await store.records(run)).map(({ record }) => record);
  return records.filter(
    (record) => record.kind !== 'notice' || !record.text.msg.startsWith('engine.recovered'),
  );
}
