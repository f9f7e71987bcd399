/** Milliseconds of an RFC 3339 time; NaN for a text that is none, so that no comparison with it holds. */
export function ms(time: string | null): number {
  return time === null ? NaN : Date.parse(time);
}

export function later(a: string, b: string | null): string {
  return b !== null && ms(b) > ms(a) ? b : a;
}

export function earlier(a: string, b: string | null): string {
  return b !== null && ms(b) < ms(a) ? b : a;
}

/** Kubernetes writes whole seconds: whether `time` can be at or after `bound`. */
export function isSince(time: string, bound: string): boolean {
  return ms(time) >= Math.floor(ms(bound) / 1000) * 1000;
}
