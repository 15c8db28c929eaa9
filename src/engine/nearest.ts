/** The allowed word a person most likely meant, or null when none is close. */
export function nearest<Word extends string>(word: string, allowed: readonly Word[]): Word | null {
  const typed = word.slice(0, 40).toLowerCase();
  const ranked = allowed
    .map((candidate) => ({ candidate, far: distance(typed, candidate.toLowerCase()) }))
    .sort((a, b) => a.far - b.far);
  const best = ranked[0];
  return best && best.far <= mostSlips(best.candidate) ? best.candidate : null;
}

function mostSlips({ length }: string): number {
  return length < 4 ? 1 : Math.max(2, Math.floor(length / 3));
}

/** Letters to insert, delete or replace. */
export function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
