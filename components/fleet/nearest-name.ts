/** A name may differ in this share of its letters and still be what was meant. */
const DIFFERENT_SHARE_MAX = 0.34;

/** The name that was probably meant: the one with the fewest letters to change. Null when none is near. */
export function nearestName<Named extends { name: string }>(
  wanted: string,
  candidates: readonly Named[],
): Named | null {
  let best: Named | null = null;
  let fewest = Math.floor(wanted.length * DIFFERENT_SHARE_MAX) + 1;
  for (const candidate of candidates) {
    if (Math.abs(candidate.name.length - wanted.length) >= fewest) continue;
    const changes = lettersToChange(wanted, candidate.name);
    if (changes < fewest) [best, fewest] = [candidate, changes];
  }
  return best;
}

/** Levenshtein distance. */
function lettersToChange(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + same));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
