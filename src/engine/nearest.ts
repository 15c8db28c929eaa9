/** The allowed word that a person most likely meant. Null if none is close. */
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

/** Number of letters to insert, delete or replace. Two swapped neighbours count as one. */
export function distance(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, index) => index)];
  const at = (i: number, j: number) => rows[i]?.[j] ?? 0;
  const isTurned = (i: number, j: number) => i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    rows.push(row);
    for (let j = 1; j <= b.length; j++) {
      const replaced = at(i - 1, j - 1) + Number(a[i - 1] !== b[j - 1]);
      const turned = isTurned(i, j) ? at(i - 2, j - 2) + 1 : replaced;
      row.push(Math.min(replaced, turned, at(i - 1, j) + 1, at(i, j - 1) + 1));
    }
  }
  return at(a.length, b.length);
}
