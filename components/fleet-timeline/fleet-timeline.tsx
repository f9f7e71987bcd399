'use client';

import { useMemo, useRef, useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { Button } from '@/components/ui/button';
import { EmptyArchiveState, RecordingInterruptedNotice } from '@/components/shared/archive-states';
import { Waiting } from '@/components/shared/waiting';
import { Notice } from '@/components/ui/notice';
import { useShortcuts } from '@/components/ui/shortcuts';
import { StaleNotice } from '@/components/ui/stale-notice';
import { copyWithToast } from '@/components/shared/copy-with-toast';
import { useHeight } from '@/components/ui/use-width';
import { DensityStrip } from '@/components/fleet-timeline/density-strip';
import { RolloutTable } from '@/components/fleet-timeline/rollout-table';
import {
  orderOf,
  readMoment,
  type TimelineAddress,
  timelineParsers,
  unfiltering,
} from '@/components/fleet-timeline/timeline-address';
import { optionsOf, SelectorAndOrder, timelineFilters } from '@/components/fleet-timeline/timeline-filters';
import {
  LoadingTimeline,
  ForbiddenTimeline,
  EmptyTimeline,
  OlderRollouts,
  PartialTimelineNotices,
  TimelineLegend,
} from '@/components/fleet-timeline/timeline-states';
import { type TimelineWindow, useTimelineWindow } from '@/components/fleet-timeline/use-timeline-window';
import { linkTo, WindowHead } from '@/components/fleet-timeline/window-head';
import { type ListAddress, useListAddress } from '@/components/list/list-address';
import { filterKeys, useRowKeys } from '@/components/list/use-row-keys';
import { SearchBar } from '@/components/list/search-bar';
import { useAddressSelection } from '@/components/list/use-address-selection';
import type { ClusterList } from '@/lib/api/cluster';
import type { Timeline, TimelineItem } from '@/lib/api/timeline';
import { AppError } from '@/lib/errors';
import { parseSelector } from '@/lib/kube/selector';
import { useClusterFilter } from '@/components/shared/cluster-filter';
import { useClusters } from '@/components/queries/cluster';
import { recordPagePath } from '@/components/queries/records';
import { timelineQuery } from '@/components/queries/timeline';
import { workloadPagePath } from '@/components/queries/workload-ref';
import {
  hasBegunWithin,
  isSelected,
  isWithin,
  rolloutSelections,
  type RolloutSelection,
  buildRows,
  type TimelineRow,
} from '@/lib/timeline/fleet-rows';

const TOP_PX = 44;

/** The rollouts of all workloads between two moments on one time axis. The address holds all state. */
export function FleetTimeline() {
  const list = useListAddress(timelineParsers, unfiltering);
  const { address, change } = list;
  const control = useTimelineWindow(address, change);
  const selectorError = selectorErrorOf(address.labelSelector);
  const place = useClusterFilter();
  const filters = useMemo(() => {
    const { labelSelector, show: _, ...others } = list.stated;
    const shown = { ...others, ...place };
    return selectorError === null && labelSelector !== undefined ? { ...shown, labelSelector } : shown;
  }, [list.stated, place, selectorError]);
  const { data, error, refetch, isPlaceholderData } = useQuery(timelineQuery(control.period, filters));
  const { window, nowMs, isMoving } = control;
  /** Until then the rows are those of another period, or of other filters. */
  const isAnswered = !isPlaceholderData && !isMoving;
  const { fromMs, toMs } = window;
  const atMs = readMoment(address.at);
  const order = orderOf(address);
  const within = useMemo(
    () => data?.items.filter((item) => isWithin(item, { fromMs, toMs }, nowMs)),
    [data, fromMs, toMs, nowMs],
  );
  const rows = useMemo(
    () =>
      within &&
      buildRows(
        within.filter((item) => isSelected(item, address.show, { fromMs, toMs })),
        order,
        atMs,
      ),
    [within, address.show, order, atMs, fromMs, toMs],
  );
  const counts = useMemo(() => within && countChoices(within, { fromMs, toMs }), [within, fromMs, toMs]);
  const started = useMemo(
    () => within?.filter((item) => hasBegunWithin(item, { fromMs, toMs })),
    [within, fromMs, toMs],
  );
  const older =
    address.show === 'began' ? within?.filter((item) => !hasBegunWithin(item, { fromMs, toMs })) : undefined;
  const { list: clusters } = useClusters();
  const options = useMemo(() => optionsOf(data, clusters), [data, clusters]);
  const { ref, height } = useHeight();
  const incident = useRef<HTMLInputElement>(null);
  const keys = useKeys(rows ?? [], list, control, () => incident.current?.select());

  if (data !== undefined && data.oldestAt === null) {
    return (
      <>
        <h1 className="sr-only">Timeline</h1>
        <RecordingInterruptedNotice />
        <EmptyArchiveState />
      </>
    );
  }
  const hidden = data?.more ?? 0;
  const oldestMs = data?.oldestAt == null ? null : Date.parse(data.oldestAt);
  const interruptedMs = interruptionOf(clusters);
  const isRecorded = isFullyRecorded(window, oldestMs, interruptedMs, within ?? []);
  const folded = isAnswered && older !== undefined && older.length > 0 && (
    <OlderRollouts items={older} onShow={() => change({ show: 'all' })} />
  );
  return (
    <>
      <StaleNotice onRetry={() => void refetch()} className="mt-3" />
      <RecordingInterruptedNotice />
      <WindowHead
        started={isAnswered ? started : undefined}
        isRecorded={isRecorded}
        atMs={atMs}
        incident={incident}
        isFailed={error !== null}
        hidden={hidden}
        oldestMs={oldestMs}
        control={control}
        change={change}
      />
      <DensityStrip
        control={control}
        filters={filters}
        address={address}
        change={change}
        oldestMs={oldestMs}
      />
      <div ref={ref} className="bg-canvas desk:sticky desk:top-(--top) desk:z-6">
        <SearchBar
          filters={timelineFilters}
          list={list}
          facts={{ ...options, counts: !isAnswered || counts?.all === 0 ? undefined : counts }}
          onLeaveSearch={keys.first}
        >
          <SelectorAndOrder address={address} change={change} selectorError={selectorError} />
        </SearchBar>
      </div>
      {data !== undefined && data.places.length > 0 && <PartialTimelineNotices partial={data.partial} />}
      {hidden > 0 && (
        <Notice
          tone="partial"
          className="mb-2"
          title={`Showing the latest ${(data?.items.length ?? 0).toLocaleString('en')} of ${(hidden + (data?.items.length ?? 0)).toLocaleString('en')} rollouts.`}
          action={
            <Button size="small" kbd="+" onClick={() => control.zoomBy(0.5)}>
              Zoom in
            </Button>
          }
        >
          Shorten the period or filter to see the others.
        </Notice>
      )}
      <Waiting
        answer={{
          data: rows?.length === 0 && !isAnswered ? undefined : data && rows && { data, rows },
          error,
        }}
        loading={<LoadingTimeline />}
        none={(loaded) =>
          loaded.data.places.length === 0 && loaded.data.partial.length > 0 ? (
            <ForbiddenTimeline partial={loaded.data.partial} />
          ) : (
            loaded.rows.length === 0 && (
              <>
                <EmptyTimeline
                  isFiltered={list.isFiltered}
                  isRecorded={isRecorded}
                  onWiden={() => control.zoomBy(4)}
                  onNow={window.isLive ? null : control.toNow}
                  onClear={list.clear}
                />
                {folded}
              </>
            )
          )
        }
        onRetry={() => void refetch()}
        className="my-3"
      >
        {(loaded) => (
          <>
            <RolloutTable
              rows={loaded.rows}
              order={order}
              control={control}
              atMs={atMs}
              selected={keys.selected}
              follow={keys.follow}
              stickyPx={TOP_PX + height}
              onSelect={keys.select}
            />
            {folded}
            <TimelineLegend note={legendNoteOf(loaded.data, interruptedMs, isRecorded)} />
          </>
        )}
      </Waiting>
    </>
  );
}

/** Key bindings for everything: through the rollouts in the order of the rows, and along the time axis. */
function useKeys(
  rows: readonly TimelineRow[],
  { address, isFiltered, clear }: ListAddress<TimelineAddress>,
  control: TimelineWindow,
  toIncident: () => void,
) {
  const [follow, setFollow] = useState(0);
  const items = useMemo(() => rows.flatMap(({ rollouts }) => rollouts), [rows]);
  const selection = useAddressSelection('record', address.record);
  const { at, select } = selection;
  useShortcuts({
    arrowleft: { label: 'Earlier', hint: 'move period', run: () => control.panBy(-0.25) },
    arrowright: { label: 'Later', hint: 'move period', run: () => control.panBy(0.25) },
    '+': { label: 'Shorter period', hint: 'zoom', run: () => control.zoomBy(0.5) },
    '-': { label: 'Longer period', hint: 'zoom', run: () => control.zoomBy(2) },
    i: { label: 'Enter the time of an incident', hint: 'incident', run: toIncident },
    '=': () => control.zoomBy(0.5),
    '0': { label: 'Go to now', hint: 'now', run: control.toNow },
  });
  const { toFirst } = useRowKeys({
    rows: items,
    keyOf: idOf,
    noun: 'rollout',
    selection,
    open: { label: 'Open rollout record', href: ({ id }) => recordPagePath(id) },
    onMove: () => setFollow((count) => count + 1),
    more: (selected, go) => ({
      w: {
        label: 'Open workload',
        hint: 'workload',
        run: () => selected && go(selected, workloadPagePath(selected.workload)),
      },
      y: {
        label: 'Copy link to this period',
        hint: 'copy link',
        run: () => void copyWithToast(linkTo(control.window)(), 'Link copied'),
      },
      ...filterKeys(() => {
        if (at !== '') select('');
        else if (isFiltered) clear();
      }, 'Clear selection, then filters'),
    }),
  });
  return { follow, selected: at, select, first: toFirst };
}

function idOf({ id }: TimelineItem): string {
  return id;
}

function countChoices(
  items: readonly TimelineItem[],
  window: { fromMs: number; toMs: number },
): Record<RolloutSelection, number> {
  const counted = rolloutSelections.map(
    (choice) => [choice, items.filter((item) => isSelected(item, choice, window)).length] as const,
  );
  return Object.fromEntries(counted) as Record<RolloutSelection, number>;
}

/** Since when the recording of a cluster is interrupted. */
function interruptionOf(clusters: ClusterList | undefined): number {
  const interrupted = (clusters?.items ?? []).filter(({ recorder }) => recorder.state === 'interrupted');
  return Math.min(...interrupted.map(({ recorder }) => Date.parse(recorder.since)));
}

/** Whether everything that started in the period is recorded, so that an empty answer means that nothing did. */
function isFullyRecorded(
  { fromMs, toMs }: TimelineWindow['window'],
  oldestMs: number | null,
  interruptedMs: number,
  items: readonly TimelineItem[],
): boolean {
  // Shiplog notes its own gaps on the rollouts that were in progress during them.
  const gaps = items.flatMap(({ unwatched }) => unwatched);
  return (
    (oldestMs === null || oldestMs <= fromMs) &&
    interruptedMs > toMs &&
    !gaps.some(({ from, to }) => Date.parse(from) < toMs && Date.parse(to) > fromMs)
  );
}

/** Shown where the period has gaps in what Shiplog knows. */
function legendNoteOf(
  { oldestAt, from }: Timeline,
  interruptedMs: number,
  isRecorded: boolean,
): string | null {
  if (oldestAt !== null && Date.parse(oldestAt) > Date.parse(from)) return 'No data before the first bar.';
  if (interruptedMs < Infinity) return 'Recording is interrupted.';
  return isRecorded ? null : 'Part of this period was not observed; rollouts may be missing.';
}

/** The error of a label selector, which then filters nothing. */
function selectorErrorOf(text: string): string | null {
  if (text.trim() === '') return null;
  try {
    parseSelector(text);
    return null;
  } catch (error) {
    return error instanceof AppError || error instanceof Error ? error.message : String(error);
  }
}
