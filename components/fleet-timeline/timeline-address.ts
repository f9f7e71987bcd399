import { parseAsString, parseAsStringLiteral, type Values } from 'nuqs';
import { outcomes } from '@/lib/api/record-values';
import { rolloutSelections, type RowOrder, rowOrders } from '@/lib/timeline/fleet-rows';
import { type TimeWindow, WINDOW_MS_MAX, WINDOW_MS_MIN } from '@/lib/timeline/time-window';

export const outcomeFilters = ['open', ...outcomes] as const;
const overviewSpans = ['day', 'week', 'all'] as const;
export type OverviewSpan = (typeof overviewSpans)[number];

/** The state of the page as stored in the address; names as in the API where it has them. */
export const timelineParsers = {
  /** A duration back from now (`30m`), which makes the window follow the present, or a time. */
  from: parseAsString,
  to: parseAsString,
  /** A highlighted moment, such as an incident. The window is around it where nothing else in the address defines one. */
  at: parseAsString,
  q: parseAsString.withDefault(''),
  namespace: parseAsString,
  resource: parseAsString,
  actor: parseAsString,
  outcome: parseAsStringLiteral(outcomeFilters),
  labelSelector: parseAsString.withDefault(''),
  show: parseAsStringLiteral(rolloutSelections).withDefault('began'),
  /** Null: by nearness to the highlighted moment if there is one, else by severity. */
  order: parseAsStringLiteral(rowOrders),
  /** How much the overview shows; null: a default that fits the window. */
  overview: parseAsStringLiteral(overviewSpans),
  /** Id of the selected rollout. */
  record: parseAsString.withDefault(''),
};

/** The parts of it that filter nothing. */
export const unfiltering = ['from', 'to', 'at', 'order', 'overview', 'record'] as const;

export type TimelineAddress = Values<typeof timelineParsers>;

/** The window of an address. */
export interface AddressWindow extends TimeWindow {
  /** It ends now; the length is in whole minutes. */
  isLive: boolean;
}

const HOUR_MS = 3_600_000;
/** The cause of an incident precedes it. */
const BEFORE_MOMENT_MS = 30 * 60_000;
const AFTER_MOMENT_MS = 10 * 60_000;
const units: Record<string, number> = { m: 60_000, h: HOUR_MS, d: 24 * HOUR_MS };

/** The window of the address; the last hour without a valid one. */
export function windowOf(
  { from, to, at }: Pick<TimelineAddress, 'from' | 'to' | 'at'>,
  nowMs: number,
): AddressWindow {
  const lengthMs = from === null ? null : readDuration(from);
  const fromMs = from === null ? null : readTime(from);
  const toMs = to === null ? null : readTime(to);
  const atMs = readMoment(at);
  if (fromMs !== null && toMs !== null)
    return fixedWindow(Math.min(fromMs, toMs), Math.max(fromMs, toMs), nowMs);
  if (fromMs !== null) return fixedWindow(fromMs, nowMs, nowMs);
  if (lengthMs === null && atMs !== null)
    return fixedWindow(atMs - BEFORE_MOMENT_MS, atMs + AFTER_MOMENT_MS, nowMs);
  const length = Math.min(WINDOW_MS_MAX, Math.max(WINDOW_MS_MIN, lengthMs ?? HOUR_MS));
  return { fromMs: nowMs - length, toMs: nowMs, isLive: true };
}

function fixedWindow(fromMs: number, toMs: number, nowMs: number): AddressWindow {
  const endMs = Math.min(Math.max(toMs, fromMs + WINDOW_MS_MIN), nowMs);
  const startMs = Math.max(Math.min(fromMs, endMs - WINDOW_MS_MIN), endMs - WINDOW_MS_MAX);
  return { fromMs: startMs, toMs: endMs, isLive: false };
}

/** The order of the rows. */
export function orderOf({ order, at }: Pick<TimelineAddress, 'order' | 'at'>): RowOrder {
  const isMarked = readMoment(at) !== null;
  if (order === 'nearest' && !isMarked) return 'trouble';
  return order ?? (isMarked ? 'nearest' : 'trouble');
}

/** The highlighted moment; null where there is none. */
export function readMoment(text: string | null): number | null {
  return text === null ? null : readTime(text);
}

/** The address of a window; one that ends at the present continues to follow it. */
export function addressOf(window: TimeWindow, nowMs: number): Pick<TimelineAddress, 'from' | 'to'> {
  const length = window.toMs - window.fromMs;
  const slack = Math.max(2_000, length / 200);
  if (window.toMs < nowMs - slack) return { from: iso(window.fromMs), to: iso(window.toMs) };
  return { from: shortDuration(length), to: null };
}

export function shortDuration(ms: number): string {
  const minutes = Math.max(1, Math.round(ms / 60_000));
  if (minutes % 1_440 === 0) return `${minutes / 1_440}d`;
  return minutes % 60 === 0 ? `${minutes / 60}h` : `${minutes}m`;
}

/** To the second: precise enough, and links stay short. */
export function iso(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

function readDuration(text: string): number | null {
  const [, amount, unit = ''] = /^(\d{1,6})([mhd])$/.exec(text) ?? [];
  return amount === undefined ? null : Number(amount) * (units[unit] ?? 0);
}

function readTime(text: string): number | null {
  const ms = /^\d{4}-\d{2}-\d{2}(T|$)/.test(text) ? Date.parse(text) : NaN;
  return Number.isNaN(ms) ? null : ms;
}
