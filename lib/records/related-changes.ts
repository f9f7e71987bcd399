import type { RelatedChangeItem, RelatedRollout } from '@/lib/api/diff';
import type { Change } from '@/lib/diff/change';
import { compareQuantities, parseQuantity, type Quantity } from '@/lib/kube/quantity';
import { type ChangeFingerprint, fingerprintOf } from '@/lib/records/change-fingerprint';

/** What a rollout did to one place. `raised` and `lowered`: of numbers and quantities. */
export type ChangeAction = RelatedChangeItem['deed'];

/**
 * How one change relates to an earlier rollout, `rollout`, that did `deed` to the same place:
 *
 * - `reverts`: it is the exact opposite. `repeats` is the latest rollout before that one which made this very change.
 * - `counters`: that rollout set the current value, and the change moves it in the other direction, if not to where it
 *   was. `before` and `after` are the amounts that it changed, where they are amounts.
 * - `repeats`: that rollout set what is set again; `revertedBy` had reverted it.
 * - `returns`: the value before that rollout is restored; there were other values meanwhile.
 */
export type RelatedChange<Rollout = RelatedRollout> = { rollout: Rollout; deed: ChangeAction } & (
  | { kind: 'reverts'; repeats: Rollout | null }
  | { kind: 'counters'; before: string | null; after: string | null }
  | { kind: 'repeats'; revertedBy: Rollout }
  | { kind: 'returns' }
);

/** A rollout of the same workload with its changes. */
export interface EarlierRollout<Rollout = RelatedRollout> {
  rollout: Rollout;
  fingerprints: readonly ChangeFingerprint[];
}

/**
 * For each change at most one related change of the rollouts before, which come oldest first; null for none. The rules:
 *
 * 1. Find the latest rollout that replaced the value which is set now. Where it led to the current value, the change
 *    reverts it.
 * 2. Where the latest rollout at the place led to the current value, and an amount now changes in the other direction,
 *    or what it removed is added in another form, the change counters it.
 * 3. Where the rollout of 1 had itself reverted another one, the change repeats that one.
 * 4. Else the change returns to the value before the rollout of 1.
 *
 * Values are compared by what they mean. Only the first rule applies to a place that several changes share (entries of
 * the same name). What `kubectl rollout restart` writes has no related change.
 */
export function findRelatedChanges<Rollout>(
  changes: readonly Change[],
  earlier: readonly EarlierRollout<Rollout>[],
): (RelatedChange<Rollout> | null)[] {
  const fingerprints = changes.map(fingerprintOf);
  const own = new Set(fingerprints.filter((fingerprint) => fingerprint !== null));
  const earlierByPlace = new Map<string, EarlierChange<Rollout>[]>();
  const shared = new Set<string>();
  for (const fingerprint of own) {
    if (earlierByPlace.has(fingerprint.place)) shared.add(fingerprint.place);
    else earlierByPlace.set(fingerprint.place, []);
  }
  for (const { rollout, fingerprints: past } of earlier) {
    const seenPlaces = new Set<string>();
    for (const fingerprint of past) {
      earlierByPlace.get(fingerprint.place)?.push({ rollout, fingerprint });
      if (seenPlaces.has(fingerprint.place)) shared.add(fingerprint.place);
      seenPlaces.add(fingerprint.place);
    }
  }
  const relatedChanges = new Map(
    [...own].map((fingerprint) => [
      fingerprint,
      findRelatedChange(
        fingerprint,
        earlierByPlace.get(fingerprint.place) ?? [],
        shared.has(fingerprint.place),
      ),
    ]),
  );
  return fingerprints.map((fingerprint) =>
    fingerprint === null ? null : (relatedChanges.get(fingerprint) ?? null),
  );
}

/** The rollouts that a related change names. */
export function rolloutsOf<Rollout>(relatedChange: RelatedChange<Rollout>): Rollout[] {
  switch (relatedChange.kind) {
    case 'reverts':
      return relatedChange.repeats === null
        ? [relatedChange.rollout]
        : [relatedChange.rollout, relatedChange.repeats];
    case 'repeats':
      return [relatedChange.rollout, relatedChange.revertedBy];
    case 'counters':
    case 'returns':
      return [relatedChange.rollout];
    default:
      return relatedChange satisfies never;
  }
}

/** The same related change with its rollouts mapped to another form. */
export function mapRollouts<From, To>(
  relatedChange: RelatedChange<From>,
  convert: (rollout: From) => To,
): RelatedChange<To> {
  const rollout = convert(relatedChange.rollout);
  switch (relatedChange.kind) {
    case 'reverts':
      return {
        ...relatedChange,
        rollout,
        repeats: relatedChange.repeats === null ? null : convert(relatedChange.repeats),
      };
    case 'repeats':
      return { ...relatedChange, rollout, revertedBy: convert(relatedChange.revertedBy) };
    case 'counters':
    case 'returns':
      return { ...relatedChange, rollout };
    default:
      return relatedChange satisfies never;
  }
}

interface EarlierChange<Rollout> {
  rollout: Rollout;
  fingerprint: ChangeFingerprint;
}

function findRelatedChange<Rollout>(
  now: ChangeFingerprint,
  past: readonly EarlierChange<Rollout>[],
  isShared: boolean,
): RelatedChange<Rollout> | null {
  const leadAwayFromNew = (fingerprint: ChangeFingerprint): boolean => fingerprint.before === now.after;
  const isReverse = (fingerprint: ChangeFingerprint): boolean =>
    leadAwayFromNew(fingerprint) && fingerprint.after === now.before;
  const latest = past.at(-1);
  const origin = past.findLastIndex(({ fingerprint }) =>
    isShared ? isReverse(fingerprint) : leadAwayFromNew(fingerprint),
  );
  const source = past[origin];
  if (source !== undefined && isReverse(source.fingerprint)) {
    const same = past
      .slice(0, origin)
      .findLast(({ fingerprint }) => fingerprint.before === now.before && fingerprint.after === now.after);
    return { kind: 'reverts', ...rolloutAndAction(source), repeats: same?.rollout ?? null };
  }
  if (isShared || latest === undefined || now.kind === 'moved') return null;
  if (latest.fingerprint.after === now.before && isOpposite(now, latest.fingerprint)) {
    const { before, after } = latest.fingerprint;
    return {
      kind: 'counters',
      ...rolloutAndAction(latest),
      before: amountText(before),
      after: amountText(after),
    };
  }
  if (source === undefined) return null;
  const repeated = past
    .slice(0, origin)
    .findLast(
      ({ fingerprint }) =>
        fingerprint.after === source.fingerprint.before && fingerprint.before === source.fingerprint.after,
    );
  if (repeated !== undefined)
    return { kind: 'repeats', ...rolloutAndAction(repeated), revertedBy: source.rollout };
  return { kind: 'returns', ...rolloutAndAction(source) };
}

function rolloutAndAction<Rollout>({ rollout, fingerprint }: EarlierChange<Rollout>): {
  rollout: Rollout;
  deed: ChangeAction;
} {
  return { rollout, deed: actionOf(fingerprint) };
}

function actionOf(fingerprint: ChangeFingerprint): ChangeAction {
  if (fingerprint.kind !== 'changed') return fingerprint.kind;
  const direction = directionOf(fingerprint);
  return direction === 0 ? 'changed' : direction > 0 ? 'raised' : 'lowered';
}

function isOpposite(now: ChangeFingerprint, then: ChangeFingerprint): boolean {
  if (now.kind === 'added') return then.kind === 'removed';
  return directionOf(now) * directionOf(then) < 0;
}

/** 1 where the amount increases, -1 where it decreases, 0 where it is no amount. */
function directionOf({ isAmount, before, after }: ChangeFingerprint): number {
  if (!isAmount || before === null || after === null) return 0;
  const [from, to] = [amountOf(before), amountOf(after)];
  return from === undefined || to === undefined ? 0 : Math.sign(compareQuantities(to, from));
}

function amountOf(text: string): Quantity | undefined {
  return parseQuantity(unquoted(text));
}

/** As it is written; null of what is no amount. */
function amountText(text: string | null): string | null {
  return text === null || amountOf(text) === undefined ? null : unquoted(text);
}

function unquoted(json: string): string {
  return json.startsWith('"') ? json.slice(1, -1) : json;
}
