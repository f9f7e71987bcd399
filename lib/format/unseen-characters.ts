/**
 * Characters that pages do not draw, or that change the order of others: control and format characters (direction, zero
 * width), separators of lines, and fillers. An emoji may have its variation selector.
 * https://www.unicode.org/reports/tr36/#Bidirectional_Text_Spoofing
 */
const unseen = /(?!\ufe0f)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{DI}]|(?<!\p{Extended_Pictographic})\ufe0f/gu;

/** Two names that differ in these alone look the same, and one with them can look like another. */
export function hasUnseenCharacters(text: string): boolean {
  return text.search(unseen) !== -1;
}

/** The text with each of them written as its number, such as `\u{202e}`. */
export function showUnseenCharacters(text: string): string {
  return text.replace(unseen, (found) => `\\u{${(found.codePointAt(0) ?? 0).toString(16)}}`);
}
