/**
 * How well words match what is called `name`, 0 for best; null where one of them is found nowhere. A name that is the word
 * comes before one that begins with it, and that before one that has it in its middle; then what else is known, in the
 * order of `fields`. Words and texts are in lower case.
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

/** The words that are looked for. */
export function wordsOf(text: string): string[] {
  return text.toLowerCase().split(/\s+/).filter(Boolean);
}
