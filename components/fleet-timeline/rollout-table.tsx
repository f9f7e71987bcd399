'use client';

import { useCallback, useMemo, useState } from 'react';
import { useMedia, usePhone } from '@/components/ui/media';
import { GroupRow, Table } from '@/components/ui/table';
import { useTimeFrame } from '@/components/ui/time';
import { useFocusSelection } from '@/components/ui/use-focus-selection';
import { useHoverCard } from '@/components/ui/use-hover-card';
import { useWidth } from '@/components/ui/use-width';
import { SpacerRow, useVirtualRows } from '@/components/ui/virtual-rows';
import { RolloutRow, type RowHandlers, type ShownCard } from '@/components/fleet-timeline/rollout-row';
import type { TimelineWindow } from '@/components/fleet-timeline/use-timeline-window';
import { tickLines, fittingTicks, TickLabels } from '@/components/time-axis/tick-labels';
import { usePlotGestures } from '@/components/time-axis/use-plot-gestures';
import { findReverts, type RowOrder, type TimelineRow } from '@/lib/timeline/fleet-rows';
import { formatDay } from '@/lib/format/time';
import { positionOf, type TimeScale } from '@/lib/timeline/scale';
import { ticksOf, type Tick } from '@/lib/timeline/ticks';

type Line = { kind: 'group'; namespace: string; count: number } | { kind: 'row'; row: TimelineRow };

const AXIS_PX = 26;
const heights = {
  desk: { row: 38, compact: 28, group: 34 },
  phone: { row: 24 + 30 + 32 + 17, compact: 24 + 30 + 32 + 17, group: 35 },
};
/** With less room a card would be cut off, or cover its own bar on a phone, where it is at the lower edge. */
const cardRoomPx = { desk: 210, phone: 290 };

/** The workloads that changed, one row each with its rollouts on one time axis. Only visible rows are drawn. */
export function RolloutTable({
  rows,
  order,
  control,
  atMs,
  selected,
  follow,
  stickyPx,
  onSelect,
}: {
  rows: readonly TimelineRow[];
  order: RowOrder;
  control: TimelineWindow;
  /** The highlighted moment. */
  atMs: number | null;
  /** Id of a rollout. */
  selected: string;
  /** Increments when a key moved the selection: its bar then scrolls into view and takes the focus. */
  follow: number;
  stickyPx: number;
  onSelect: (id: string) => void;
}) {
  const isPhone = usePhone();
  const isWide = useMedia('(width >= 1101px)');
  const columns = isWide ? ['230px', '110px', 'auto', '280px'] : ['170px', '90px', 'auto', '190px'];
  const { ref: plotRef, width } = useWidth();
  const frame = useTimeFrame();
  const { window, nowMs } = control;
  const { fromMs, toMs } = window;
  const scale = useMemo((): TimeScale => ({ fromMs, toMs, left: 0, right: width }), [fromMs, toMs, width]);
  const ticks = useMemo(
    () => ticksOf(scale, frame.timeZone, isPhone ? 64 : 96),
    [scale, frame.timeZone, isPhone],
  );
  const tickPath = tickLines(ticks, 0, 400);
  const atX = atMs === null || atMs < fromMs || atMs > toMs ? null : positionOf(scale, atMs);

  const lines = useMemo(() => linesOf(rows, order), [rows, order]);
  const returns = useMemo(() => findReverts(rows.flatMap(({ rollouts }) => rollouts)), [rows]);
  const height = isPhone ? heights.phone : heights.desk;
  const {
    ref,
    rows: visibleLines,
    beforePx,
    afterPx,
    scrollTo,
  } = useVirtualRows({
    count: lines.length,
    rowHeight: (index) => height[heightOf(lines[index])],
    keyOf: useCallback((index: number) => keyOf(lines[index], index), [lines]),
    layout: isPhone ? 'phone' : 'desk',
    stickyPx: stickyPx + AXIS_PX,
  });
  const { shown, handlers } = useShownCard(selected, isPhone ? cardRoomPx.phone : cardRoomPx.desk, onSelect);
  useFocusSelection(follow, {
    selected,
    indexOf: (id) => lines.findIndex((line) => line.kind === 'row' && hasRollout(line.row, id)),
    scrollTo,
    focus: focusBar,
  });
  const gestures = usePlotGestures(control, scale);

  return (
    <div {...gestures}>
      <TimeAxis
        ref={plotRef}
        columns={columns}
        ticks={ticks}
        width={width}
        atX={atX}
        atText={atMs === null ? '' : formatDay(atMs, frame)}
        isLive={window.isLive}
        stickyPx={stickyPx}
      />
      <Table label="Rollouts by workload" columns={columns} rowCount={lines.length + 1}>
        <thead role="rowgroup" className="sr-only">
          <tr role="row">
            {['Workload', 'Revisions', 'Rollouts', 'Status'].map((title) => (
              <th key={title} role="columnheader" scope="col">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody ref={ref} role="rowgroup" className="[overflow-anchor:none] max-desk:block">
          <SpacerRow heightPx={beforePx} />
          {visibleLines.map(({ index, key }) => {
            const line = lines[index];
            if (line === undefined) return null;
            if (line.kind === 'group')
              return <GroupRow key={key} title={line.namespace} count={line.count} span={4} />;
            return (
              <RolloutRow
                key={key}
                row={line.row}
                isCompact={isCompact(line.row)}
                index={index + 2}
                scale={scale}
                ticks={tickPath}
                atX={atX}
                nowMs={nowMs}
                frame={frame}
                returns={returns}
                shown={shown !== null && hasRollout(line.row, shown.id) ? shown : null}
                selected={selected !== '' && hasRollout(line.row, selected) ? selected : ''}
                handlers={handlers}
              />
            );
          })}
          <SpacerRow heightPx={afterPx} />
        </tbody>
      </Table>
    </div>
  );
}

function focusBar(id: string): void {
  document.querySelector<HTMLElement>(`[data-rollout="${CSS.escape(id)}"]`)?.focus({ preventScroll: true });
}

function linesOf(rows: readonly TimelineRow[], order: RowOrder): Line[] {
  if (order !== 'place') return rows.map((row) => ({ kind: 'row', row }));
  return [...Map.groupBy(rows, ({ workload }) => workload.namespace)].flatMap(([namespace, focusedHere]) => [
    { kind: 'group' as const, namespace, count: focusedHere.length },
    ...focusedHere.map((row) => ({ kind: 'row' as const, row })),
  ]);
}

/** One line is enough where nothing calls for attention. */
function isCompact({ mostUrgent: { outcome, revertedBy } }: TimelineRow): boolean {
  return revertedBy === null && ['completed', 'superseded', 'noPods'].includes(outcome ?? '');
}

function heightOf(line: Line | undefined): keyof typeof heights.desk {
  if (line?.kind !== 'row') return line?.kind ?? 'row';
  return isCompact(line.row) ? 'compact' : 'row';
}

function hasRollout({ rollouts }: TimelineRow, id: string): boolean {
  return rollouts.some((item) => item.id === id);
}

function keyOf(line: Line | undefined, index: number): string {
  if (line === undefined) return String(index);
  return line.kind === 'group' ? `namespace ${line.namespace}` : line.row.key;
}

/** The card of the hovered rollout, else of the selected one once it has the focus. */
function useShownCard(selected: string, roomPx: number, onSelect: (id: string) => void) {
  const { hovered, enter, stay, leave } = useHoverCard<ShownCard>();
  const [focused, setFocused] = useState<ShownCard | null>(null);
  const handlers = useMemo(
    (): RowHandlers => ({
      onEnter: (id, element) => enter(placeCard(id, element, roomPx)),
      onStay: stay,
      onLeave: leave,
      onFocus(id, element) {
        setFocused(placeCard(id, element, roomPx));
        onSelect(id);
      },
    }),
    [roomPx, onSelect, enter, stay, leave],
  );
  const focusedHere = focused !== null && focused.id === selected ? focused : null;
  return { shown: hovered ?? focusedHere, handlers };
}

function placeCard(id: string, element: HTMLElement, roomPx: number): ShownCard {
  return { id, isAbove: element.getBoundingClientRect().bottom + roomPx > innerHeight };
}

/** The axis above the rows; sticky while they scroll. Put `ref` on an element as wide as the plot. */
function TimeAxis({
  ref,
  columns,
  ticks,
  width,
  atX,
  atText,
  isLive,
  stickyPx,
}: {
  ref: (element: HTMLElement | null) => void;
  columns: readonly string[];
  ticks: readonly Tick[];
  width: number;
  /** Position of the highlighted moment, and its label. */
  atX: number | null;
  atText: string;
  isLive: boolean;
  stickyPx: number;
}) {
  const fitting = fittingTicks(ticks, isLive ? width - 30 : width);
  const shown = fitting.filter(({ x }) => atX === null || Math.abs(x - atX) > 50);
  return (
    <div
      aria-hidden="true"
      className="sticky z-5 flex border-b border-line bg-canvas max-desk:top-(--top)! max-desk:block"
      style={{ top: stickyPx }}
    >
      <div className="flex-none max-desk:hidden" style={{ width: `calc(${columns[0]} + ${columns[1]})` }} />
      <div ref={ref} data-plot="" className="h-[26px] min-w-0 flex-1">
        <svg width={width} height={26} className="block overflow-visible">
          <path d={tickLines(shown, 21, 26)} stroke="var(--line-2)" />
          <TickLabels ticks={shown} y={15} />
          {atX !== null && (
            <>
              <text x={atX} y={15} textAnchor="middle" style={{ fill: 'var(--accent)', fontWeight: 500 }}>
                {atText}
              </text>
              <path d={`M${atX - 4} 20h8l-4 6z`} fill="var(--accent)" />
            </>
          )}
          {isLive && (
            <text x={width} y={15} textAnchor="end" style={{ fill: 'var(--ink)', fontWeight: 500 }}>
              now
            </text>
          )}
        </svg>
      </div>
      <div className="flex-none max-desk:hidden" style={{ width: columns[3] }} />
    </div>
  );
}
