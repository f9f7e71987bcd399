import { parseAsString, parseAsStringLiteral } from 'nuqs';
import { type TimelineFilters } from '@/lib/queries/timeline';
import { rolloutChoices, rowOrders } from '@/lib/timeline/fleet-rows';
import { type TimeWindow, WINDOW_MS_MAX, WINDOW_MS_MIN } from '@/lib/timeline/fleet-window';

export const outcomeFilters = ['open', 'completed', 'rolledBack', 'superseded', 'failed', 'unknown'] as const;
export const overviewSpans = ['day', 'week', 'all'] as const;
export type OverviewSpan = (typeof overviewSpans)[number];

/** The state of the page as its address holds it; names as in the API where it has them. */
export const timelineParsers = {
  /** A duration back from now (`30m`), which makes the window follow the present, or a time. */
  from: parseAsString,
  to: parseAsString,
  /** A moment to look at: marked, and in the middle where nothing else says what to show. */
  at: parseAsString,
  q: parseAsString.withDefault(''),
  namespace: parseAsString,
  resource: parseAsString,
  actor: parseAsString,
  outcome: parseAsStringLiteral(outcomeFilters),
  labelSelector: parseAsString.withDefault(''),
  show: parseAsStringLiteral(rolloutChoices).withDefault('all'),
  order: parseAsStringLiteral(rowOrders).withDefault('trouble'),
  /** How much the overview shows; null: what fits the window. */
  overview: parseAsStringLiteral(overviewSpans),
  /** The rollout that is selected. */
  record: parseAsString.withDefault(''),
};

export interface TimelineAddress {
  from: string | null;
  to: string | null;
  at: string | null;
  q: string;
  namespace: string | null;
  resource: string | null;
  actor: string | null;
  outcome: (typeof outcomeFilters)[number] | null;
  labelSelector: string;
  show: (typeof rolloutChoices)[number];
  order: (typeof rowOrders)[number];
  overview: OverviewSpan | null;
  record: string;
}

export type ChangeAddress = (change: Partial<TimelineAddress>, step?: 'typing') => void;

/** What shows everything again that went on within the window. */
export const noFilters = {
  q: '',
  namespace: null,
  resource: null,
  actor: null,
  outcome: null,
  labelSelector: '',
  show: 'all',
} satisfies Partial<TimelineAddress>;

export function hasFilters(address: TimelineAddress): boolean {
  return address.show !== 'all' || Object.keys(filtersOf(address)).length > 0;
}

/** What the API is asked for: without what is empty. */
export function filtersOf(address: TimelineAddress): TimelineFilters {
  const { q, namespace, resource, actor, outcome, labelSelector } = address;
  const stated = Object.entries({ q, namespace, resource, actor, outcome, labelSelector }).flatMap(
    ([name, value]) => (value === null || value.trim() === '' ? [] : [[name, value.trim()] as const]),
  );
  return Object.fromEntries(stated);
}

/** The window of an address. */
export interface StatedWindow extends TimeWindow {
  /** It ends now, whenever that is; the length is in whole minutes. */
  isLive: boolean;
}

const HOUR_MS = 3_600_000;
const AROUND_MS = 15 * 60_000;
const units: Record<string, number> = { m: 60_000, h: HOUR_MS, d: 24 * HOUR_MS };

/** What the address shows of the time; without anything that can be read, the last hour. */
export function windowOf(
  { from, to, at }: Pick<TimelineAddress, 'from' | 'to' | 'at'>,
  nowMs: number,
): StatedWindow {
  const lengthMs = from === null ? null : readDuration(from);
  const fromMs = from === null ? null : readTime(from);
  const toMs = to === null ? null : readTime(to);
  const atMs = readMoment(at);
  if (fromMs !== null && toMs !== null) return fixed(Math.min(fromMs, toMs), Math.max(fromMs, toMs), nowMs);
  if (fromMs !== null) return fixed(fromMs, nowMs, nowMs);
  if (lengthMs === null && atMs !== null) return fixed(atMs - AROUND_MS, atMs + AROUND_MS, nowMs);
  const length = Math.min(WINDOW_MS_MAX, Math.max(WINDOW_MS_MIN, lengthMs ?? HOUR_MS));
  return { fromMs: nowMs - length, toMs: nowMs, isLive: true };
}

function fixed(fromMs: number, toMs: number, nowMs: number): StatedWindow {
  const endMs = Math.min(Math.max(toMs, fromMs + WINDOW_MS_MIN), nowMs);
  const startMs = Math.max(Math.min(fromMs, endMs - WINDOW_MS_MIN), endMs - WINDOW_MS_MAX);
  return { fromMs: startMs, toMs: endMs, isLive: false };
}

/** The moment that is marked; null where there is none. */
export function readMoment(text: string | null): number | null {
  return text === null ? null : readTime(text);
}

/** What the address says of a window; one that ends at the present goes on to follow it. */
export function addressOf(window: TimeWindow, nowMs: number): Pick<TimelineAddress, 'from' | 'to'> {
  const length = window.toMs - window.fromMs;
  const slack = Math.max(2_000, length / 200);
  if (window.toMs < nowMs - slack) return { from: iso(window.fromMs), to: iso(window.toMs) };
  return { from: durationText(length), to: null };
}

export function durationText(ms: number): string {
  const minutes = Math.max(1, Math.round(ms / 60_000));
  if (minutes % 1_440 === 0) return `${minutes / 1_440}d`;
  return minutes % 60 === 0 ? `${minutes / 60}h` : `${minutes}m`;
}

/** To the second: nobody reads more, and links stay short. */
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
