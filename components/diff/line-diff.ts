/** A stretch of two texts: the same on both sides, or replaced. Lines are counted from 0, ends are exclusive. */
export interface LineSpan {
  equal: boolean;
  left: { start: number; end: number };
  right: { start: number; end: number };
}

/**
 * Above this many differences the exact algorithm takes seconds; what lies between equal ends then counts as
 * replaced.
 */
const EDITS_MAX = 1_000;

/** The stretches that lead from one list of lines to the other, in order, by Myers' greedy algorithm. */
export function diffLines(left: readonly string[], right: readonly string[]): LineSpan[] {
  let head = 0;
  while (head < left.length && head < right.length && left[head] === right[head]) head++;
  let tail = 0;
  while (
    tail < left.length - head &&
    tail < right.length - head &&
    left[left.length - 1 - tail] === right[right.length - 1 - tail]
  )
    tail++;

  const a = left.slice(head, left.length - tail);
  const b = right.slice(head, right.length - tail);
  const matches: [number, number][] = [];
  for (let i = 0; i < head; i++) matches.push([i, i]);
  for (const [i, j] of matchLines(a, b)) matches.push([head + i, head + j]);
  for (let i = tail; i > 0; i--) matches.push([left.length - i, right.length - i]);
  return toLineSpans(matches, left.length, right.length);
}

/** Index pairs of unchanged lines, ascending. http://www.xmailserver.org/diff2.pdf */
function matchLines(a: readonly string[], b: readonly string[]): [number, number][] {
  if (a.length === 0 || b.length === 0) return [];
  const max = Math.min(a.length + b.length, EDITS_MAX);
  const furthest = new Int32Array(2 * max + 2);
  const trail: Int32Array[] = [];
  for (let edits = 0; edits <= max; edits++) {
    trail.push(furthest.slice());
    for (let k = -edits; k <= edits; k += 2) {
      let i = isDown(furthest, k, edits, max)
        ? (furthest[max + k + 1] ?? 0)
        : (furthest[max + k - 1] ?? 0) + 1;
      let j = i - k;
      while (i < a.length && j < b.length && a[i] === b[j]) {
        i++;
        j++;
      }
      furthest[max + k] = i;
      if (i >= a.length && j >= b.length) return backtrack(trail, a.length, b.length, max);
    }
  }
  return [];
}

function isDown(furthest: Int32Array, k: number, edits: number, max: number): boolean {
  return k === -edits || (k !== edits && (furthest[max + k - 1] ?? 0) < (furthest[max + k + 1] ?? 0));
}

function backtrack(
  trail: readonly Int32Array[],
  length: number,
  width: number,
  max: number,
): [number, number][] {
  const matches: [number, number][] = [];
  let i = length;
  let j = width;
  for (let edits = trail.length - 1; edits >= 0 && (i > 0 || j > 0); edits--) {
    const furthest = trail[edits] ?? new Int32Array(0);
    const k = i - j;
    const fromK = isDown(furthest, k, edits, max) ? k + 1 : k - 1;
    const fromI = edits === 0 ? 0 : (furthest[max + fromK] ?? 0);
    const fromJ = edits === 0 ? 0 : fromI - fromK;
    while (i > fromI && j > fromJ) matches.push([--i, --j]);
    i = fromI;
    j = fromJ;
  }
  return matches.reverse();
}

function toLineSpans(matches: readonly [number, number][], length: number, width: number): LineSpan[] {
  const spans: LineSpan[] = [];
  let i = 0;
  let j = 0;
  const push = (equal: boolean, toI: number, toJ: number) => {
    if (toI > i || toJ > j)
      spans.push({ equal, left: { start: i, end: toI }, right: { start: j, end: toJ } });
    i = toI;
    j = toJ;
  };
  for (let at = 0; at < matches.length;) {
    const [startI, startJ] = matches[at] ?? [0, 0];
    push(false, startI, startJ);
    let run = 1;
    while (matches[at + run]?.[0] === startI + run && matches[at + run]?.[1] === startJ + run) run++;
    push(true, startI + run, startJ + run);
    at += run;
  }
  push(false, length, width);
  return spans;
}
