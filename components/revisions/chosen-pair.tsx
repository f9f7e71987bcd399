'use client';

import { useQuery } from '@tanstack/react-query';
import { ButtonLink } from '@/components/ui/button';
import { Glyph } from '@/components/ui/glyph';
import { isComplete, pairSideLabel, type RevisionPair } from '@/components/revisions/revision-pair';
import { type Diff } from '@/lib/api/diff';
import { isApplicationPartKind } from '@/lib/api/diff-values';
import { type RevisionItem } from '@/lib/api/revisions';
import { diffQuery } from '@/components/queries/diff';
import { workloadPagePath, type WorkloadRef } from '@/components/queries/workload-ref';
import { formatCount } from '@/lib/format/text';

/** The pair chosen for comparison, the counts of its changes, and a link to it. */
export function ChosenPair({
  workload,
  revisions,
  pair,
}: {
  workload: WorkloadRef;
  revisions: readonly RevisionItem[];
  pair: RevisionPair;
}) {
  const { from, to } = pair;
  const { data, isPlaceholderData } = useQuery({
    ...diffQuery(workload, { from: from ?? '', to: to ?? '' }),
    enabled: isComplete(pair),
  });
  if (!isComplete(pair)) return <span>choose two to compare</span>;
  const query = new URLSearchParams({ from: pair.from, to: pair.to });
  return (
    <>
      <span className="inline-flex min-w-0 items-center gap-[5px] max-desk:flex-1">
        <b className="truncate font-mono text-ink">{pairSideLabel(revisions, from)}</b>
        <Glyph name="arrow" size={11} />
        <b className="truncate font-mono text-ink">{pairSideLabel(revisions, to)}</b>
        <span className="truncate">{data && !isPlaceholderData ? figures(data) : 'chosen'}</span>
      </span>
      <ButtonLink href={workloadPagePath(workload, `/compare?${query}`)} size="small" kbd="c">
        Compare
      </ButtonLink>
    </>
  );
}

/** "9 changes, 2 risks, restarts all pods" */
function figures({ changes, equal }: Diff): string {
  if (equal) return 'mean the same';
  const risks = changes.filter(({ risk }) => risk !== null).length;
  const isOfPods = !changes.some(({ containerKind }) => isApplicationPartKind(containerKind));
  const restarts = changes.some((change) => change.restarts);
  return [
    formatCount(changes.length, 'change'),
    ...(risks > 0 ? [formatCount(risks, 'risk')] : []),
    ...(isOfPods ? [restarts ? 'restarts all pods' : 'restarts no pod'] : []),
  ].join(', ');
}
