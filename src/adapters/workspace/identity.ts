import type { BranchContext } from './branch.ts';

const AUTHOR = /^([^<>\n]+?)\s*<([^<>\s]+)>$/;

/**
 * The identity of a commit, as environment for git. It is the person named in the settings of the repository or their
 * own, else Baton. An author given as `Name <address>` replaces only the author.
 */
export async function commitIdentity(
  location: BranchContext,
  author?: string,
): Promise<Record<string, string>> {
  const [setName, setEmail] = await Promise.all([
    location.git.setting(location.root, 'user.name'),
    location.git.setting(location.root, 'user.email'),
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
