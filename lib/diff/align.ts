/** The pairs of entries of two lists, by their positions. */
export interface Alignment {
  pairs: readonly (readonly [before: number, after: number])[];
  /** Positions before of the fewest pairs that must move for the rest to keep their order. */
  moved: ReadonlySet<number>;
  /** Positions before without a partner. */
  removed: readonly number[];
  /** Positions after without a partner. */
  added: readonly number[];
}

/** Above this many cells the table of common subsequences costs more than its answer is worth. */
const LCS_CELLS_MAX = 40_000;

/** Pairs entries of the same key; the nth of a repeated key with the nth. */
export function alignByKey(before: readonly string[], after: readonly string[]): Alignment {
  if (isSame(before, after))
    return { pairs: before.map((_, index) => [index, index]), moved: new Set(), removed: [], added: [] };
  const positions = new Map(numberRepeats(after).map((key, index) => [key, index]));
  const pairs: [number, number][] = [];
  const removed: number[] = [];
  numberRepeats(before).forEach((key, index) => {
    const partner = positions.get(key);
    if (partner === undefined) removed.push(index);
    else pairs.push([index, partner]);
    positions.delete(key);
  });
  return { pairs, moved: findMoved(pairs), removed, added: [...positions.values()] };
}

/**
 * Pairs entries of equal content along a longest common subsequence, then the rest between two such pairs, in
 * order. Nothing moves. Swapping the lists gives the mirror image.
 */
export function alignByContent(before: readonly string[], after: readonly string[]): Alignment {
  const pairs: [number, number][] = [];
  const removed: number[] = [];
  const added: number[] = [];
  let [i, j] = [0, 0];
  for (const [nextI, nextJ] of [
    ...commonSubsequence(before, after),
    [before.length, after.length] as const,
  ]) {
    while (i < nextI && j < nextJ) pairs.push([i++, j++]);
    while (i < nextI) removed.push(i++);
    while (j < nextJ) added.push(j++);
    if (nextI < before.length) pairs.push([i++, j++]);
  }
  return { pairs, moved: new Set(), removed, added };
}

function isSame(before: readonly string[], after: readonly string[]): boolean {
  return before.length === after.length && before.every((key, index) => key === after[index]);
}

function numberRepeats(keys: readonly string[]): string[] {
  const seen = new Map<string, number>();
  return keys.map((key) => {
    const count = (seen.get(key) ?? 0) + 1;
    seen.set(key, count);
    return count === 1 ? key : `${key}\0${count}`;
  });
}

/** Everything outside a longest increasing run of positions after. */
function findMoved(pairs: readonly (readonly [number, number])[]): Set<number> {
  const moved = new Set<number>();
  if (pairs.every(([, after], index) => index === 0 || after > (pairs[index - 1]?.[1] ?? -1))) return moved;
  // From the right, so that of two swapped entries the second is the one that moves up.
  const tails: number[] = [];
  const next = pairs.map(() => -1);
  const after = (index: number): number => pairs[index]?.[1] ?? -1;
  for (let index = pairs.length - 1; index >= 0; index--) {
    let [low, high] = [0, tails.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (after(tails[middle] ?? -1) > after(index)) low = middle + 1;
      else high = middle;
    }
    next[index] = tails[low - 1] ?? -1;
    tails[low] = index;
  }
  const unmoved = new Set<number>();
  for (let index = tails.at(-1) ?? -1; index !== -1; index = next[index] ?? -1) unmoved.add(index);
  pairs.forEach(([position], index) => {
    if (!unmoved.has(index)) moved.add(position);
  });
  return moved;
}

function commonSubsequence(before: readonly string[], after: readonly string[]): [number, number][] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start += 1;
  let [endA, endB] = [before.length, after.length];
  while (endA > start && endB > start && before[endA - 1] === after[endB - 1]) {
    endA -= 1;
    endB -= 1;
  }
  const head = Array.from({ length: start }, (_, index): [number, number] => [index, index]);
  const tail = Array.from({ length: before.length - endA }, (_, index): [number, number] => [
    endA + index,
    endB + index,
  ]);
  return [...head, ...commonMiddle(before, after, start, endA, endB), ...tail];
}

function commonMiddle(
  before: readonly string[],
  after: readonly string[],
  start: number,
  endA: number,
  endB: number,
): [number, number][] {
  const width = endB - start + 1;
  if ((endA - start + 1) * width > LCS_CELLS_MAX) return [];
  const lengths = new Uint16Array((endA - start + 1) * width);
  const cell = (i: number, j: number): number => (i - start) * width + (j - start);
  for (let i = endA - 1; i >= start; i--) {
    for (let j = endB - 1; j >= start; j--) {
      lengths[cell(i, j)] =
        before[i] === after[j]
          ? (lengths[cell(i + 1, j + 1)] ?? 0) + 1
          : Math.max(lengths[cell(i + 1, j)] ?? 0, lengths[cell(i, j + 1)] ?? 0);
    }
  }
  const pairs: [number, number][] = [];
  let [i, j] = [start, start];
  while (i < endA && j < endB) {
    const [a = '', b = ''] = [before[i], after[j]];
    const [down, right] = [lengths[cell(i + 1, j)] ?? 0, lengths[cell(i, j + 1)] ?? 0];
    if (a === b) pairs.push([i++, j++]);
    // A tie is decided by content, not by side: that preserves the mirror image.
    else if (down > right || (down === right && a < b)) i += 1;
    else j += 1;
  }
  return pairs;
}
