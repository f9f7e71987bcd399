import { DAY, HOUR, MINUTE } from '@/lib/format/duration';

/** Usual lengths of time. */
const lengths = [
  MINUTE,
  2 * MINUTE,
  5 * MINUTE,
  10 * MINUTE,
  15 * MINUTE,
  30 * MINUTE,
  HOUR,
  2 * HOUR,
  3 * HOUR,
  6 * HOUR,
  12 * HOUR,
  DAY,
  2 * DAY,
  7 * DAY,
  14 * DAY,
];

/** A part of the axis, in milliseconds since 1970. */
export interface TimeWindow {
  fromMs: number;
  toMs: number;
}

export const WINDOW_MS_MIN = 2 * MINUTE;
export const WINDOW_MS_MAX = 400 * DAY;

/** The shortest usual length of which `partsMax` cover a time range, in milliseconds. */
export function partMsFor(stretchMs: number, partsMax: number): number {
  // One more may be needed where the range does not begin with a part.
  const least = stretchMs / Math.max(1, partsMax - 1);
  return lengths.find((length) => length >= least) ?? Math.ceil(least / (28 * DAY)) * 28 * DAY;
}

/** Moved by a share of its length; forward no further than `endMs`. */
export function panWindow({ fromMs, toMs }: TimeWindow, share: number, endMs: number): TimeWindow {
  const desired = Math.round((toMs - fromMs) * share);
  const shift = desired > 0 ? Math.max(0, Math.min(desired, endMs - toMs)) : desired;
  return { fromMs: fromMs + shift, toMs: toMs + shift };
}

/** `factor` times as long, with `aroundMs` at its position; it ends no later than `endMs`. */
export function zoomWindow(window: TimeWindow, factor: number, aroundMs: number, endMs: number): TimeWindow {
  const length = window.toMs - window.fromMs;
  const desired = Math.round(Math.min(WINDOW_MS_MAX, Math.max(WINDOW_MS_MIN, length * factor)));
  const share = length === 0 ? 0.5 : (aroundMs - window.fromMs) / length;
  const toMs = Math.min(endMs, Math.round(aroundMs + desired * (1 - Math.min(1, Math.max(0, share)))));
  return { fromMs: toMs - desired, toMs };
}

/** Between two times, whichever is earlier, at least as long as the shortest window. */
export function windowBetween(oneMs: number, otherMs: number, endMs: number): TimeWindow {
  const fromMs = Math.round(Math.min(oneMs, otherMs));
  const toMs = Math.min(endMs, Math.max(Math.round(Math.max(oneMs, otherMs)), fromMs + WINDOW_MS_MIN));
  return { fromMs: Math.min(fromMs, toMs - WINDOW_MS_MIN), toMs };
}

/** With another start. One that is not before its end moves the end too, so that the length stays. */
export function withStart(window: TimeWindow, fromMs: number, endMs: number): TimeWindow {
  if (fromMs < window.toMs) return windowBetween(fromMs, window.toMs, endMs);
  return panWindow(window, (fromMs - window.fromMs) / (window.toMs - window.fromMs), endMs);
}

/** With another end. One that is not after its start moves the start too, so that the length stays. */
export function withEnd(window: TimeWindow, toMs: number, endMs: number): TimeWindow {
  if (toMs > window.fromMs) return windowBetween(window.fromMs, toMs, endMs);
  return { fromMs: toMs - (window.toMs - window.fromMs), toMs };
}
