'use client';

import { useState } from 'react';
import { Button } from '@/components/ui/button';
import { type QueryAnswer, Waiting } from '@/components/shared/waiting';
import { SectionHead } from '@/components/ui/section-head';
import { SkeletonRows } from '@/components/ui/skeleton';
import { GroupRow, Table, Th, Thead } from '@/components/ui/table';
import { groupPods, type RevisionPodGroup } from '@/components/workload/pod-groups';
import { PodRow } from '@/components/workload/pod-row';
import type { PodItem, PodList } from '@/lib/api/pods';
import type { WorkloadRef } from '@/components/queries/workload-ref';

const SHOWN_AT_FIRST = 12;
const COLUMNS = ['28%', '24%', '15%', '9%', '9%', '15%'];

/** The pods by revision, those in trouble first. */
export function PodsSection({
  workload,
  pods,
  pointed,
  onPoint,
  onDelete,
  onRetry,
}: {
  workload: WorkloadRef;
  pods: QueryAnswer<PodList>;
  pointed: string | null;
  onPoint: (revisionId: string | null) => void;
  /** Opens the deletion of a pod; null where that is not offered. */
  onDelete: ((pod: PodItem) => void) | null;
  onRetry: () => void;
}) {
  return (
    <section aria-labelledby="pods" className="pt-[22px]">
      <SectionHead id="pods" title="Pods" remark={pods.data && remark(pods.data.items)} className="mb-2" />
      <Waiting
        answer={pods}
        loading={<SkeletonRows rows={3} label="Loading pods" />}
        onRetry={onRetry}
        title="The pods could not be loaded"
        missing="Without pods."
        none={({ items }) => items.length === 0 && <p className="text-small text-ink-3">No pods.</p>}
        className="mb-2"
      >
        {({ items }) => (
          <Table label="Pods" columns={COLUMNS}>
            <Thead>
              <Th>Pod</Th>
              <Th>Status</Th>
              <Th>Node</Th>
              <Th numeric>Age</Th>
              <Th numeric>Restarts</Th>
              <Th>
                <span className="sr-only">Actions</span>
              </Th>
            </Thead>
            {groupPods(items).map((group) => (
              <Group
                key={group.key}
                workload={workload}
                group={group}
                chosen={group.id !== null && group.id === pointed}
                onPoint={onPoint}
                // Its rollout creates such a pod, and deletes it.
                onDelete={group.auxiliary === undefined ? onDelete : null}
              />
            ))}
          </Table>
        )}
      </Waiting>
    </section>
  );
}

function Group({
  workload,
  group,
  chosen,
  onPoint,
  onDelete,
}: {
  workload: WorkloadRef;
  group: RevisionPodGroup;
  chosen: boolean;
  onPoint: (revisionId: string | null) => void;
  onDelete: ((pod: PodItem) => void) | null;
}) {
  const [all, setAll] = useState(false);
  const shown = all ? group.pods : group.pods.slice(0, SHOWN_AT_FIRST);
  return (
    <tbody
      role="rowgroup"
      className="max-desk:block"
      onPointerEnter={() => onPoint(group.id)}
      onPointerLeave={() => onPoint(null)}
    >
      <GroupRow
        title={titleOf(group)}
        count={group.pods.length}
        remark={`${group.target ? 'target, ' : group.auxiliary ? 'canary, ' : ''}${readyText(group)}`}
        span={COLUMNS.length}
      />
      {shown.map((pod) => (
        <PodRow key={pod.uid} workload={workload} pod={pod} chosen={chosen} onDelete={onDelete} />
      ))}
      {shown.length < group.pods.length && (
        <tr role="row" className="max-desk:block">
          <td role="cell" colSpan={COLUMNS.length} className="h-8 max-desk:block">
            <Button size="small" tone="quiet" onClick={() => setAll(true)} className="-ml-2">
              Show all {group.pods.length}
            </Button>
          </td>
        </tr>
      )}
    </tbody>
  );
}

function titleOf({ auxiliary, revision }: RevisionPodGroup): string {
  if (auxiliary !== undefined) return `${auxiliary.kind} ${auxiliary.name}`;
  return revision === null ? 'Unknown revision' : `Revision ${revision}`;
}

function readyText({ pods, ready }: RevisionPodGroup): string {
  if (ready === pods.length) return 'all ready';
  return ready === 0 ? 'none ready' : `${ready} ready`;
}

function remark(pods: readonly PodItem[]): string {
  if (pods.length === 0) return '0';
  const unready = pods.filter((pod) => !pod.ready).length;
  return unready === 0 ? `${pods.length}, all ready` : `${pods.length}, ${unready} not ready`;
}
