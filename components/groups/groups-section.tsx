'use client';

import { useState } from 'react';
import { GroupActions } from '@/components/groups/group-actions';
import { GroupGrid } from '@/components/groups/group-grid';
import { GroupLegend } from '@/components/groups/group-legend';
import { GroupList } from '@/components/groups/group-list';
import { type GroupStatus } from '@/components/groups/group-status';
import { fitsMatrix, GroupMatrix } from '@/components/groups/group-matrix';
import { GroupStatefulSets } from '@/components/groups/group-stateful-sets';
import { GroupProgress } from '@/components/groups/group-progress';
import { InconsistentGroups } from '@/components/groups/inconsistent-groups';
import { usePhone } from '@/components/ui/media';
import { PartialNotice } from '@/components/shared/partial-notice';
import { SectionHead } from '@/components/ui/section-head';
import { useWidth } from '@/components/ui/use-width';
import { type PartialResult } from '@/lib/api/common';
import { type WorkloadDetail } from '@/lib/api/workloads';
import { type GroupItem, type GroupsItem } from '@/lib/api/groups';
import { type PodItem } from '@/lib/api/pods';
import { formatCount } from '@/lib/format/text';

/** The actions on groups. */
export interface GroupHandlers {
  /** Opens the dialog that moves the partition to that number. */
  onPartition: (partition: number) => void;
  /** Opens the dialog that restarts the group through its leader. */
  onRestart: (group: GroupItem) => void;
}

/** The groups of a workload whose pods are created and replaced together: their progress and their actions. */
export function GroupsSection({
  workload,
  groups,
  pods,
  partial,
  blocked,
  ...handlers
}: GroupHandlers & {
  workload: Pick<WorkloadDetail['workload'], 'name' | 'controls'>;
  groups: GroupsItem;
  /** Undefined until the pods have been read. */
  pods: readonly PodItem[] | undefined;
  /** Why pods cannot be read, if they cannot. */
  partial: readonly PartialResult[];
  /** Why nothing can be changed now; null when it can. */
  blocked: string | null;
}) {
  const phone = usePhone();
  const { ref, width } = useWidth();
  const [shownStatus, setShownStatus] = useState<GroupStatus | null>(null);
  const [query, setQuery] = useState('');
  const isDrawn = !phone && fitsMatrix(groups, width);
  const can = (action: string) => workload.controls.some((control) => control.action === action);
  const list = { groups, blocked, onRestart: can('deletePod') ? handlers.onRestart : null };

  return (
    <section ref={ref} aria-labelledby="groups" className="pt-[22px]">
      <SectionHead
        id="groups"
        title="Groups"
        remark={remarkOf(groups)}
        end={
          can('partition') && (
            <GroupActions groups={groups} blocked={blocked} onPartition={handlers.onPartition} />
          )
        }
      />
      {partial.map((part) => (
        <PartialNotice key={part.resource} part={part} missing="Groups may be incomplete." className="mt-2" />
      ))}
      <InconsistentGroups items={groups.items} blocked={blocked} onRestart={list.onRestart} />
      <GroupProgress groups={groups} />
      {groups.items.length === 0 ? (
        <p className="pt-3 text-small text-ink-3">
          {groups.desired === 0 ? 'It is scaled to 0: there are no groups.' : 'No group has been made yet.'}
        </p>
      ) : isDrawn ? (
        <GroupMatrix {...list} pods={pods} name={workload.name} />
      ) : (
        <>
          {groups.items.length > 12 && (
            <GroupGrid
              groups={groups}
              shownStatus={shownStatus}
              onChoose={(index) => setQuery(String(index))}
            />
          )}
          <GroupLegend groups={groups} shownStatus={shownStatus} onShownStatus={setShownStatus} />
          <GroupList
            key={shownStatus}
            {...list}
            pods={pods}
            name={workload.name}
            shownStatus={shownStatus}
            query={query}
            onQuery={setQuery}
          />
        </>
      )}
      <GroupStatefulSets groups={groups} />
    </section>
  );
}

function remarkOf({ items, desired, pods }: GroupsItem): string {
  const sizes = new Set(items.map(({ size }) => size));
  const [size] = sizes;
  const each = sizes.size === 1 && size !== undefined ? [`${formatCount(size, 'pod')} each`] : [];
  const all = items.length > 1 ? [`${pods.toLocaleString('en')} pods in all`] : [];
  return [`${desired.toLocaleString('en')} wanted`, ...each, ...all].join(', ');
}
