/** The limit for all texts together. */
const CHARACTERS_MAX = 4096;

/**
 * Values of the header `Warning`, which kubectl prints. Texts that no header can hold are left out, and those
 * beyond the limits of clients. https://www.rfc-editor.org/rfc/rfc7234#section-5.5
 */
export function warningHeaders(texts: readonly string[]): string[] {
  let left = CHARACTERS_MAX;

  return [...new Set(texts)].flatMap((text) => {
    left -= text.length;
    if (left < 0 || /[^ -~]/.test(text)) return [];
    return [`299 - "${text.replace(/["\\]/g, '\\$&')}"`];
  });
}
