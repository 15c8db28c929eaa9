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

/** The line of a commit message that names the effect of the commit. */
export const trailerOf = (effect: string): string => `Baton-Effect: ${effect}`;

/**
 * A commit message that names its effect. If the message ends in trailers, the line is added to them: git reads
 * trailers only in the last paragraph.
 */
export function signed(message: string, effect: string): string {
  const text = message.trimEnd();
  const hasOwn = /\n\n(?:[A-Z][A-Za-z-]*: [^\n]+(?:\n|$))+$/.test(text);
  return `${text}${hasOwn ? '\n' : '\n\n'}${trailerOf(effect)}\n`;
}

/** A hook may add lines below ours. Text above the last paragraph may come from a worker. */
export function isSigned(body: string, effect: string): boolean {
  const paragraph = body.trimEnd().split('\n\n').at(-1) ?? '';
  return paragraph.split('\n').includes(trailerOf(effect));
}
