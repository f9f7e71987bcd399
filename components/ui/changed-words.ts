export interface ComparedPart {
  text: string;
  changed: boolean;
}

/** Above this number of words on a side, the table of the comparison costs more than it helps the reader. */
const WORDS_MAX = 300;

/** With a smaller share of letters in common, two values read better as one replaced by the other. */
const COMMON_SHARE_MIN = 0.2;

interface ComparedSegment {
  text: string;
  /** Whether the part is in both values, or in one of them only. */
  side: 'both' | 'before' | 'after';
}

/**
 * Two values split into common and different parts, for highlighting. Joined, the parts give the values again. A word
 * ends at a separator: `/ : - @ , ; = & ?`, quotes, brackets and space; dots do not split, so that a version is one
 * word.
 */
export function changedWords(
  before: string,
  after: string,
): { before: ComparedPart[]; after: ComparedPart[] } {
  const segments = changedSegments(before, after);
  return { before: partsOf(segments, 'before'), after: partsOf(segments, 'after') };
}

/** The same as one sequence, each replaced part before its replacement. */
export function changedSegments(before: string, after: string): ComparedSegment[] {
  if (before === after) return before === '' ? [] : [{ text: before, side: 'both' }];
  const a = words(before);
  const b = words(after);
  const commonPairs = a.length > WORDS_MAX || b.length > WORDS_MAX ? [] : longestCommon(a, b);
  const common = lettersIn(commonPairs.map(([index]) => a[index] ?? ''));
  const isForeign = common < COMMON_SHARE_MIN * Math.min(lettersIn(a), lettersIn(b));
  const segments: ComparedSegment[] = [];
  let i = 0;
  let j = 0;
  for (const [commonI, commonJ] of [...(isForeign ? [] : commonPairs), [a.length, b.length] as const]) {
    push(segments, 'before', a.slice(i, commonI).join(''));
    push(segments, 'after', b.slice(j, commonJ).join(''));
    push(segments, 'both', a[commonI] ?? '');
    i = commonI + 1;
    j = commonJ + 1;
  }
  return segments;
}

function push(segments: ComparedSegment[], side: ComparedSegment['side'], text: string): void {
  const last = segments.at(-1);
  if (last?.side === side) last.text += text;
  else if (text !== '') segments.push({ text, side });
}

function partsOf(segments: readonly ComparedSegment[], side: 'before' | 'after'): ComparedPart[] {
  const parts: ComparedPart[] = [];
  for (const segment of segments) {
    if (segment.side !== side && segment.side !== 'both') continue;
    const changed = segment.side === side;
    const last = parts.at(-1);
    if (last?.changed === changed) last.text += segment.text;
    else parts.push({ text: segment.text, changed });
  }
  return parts;
}

function lettersIn(texts: readonly string[]): number {
  return texts.reduce((sum, word) => sum + (/[\p{L}\p{N}]/u.test(word) ? word.length : 0), 0);
}

function words(text: string): string[] {
  return text.match(/[^\s/:\-@,;=&?"'()[\]{}]+|\s+|./gsu) ?? [];
}

/** Index pairs of a longest common subsequence, ascending. */
function longestCommon(a: readonly string[], b: readonly string[]): [number, number][] {
  const width = b.length + 1;
  const lengths = new Uint16Array((a.length + 1) * width);
  const at = (i: number, j: number) => lengths[i * width + j] ?? 0;
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      lengths[i * width + j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const pairs: [number, number][] = [];
  for (let i = 0, j = 0; i < a.length && j < b.length;) {
    if (a[i] === b[j]) pairs.push([i++, j++]);
    else if (at(i + 1, j) >= at(i, j + 1)) i++;
    else j++;
  }
  return pairs;
}
