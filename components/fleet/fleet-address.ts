import { parseAsBoolean, parseAsString, parseAsStringLiteral, type Values } from 'nuqs';
import { type FleetChoice, type FleetScope, groupNames } from '@/components/fleet/fleet-filter';
import { parseSelector, type Selector } from '@/lib/kube/selector';
import { messageOf } from '@/lib/errors';

/** The state of the page as stored in the address; names as in the API where it has them. */
export const fleetParsers = {
  q: parseAsString.withDefault(''),
  namespace: parseAsString,
  resource: parseAsString,
  tool: parseAsString,
  labelSelector: parseAsString.withDefault(''),
  group: parseAsStringLiteral(groupNames),
  /** A duration back from now (`1h`) or a time. */
  changedSince: parseAsString,
  severalLive: parseAsBoolean.withDefault(false),
  /** Key of the selected row. */
  at: parseAsString.withDefault(''),
};

export type FleetAddress = Values<typeof fleetParsers>;

/** The scope, and the error of the label selector, if any: an invalid selector filters nothing. */
export function scopeOf(address: FleetAddress): { scope: FleetScope; selectorError: string | null } {
  const { selector, error } = readSelector(address.labelSelector);
  return {
    scope: {
      words: address.q.toLowerCase().split(/\s+/).filter(Boolean),
      namespace: address.namespace,
      resource: address.resource,
      tool: address.tool,
      selector,
    },
    selectorError: error,
  };
}

export function choiceOf(address: FleetAddress, nowMs: number): FleetChoice {
  return {
    group: address.group,
    changedSinceMs: address.changedSince === null ? null : readSince(address.changedSince, nowMs),
    severalLive: address.severalLive,
  };
}

const units: Record<string, number> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `30m`, `1h`, `7d` before now, or an RFC 3339 time; null for anything else. */
export function readSince(text: string, nowMs: number): number | null {
  const span = sinceSpan(text);
  if (span !== null) return nowMs - span;
  const time = /^\d{4}-\d{2}-\d{2}T/.test(text) ? Date.parse(text) : NaN;
  return Number.isNaN(time) ? null : time;
}

/** The length of `30m`, `1h` or `7d` in milliseconds; null for anything else. */
export function sinceSpan(text: string): number | null {
  const duration = /^(\d{1,6})([mhd])$/.exec(text);
  return duration && Number(duration[1]) * (units[duration[2] ?? ''] ?? 0);
}

function readSelector(text: string): { selector: Selector | null; error: string | null } {
  if (text.trim() === '') return { selector: null, error: null };
  try {
    return { selector: parseSelector(text), error: null };
  } catch (error) {
    return { selector: null, error: messageOf(error) };
  }
}
