/**
 * A message of a program in one line. A line that begins with a name and a colon gets a comma before it:
 * otherwise its value would no longer be recognized as a credential.
 */
export function toLine(message: string): string {
  return message
    .trim()
    .replace(/\s*\n\s*(?=["']?[\w.-]+["']?\s*:)/g, ', ')
    .replace(/\s+/g, ' ');
}

/**
 * A line, or the beginning of a longer one without a word that would be cut in two: half a URL or half a token is no
 * longer recognized as a credential.
 */
export function cutLine(line: string, charsMax: number): string {
  if (line.length <= charsMax) return line;
  const kept = line.slice(0, charsMax);
  const isWordCut = /\S/.test(line.charAt(charsMax));
  return `${isWordCut ? kept.replace(/[!-~]+$/, '').trimEnd() : kept}…`;
}
