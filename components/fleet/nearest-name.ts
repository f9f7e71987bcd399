/** Largest share of differing letters at which a name is still suggested. */
const DIFFERENT_SHARE_MAX = 0.34;

/** The most similar name, by edit distance; null when none is similar enough. */
export function findNearestName<Named extends { name: string }>(
  query: string,
  candidates: readonly Named[],
): Named | null {
  let best: Named | null = null;
  let fewest = Math.floor(query.length * DIFFERENT_SHARE_MAX) + 1;
  for (const candidate of candidates) {
    if (Math.abs(candidate.name.length - query.length) >= fewest) continue;
    const changes = editDistance(query, candidate.name);
    if (changes < fewest) [best, fewest] = [candidate, changes];
  }
  return best;
}

/** Levenshtein distance. */
function editDistance(a: string, b: string): number {
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
