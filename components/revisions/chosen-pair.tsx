'use client';

import { useQuery } from '@tanstack/react-query';
import { ButtonLink } from '@/components/ui/button';
import { Glyph } from '@/components/ui/glyph';
import { pairSideLabel, type RevisionPair } from '@/components/revisions/revision-pair';
import type { Diff } from '@/lib/api/diff';
import { isApplicationPartKind } from '@/lib/api/diff-values';
import type { RevisionItem } from '@/lib/api/revisions';
import { diffQuery } from '@/components/queries/diff';
import { workloadPagePath, type WorkloadRef } from '@/components/queries/workload-ref';
import { formatCount } from '@/lib/format/text';

/** The selected pair, the counts of its changes, and a link to it. */
export function ChosenPair({
  workload,
  revisions,
  pair,
}: {
  workload: WorkloadRef;
  revisions: readonly RevisionItem[];
  /** Null where nothing is selected that can be compared. */
  pair: RevisionPair | null;
}) {
  const { data, isPlaceholderData } = useQuery({
    ...diffQuery(workload, pair ?? { from: '', to: '' }),
    enabled: pair !== null,
  });
  if (pair === null) return <span>Select two rows to compare</span>;
  return (
    <>
      <span role="status" className="inline-flex min-w-0 items-center gap-[5px] max-desk:flex-1">
        <b className="truncate text-ink">{pairSideLabel(revisions, pair.from)}</b>
        <Glyph name="arrow" size={11} />
        <b className="truncate text-ink">{pairSideLabel(revisions, pair.to)}</b>
        <span className="truncate">{data && !isPlaceholderData ? figures(data) : ''}</span>
      </span>
      <ButtonLink
        href={workloadPagePath(workload, `/compare?${new URLSearchParams({ ...pair })}`)}
        size="small"
        kbd="c"
      >
        Compare
      </ButtonLink>
    </>
  );
}

/** "9 changes, 2 risks, replaces all pods" */
function figures({ changes, equal }: Diff): string {
  if (equal) return 'no effective difference';
  const risks = changes.filter(({ risk }) => risk !== null).length;
  const isOfPods = !changes.some(({ containerKind }) => isApplicationPartKind(containerKind));
  const restarts = changes.some((change) => change.restarts);
  return [
    formatCount(changes.length, 'change'),
    ...(risks > 0 ? [formatCount(risks, 'risk')] : []),
    ...(isOfPods ? [restarts ? 'replaces all pods' : 'replaces no pods'] : []),
  ].join(', ');
}
