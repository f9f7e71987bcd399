/** What tells one from another of the same beginning, such as the suffix of a pod; the narrowest column holds it. */
export const TAIL_LENGTH = 8;

/** As much of a text as so many letters hold, without its middle; nothing where that would tell nothing. */
export function cutMiddle(text: string, letters: number): string {
  if (text.length <= letters) return text;
  if (letters < 3) return '';
  const tail = Math.min(TAIL_LENGTH, letters - 1);
  return `${text.slice(0, letters - 1 - tail)}…${text.slice(-tail)}`;
}
