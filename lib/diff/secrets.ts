const CREDENTIAL =
  /(^|[_.-])(pass(word|wd|phrase)?|pwd|secret|tokens?|credentials?|api[_-]?key|private[_-]?key|access[_-]?key|(secret|signing|encryption|auth)[_-]?key)$/i;
const MARKER = /^\[masked:[0-9a-f]{8}\]$/;

/** Whether this text of an environment variable in the template exposes a credential. */
export function isInlineSecret(name: string, value: string): boolean {
  return MARKER.test(value) || (value !== '' && CREDENTIAL.test(name));
}
