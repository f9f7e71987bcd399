'use client';

import { useCallback, useMemo, useState } from 'react';
import { useRouter } from 'next/navigation';
import { useQueryStates } from 'nuqs';
import { type WorkloadItem } from '@/lib/api/workloads';
import { nameKey } from '@/lib/kube/name-key';
import { useConnection } from '@/components/ui/connection';
import { ErrorState } from '@/components/ui/error-state';
import { RecordingInterruptedNotice } from '@/components/shared/archive-states';
import { KeyHints } from '@/components/ui/key-hints';
import { useShortcuts } from '@/components/ui/shortcuts';
import { Skeleton, SkeletonRows } from '@/components/ui/skeleton';
import { StaleNotice } from '@/components/ui/stale-notice';
import { useNowUnlessStale } from '@/components/ui/use-now-unless-stale';
import { useHeight } from '@/components/ui/use-width';
import { type ChangeAddress, FleetFilterBar, type FleetOptions } from '@/components/fleet/fleet-filter-bar';
import {
  choiceOf,
  type FleetAddress,
  fleetParsers,
  hasFilters,
  noFilters,
  scopeOf,
} from '@/components/fleet/fleet-address';
import { EmptyFleet, NoMatch, PartialNotices } from '@/components/fleet/fleet-states';
import { toolOfWorkload } from '@/components/fleet/fleet-filter';
import { FleetTable } from '@/components/fleet/fleet-table';
import { type FleetListRow, type FleetView, buildFleetView } from '@/components/fleet/fleet-view';
import { HourPanel } from '@/components/fleet/hour-panel';
import { summarizeLastHour } from '@/components/fleet/last-hour';
import { type FleetData, useFleet } from '@/components/fleet/use-fleet';
import { useSelectedRow } from '@/components/fleet/use-selected-row';
import { workloadPagePath } from '@/components/queries/workload-ref';

/** Height of the bar above every page. */
const TOP_PX = 44;
/** The bars of rollouts in progress grow with it. */
const TICK_MS = 15_000;

const keyHints = [
  { keys: ['j', 'k'], label: 'move' },
  { keys: ['↵'], label: 'open' },
  { keys: ['c'], label: 'compare with the revision before' },
  { keys: ['r'], label: 'roll back' },
  { keys: ['/'], label: 'search' },
  { keys: ['h'], label: 'last hour' },
  { keys: ['f'], label: 'filter' },
];

/** Every workload of the cluster in one list, trouble first. The address holds the filters. */
export function Fleet() {
  const fleet = useFleet();
  const connection = useConnection();
  const [address, setAddress] = useQueryStates(fleetParsers);
  const change: ChangeAddress = useCallback(
    (values, step) => void setAddress(values, { history: step === 'typing' ? 'replace' : 'push' }),
    [setAddress],
  );
  if (fleet.items === undefined) {
    return fleet.error ? (
      <ErrorState error={fleet.error} heading="h1" onRetry={fleet.retry} className="mt-6" />
    ) : (
      <LoadingFleet />
    );
  }
  if (fleet.items.length === 0 && connection.unread)
    return (
      <>
        <h1 className="sr-only">Fleet</h1>
        <StaleNotice onRetry={fleet.retry} className="mt-3" />
      </>
    );
  const isConnecting = connection.cluster === 'connecting' && connection.link !== 'lost';
  if (fleet.items.length === 0 && fleet.partial.length > 0 && isConnecting) return <LoadingFleet />;
  return <LoadedFleet fleet={fleet} items={fleet.items} address={address} change={change} />;
}

function LoadedFleet({
  fleet,
  items,
  address,
  change,
}: {
  fleet: FleetData;
  items: readonly WorkloadItem[];
  address: FleetAddress;
  change: ChangeAddress;
}) {
  const nowMs = useNowUnlessStale(TICK_MS);
  const { scope, selectorError } = useMemo(() => scopeOf(address), [address]);
  const view = useMemo(
    () => buildFleetView(items, scope, choiceOf(address, nowMs), nowMs),
    [items, scope, address, nowMs],
  );
  const hour = useMemo(() => summarizeLastHour(items, nowMs), [items, nowMs]);
  const options = useMemo(() => optionsOf(items, fleet.namespaces), [items, fleet.namespaces]);
  const { at, follow, onSelect, onOpen, onLeave, first } = useRowKeys(view, address, change);
  const { ref, height } = useHeight();
  const isHour = address.changedSince === '1h';

  return (
    <>
      <h1 className="sr-only">Fleet</h1>
      <StaleNotice onRetry={fleet.retry} className="mt-3" />
      <RecordingInterruptedNotice />
      <HourPanel
        hour={hour}
        items={items}
        nowMs={nowMs}
        pressed={isHour}
        onToggle={() => change({ changedSince: isHour ? null : '1h' })}
      />
      <div ref={ref} className="border-t border-line bg-canvas desk:sticky desk:top-(--top) desk:z-4">
        <FleetFilterBar
          address={address}
          onChange={change}
          counts={view.counts.all === 0 ? undefined : view.counts}
          options={options}
          selectorError={selectorError}
          onLeaveSearch={first}
        />
      </div>
      <PartialNotices partial={fleet.partial} />
      {fleet.error !== null && (
        <ErrorState error={fleet.error} title="The list could not be read to its end" onRetry={fleet.retry} />
      )}
      {view.shown > 0 && (
        <FleetTable
          rows={view.rows}
          selected={at}
          stickyPx={TOP_PX + height}
          follow={follow}
          filterKey={filterKeyOf(address)}
          onSelect={onSelect}
          onOpen={onOpen}
          onLeave={onLeave}
        />
      )}
      {view.shown === 0 && items.length > 0 && <NoMatch address={address} items={items} onChange={change} />}
      {items.length === 0 && <EmptyFleet partial={fleet.partial} />}
      {fleet.expectedTotal !== null && (
        <p role="status" className="py-3 text-small text-ink-3">
          {items.length.toLocaleString('en')} of about {fleet.expectedTotal.toLocaleString('en')} workloads
          read. You can search those already.
        </p>
      )}
      <KeyHints items={keyHints} note={footerNoteOf(view, items.length, at)} />
    </>
  );
}

/** Keyboard navigation and actions. The selection is a workload, not a position, so it is stable when rows move. */
function useRowKeys(view: FleetView, address: FleetAddress, change: ChangeAddress) {
  const router = useRouter();
  const [follow, setFollow] = useState(0);
  const members = view.rows.filter(
    (row): row is FleetListRow & { kind: 'workload' } => row.kind === 'workload',
  );
  const { at, select, leave } = useSelectedRow(address.at);
  const index = members.findIndex((row) => row.key === at);
  const selected = members[index]?.item;

  const onSelect = useCallback((item: WorkloadItem) => select(nameKey(item)), [select]);
  const onLeave = useCallback((item: WorkloadItem) => leave(nameKey(item)), [leave]);
  const go = useCallback(
    (item: WorkloadItem, href: string) => {
      leave(nameKey(item));
      router.push(href);
    },
    [leave, router],
  );
  const onOpen = useCallback((item: WorkloadItem) => go(item, workloadPagePath(item)), [go]);

  function moveTo(next: number) {
    const row = members[Math.max(0, Math.min(members.length - 1, next))];
    if (!row) return;
    onSelect(row.item);
    setFollow((count) => count + 1);
  }

  useShortcuts({
    j: { label: 'Next workload', run: () => moveTo(index + 1) },
    k: { label: 'Previous workload', run: () => moveTo(index === -1 ? 0 : index - 1) },
    enter: { label: 'Open it', run: () => selected && onOpen(selected) },
    c: {
      label: 'Compare it with the revision before',
      run: () => selected && openComparison(selected, (href) => go(selected, href)),
    },
    r: {
      label: 'Roll it back',
      run: () => selected && go(selected, `${workloadPagePath(selected)}?rollback=default`),
    },
    h: {
      label: 'Only what changed in the last hour',
      run: () => change({ changedSince: address.changedSince === '1h' ? null : '1h' }),
    },
    f: {
      label: 'To the filters',
      run: () => document.querySelector<HTMLElement>('[data-first-chip]')?.focus(),
    },
    escape: { label: 'Clear the filters', run: () => hasFilters(address) && change(noFilters) },
  });

  return { at, follow, onSelect, onOpen, onLeave, first: () => moveTo(0) };
}

function openComparison(item: WorkloadItem, push: (href: string) => void): void {
  const from = item.lastRollout?.from;
  if (from == null) return;
  const to = item.targetId ?? 'live';
  push(workloadPagePath(item, `/compare?${new URLSearchParams({ from: String(from), to })}`));
}

function optionsOf(items: readonly WorkloadItem[], namespaces: readonly string[]): FleetOptions {
  const kinds = new Map(items.map(({ resource, kind }) => [resource, kind]));
  const tools = new Set(items.map(toolOfWorkload).filter((tool) => tool !== null));
  return {
    namespaces,
    kinds: [...kinds].map(([resource, kind]) => ({ resource, kind })),
    tools: [...tools].sort(),
  };
}

/** All filters as one string. */
function filterKeyOf({ at: _at, ...filters }: FleetAddress): string {
  return JSON.stringify(filters);
}

function footerNoteOf(view: FleetView, all: number, at: string): string {
  const selected = view.rows.find((row) => row.key === at);
  if (selected?.kind === 'workload') return `${selected.item.name} selected`;
  const total = `${all.toLocaleString('en')} ${all === 1 ? 'workload' : 'workloads'}`;
  if (view.shown === all) return total;
  return view.shown === 0 ? `No match among ${total}` : `${view.shown.toLocaleString('en')} of ${total}`;
}

function LoadingFleet() {
  return (
    <>
      <h1 className="sr-only">Fleet</h1>
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
      <SkeletonRows rows={18} label="Reading the workloads" rowHeight={31} />
    </>
  );
}
