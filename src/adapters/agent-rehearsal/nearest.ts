/** The allowed word a person most likely meant, or null when none is close. */
export function nearest(word: string, allowed: readonly string[]): string | null {
  const ranked = allowed
    .map((candidate) => ({ candidate, far: distance(word.slice(0, 40), candidate) }))
    .sort((a, b) => a.far - b.far);
  const best = ranked[0];
  return best && best.far <= Math.max(2, Math.floor(best.candidate.length / 3)) ? best.candidate : null;
}

function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (const [i, letter] of [...a].entries()) {
    const next = [i + 1];
    for (const [j, other] of [...b].entries()) {
      const change = (row[j] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(change, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
