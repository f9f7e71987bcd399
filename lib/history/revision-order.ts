import type { RevisionSource } from '@/lib/history/workload';

/** The number for people and for sorting: a missing one counts as 0, an unreadable one is null. */
export function numberOfSource(source: Pick<RevisionSource, 'number'>): number | null {
  switch (source.number.kind) {
    case 'number':
      return source.number.value;
    case 'missing':
      return 0;
    case 'invalid':
      return null;
  }
}

/**
 * Oldest first: number, creation time, name; an unreadable number comes before all others. A total order on sources
 * of distinct names. https://github.com/kubernetes/kubernetes/blob/master/pkg/controller/history/controller_history.go
 */
export function compareSources(a: RevisionSource, b: RevisionSource): number {
  const numberA = numberOfSource(a) ?? -Infinity;
  const numberB = numberOfSource(b) ?? -Infinity;
  if (numberA !== numberB) return numberA < numberB ? -1 : 1;
  return compareCreation(a, b);
}

/** Creation time, then name by code unit. */
export function compareCreation(
  a: Pick<RevisionSource, 'createdAt' | 'name'>,
  b: Pick<RevisionSource, 'createdAt' | 'name'>,
): number {
  const byTime = compareTimes(a.createdAt, b.createdAt);
  if (byTime !== 0) return byTime;
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0;
}

/** Orders RFC 3339 times; text that is no time comes first, all such texts being equal. */
export function compareTimes(a: string, b: string): number {
  const timeA = timeMs(a);
  const timeB = timeMs(b);
  return timeA < timeB ? -1 : timeA > timeB ? 1 : 0;
}

function timeMs(text: string): number {
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? -Infinity : ms;
}

export function earlierOf(a: string | null, b: string | null): string | null {
  if (a === null || b === null) return a ?? b;
  return compareTimes(a, b) <= 0 ? a : b;
}
