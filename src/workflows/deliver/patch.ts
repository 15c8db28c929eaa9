/** What a unified diff would change. This does not validate or apply anything. */
export interface PatchOutline {
  readonly targets: readonly string[];
  readonly hunks: number;
}

const HUNK = /^@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@/;
const HEADER = /^(?:---|\+\+\+) (?:[ab]\/)?([^\t]+)/;

/** Paths of the file headers and the number of hunks. No hunk means there is nothing to apply (WF-56). */
export function outlinePatch(diff: string): PatchOutline {
  const targets = new Set<string>();
  let hunks = 0;
  for (const line of diff.split('\n')) {
    if (HUNK.test(line)) hunks += 1;
    const path = HEADER.exec(line)?.[1]?.trim();
    if (path && path !== '/dev/null') targets.add(path);
  }
  return { targets: [...targets], hunks: targets.size === 0 ? 0 : hunks };
}
