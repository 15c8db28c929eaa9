import type { BranchPlace } from './branch.ts';

const AUTHOR = /^([^<>\n]+?)\s*<([^<>\s]+)>$/;

/**
 * Who a commit is by, as environment for git: the person the repository or their own settings name, else Baton. An
 * author given as `Name <address>` counts for the author alone.
 */
export async function commitIdentity(place: BranchPlace, author?: string): Promise<Record<string, string>> {
  const [setName, setEmail] = await Promise.all([
    place.git.setting(place.root, 'user.name'),
    place.git.setting(place.root, 'user.email'),
  ]);
  const known = setName !== null && setEmail !== null;
  const [name, email] = known ? [setName, setEmail] : ['Baton', 'baton@localhost'];
  const given = AUTHOR.exec(author ?? '');
  return {
    GIT_AUTHOR_NAME: given?.[1] ?? name,
    GIT_AUTHOR_EMAIL: given?.[2] ?? email,
    GIT_COMMITTER_NAME: name,
    GIT_COMMITTER_EMAIL: email,
  };
}
