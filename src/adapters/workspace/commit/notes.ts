import * as z from 'zod';
import { listFolder, readSmallFile, statOf } from '../../../files/real-files.ts';
import { child, type RealPath } from '../../../files/real-path.ts';
import { makePrivate, removeTree, temporaryFolder, writeState } from '../../../files/state-files.ts';

const CommitNote = z.strictObject({
  /** Head of the branch before the commit. Null before the first commit. */
  before: z.string().nullable(),
  /** The staged tree. A hook may commit another tree. */
  tree: z.string(),
});
export type CommitNote = z.infer<typeof CommitNote>;

/**
 * What an effect is about to commit, written before git runs. With this note a commit is found again after a crash,
 * even if a hook wrote another message.
 */
export interface CommitNotes {
  write(effect: string, note: CommitNote): Promise<void>;
  read(effect: string): Promise<CommitNote | null>;
  /** An empty folder for the index of the effect. Files of a process that died are removed first. */
  room(effect: string): Promise<RealPath>;
  /** Removes that folder if it exists. */
  leave(effect: string): Promise<void>;
}

/** Notes in a folder of the state directory, one small file per effect. The file name begins with the run. */
export function createCommitNotes(folder: RealPath): CommitNotes {
  const name = (effect: string) => effect.replaceAll('/', '+');
  const roomOf = (effect: string) => child(folder, `${name(effect)}.index`);
  return {
    write: async (effect, note) => {
      await makePrivate(folder);
      await writeState(folder, name(effect), JSON.stringify(note));
    },
    read: async (effect) => {
      const text = await readSmallFile(child(folder, name(effect)));
      return text === null ? null : CommitNote.parse(JSON.parse(text));
    },
    room: async (effect) => {
      await removeTree(roomOf(effect));
      await makePrivate(folder);
      await makePrivate(roomOf(effect));
      return roomOf(effect);
    },
    leave: (effect) => removeTree(roomOf(effect)),
  };
}

/**
 * Removes entries of a folder that are older than `before` and belong to runs that are not live. The name of an entry
 * begins with the run.
 */
export async function removeOld(folder: RealPath, live: readonly string[], before: number): Promise<void> {
  if (!(await statOf(folder))?.isDirectory()) return;
  for (const { name } of await listFolder(folder)) {
    const at = child(folder, name);
    const found = await statOf(at);
    if (found !== null && Number(found.mtimeMs) < before && !live.includes(name.split(/[+.]/)[0] ?? ''))
      await removeTree(at);
  }
}

/** A workspace without a state folder finds its commits only by their messages. */
export const NO_COMMIT_NOTES: CommitNotes = {
  write: () => Promise.resolve(),
  read: () => Promise.resolve(null),
  room: () => temporaryFolder(),
  leave: () => Promise.resolve(),
};
