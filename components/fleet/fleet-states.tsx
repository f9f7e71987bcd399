'use client';

import type { PartialResult } from '@/lib/api/common';
import type { WorkloadItem } from '@/lib/api/workloads';
import { Button } from '@/components/ui/button';
import { EmptyState } from '@/components/ui/empty-state';
import { FirstRevisionPicture } from '@/components/ui/first-revision-picture';
import { TextLink } from '@/components/ui/link';
import { PartialNotices } from '@/components/shared/partial-notices';
import { type FleetAddress, sinceSpan } from '@/components/fleet/fleet-address';
import { groupTitles } from '@/components/fleet/row-text';
import type { ListAddress } from '@/components/list/list-address';
import { type ClusterFilter, placeIn, useClusters } from '@/components/queries/cluster';
import { useClusterFilter } from '@/components/shared/cluster-filter';
import { workloadPagePath } from '@/components/queries/workload-ref';
import { lengthText } from '@/lib/timeline/fleet-text';

/** Largest share of differing letters at which a name is still suggested. */
const DIFFERENT_SHARE_MAX = 0.34;

/** The most similar name, by edit distance; null when none is similar enough. */
export function findNearestName<Named extends { name: string }>(
  query: string,
  candidates: readonly Named[],
): Named | null {
  let best: Named | null = null;
  let fewest = Math.floor(query.length * DIFFERENT_SHARE_MAX) + 1;
  for (const candidate of candidates) {
    if (Math.abs(candidate.name.length - query.length) >= fewest) continue;
    const changes = editDistance(query, candidate.name);
    if (changes < fewest) [best, fewest] = [candidate, changes];
  }
  return best;
}

/** Levenshtein distance. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + same));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}

/** Parts of the fleet that are missing, each with its reason. */
export function MissingWorkloads({ partial }: { partial: readonly PartialResult[] }) {
  if (partial.length === 0) return null;
  return (
    <div className="grid gap-1.5 pb-2">
      <PartialNotices
        partial={partial}
        missing={({ resource }) => `Not all ${plural(resource ?? 'workloads')} could be listed.`}
      />
    </div>
  );
}

/** The cluster has no workload that is visible to the viewer. */
export function EmptyFleet({ partial }: { partial: readonly PartialResult[] }) {
  const { isSeveral } = useClusters();
  return (
    <EmptyState title="No workloads" picture={<FirstRevisionPicture />} className="mt-3">
      {partial.length === 0
        ? `${isSeveral ? 'No cluster has a' : 'This cluster has no'} Deployment, StatefulSet or DaemonSet that you can see. The first one appears here within a second.`
        : 'You cannot read any workloads here. Missing permissions are listed above.'}
    </EmptyState>
  );
}

/** No match: lists the active filters and suggests the nearest name. */
export function NoMatch({
  filters: { address, change, clear },
  items,
}: {
  filters: ListAddress<FleetAddress>;
  items: readonly WorkloadItem[];
}) {
  const place = useClusterFilter();
  const q = address.q.trim();
  const elsewhere = q === '' ? undefined : items.find((item) => item.name.includes(q.toLowerCase()));
  const nearest = q === '' ? null : (elsewhere ?? findNearestName(q.toLowerCase(), items));
  return (
    <EmptyState
      className="mt-3"
      title={`No workloads match ${q === '' ? 'these filters' : `“${q.slice(0, 80)}”`}${address.namespace === null ? '' : ` in ${address.namespace}`}`}
      actions={
        <>
          {address.namespace !== null && (
            <Button size="small" onClick={() => change({ namespace: null })}>
              Search all namespaces
            </Button>
          )}
          <Button size="small" tone="quiet" kbd="escape" onClick={clear}>
            Clear filters
          </Button>
        </>
      }
    >
      {nearest && (
        <>
          Did you mean <TextLink href={workloadPagePath(nearest)}>{nearest.name}</TextLink>
          {` (${nearest.namespace}${placeIn(nearest.cluster)})? `}
        </>
      )}
      {activeFilters(address, place)}
    </EmptyState>
  );
}

function activeFilters(address: FleetAddress, { cluster, stage }: ClusterFilter): string {
  const parts = [
    cluster !== undefined && `cluster ${cluster.replaceAll(',', ', ')}`,
    stage !== undefined && `stage ${stage.replaceAll(',', ', ')}`,
    address.namespace !== null && `namespace ${address.namespace}`,
    address.resource !== null && plural(address.resource),
    address.tool !== null && `tool ${address.tool}`,
    address.group !== null && groupTitles[address.group].title.toLowerCase(),
    address.changedSince !== null && `changed ${sinceText(address.changedSince)}`,
    address.severalLive && 'mixed revisions',
    address.labelSelector.trim() !== '' && `labels ${address.labelSelector.slice(0, 120)}`,
  ].filter((part) => part !== false);
  return parts.length === 0 ? '' : `Active filters: ${parts.join(', ')}.`;
}

/** "in the last hour", "in the last 7 days", "since 2026-09-17T12:00:00Z" */
function sinceText(since: string): string {
  const span = sinceSpan(since);
  return span === null ? `since ${since}` : `in the last ${lengthText(span)}`;
}

/** `deployments.apps` in its short form; other groups in full, because short names mean the native kinds. */
function plural(resource: string): string {
  return resource.replace(/\.apps$/, '');
}
