/** "1 pod", "3 pods"; the plural is given where it is not that with an s. */
export function formatCount(amount: number, noun: string, plural = `${noun}s`): string {
  return `${amount} ${amount === 1 ? noun : plural}`;
}

/** "Both pods", "All 3 pods"; for more than one. */
export function formatAll(amount: number, noun: string): string {
  return amount === 2 ? `Both ${noun}s` : `All ${amount} ${noun}s`;
}

/** "a", "a and b", "a, b and c", "a, b and 4 more". */
export function formatList(names: readonly string[], shownMax = 3): string {
  const shown = names.length > shownMax ? names.slice(0, shownMax - 1) : names;
  const rest = names.length - shown.length;
  const parts = rest > 0 ? [...shown, `${rest} more`] : [...shown];
  const last = parts.pop() ?? '';
  return parts.length === 0 ? last : `${parts.join(', ')} and ${last}`;
}

/** The names of up to six. */
export function formatNames(named: readonly { name: string }[]): string {
  const names = named.map(({ name }) => name);
  return formatList(names, 6);
}

/** "2026-08-01 10:00:05 UTC"; text that is no time is returned as it is. */
export function formatUtc(time: string): string {
  const ms = Date.parse(time);
  if (Number.isNaN(ms)) return time;
  return `${new Date(ms).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

/** At most so many letters, with an ellipsis in place of the rest. */
export function cutEnd(text: string, lengthMax: number): string {
  return text.length > lengthMax ? `${text.slice(0, lengthMax - 1)}…` : text;
}

export function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** "set weight to 20%": a label within a sentence. */
export function uncapitalize(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

/** One word of a POSIX shell command line; quoted only where the shell would parse it otherwise. */
export function quoteShellWord(text: string): string {
  return /^[A-Za-z0-9_./:=@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
