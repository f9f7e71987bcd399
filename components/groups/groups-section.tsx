'use client';

import { useState } from 'react';
import { GroupActions } from '@/components/groups/group-actions';
import { GroupField } from '@/components/groups/group-field';
import { GroupLegend } from '@/components/groups/group-legend';
import { GroupList } from '@/components/groups/group-list';
import { type GroupLook } from '@/components/groups/group-looks';
import { fitsMatrix, GroupMatrix } from '@/components/groups/group-matrix';
import { GroupParts } from '@/components/groups/group-parts';
import { GroupProgress } from '@/components/groups/group-progress';
import { OddGroups } from '@/components/groups/odd-groups';
import { usePhone } from '@/components/ui/media';
import { PartialNotice } from '@/components/ui/partial-notice';
import { SectionHead } from '@/components/ui/section-head';
import { useWidth } from '@/components/ui/use-width';
import { type Partial } from '@/lib/api/common';
import { type GroupItem, type GroupsItem, type PodItem, type WorkloadDetail } from '@/lib/api/workloads';
import { count } from '@/lib/workloads/words';

/** What can be done with groups. */
export interface GroupHandlers {
  /** Asks to move the partition to that number. */
  onPartition: (partition: number) => void;
  /** Asks to restart the group through its leader. */
  onRestart: (group: GroupItem) => void;
}

/** The groups of a workload whose pods live and die in them: how far each is, and what can be done about it. */
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
  /** Undefined until they have been read. */
  pods: readonly PodItem[] | undefined;
  /** What of the pods may not be read. */
  partial: readonly Partial[];
  /** Why nothing may be changed now; null when it may. */
  blocked: string | null;
}) {
  const phone = usePhone();
  const { ref, width } = useWidth();
  const [look, setLook] = useState<GroupLook | null>(null);
  const [found, setFound] = useState('');
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
      <OddGroups items={groups.items} blocked={blocked} onRestart={list.onRestart} />
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
            <GroupField groups={groups} look={look} onChoose={(index) => setFound(String(index))} />
          )}
          <GroupLegend groups={groups} look={look} onLook={setLook} />
          <GroupList
            key={look}
            {...list}
            pods={pods}
            name={workload.name}
            look={look}
            found={found}
            onFind={setFound}
          />
        </>
      )}
      <GroupParts groups={groups} />
    </section>
  );
}

/** "4 wanted, 3 pods each, 12 in all". */
function remarkOf({ items, desired, pods }: GroupsItem): string {
  const sizes = new Set(items.map(({ size }) => size));
  const [size] = sizes;
  const each = sizes.size === 1 && size !== undefined ? [`${count(size, 'pod')} each`] : [];
  const all = items.length > 1 ? [`${pods.toLocaleString('en')} pods in all`] : [];
  return [`${desired.toLocaleString('en')} wanted`, ...each, ...all].join(', ');
}
