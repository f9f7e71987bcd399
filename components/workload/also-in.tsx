'use client';

import { Fragment } from 'react';
import { clusterParam } from '@/components/queries/cluster';
import { useOtherClusters } from '@/components/queries/same-workload';
import { workloadPagePath } from '@/components/queries/workload-ref';
import { StateGlyph } from '@/components/shared/state-label';
import { TextLink } from '@/components/ui/link';
import type { WorkloadItem } from '@/lib/api/workloads';
import { versionOf } from '@/lib/view/image-name';
import { shareOf } from '@/lib/view/rollout-progress';

/** More than this are a line of their own; Workloads has all of them next to each other. */
const SHOWN_MAX = 8;

/** The same workload in other clusters: its state, its version, and where that differs the way to the differences. */
export function AlsoIn({ workload }: { workload: WorkloadItem }) {
  const others = useOtherClusters(workload);
  if (others.length === 0) return null;
  const version = versionOf(workload.images);
  return (
    <p className="flex flex-wrap items-center gap-x-1.5 gap-y-0.5 pt-1.5 text-small text-ink-3">
      Also in
      {others.slice(0, SHOWN_MAX).map((other, index) => (
        <Fragment key={other.cluster}>
          {index > 0 && <span aria-hidden="true">·</span>}
          <Other workload={workload} other={other} isDifferent={versionOf(other.images) !== version} />
        </Fragment>
      ))}
      {others.length > SHOWN_MAX && <span>and {others.length - SHOWN_MAX} more</span>}
    </p>
  );
}

function Other({
  workload,
  other,
  isDifferent,
}: {
  workload: WorkloadItem;
  other: WorkloadItem;
  isDifferent: boolean;
}) {
  const name = clusterParam(other.cluster) ?? other.cluster;
  const version = versionOf(other.images);
  const sides = new URLSearchParams({ from: `${name}:live`, to: 'live' });
  return (
    <span className="inline-flex min-w-0 items-center gap-1.5">
      <StateGlyph
        state={other.state}
        awaitsApproval={other.awaitsApproval}
        share={shareOf(other)}
        size={12}
      />
      <TextLink href={workloadPagePath(other)} prefetch={false}>
        {name}
      </TextLink>
      {version !== '' && (
        <span className={`max-w-[16em] truncate font-mono text-code ${isDifferent ? 'text-ink' : ''}`}>
          {version}
        </span>
      )}
      {isDifferent && (
        <TextLink href={workloadPagePath(workload, `/compare?${sides}`)} prefetch={false}>
          Compare<span className="sr-only"> with {name}</span>
        </TextLink>
      )}
    </span>
  );
}
