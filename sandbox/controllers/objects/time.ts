/** A time as the API server stores it: whole seconds, UTC. */
export function timeText(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z');
}

/** Milliseconds since the epoch; undefined for a missing or invalid time. */
export function timeOf(text: string | undefined): number | undefined {
  const ms = text === undefined ? NaN : Date.parse(text);
  return Number.isNaN(ms) ? undefined : ms;
}

/** A duration as Go prints it in whole seconds: `10s`, `1m20s`, `5m0s`. */
export function durationText(seconds: number): string {
  const minutes = Math.floor(seconds / 60);
  return minutes === 0 ? `${seconds}s` : `${minutes}m${seconds % 60}s`;
}
