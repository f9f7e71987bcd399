import type { Answer } from '@/lib/api/common';
import type {
  changeItemSchema,
  diffSchema,
  relatedChangeSchema,
  relatedRolloutSchema,
  revertedRolloutsSchema,
} from '@/lib/api/diff';
import type { Change, TemplateDiff } from '@/lib/diff/change';
import { describeRelatedChange, describeRevertedRollouts } from '@/lib/records/related-change-text';
import type { RelatedChange } from '@/lib/records/related-changes';
import type { RevertedRollouts } from '@/lib/records/reverted-rollouts';
import type { Masked } from '@/lib/masked';
import { textFrom } from '@/server/shared/mask';

type MaskedRollout = Answer<typeof relatedRolloutSchema>;

/** What the archive adds to a diff. */
export interface DiffRelatedChanges {
  /** One for each change of the diff, in its order; null where a change has none. */
  changes: readonly (RelatedChange<MaskedRollout> | null)[];
  reverted: RevertedRollouts<MaskedRollout> | null;
  /** Why related changes are missing, where they could not be determined. */
  note?: string;
}

/**
 * A diff as the API returns it: without what only applying it needs, and with its related changes where they are known.
 */
export function diffAnswer(
  diff: TemplateDiff,
  related: DiffRelatedChanges | null = null,
): Omit<Answer<typeof diffSchema>, 'from' | 'to' | 'yaml'> {
  const { equal, rawEqual, summary, restartOnly, explanation, changes, tooLarge, noise } = diff;
  return {
    equal,
    rawEqual,
    summary,
    restartOnly,
    reverts: revertedAnswer(related?.reverted ?? null),
    echoNote: related?.note ?? null,
    explanation,
    tooLarge,
    changes: changes.map((change, index) => changeAnswer(change, related?.changes[index] ?? null)),
    noise: noise.map(({ path, before, after, reason }) => ({
      path,
      before: before ?? null,
      after: after ?? null,
      reason,
    })),
  };
}

export function revertedAnswer(
  reverted: RevertedRollouts<MaskedRollout> | null,
): Answer<typeof revertedRolloutsSchema> | null {
  return reverted === null ? null : { ...reverted, sentence: textFrom(reverted, describeRevertedRollouts) };
}

function changeAnswer(
  {
    pointer: _pointer,
    vanishes: _vanishes,
    place: _place,
    order: _order,
    before,
    after,
    ...change
  }: Change<Masked<string>>,
  relatedChange: RelatedChange<MaskedRollout> | null,
): Answer<typeof changeItemSchema> {
  return {
    ...change,
    before: before ?? null,
    after: after ?? null,
    echo: relatedChangeAnswer(relatedChange),
  };
}

function relatedChangeAnswer(
  relatedChange: RelatedChange<MaskedRollout> | null,
): Answer<typeof relatedChangeSchema> | null {
  return relatedChange === null
    ? null
    : { ...relatedChange, sentence: textFrom(relatedChange, describeRelatedChange) };
}
