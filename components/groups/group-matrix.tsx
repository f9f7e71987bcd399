import { useMemo } from 'react';
import { clsx } from 'clsx';
import {
  type GroupStatus,
  groupAppearance,
  groupStatusOf,
  revisionLabelOf,
  revisionTextOf,
  countByStatus,
} from '@/components/groups/group-status';
import { MemberCell } from '@/components/groups/member-cell';
import { indexPodsByGroup } from '@/components/groups/group-pods';
import { RestartGroup } from '@/components/groups/restart-group';
import { Tag } from '@/components/ui/tag';
import type { GroupItem, GroupsItem } from '@/lib/api/groups';
import type { PodItem } from '@/lib/api/pods';
import { formatList } from '@/lib/format/text';
import { StatusSwatch } from '@/components/groups/group-legend';

const GROUPS_MAX = 12;
const SIZE_MAX = 16;
const LABEL_PX = 70;
const COLUMN_PX = 76;
const COLUMN_MAX_PX = 124;

/** Whether each pod of each group has room for a cell of its own, and the viewer can see pods. */
export function fitsMatrix({ items }: GroupsItem, width: number): boolean {
  const hasLeaders = items.some(({ leader }) => leader !== null);
  const room = width === 0 || LABEL_PX + items.length * COLUMN_PX <= width;
  return hasLeaders && room && items.length <= GROUPS_MAX && items.every(({ size }) => size <= SIZE_MAX);
}

/**
 * A few groups side by side, pod by pod: the leader on top, its workers below it, the line of the partition between
 * groups.
 */
export function GroupMatrix({
  groups,
  pods,
  name,
  blocked,
  onRestart,
}: {
  groups: GroupsItem;
  /** Undefined until the pods have been read. */
  pods: readonly PodItem[] | undefined;
  name: string;
  blocked: string | null;
  onRestart: ((group: GroupItem) => void) | null;
}) {
  const podsByGroup = useMemo(() => indexPodsByGroup(pods ?? []), [pods]);
  const { items, partition } = groups;
  const size = items.reduce((most, group) => Math.max(most, group.size), 1);
  const partitionIndex = partition > 0 && partition < items.length ? partition : null;
  const side = (index: number) =>
    clsx('px-[3px]', index === partitionIndex && 'border-l-2 border-dashed border-held pl-2');
  return (
    <div className="flex flex-col gap-x-8 gap-y-3 pt-3 wide:flex-row wide:items-start">
      <table
        aria-label={`Pods of ${name} by group`}
        className="w-full min-w-0 table-fixed border-separate border-spacing-0"
        style={{ maxWidth: LABEL_PX + items.length * COLUMN_MAX_PX }}
      >
        <colgroup>
          <col style={{ width: LABEL_PX }} />
          {items.map(({ index }) => (
            <col key={index} />
          ))}
        </colgroup>
        <thead>
          <tr>
            <th scope="col" className={rowLabelClass}>
              <span className="text-ink-3">Revision</span>
            </th>
            {items.map((group) => (
              <ColumnHead key={group.index} group={group} className={side(group.index)} />
            ))}
          </tr>
        </thead>
        <tbody>
          {Array.from({ length: size }, (_, member) => (
            <tr key={member}>
              <th scope="row" className={rowLabelClass}>
                {member === 0 ? 'Leader' : `Worker ${member}`}
              </th>
              {items.map((group) => (
                <td key={group.index} className={clsx('py-0.5', side(group.index))}>
                  {member < group.size && (
                    <MemberCell
                      group={group}
                      pod={podsByGroup.get(group.index)?.get(member)}
                      isRead={pods !== undefined}
                    />
                  )}
                </td>
              ))}
            </tr>
          ))}
          <tr>
            <th scope="row" className={clsx(rowLabelClass, 'pt-1.5')}>
              Ready
            </th>
            {items.map((group) => (
              <td key={group.index} className={clsx('pt-1.5 text-center text-small', side(group.index))}>
                <ReadyCount group={group} />
              </td>
            ))}
          </tr>
          <tr>
            <th scope="row" className={rowLabelClass}>
              State
            </th>
            {items.map((group) => (
              <td key={group.index} className={clsx('text-center text-small', side(group.index))}>
                <span className={groupAppearance[groupStatusOf(group)].ink}>
                  {shortStatusLabels[groupStatusOf(group)]}
                </span>
                {onRestart && (
                  <RestartGroup group={group} blocked={blocked} onRestart={onRestart} className="mx-auto" />
                )}
              </td>
            ))}
          </tr>
        </tbody>
      </table>
      <MatrixLegend groups={groups} />
    </div>
  );
}

function ColumnHead({ group, className }: { group: GroupItem; className: string }) {
  const isInconsistent = group.state === 'disagrees';
  return (
    <th scope="col" className={clsx('pb-1.5 text-center align-bottom font-normal', className)}>
      <b className={clsx('block', isInconsistent ? 'text-stuck' : group.updated ? 'text-ink' : 'text-ink-2')}>
        Group {group.index}
        {group.surge && (
          <Tag
            tone="line"
            title="Exists in addition to the desired groups until the rollout completes"
            className="ml-1.5"
          >
            Surge
          </Tag>
        )}
      </b>
      <span
        className={clsx('block truncate rev', group.updated ? 'text-accent' : 'text-ink-3')}
        title={group.key === null ? undefined : `Revision key ${group.key}`}
      >
        {group.revision === null && group.key === null ? '–' : revisionLabelOf(group)}
        {group.key !== null && group.revision !== null && (
          <span className="pl-1.5 text-[11px] font-normal text-ink-3 max-wide:hidden">
            {group.key.slice(0, 6)}…
          </span>
        )}
      </span>
    </th>
  );
}

function ReadyCount({ group: { pods, size, ready, updated } }: { group: GroupItem }) {
  return (
    <span
      className={ready ? 'text-ink-3' : updated ? 'font-medium text-rolling' : 'font-medium text-degraded'}
    >
      {pods.ready} of {size}
    </span>
  );
}

/** Shorter than in a list: the column already has the revision above it. */
const shortStatusLabels: Record<GroupStatus, string> = {
  disagrees: 'Mismatch',
  unknown: 'Unknown',
  rebuilding: 'Recreating',
  notReady: 'Not ready',
  starting: 'Starting',
  behind: 'Pending',
  held: 'Held',
  updated: 'Updated',
};

const rowLabelClass = 'pr-2 text-start align-middle text-small font-normal text-ink-2';

/** The meaning of the cells that occur, and what happens to the revisions. */
function MatrixLegend({ groups }: { groups: GroupsItem }) {
  const statuses = countByStatus(groups.items).map(({ status }) => status);
  return (
    <div className="grid gap-1.5 text-small wide:w-[260px] wide:flex-none">
      <ul aria-label="Legend" className="grid gap-1.5">
        {statuses.map((status) => (
          <li key={status} className="flex items-center gap-2 text-ink-2">
            <StatusSwatch status={status} size={13} />
            {statusText(status)}
            <span className="text-ink-3">{revisionsOf(groups.items, status)}</span>
          </li>
        ))}
      </ul>
      <p className="pt-1.5 text-ink-3">{groups.afterwards}</p>
    </div>
  );
}

function statusText(status: GroupStatus): string {
  return status === 'held' ? 'Held by the partition' : groupAppearance[status].word;
}

/** "rev 4", of the groups in a state: what its color stands for. */
function revisionsOf(items: readonly GroupItem[], status: GroupStatus): string {
  const alike = items.filter((group) => groupStatusOf(group) === status);
  return formatList([...new Set(alike.map(revisionTextOf))]);
}
