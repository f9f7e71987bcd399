import { type Change, type ChangeKind, type Concern } from '@/lib/diff/change';
import { orderOf, placeOf } from '@/lib/diff/place';
import { concernOf, scopeOf } from '@/lib/diff/scope';
import { isRestartMark } from '@/lib/diff/summary';
import { type Difference, findDifferences } from '@/lib/diff/walk';
import { canonicalJson, type Json, type JsonObject } from '@/lib/kube/json';

/** A change as it is remembered for comparing: values as canonical JSON, null where there is none. */
export interface Trace {
  place: string;
  kind: ChangeKind;
  /** Whether its numbers stand for more and less: identifiers and ports do not. */
  isAmount: boolean;
  before: string | null;
  after: string | null;
}

/**
 * What is remembered of a change; null of one that never echoes, such as what `kubectl rollout restart` writes. All moves in
 * a list have the same trace, one object.
 */
export function traceOf(change: Change): Trace | null {
  if (isRestartMark(change)) return null;
  return change.order === null ? trace(change, change.concern) : traceOfOrder(change.place, change.order);
}

/**
 * The same of everything that differs between two templates, which {@link normaliseTemplate} has brought into its
 * form: what the traces of their diff are, each once, without its words. None where they are too many to be compared.
 */
export function tracesBetween(before: JsonObject, after: JsonObject): Trace[] {
  const { list, isTooLarge } = findDifferences(before, after);
  if (isTooLarge) return [];
  const told = list.filter((difference) => !isRestartMark(difference));
  return [...new Set(told.map(traceOfDifference))];
}

function traceOfDifference(difference: Difference): Trace {
  const place = placeOf(difference);
  const order = orderOf(difference);
  return order === null
    ? trace({ ...difference, place }, concernOf(scopeOf(difference.steps)))
    : traceOfOrder(place, order);
}

type Order = NonNullable<Change['order']>;

/** The text of an order is as long as its list, and as many entries may have moved. */
const traceOfOrders = new WeakMap<Order, Trace>();

function traceOfOrder(place: string, order: Order): Trace {
  const known = traceOfOrders.get(order);
  if (known !== undefined) return known;
  const [before, after] = [JSON.stringify(order.before), JSON.stringify(order.after)];
  const made: Trace = { place, kind: 'moved', isAmount: false, before, after };
  traceOfOrders.set(order, made);
  return made;
}

function trace(
  { place, kind, before, after }: Pick<Change, 'place' | 'kind' | 'before' | 'after'>,
  concern: Concern,
): Trace {
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
