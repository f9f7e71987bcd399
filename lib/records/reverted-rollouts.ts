import type { RelatedRollout } from '@/lib/api/diff';
import { isSameRecordedTemplate, type TemplateRef } from '@/lib/records/template-meaning';

/** A rollout by its two templates; `from` is null for the first. */
export interface RolloutTransition<Rollout = RelatedRollout> {
  rollout: Rollout;
  from: TemplateRef | null;
  to: TemplateRef;
}

/** The rollouts that a return to an earlier template reverts. */
export interface RevertedRollouts<Rollout = RelatedRollout> {
  /** The earliest of them. */
  rollout: Rollout;
  /** How many came after it. */
  others: number;
}

/**
 * What the transition from one template to another reverts: the latest rollout that replaced the template
 * which returns, with all that came after. Null where it is no return. `earlier` comes oldest first.
 */
export function findRevertedRollouts<Rollout>(
  from: TemplateRef,
  to: TemplateRef,
  earlier: readonly RolloutTransition<Rollout>[],
): RevertedRollouts<Rollout> | null {
  if (isSameRecordedTemplate(from, to)) return null;
  const index = earlier.findLastIndex(
    (transition) =>
      transition.from !== null &&
      isSameRecordedTemplate(transition.from, to) &&
      !isSameRecordedTemplate(transition.to, to),
  );
  const first = earlier[index];
  return first === undefined ? null : { rollout: first.rollout, others: earlier.length - 1 - index };
}
