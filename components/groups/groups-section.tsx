'use client';

import { useState } from 'react';
import { GroupGrid } from '@/components/groups/group-grid';
import { GroupLegend } from '@/components/groups/group-legend';
import { GroupList } from '@/components/groups/group-list';
import { type GroupStatus, groupStatusOf, describeGroup } from '@/components/groups/group-status';
import { fitsMatrix, GroupMatrix } from '@/components/groups/group-matrix';
import { GroupProgress } from '@/components/groups/group-progress';
import { usePhone } from '@/components/ui/media';
import { PartialNotice } from '@/components/shared/partial-notice';
import { SectionHead } from '@/components/ui/section-head';
import { useWidth } from '@/components/ui/use-width';
import type { PartialResult } from '@/lib/api/common';
import type { WorkloadDetail } from '@/lib/api/workloads';
import type { GroupItem, GroupsItem } from '@/lib/api/groups';
import type { PodItem } from '@/lib/api/pods';
import { formatCount, uncapitalize } from '@/lib/format/text';
import { Button } from '@/components/ui/button';
import { Notice } from '@/components/ui/notice';
import { Glyph } from '@/components/ui/glyph';

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
          {groups.desired === 0 ? 'No groups: scaled to 0.' : 'No groups yet.'}
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
  const each = sizes.size === 1 && size !== undefined ? ` × ${formatCount(size, 'pod')}` : '';
  const all = items.length > 1 ? ` (${pods.toLocaleString('en')} pods)` : '';
  return `${formatCount(desired, 'group')}${each}${all}`;
}

/** Moves of the partition that make sense now: by one group, to all, or back to none. */
function GroupActions({
  groups,
  blocked,
  onPartition,
}: {
  groups: GroupsItem;
  blocked: string | null;
  onPartition: (partition: number) => void;
}) {
  const { partition, desired } = groups;
  const holds = Math.min(partition, desired);
  const canHold = holds < desired && groups.items.some((group) => groupStatusOf(group) === 'behind');
  return (
    <div className="flex flex-wrap gap-2">
      {holds > 1 && (
        <Button
          size="small"
          disabledReason={blocked}
          title={`Sets the partition to ${holds - 1}`}
          onClick={() => onPartition(holds - 1)}
        >
          Update group {holds - 1}…
        </Button>
      )}
      {holds > 0 && (
        <Button
          size="small"
          disabledReason={blocked}
          title="Sets the partition to 0"
          onClick={() => onPartition(0)}
        >
          Update {holds === 1 ? 'group 0' : 'all'}…
        </Button>
      )}
      {canHold && (
        <Button
          size="small"
          glyph="pause"
          disabledReason={blocked}
          title={`Sets the partition to ${desired}; groups that are already updated stay updated`}
          onClick={() => onPartition(desired)}
        >
          Hold remaining groups…
        </Button>
      )}
    </div>
  );
}

const SHOWN_MAX = 3;

/** Groups whose leader and workers run different revisions: no controller repairs that by itself. */
function InconsistentGroups({
  items,
  blocked,
  onRestart,
}: {
  items: readonly GroupItem[];
  blocked: string | null;
  onRestart: ((group: GroupItem) => void) | null;
}) {
  const inconsistent = items.filter(({ state }) => state === 'disagrees');
  return (
    <>
      {inconsistent.slice(0, SHOWN_MAX).map((group) => (
        <Notice
          key={group.index}
          tone="refused"
          title={`Group ${group.index}: ${uncapitalize(describeGroup(group))}.`}
          className="mt-2 max-desk:[&>div]:basis-[calc(100%-30px)]"
          action={
            onRestart && (
              <Button
                size="small"
                glyph="restart"
                disabled={group.leader === null}
                disabledReason={blocked}
                onClick={() => onRestart(group)}
              >
                Restart group {group.index}…
              </Button>
            )
          }
        >
          Its pods cannot work together, and no controller repairs that. Restart the group.
        </Notice>
      ))}
      {inconsistent.length > SHOWN_MAX && (
        <p className="pt-1 text-small text-stuck">
          {inconsistent.length - SHOWN_MAX} more groups have a revision mismatch.
        </p>
      )}
    </>
  );
}

const REVISIONS_SHOWN = 5;

/** The StatefulSets of the groups. Read-only: the controller generates and writes them. */
function GroupStatefulSets({ groups: { parts, partsNote } }: { groups: GroupsItem }) {
  if (parts.length === 0) return null;
  return (
    <details className="mt-3 text-small">
      <summary className="w-fit cursor-pointer rounded-2 text-ink-3 hover:text-ink max-desk:py-2">
        {parts.length === 1 ? '1 StatefulSet' : `${parts.length} StatefulSets`} (read-only)
      </summary>
      <p className="flex max-w-[86ch] gap-2 pt-1.5 pb-2 text-ink-2">
        <Glyph name="lock" size={13} className="mt-[1.5px] text-ink-3" />
        {partsNote}
      </p>
      <ul aria-label="StatefulSets (read-only)" className="grid max-h-[320px] overflow-y-auto" tabIndex={0}>
        {parts.map(({ kind, name, group, revisions }) => (
          <li
            key={name}
            className="grid grid-cols-[minmax(120px,220px)_minmax(90px,140px)_minmax(0,1fr)] gap-x-4 border-t border-hair py-1.5 max-desk:grid-cols-[minmax(0,1fr)_auto]"
          >
            <span className="truncate literal" title={`${kind} ${name}`}>
              {name}
            </span>
            <span className="text-ink-2">{group === null ? 'Leaders' : `Workers of group ${group}`}</span>
            <span
              className="truncate text-ink-3 max-desk:col-span-2"
              title={revisions.map((each) => `${each.number ?? '–'}: ${each.name}`).join('\n')}
            >
              {revisionsText(revisions)}
            </span>
          </li>
        ))}
      </ul>
    </details>
  );
}

function revisionsText(revisions: GroupsItem['parts'][number]['revisions']): string {
  if (revisions.length === 0) return 'No revisions';
  const numbers = revisions.slice(0, REVISIONS_SHOWN).map(({ number }) => number ?? '–');
  const more = revisions.length > REVISIONS_SHOWN ? ', …' : '';
  return `Revisions ${numbers.join(', ')}${more}`;
}
