'use client';

import Link from 'next/link';
import { clsx } from 'clsx';
import { useQuery } from '@tanstack/react-query';
import type { WorkloadItem } from '@/lib/api/workloads';
import { placeIn, useClusters } from '@/components/queries/cluster';
import { densityQuery } from '@/components/queries/timeline';
import { ClusterTag } from '@/components/shared/cluster-tag';
import { Glyph } from '@/components/ui/glyph';
import { Kbd } from '@/components/ui/kbd';
import { MiddleEllipsis } from '@/components/ui/middle-ellipsis';
import { MomentText } from '@/components/ui/moment-text';
import { stateColor, StateGlyph, stateLabel } from '@/components/shared/state-label';
import { OutcomeLabel } from '@/components/shared/rollout-outcome';
import { outcomeText } from '@/lib/view/record-text';
import { changedMsOf, type GroupName } from '@/components/fleet/fleet-filter';
import {
  badOutcomes,
  countEnded,
  type EndedCounts,
  type HourRow,
  isOver,
  type LastHour,
} from '@/components/fleet/last-hour';
import { startMomentOf, lastRolloutText } from '@/components/fleet/row-text';
import { rowKeyOf, workloadPagePath } from '@/components/queries/workload-ref';
import { formatCount } from '@/lib/format/text';
import { shareOf } from '@/lib/view/rollout-progress';

/** More rows than this push the table below the first screen; the table lists the others. */
const ROWS_MAX = 6;

/** The rollouts of the last hour: a number, and each as a named bar. One muted line where none started. */
export function HourPanel({
  hour,
  items,
  nowMs,
  pressed,
  onToggle,
}: {
  hour: LastHour;
  /** The unfiltered list: the source of the latest change when the last hour had none. */
  items: readonly WorkloadItem[];
  nowMs: number;
  /** Filters the table to these. */
  pressed: boolean;
  onToggle: () => void;
}) {
  const recorded = useRecordedCounts();
  if (hour.rows.length === 0) return <LatestChange items={items} />;
  const ended = countEnded(hour.rows, recorded);
  const open = hour.rows.filter((row) => !isOver(row));
  const started = Object.values(ended).reduce((sum, count) => sum + count, open.length);
  const openIn = (group: GroupName) => open.filter((row) => row.group === group).length;
  const hidden = hour.rows.length - ROWS_MAX;
  return (
    <section
      aria-labelledby="last-hour"
      className="grid gap-x-8 pt-[18px] pb-3.5 low:hidden max-desk:gap-y-2.5 max-desk:pt-3.5 max-desk:pb-3 desk:grid-cols-[250px_minmax(0,1fr)]"
    >
      <div>
        <h2 id="last-hour" className="text-lead font-semibold tracking-[-0.011em] max-desk:text-title">
          {formatCount(started, 'rollout')} started in the last hour
        </h2>
        <TroubleCounts rows={open} />
        <BadOutcomes ended={ended} />
        <p className="flex flex-wrap gap-x-3 text-[12px]/[18px] text-ink-3 max-desk:text-[13px]/[20px]">
          <Count count={openIn('you')} label="waiting for you" />
          <Count count={openIn('moving')} label="in progress" />
          <Count count={ended.completed} label="completed" />
          <Count count={ended.superseded} label="superseded" />
          <Count count={ended.noPods} label="without pods" />
          <Count count={ended.unknown} label="unknown" />
          {hour.uncertain > 0 && (
            <span title="Of these the cluster shows only the latest possible start">
              {hour.uncertain} possibly earlier
            </span>
          )}
        </p>
        <p className="mt-2 flex flex-wrap gap-x-4 gap-y-1 text-[12px]/[18px] max-desk:mt-1 max-desk:text-[13px]/[28px]">
          <button
            type="button"
            aria-pressed={pressed}
            onClick={onToggle}
            className="inline-flex items-center gap-2 rounded-2 text-accent hover:underline"
          >
            {pressed ? 'Show all workloads' : 'Show only these'}
            <Kbd className="max-desk:hidden">h</Kbd>
          </button>
          <Link href={timelineHref(nowMs)} prefetch={false} className="rounded-2 text-accent hover:underline">
            Open in Timeline
          </Link>
        </p>
      </div>
      <div className="min-w-0">
        <ol aria-label="Rollouts of the last hour, newest first">
          {hour.rows.slice(0, ROWS_MAX).map((row) => (
            <HourLine key={rowKeyOf(row.item)} row={row} />
          ))}
        </ol>
        <p className="flex min-h-6 items-center justify-between gap-3 text-micro text-ink-3 desk:pl-[352px]">
          <span className="max-desk:hidden">60 min ago</span>
          <span className="max-desk:hidden">30 min ago</span>
          {hidden > 0 && !pressed ? (
            <button
              type="button"
              onClick={onToggle}
              className="min-h-6 rounded-2 text-accent hover:underline"
            >
              {hidden} more
            </button>
          ) : (
            <span className="max-desk:hidden">Now</span>
          )}
        </p>
      </div>
    </section>
  );
}

/** A rollout by name, with its bar from start to end: faint up to now while it is in progress. */
function HourLine({ row: { item, group, ended, from, to, open } }: { row: HourRow }) {
  const fill = ended === null ? fills[group] : endedFills[ended];
  return (
    <li className="border-b border-hair last:border-0">
      <Link
        href={workloadPagePath(item)}
        prefetch={false}
        className="group grid h-6 items-center gap-x-2 text-small max-desk:h-8 max-desk:grid-cols-[44px_12px_minmax(0,1fr)_fit-content(96px)_64px] desk:grid-cols-[52px_12px_180px_76px_minmax(0,1fr)]"
      >
        <MomentText moment={startMomentOf(item)} form="short" className="truncate text-ink-3" />
        <StateGlyph state={item.state} awaitsApproval={item.awaitsApproval} share={shareOf(item)} size={12} />
        <b className="flex min-w-0 decoration-line-2 group-hover:underline">
          <MiddleEllipsis text={item.name} />
          <ClusterTag cluster={item.cluster} className="ml-2 flex-none" />
        </b>
        <span className="flex min-w-0 font-mono text-[11px]/[16px] tracking-[-0.02em] text-ink-3">
          <MiddleEllipsis
            text={item.lastRollout?.restart ? 'Restart' : lastRolloutText(item).replaceAll(' ', '')}
          />
        </span>
        <span aria-hidden="true" className="relative block h-2">
          <i
            data-bar=""
            className={clsx('absolute inset-y-0 min-w-[3px] rounded-1', fill, open && 'opacity-45')}
            style={{ left: `min(${from * 100}%, 100% - 3px)`, width: `${(to - from) * 100}%` }}
          />
        </span>
      </Link>
    </li>
  );
}

const fills: Record<GroupName, string> = {
  look: 'bg-(--stuck-fill)',
  you: 'bg-held',
  moving: 'bg-accent',
  quiet: 'bg-(--complete-fill)',
};

const endedFills = {
  failed: 'bg-(--stuck-fill)',
  rolledBack: 'bg-(--back-fill)',
  undone: 'bg-(--back-fill)',
};

/** What Timeline counts for the same hour; undefined without an archive. */
function useRecordedCounts() {
  const { list } = useClusters();
  const { data } = useQuery({ ...densityQuery({ from: '1h' }, {}, 1), enabled: list?.recording === true });
  return data?.counts;
}

const MINUTE_MS = 60_000;

/** The link to the last hour on the timeline, in whole minutes. */
function timelineHref(nowMs: number): string {
  const to = Math.ceil(nowMs / MINUTE_MS) * MINUTE_MS;
  const iso = (ms: number) => new Date(ms).toISOString().replace('.000', '');
  return `/timeline?${new URLSearchParams({ from: iso(to - 60 * MINUTE_MS), to: iso(to) })}`;
}

function TroubleCounts({ rows }: { rows: readonly HourRow[] }) {
  // Two states of the API can have one label.
  const words = Map.groupBy(
    rows.filter(({ group }) => group === 'look').map(({ item }) => item),
    stateLabel,
  );
  if (words.size === 0) return null;
  return (
    <p className="mt-1 flex flex-wrap gap-x-3 text-[12px]/[18px] font-medium max-desk:text-[13px]/[20px]">
      {[...words].map(([word, same]) => {
        const state = same[0]?.state ?? 'unknown';
        return (
          <span key={word} className={`inline-flex items-center gap-[5px] ${stateColor(state)}`}>
            <StateGlyph state={state} size={12} />
            {same.length} {word.toLowerCase()}
          </span>
        );
      })}
    </p>
  );
}

/** Rollouts that ended badly, of workloads that have recovered. */
function BadOutcomes({ ended }: { ended: EndedCounts }) {
  const bad = badOutcomes.filter((outcome) => ended[outcome] > 0);
  if (bad.length === 0) return null;
  return (
    <p className="flex flex-wrap gap-x-3 text-[12px]/[18px] font-medium max-desk:text-[13px]/[20px]">
      {bad.map((outcome) => (
        <OutcomeLabel key={outcome} record={{ outcome }}>
          {ended[outcome]} {outcomeText({ outcome })}
        </OutcomeLabel>
      ))}
    </p>
  );
}

function Count({ count, label }: { count: number; label: string }) {
  return count === 0 ? null : (
    <span>
      {count} {label}
    </span>
  );
}

function LatestChange({ items }: { items: readonly WorkloadItem[] }) {
  const latest = items.reduce<WorkloadItem | null>(
    (best, item) => ((changedMsOf(item) ?? 0) > (best === null ? 0 : (changedMsOf(best) ?? 0)) ? item : best),
    null,
  );
  return (
    <p className="flex flex-wrap items-center gap-x-2 pt-4 pb-1.5 text-small text-ink-3">
      <Glyph name="complete" size={12} />
      No rollout started in the last hour.
      {latest && (
        <span>
          Latest:{' '}
          <Link href={workloadPagePath(latest)} prefetch={false} className="text-ink-2 hover:underline">
            {latest.name}
            {placeIn(latest.cluster)}
          </Link>
          , <MomentText moment={startMomentOf(latest)} className="text-ink-3" />
        </span>
      )}
    </p>
  );
}
