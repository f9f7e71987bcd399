'use client';

import { useCallback, useRef } from 'react';
import { type WorkloadItem } from '@/lib/api/workloads';
import { useMedia, usePhone } from '@/components/ui/media';
import { GroupRow, Table, Th, Thead } from '@/components/ui/table';
import { useFollow } from '@/components/ui/use-follow';
import { SpacerRow, useVirtualRows } from '@/components/ui/virtual-rows';
import { columns } from '@/components/fleet/fleet-columns';
import { FleetRow } from '@/components/fleet/fleet-row';
import { type FleetRow as Row } from '@/components/fleet/fleet-view';
import { useSteadyRows } from '@/components/fleet/use-steady-rows';
import { groupTitles, isLongReason } from '@/components/fleet/row-text';

/** The head of the table, which stays in sight. */
const HEAD_PX = 28;

const desk = { group: 34, workload: 31 };
/** As the row is built: lines of 22, 18 and 20 px, 9 px above and below, one line below. */
const phone = { group: 35, workload: 79 };
const PHONE_LINE = 18;

/** Every workload in a row, those in sight drawn; scrolls with the page. */
export function FleetTable({
  rows,
  selected,
  stickyPx,
  follow,
  question,
  onSelect,
  onOpen,
  onLeave,
}: {
  rows: readonly Row[];
  /** Key of the row where the keys stand. */
  selected: string;
  /** What covers the upper edge of the page. */
  stickyPx: number;
  /** Grows when the selection was moved by a key: the row then comes into sight and takes the focus. */
  follow: number;
  /** Stands for the filters: another one shows the list from its beginning. */
  question: string;
  onSelect: (item: WorkloadItem) => void;
  onOpen: (item: WorkloadItem) => void;
  onLeave: (item: WorkloadItem) => void;
}) {
  const isPhone = usePhone();
  const isFull = useMedia('(width >= 1281px)');
  const isWide = useMedia('(width >= 1001px)');
  const width = isPhone ? 'phone' : isFull ? 'full' : isWide ? 'wide' : 'narrow';
  const widths = columns[width];
  const rowHeight = useCallback((row: Row) => heightOf(row, isPhone), [isPhone]);
  const body = useRef<HTMLTableSectionElement>(null);
  const {
    ref,
    rows: inSight,
    beforePx,
    afterPx,
    scrollTo,
  } = useVirtualRows({
    count: rows.length,
    rowHeight: (index) => {
      const row = rows[index];
      return row ? rowHeight(row) : 0;
    },
    keyOf: (index) => rows[index]?.key ?? String(index),
    layout: isPhone ? 'phone' : 'desk',
    stickyPx: stickyPx + HEAD_PX,
  });
  useFollow(follow, {
    attribute: 'data-row',
    selected,
    indexOf: (key) => rows.findIndex((row) => row.key === key),
    scrollTo,
  });
  useSteadyRows(body, rows, rowHeight, question, stickyPx + HEAD_PX);
  const setBody = useCallback(
    (element: HTMLTableSectionElement | null) => {
      body.current = element;
      ref(element);
    },
    [ref],
  );

  return (
    <Table label="Workloads" columns={widths} rowCount={rows.length + 1}>
      <Thead stickyTop={`${stickyPx}px`}>
        <Th>Workload</Th>
        <Th>State, and why</Th>
        <Th>
          Pods by revision <span className="font-normal">ready / all</span>
        </Th>
        {width === 'full' && <Th>Image</Th>}
        <Th>Last rollout</Th>
        <Th>Began</Th>
        {width === 'full' && <Th numeric>Took</Th>}
        {(width === 'full' || width === 'wide') && <Th>Who</Th>}
        {width !== 'narrow' && <Th>Outcome</Th>}
      </Thead>
      <tbody ref={setBody} role="rowgroup" className="[overflow-anchor:none] max-desk:block">
        <SpacerRow heightPx={beforePx} />
        {inSight.map(({ index, key }) => {
          const row = rows[index];
          if (row === undefined) return null;
          return row.kind === 'group' ? (
            <GroupRow key={key} {...groupTitles[row.group]} count={row.count} span={widths.length} />
          ) : (
            <FleetRow
              key={key}
              item={row.item}
              index={index + 2}
              current={row.key === selected}
              columns={width}
              onSelect={onSelect}
              onOpen={onOpen}
              onLeave={onLeave}
            />
          );
        })}
        <SpacerRow heightPx={afterPx} />
      </tbody>
    </Table>
  );
}

function heightOf(row: Row, isPhone: boolean): number {
  if (row.kind === 'group') return (isPhone ? phone : desk).group;
  return isPhone ? phone.workload + (isLongReason(row.item) ? PHONE_LINE : 0) : desk.workload;
}
