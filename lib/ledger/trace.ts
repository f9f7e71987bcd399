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

/** What is remembered of a change; null of one that never echoes, such as what `kubectl rollout restart` writes. */
export function traceOf(change: Change): Trace | null {
  return isRestartMark(change) ? null : trace(change, change.order, change.concern);
}

/**
 * The same of everything that differs between two templates, which {@link normaliseTemplate} has brought into its
 * form: what the traces of their diff are, without its words.
 */
export function tracesBetween(before: JsonObject, after: JsonObject): Trace[] {
  return findDifferences(before, after).flatMap((difference) =>
    isRestartMark(difference) ? [] : [traceOfDifference(difference)],
  );
}

function traceOfDifference(difference: Difference): Trace {
  const place = placeOf(difference);
  return trace({ ...difference, place }, orderOf(difference), concernOf(scopeOf(difference.steps)));
}

function trace(
  { place, kind, before, after }: Pick<Change, 'place' | 'kind' | 'before' | 'after'>,
  order: Change['order'],
  concern: Concern,
): Trace {
  const isCounted = concern !== 'security' && concern !== 'env' && concern !== 'metadata';
  return {
    place,
    kind,
    isAmount: kind === 'changed' && isCounted,
    before: textOf(order === null ? before : order.before),
    after: textOf(order === null ? after : order.after),
  };
}

function textOf(value: Json | readonly string[] | undefined): string | null {
  return value === undefined ? null : canonicalJson(value as Json);
}
