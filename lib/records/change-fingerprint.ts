import type { Change } from '@/lib/diff/change';
import type { ChangeKind, Concern } from '@/lib/api/diff-values';
import { orderOf, placeKeyOf } from '@/lib/diff/place-key';
import { concernOf, scopeOf } from '@/lib/diff/scope';
import { isRestartAnnotation } from '@/lib/diff/summary';
import { type Difference, findDifferences } from '@/lib/diff/walk';
import { canonicalJson, type Json, type JsonObject } from '@/lib/kube/json';

/** A change as it is stored for comparison: values as canonical JSON, null where there is none. */
export interface ChangeFingerprint {
  place: string;
  kind: ChangeKind;
  /** Whether its numbers are quantities: those of identifiers and ports are not. */
  isAmount: boolean;
  before: string | null;
  after: string | null;
}

/**
 * The fingerprint of a change; null for one that never relates to another, such as what `kubectl rollout
 * restart` writes. All moves in a list share one fingerprint object.
 */
export function fingerprintOf(change: Change): ChangeFingerprint | null {
  if (isRestartAnnotation(change)) return null;
  return change.order === null
    ? createFingerprint(change, change.concern)
    : fingerprintOfOrder(change.place, change.order);
}

/**
 * The fingerprint of all differences between two templates normalized by {@link normalizeTemplate}: those of
 * their diff, each once, without labels. None where they are too many to compare.
 */
export function fingerprintsBetween(before: JsonObject, after: JsonObject): ChangeFingerprint[] {
  const { list, isTooLarge } = findDifferences(before, after);
  if (isTooLarge) return [];
  const relevant = list.filter((difference) => !isRestartAnnotation(difference));
  return [...new Set(relevant.map(fingerprintOfDifference))];
}

function fingerprintOfDifference(difference: Difference): ChangeFingerprint {
  const place = placeKeyOf(difference);
  const order = orderOf(difference);
  return order === null
    ? createFingerprint({ ...difference, place }, concernOf(scopeOf(difference.steps)))
    : fingerprintOfOrder(place, order);
}

type Order = NonNullable<Change['order']>;

/** The text of an order is as long as its list, and as many entries may have moved. */
const orderFingerprints = new WeakMap<Order, ChangeFingerprint>();

function fingerprintOfOrder(place: string, order: Order): ChangeFingerprint {
  const known = orderFingerprints.get(order);
  if (known !== undefined) return known;
  const [before, after] = [JSON.stringify(order.before), JSON.stringify(order.after)];
  const fingerprint: ChangeFingerprint = { place, kind: 'moved', isAmount: false, before, after };
  orderFingerprints.set(order, fingerprint);
  return fingerprint;
}

function createFingerprint(
  { place, kind, before, after }: Pick<Change, 'place' | 'kind' | 'before' | 'after'>,
  concern: Concern,
): ChangeFingerprint {
  const isCounted = concern !== 'security' && concern !== 'env' && concern !== 'metadata';
  return {
    place,
    kind,
    isAmount: kind === 'changed' && isCounted,
    before: textOf(before),
    after: textOf(after),
  };
}

function textOf(value: Json | undefined): string | null {
  return value === undefined ? null : canonicalJson(value);
}
