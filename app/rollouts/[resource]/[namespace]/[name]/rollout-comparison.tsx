'use client';

import { useQuery } from '@tanstack/react-query';
import { ChangeList, countChanges } from '@/components/action-dialog/change-list';
import { errorText } from '@/components/ui/error-state';
import { TextLink } from '@/components/ui/link';
import { SectionHead } from '@/components/ui/section-head';
import { SkeletonRows } from '@/components/ui/skeleton';
import { type RolloutItem } from '@/lib/api/rollouts';
import { diffQuery } from '@/components/queries/diff';
import { rolloutDiffQuery } from '@/components/queries/rollout-diff';
import { comparisonOf, comparisonPath } from '@/components/queries/revision-comparison';

const NO_COMPARISON = {
  history: { cluster: undefined, resource: '', namespace: '', name: '' },
  from: '',
  to: '',
};

/** What the rollout changes: the semantic difference from the stable revision to the new one. */
export function RolloutComparison({ rollout }: { rollout: RolloutItem }) {
  const comparison = comparisonOf(rollout);
  const { history, from, to } = comparison ?? NO_COMPARISON;
  // Two workloads without a common history.
  const isApart = comparison === null && rollout.revisions.summary !== null;
  const ofHistory = useQuery({ ...diffQuery(history, { from, to }), enabled: comparison !== null });
  const ofRollout = useQuery({ ...rolloutDiffQuery(rollout), enabled: isApart });
  const { data, error } = isApart ? ofRollout : ofHistory;
  if (!isApart && (comparison === null || from === to)) return null;
  return (
    <section aria-labelledby="changes" className="pt-6">
      <SectionHead
        id="changes"
        title="Changes"
        remark={data && `${data.from.label} → ${data.to.label}, ${countChanges(data)}`}
        className="mb-1.5"
        end={comparison !== null && <TextLink href={comparisonPath(comparison)}>Compare with YAML</TextLink>}
      />
      {error !== null ? (
        <p className="border-t border-line pt-2 text-ink-2">{errorText(error)}</p>
      ) : data === undefined ? (
        <SkeletonRows rows={2} label="Comparing" rowHeight={31} />
      ) : (
        <ChangeList diff={data} />
      )}
    </section>
  );
}
