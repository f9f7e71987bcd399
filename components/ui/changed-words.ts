export interface Part {
  text: string;
  changed: boolean;
}

/** Beyond this many words on a side the table of the comparison costs more than the eye gains. */
const WORDS_MAX = 300;

/** With less than this share of letters in common, two values are better read as one replaced by the other. */
const COMMON_SHARE_MIN = 0.2;

/**
 * Two values cut into what they share and what they do not, for marking. Joined, the parts give the values again. A word
 * runs up to a separator that people read as one: `/ : - @ , ; = & ?`, quotes, brackets and space; dots stay, so that a
 * version is one word.
 */
export function changedWords(before: string, after: string): { before: Part[]; after: Part[] } {
  const a = words(before);
  const b = words(after);
  if (a.length > WORDS_MAX || b.length > WORDS_MAX) return whole(before, after);
  const kept = longestCommon(a, b);
  if (
    isForeign(
      kept.map(([index]) => a[index] ?? ''),
      before,
      after,
    )
  )
    return whole(before, after);
  return {
    before: parts(
      a,
      kept.map(([index]) => index),
    ),
    after: parts(
      b,
      kept.map(([, index]) => index),
    ),
  };
}

function words(text: string): string[] {
  return text.match(/[^\s/:\-@,;=&?"'()[\]{}]+|\s+|./gsu) ?? [];
}

function isForeign(kept: readonly string[], before: string, after: string): boolean {
  const letters = kept.reduce((sum, word) => sum + (/[\p{L}\p{N}]/u.test(word) ? word.length : 0), 0);
  return letters < COMMON_SHARE_MIN * Math.min(before.length, after.length);
}

function whole(before: string, after: string): { before: Part[]; after: Part[] } {
  return { before: [{ text: before, changed: true }], after: [{ text: after, changed: true }] };
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

function parts(all: readonly string[], kept: readonly number[]): Part[] {
  const same = new Set(kept);
  const result: Part[] = [];
  all.forEach((text, index) => {
    const changed = !same.has(index);
    const last = result.at(-1);
    if (last?.changed === changed) last.text += text;
    else result.push({ text, changed });
  });
  return result;
}
