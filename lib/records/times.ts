/** Milliseconds of an RFC 3339 time; NaN for any other text, so that every comparison with it is false. */
export function ms(time: string | null): number {
  return time === null ? NaN : Date.parse(time);
}

/** The start of a rollout for sorting: the latest that it can have been; 0 where nothing is known of it. */
export function latestStartMs({
  startedAt,
  startedNotAfter,
  endedAt,
}: {
  startedAt: string | null;
  startedNotAfter: string | null;
  endedAt: string | null;
}): number {
  return ms(startedAt ?? startedNotAfter ?? endedAt) || 0;
}

export function laterOf(a: string, b: string | null): string {
  return b !== null && ms(b) > ms(a) ? b : a;
}

export function earlierOf(a: string, b: string | null): string {
  return b !== null && ms(b) < ms(a) ? b : a;
}

/** Kubernetes writes whole seconds: whether `time` can be at or after `bound`. */
export function isAtOrAfter(time: string, bound: string): boolean {
  return ms(time) >= Math.floor(ms(bound) / 1000) * 1000;
}
