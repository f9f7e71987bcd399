/**
 * How well words match `name`, 0 for best; null where one of them does not occur. A name equal to the word
 * comes before one that begins with it, and that before one that contains it; then the `fields`, in their
 * order. Words and texts are in lower case.
 */
export function matchRank(words: readonly string[], name: string, fields: readonly string[]): number | null {
  let sum = 0;
  for (const word of words) {
    const rank = rankOf(word, name, fields);
    if (rank === null) return null;
    sum += rank;
  }
  return sum;
}

function rankOf(word: string, name: string, fields: readonly string[]): number | null {
  if (name === word) return 0;
  if (name.startsWith(word)) return 1;
  if (name.includes(word)) return 2;
  const field = fields.findIndex((text) => text.includes(word));
  return field === -1 ? null : 3 + field;
}

/** The words of a search. */
export function splitWords(text: string): string[] {
  return text.toLowerCase().split(/\s+/).filter(Boolean);
}
