/**
 * The part that distinguishes names with the same prefix, such as the suffix of a pod; the narrowest column
 * has room for it.
 */
export const TAIL_LENGTH = 8;

/**
 * As much of a text as fits into that many letters, without its middle; empty where the rest would be
 * useless.
 */
export function truncateMiddle(text: string, letters: number): string {
  if (text.length <= letters) return text;
  if (letters < 3) return '';
  const tail = Math.min(TAIL_LENGTH, letters - 1);
  return `${text.slice(0, letters - 1 - tail)}…${text.slice(-tail)}`;
}
