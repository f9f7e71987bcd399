'use client';

import { useId, useMemo, useState } from 'react';
import {
  type GroupStatus,
  groupAppearance,
  describeGroup,
  sortByUrgency,
  groupStatusOf,
  revisionLabelOf,
  statusesNeedingAttention,
} from '@/components/groups/group-status';
import { StatusSwatch } from '@/components/groups/group-legend';
import { type PodsByGroup, indexPodsByGroup } from '@/components/groups/group-pods';
import { RestartGroup } from '@/components/groups/restart-group';
import { Button } from '@/components/ui/button';
import { Input } from '@/components/ui/input';
import { PodTicks } from '@/components/ui/pod-ticks';
import { RowHead, Table, Tbody, Td, Th, Thead, Tr } from '@/components/ui/table';
import type { GroupItem, GroupsItem } from '@/lib/api/groups';
import type { PodItem } from '@/lib/api/pods';

const COLUMNS = ['9%', '31%', '19%', '16%', '19%', '6%'];
const SHOWN_AT_FIRST = 12;
const SHOWN_MORE = 50;

/** Groups line by line, those that need attention first; of very many groups only those, until more are requested. */
export function GroupList({
  groups,
  pods,
  name,
  shownStatus,
  query,
  onQuery,
  blocked,
  onRestart,
}: {
  groups: GroupsItem;
  /** Undefined until the pods have been read. */
  pods: readonly PodItem[] | undefined;
  name: string;
  shownStatus: GroupStatus | null;
  /** The search: a number, or text of a pod or node. */
  query: string;
  onQuery: (words: string) => void;
  blocked: string | null;
  onRestart: ((group: GroupItem) => void) | null;
}) {
  const id = useId();
  const members = useMemo(() => indexPodsByGroup(pods ?? []), [pods]);
  const ordered = useMemo(() => sortByUrgency(groups.items), [groups.items]);
  const matching = filterGroups(ordered, members, shownStatus, query);
  const unusual = matching.filter((group) => statusesNeedingAttention.has(groupStatusOf(group))).length;
  const [limit, setLimit] = useState(0);
  const shown = matching.slice(0, Math.max(limit, SHOWN_AT_FIRST, Math.min(unusual, SHOWN_MORE)));
  const left = matching.length - shown.length;
  const isMany = groups.items.length > SHOWN_AT_FIRST;
  return (
    <div className="pt-2">
      {isMany && (
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1 pb-1">
          <label htmlFor={id} className="text-small text-ink-2">
            Find a group
          </label>
          <Input
            id={id}
            value={query}
            autoComplete="off"
            placeholder="Number, pod or node"
            onChange={(event) => onQuery(event.target.value)}
            className="w-52 max-desk:w-full"
          />
          <p role="status" className="text-small text-ink-3">
            {describeMatches(matching.length, unusual, groups.items.length)}
          </p>
        </div>
      )}
      {matching.length > 0 && (
        <Table label={`Groups of ${name}`} columns={COLUMNS} rowCount={matching.length}>
          <Thead>
            <Th>Group</Th>
            <Th>State</Th>
            <Th>Revision</Th>
            <Th>Pods</Th>
            <Th>Leader node</Th>
            <Th>
              <span className="sr-only">Actions</span>
            </Th>
          </Thead>
          <Tbody>
            {shown.map((group) => (
              <Row
                key={group.index}
                group={group}
                leader={members.get(group.index)?.get(0)}
                blocked={blocked}
                onRestart={onRestart}
              />
            ))}
          </Tbody>
        </Table>
      )}
      {left > 0 && (
        <Button
          size="small"
          tone="quiet"
          className="mt-1 -ml-2"
          onClick={() => setLimit(shown.length + SHOWN_MORE)}
        >
          Show{' '}
          {left > SHOWN_MORE
            ? `${SHOWN_MORE} more of ${matching.length.toLocaleString('en')}`
            : `all ${matching.length}`}
        </Button>
      )}
    </div>
  );
}

function Row({
  group,
  leader,
  blocked,
  onRestart,
}: {
  group: GroupItem;
  leader: PodItem | undefined;
  blocked: string | null;
  onRestart: ((group: GroupItem) => void) | null;
}) {
  const look = groupStatusOf(group);
  const { pods, size, revision } = group;
  return (
    <Tr className="max-desk:grid max-desk:grid-cols-[auto_minmax(0,1fr)_auto] max-desk:items-center max-desk:gap-x-3 max-desk:py-1.5">
      <RowHead className="max-desk:[grid-area:1/1]">
        <span className="inline-flex items-center gap-2">
          <StatusSwatch status={look} />
          <span className={look === 'disagrees' ? 'font-medium text-stuck' : 'font-medium'}>
            <span className="desk:sr-only">Group </span>
            {group.index}
          </span>
        </span>
      </RowHead>
      <Td
        title={describeGroup(group)}
        className={`${groupAppearance[look].ink} text-small max-desk:[grid-area:2/1/3/4] max-desk:whitespace-normal`}
      >
        {describeGroup(group)}
      </Td>
      <Td className="max-desk:hidden">
        <span className="rev">{group.key === null && revision === null ? '–' : revisionLabelOf(group)}</span>
        {group.key !== null && revision !== null && (
          <span className="pl-2 literal text-ink-3" title={`Revision key ${group.key}`}>
            {group.key.slice(0, 10)}
          </span>
        )}
      </Td>
      <Td className="text-small max-desk:[grid-area:1/2]">
        <span className="inline-flex items-center gap-2">
          <PodTicks groups={[{ revision, target: group.updated, pods: size, ready: pods.ready }]} />
          <span className="text-ink-3">
            {pods.ready} of {size}
          </span>
        </span>
      </Td>
      <Td className="text-small text-ink-2 max-desk:hidden" title={leader?.name}>
        {leader?.node ?? <span className="text-ink-3">{group.leader === null ? 'No leader' : '–'}</span>}
      </Td>
      <Td className="overflow-visible text-end max-desk:[grid-area:1/3]">
        {onRestart && (
          <RestartGroup
            group={group}
            blocked={blocked}
            onRestart={onRestart}
            className="size-6! max-desk:size-10!"
          />
        )}
      </Td>
    </Tr>
  );
}

function filterGroups(
  groups: readonly GroupItem[],
  members: PodsByGroup,
  look: GroupStatus | null,
  words: string,
): readonly GroupItem[] {
  const alike = look === null ? groups : groups.filter((group) => groupStatusOf(group) === look);
  const query = words.trim().toLowerCase();
  if (query === '') return alike;
  if (/^\d+$/.test(query)) return alike.filter(({ index }) => index === Number(query));
  return alike.filter(({ index }) =>
    [...(members.get(index)?.values() ?? [])].some(({ name, node }) =>
      [name, node ?? ''].some((text) => text.toLowerCase().includes(query)),
    ),
  );
}

function describeMatches(matching: number, unusual: number, all: number): string {
  if (matching === 0) return 'No groups match.';
  if (matching < all) return `${matching.toLocaleString('en')} of ${all.toLocaleString('en')}`;
  if (unusual === 0) return 'No group is failing or updating';
  return unusual === 1
    ? '1 failing or updating, listed first'
    : `${unusual} failing or updating, listed first`;
}
