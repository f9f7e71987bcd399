import { type Revision } from '@/lib/history/revision';

/** "1 pod", "3 pods". */
export function count(amount: number, noun: string): string {
  return `${amount} ${noun}${amount === 1 ? '' : 's'}`;
}

/** "a", "a and b", "a, b and c", "a, b and 4 more". */
export function listed(names: readonly string[], shownMax = 3): string {
  const shown = names.length > shownMax ? names.slice(0, shownMax - 1) : names;
  const rest = names.length - shown.length;
  const parts = rest > 0 ? [...shown, `${rest} more`] : [...shown];
  const last = parts.pop() ?? '';
  return parts.length === 0 ? last : `${parts.join(', ')} and ${last}`;
}

/** How a revision is called in a sentence: its number, or its name when it has none. */
export function called(revision: Pick<Revision, 'number' | 'name'>): string {
  return revision.number === null ? revision.name : String(revision.number);
}

/** "2026-08-01 10:00:05 UTC"; text that is no time is returned as it is. */
export function utc(time: string): string {
  const ms = Date.parse(time);
  if (Number.isNaN(ms)) return time;
  return `${new Date(ms).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

export function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** One word of a POSIX shell command line; quoted only where the shell would read it otherwise. */
export function shellWord(text: string): string {
  return /^[A-Za-z0-9_./:=@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
