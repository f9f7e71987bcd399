import { type EchoRollout } from '@/lib/ledger/echoes';
import { isSameRecorded, type TemplateRef } from '@/lib/ledger/meaning';

/** A rollout by what it led from and to; `from` is null for the first. */
export interface Passage<Rollout = EchoRollout> {
  rollout: Rollout;
  from: TemplateRef | null;
  to: TemplateRef;
}

/** The rollouts that a return to an earlier template takes back. */
export interface TakenBack<Rollout = EchoRollout> {
  /** The earliest of them. */
  rollout: Rollout;
  /** How many came after it. */
  others: number;
}

/**
 * What going from one template to another takes back: the latest rollout that led away from the one which comes, with
 * all that came after. Null where it is no return. `earlier` comes oldest first.
 */
export function findTakenBack<Rollout>(
  from: TemplateRef,
  to: TemplateRef,
  earlier: readonly Passage<Rollout>[],
): TakenBack<Rollout> | null {
  if (isSameRecorded(from, to)) return null;
  const index = earlier.findLastIndex(
    (passage) => passage.from !== null && isSameRecorded(passage.from, to) && !isSameRecorded(passage.to, to),
  );
  const first = earlier[index];
  return first === undefined ? null : { rollout: first.rollout, others: earlier.length - 1 - index };
}
