const FIELDS_KEY = '"fieldsV1":{';
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN = 0x7b;
const CLOSE = 0x7d;

/** Deep enough to tell who owns `spec.template` or one annotation. */
const LEVELS_MAX = 3;

/**
 * JSON text in which the objects of managedFields are empty below the third level. They are half of the text
 * of a list, and with a key of its own for every list item they take the parser longer than all the rest.
 * https://kubernetes.io/docs/reference/using-api/server-side-apply/#field-management
 */
export function shortenFieldSets(text: string): string {
  let short = '';
  let copied = 0;
  // Inside a string the quotes would be escaped, so a match is a key.
  for (
    let keyStart = text.indexOf(FIELDS_KEY);
    keyStart !== -1;
    keyStart = text.indexOf(FIELDS_KEY, Math.max(copied, keyStart + 1))
  ) {
    let depth = 0;
    let hidden = 0;
    for (let at = keyStart + FIELDS_KEY.length - 1; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      if (code === QUOTE) {
        at = endOfString(text, at);
      } else if (code === OPEN) {
        depth += 1;
        if (depth === LEVELS_MAX + 1) hidden = at + 1;
      } else if (code === CLOSE) {
        if (depth === LEVELS_MAX + 1 && at > hidden) {
          short += text.slice(copied, hidden);
          copied = at;
        }
        depth -= 1;
        if (depth === 0) break;
      }
    }
  }
  return copied === 0 ? text : short + text.slice(copied);
}

/** Index of the quote that ends the string which begins at `start`. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end === -1 ? text.length : end;
}

function isEscaped(text: string, at: number): boolean {
  let first = at;
  while (text.charCodeAt(first - 1) === BACKSLASH) first -= 1;
  return (at - first) % 2 === 1;
}
