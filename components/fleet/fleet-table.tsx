'use client';

import { useCallback, useRef } from 'react';
import { type WorkloadItem } from '@/lib/api/workloads';
import { useMedia, usePhone } from '@/components/ui/media';
import { GroupRow, Table, Th, Thead } from '@/components/ui/table';
import { useFocusSelection } from '@/components/ui/use-focus-selection';
import { SpacerRow, useVirtualRows } from '@/components/ui/virtual-rows';
import { columnWidths } from '@/components/fleet/fleet-column-widths';
import { FleetRow } from '@/components/fleet/fleet-row';
import { type FleetListRow as Row } from '@/components/fleet/fleet-view';
import { useScrollAnchor } from '@/components/fleet/use-scroll-anchor';
import { groupTitles, isLongReason } from '@/components/fleet/row-text';

/** The sticky head of the table. */
const HEAD_PX = 28;

const desktopHeights = { group: 34, workload: 31 };
/** Matches the row's layout: lines of 22, 18 and 20 px, 9 px of padding above and below, a 1 px border below. */
const phoneHeights = { group: 35, workload: 79 };
const PHONE_LINE = 18;

/** All workloads as rows, of which only visible ones are drawn. Scrolls with the page. */
export function FleetTable({
  rows,
  selected,
  stickyPx,
  follow,
  filterKey,
  onSelect,
  onOpen,
  onLeave,
}: {
  rows: readonly Row[];
  /** Key of the row that the keyboard selected. */
  selected: string;
  /** Height of what covers the upper edge of the page. */
  stickyPx: number;
  /** Increments when a key moved the selection: the row then scrolls into view and takes the focus. */
  follow: number;
  /** Identifies the filters: other filters show the list from its beginning. */
  filterKey: string;
  onSelect: (item: WorkloadItem) => void;
  onOpen: (item: WorkloadItem) => void;
  onLeave: (item: WorkloadItem) => void;
}) {
  const isPhone = usePhone();
  const isFull = useMedia('(width >= 1281px)');
  const isWide = useMedia('(width >= 1001px)');
  const width = isPhone ? 'phone' : isFull ? 'full' : isWide ? 'wide' : 'narrow';
  const widths = columnWidths[width];
  const rowHeight = useCallback((row: Row) => heightOf(row, isPhone), [isPhone]);
  const body = useRef<HTMLTableSectionElement>(null);
  const {
    ref,
    rows: visibleRows,
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
  useFocusSelection(follow, {
    attribute: 'data-row',
    selected,
    indexOf: (key) => rows.findIndex((row) => row.key === key),
    scrollTo,
  });
  useScrollAnchor(body, rows, rowHeight, filterKey, stickyPx + HEAD_PX);
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
        {visibleRows.map(({ index, key }) => {
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
  if (row.kind === 'group') return (isPhone ? phoneHeights : desktopHeights).group;
  return isPhone
    ? phoneHeights.workload + (isLongReason(row.item) ? PHONE_LINE : 0)
    : desktopHeights.workload;
}
