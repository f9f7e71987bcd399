'use client';

import { useCallback, useMemo, useState } from 'react';
import { optionsOf, fleetFilters } from '@/components/fleet/fleet-filters';
import { choiceOf, type FleetAddress, fleetParsers, scopeOf } from '@/components/fleet/fleet-address';
import { deskHeight, fleetRows, phoneHeight, useFleetLayout } from '@/components/fleet/fleet-rows';
import { dueActionPath } from '@/components/fleet/due-action';
import { EmptyFleet, MissingWorkloads, NoMatch } from '@/components/fleet/fleet-states';
import { buildFleetView, type FleetView, sortFleet } from '@/components/fleet/fleet-view';
import { HourPanel } from '@/components/fleet/hour-panel';
import { summarizeLastHour } from '@/components/fleet/last-hour';
import { type FleetData, useFleet } from '@/components/fleet/use-fleet';
import { SavedViews } from '@/components/fleet/saved-views';
import { FilterBar } from '@/components/list/filter-bar';
import { type ListAddress, useListAddress } from '@/components/list/list-address';
import { filterKeys, useRowKeys } from '@/components/list/use-row-keys';
import { useAddressSelection } from '@/components/list/use-address-selection';
import { VirtualListTable } from '@/components/list/virtual-list-table';
import { rowKeyOf, workloadPagePath } from '@/components/queries/workload-ref';
import { RecordingInterruptedNotice } from '@/components/shared/archive-states';
import { useCompareFirst } from '@/components/shared/listed-first';
import { refuseWhileStale } from '@/components/shared/show-refusal';
import { Waiting } from '@/components/shared/waiting';
import { useConnection } from '@/components/ui/connection';
import { FooterNote } from '@/components/ui/footer-note';
import { useMedia } from '@/components/ui/media';
import { SearchField } from '@/components/ui/search-field';
import { SelectorField } from '@/components/ui/selector-field';
import { Skeleton, SkeletonRows } from '@/components/ui/skeleton';
import { StaleNotice } from '@/components/ui/stale-notice';
import { useNowUnlessStale } from '@/components/ui/use-now-unless-stale';
import { useHeight } from '@/components/ui/use-width';
import type { WorkloadItem } from '@/lib/api/workloads';
import { useClusterFilter } from '@/components/shared/cluster-filter';
import { useClusters, type ClusterFilter, clustersIn } from '@/components/queries/cluster';
import type { ClusterList } from '@/lib/api/cluster';
import type { PartialResult } from '@/lib/api/common';

/** Height of the bar above every page. */
const TOP_PX = 44;
/** The bars of rollouts in progress grow with it. */
const TICK_MS = 15_000;
/** A filter by age follows each tick. Whether a wait is a long one may take an hour to show: 10,000 rows are regrouped. */
const REGROUP_MS = 3_600_000;

/** Every workload of the cluster in one list, trouble first. The address holds the filters. */
export function Fleet() {
  const fleet = useFleet();
  const connection = useConnection();
  const filters = useListAddress(fleetParsers, unfiltering);
  const isEmpty = fleet.items?.length === 0;
  if (isEmpty && connection.unread)
    return (
      <>
        <h1 className="sr-only">Workloads</h1>
        <StaleNotice onRetry={fleet.retry} className="mt-3" />
      </>
    );
  const isConnecting = connection.cluster === 'connecting' && connection.link !== 'lost';
  const isUnknown = isEmpty && fleet.partial.length > 0 && isConnecting;
  return (
    <Waiting
      answer={{ data: isUnknown ? undefined : fleet.items, error: fleet.error }}
      loading={<LoadingFleet />}
      onRetry={fleet.retry}
      heading="h1"
      className="mt-3"
    >
      {(items) => <LoadedFleet fleet={fleet} items={items} filters={filters} />}
    </Waiting>
  );
}

const unfiltering = ['at'] as const;

function LoadedFleet({
  fleet,
  items: all,
  filters,
}: {
  fleet: FleetData;
  items: readonly WorkloadItem[];
  filters: ListAddress<FleetAddress>;
}) {
  const { address, change } = filters;
  const place = useClusterFilter();
  const { list: clusters } = useClusters();
  const items = useMemo(() => itemsIn(all, place, clusters), [all, place, clusters]);
  const nowMs = useNowUnlessStale(TICK_MS);
  const { scope, selectorError } = useMemo(() => scopeOf(address), [address]);
  const compareFirst = useCompareFirst();
  const sorted = useMemo(() => sortFleet(items, compareFirst), [items, compareFirst]);
  const viewMs = address.changedSince === null ? nowMs - (nowMs % REGROUP_MS) : nowMs;
  const view = useMemo(
    () => buildFleetView(sorted, scope, choiceOf(address, viewMs), viewMs),
    [sorted, scope, address, viewMs],
  );
  // In the order of the list there is little to sort.
  const hour = useMemo(() => summarizeLastHour(sorted, nowMs), [sorted, nowMs]);
  const options = useMemo(() => optionsOf(items, fleet.namespaces), [items, fleet.namespaces]);
  const layout = useFleetLayout();
  const { ref, height } = useHeight();
  // There the filters scroll away: they would take a third of the window.
  const isLow = useMedia('(height < 520px)');
  const { selection, follow, selected, onOpen, toFirst } = useFleetKeys(view, filters);
  const isHour = address.changedSince === '1h';

  return (
    <>
      <h1 className="sr-only">Workloads</h1>
      <StaleNotice onRetry={fleet.retry} className="mt-3" />
      <RecordingInterruptedNotice />
      <HourPanel
        hour={hour}
        items={items}
        nowMs={nowMs}
        pressed={isHour}
        onToggle={() => change({ changedSince: isHour ? null : '1h' })}
      />
      <div
        ref={ref}
        className="border-t border-line bg-canvas low:static! desk:sticky desk:top-(--top) desk:z-4"
      >
        <FilterBar
          filters={fleetFilters}
          list={filters}
          // Zeros would read as counts of the fleet where the other filters match nothing.
          facts={{ ...options, counts: view.counts.all === 0 ? undefined : view.counts }}
          search={
            <SearchField
              label="Search workloads"
              placeholder="Name, image, person, cause"
              value={address.q}
              onChange={(q) => change({ q }, 'typing')}
              onLeave={toFirst}
            />
          }
        >
          <SelectorField
            value={address.labelSelector}
            error={selectorError}
            onChange={(labelSelector) => change({ labelSelector }, 'typing')}
          />
          <SavedViews list={filters} />
        </FilterBar>
      </div>
      <MissingWorkloads partial={fleet.partial.filter((part) => isPartIn(part, place, clusters))} />
      {view.shown > 0 && (
        <VirtualListTable
          label="Workloads"
          list={fleetRows}
          lines={view.lines}
          layout={layout}
          heightOf={layout === 'phone' ? phoneHeight : deskHeight}
          selected={selection.at}
          stickyPx={isLow ? TOP_PX : TOP_PX + height}
          follow={follow}
          question={JSON.stringify(filters.stated)}
          onSelect={selection.select}
          onLeave={selection.leave}
          onOpen={onOpen}
          onUnfold={() => change({ group: 'you' })}
        />
      )}
      {view.shown === 0 && all.length > 0 && <NoMatch filters={filters} items={all} />}
      {all.length === 0 && <EmptyFleet partial={fleet.partial} />}
      {fleet.expectedTotal !== null && (
        <p role="status" className="py-3 text-small text-ink-3">
          {items.length.toLocaleString('en')} of about {fleet.expectedTotal.toLocaleString('en')} workloads
          loaded; search covers those.
        </p>
      )}
      <FooterNote>{noteOf(view, items.length, selected)}</FooterNote>
    </>
  );
}

/** Moves the selection, and acts on the selected workload. */
function useFleetKeys(view: FleetView, { address, change, isFiltered, clear }: ListAddress<FleetAddress>) {
  const [follow, setFollow] = useState(0);
  const selection = useAddressSelection('at', address.at);
  const rows = useMemo(() => view.lines.flatMap((line) => (line.kind === 'row' ? [line.row] : [])), [view]);
  const { selected, toFirst, go } = useRowKeys({
    rows,
    keyOf: rowKeyOf,
    noun: 'workload',
    selection,
    open: fleetRows,
    onMove: () => setFollow((count) => count + 1),
    more: (item, leaveTo) => ({
      c: {
        label: 'Compare with the previous revision',
        hint: 'compare',
        run: () => {
          const path = item === undefined ? null : comparisonPath(item);
          if (item !== undefined && path !== null) leaveTo(item, path);
        },
      },
      r: {
        label: 'Roll back',
        hint: 'roll back',
        run: () => {
          if (item && !refuseWhileStale('Roll back', item.cluster))
            leaveTo(item, `${workloadPagePath(item)}?rollback=default`);
        },
      },
      a: {
        label: 'Approve, resume or roll back: the action in the row',
        hint: 'act',
        run: () => {
          const path = item === undefined ? null : dueActionPath(item);
          if (item?.dueAction && path !== null && !refuseWhileStale(item.dueAction.label, item.cluster))
            leaveTo(item, path);
        },
      },
      h: {
        label: 'Only what started in the last hour',
        hint: 'last hour',
        run: () => change({ changedSince: address.changedSince === '1h' ? null : '1h' }),
      },
      ...filterKeys(() => isFiltered && clear()),
    }),
  });
  const onOpen = useCallback((item: WorkloadItem) => go(item, workloadPagePath(item)), [go]);
  return { selection, follow, selected, toFirst, onOpen };
}

function comparisonPath(item: WorkloadItem): string | null {
  const from = item.lastRollout?.from;
  if (from == null) return null;
  const to = item.targetId ?? 'live';
  return workloadPagePath(item, `/compare?${new URLSearchParams({ from: String(from), to })}`);
}

function noteOf(view: FleetView, all: number, selected: WorkloadItem | undefined): string {
  if (selected !== undefined) return `${selected.name} selected`;
  const total = `${all.toLocaleString('en')} ${all === 1 ? 'workload' : 'workloads'}`;
  if (view.shown === all) return total;
  return view.shown === 0 ? `0 of ${total}` : `${view.shown.toLocaleString('en')} of ${total}`;
}

function LoadingFleet() {
  return (
    <>
      <h1 className="sr-only">Workloads</h1>
      <div className="grid gap-x-8 pt-[22px] pb-3.5 desk:h-[140px] desk:grid-cols-[190px_minmax(0,560px)]">
        <div className="grid content-start gap-3">
          <Skeleton width={150} height={12} />
          <Skeleton width={110} />
          <Skeleton width={90} />
        </div>
        <Skeleton width="100%" height={90} className="max-desk:mt-3" />
      </div>
      <div className="flex h-[51px] items-center gap-3 border-t border-line">
        <Skeleton width={268} height={30} />
        <Skeleton width={320} height={26} className="rounded-full max-desk:hidden" />
      </div>
      <SkeletonRows rows={18} label="Loading workloads" rowHeight={31} />
    </>
  );
}

/** Those in the clusters that lists are about; a name that no cluster has matches nothing. */
function itemsIn(
  items: readonly WorkloadItem[],
  filter: ClusterFilter,
  clusters: ClusterList | undefined,
): readonly WorkloadItem[] {
  if (clusters === undefined || isEmpty(filter)) return items;
  const ids = new Set(clustersIn(clusters.items, filter).map(({ id }) => id));
  return items.filter((item) => ids.has(item.cluster));
}

/** Whether a part that is missing is of those clusters. */
function isPartIn(
  { cluster }: PartialResult,
  filter: ClusterFilter,
  clusters: ClusterList | undefined,
): boolean {
  if (cluster === undefined || clusters === undefined || isEmpty(filter)) return true;
  return clustersIn(clusters.items, filter).some(({ name }) => name === cluster);
}

function isEmpty({ cluster, stage }: ClusterFilter): boolean {
  return cluster === undefined && stage === undefined;
}
