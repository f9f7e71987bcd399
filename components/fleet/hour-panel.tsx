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
  wentBadly,
} from '@/components/fleet/last-hour';
import { startMomentOf, lastRolloutText } from '@/components/fleet/row-text';
import { rowKeyOf, workloadPagePath } from '@/components/queries/workload-ref';
import { formatCount } from '@/lib/format/text';
import { shareOf } from '@/lib/view/rollout-progress';

/** More bars than this push the table below the first screen; the table lists the others. */
const BARS_MAX = 6;

/**
 * The rollouts of the last hour: how many and how they went, and each that went badly as a named bar. One line where none
 * did, and on a phone; one muted line where none started.
 */
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
  return (
    <section aria-labelledby="last-hour" className="pt-4 pb-3 low:hidden max-desk:py-2.5">
      <div className="flex flex-wrap items-baseline gap-x-4 gap-y-1 text-small max-desk:flex-nowrap max-desk:gap-x-3 max-desk:overflow-hidden max-desk:whitespace-nowrap">
        <h2 id="last-hour" className="text-lead font-semibold tracking-[-0.011em] max-desk:text-body">
          {formatCount(started, 'rollout')} <span className="max-desk:sr-only">started</span> in the last hour
        </h2>
        <TroubleCounts rows={open} />
        <BadOutcomes ended={ended} />
        <p className="flex flex-wrap gap-x-3 text-ink-3 max-desk:hidden">
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
        <p className="ml-auto flex gap-x-4 max-desk:hidden">
          <button
            type="button"
            aria-pressed={pressed}
            onClick={onToggle}
            className="inline-flex items-center gap-2 rounded-2 text-accent hover:underline"
          >
            {pressed ? 'Show all workloads' : 'Show only these'}
            <Kbd>h</Kbd>
          </button>
          <Link href={timelineHref(nowMs)} prefetch={false} className="rounded-2 text-accent hover:underline">
            Open in Timeline
          </Link>
        </p>
      </div>
      <TroubleBars rows={hour.rows.filter(wentBadly)} />
    </section>
  );
}

const ticks = [60, 45, 30, 15] as const;

/** What went badly in the hour, each rollout from its start to its end, or to now. */
function TroubleBars({ rows }: { rows: readonly HourRow[] }) {
  if (rows.length === 0) return null;
  const hidden = rows.length - BARS_MAX;
  return (
    <div className="relative mt-2.5 max-desk:hidden">
      {ticks.map((minutes) => (
        <i
          key={minutes}
          aria-hidden="true"
          className="absolute inset-y-0 w-px bg-hair"
          style={{ left: `${100 - (minutes / 60) * 100}%` }}
        />
      ))}
      <ol
        aria-label="Failed, stalled and rolled back, newest first"
        className="relative border-r border-ink-3"
      >
        {rows.slice(0, BARS_MAX).map((row) => (
          <TroubleBar key={rowKeyOf(row.item)} row={row} />
        ))}
      </ol>
      <p className="relative h-5 text-micro leading-5 text-ink-3">
        {ticks.map((minutes) => (
          <span key={minutes} className="absolute pl-1" style={{ left: `${100 - (minutes / 60) * 100}%` }}>
            {minutes} min ago
          </span>
        ))}
        <span className="absolute right-0">
          {hidden > 0 ? `${formatCount(hidden, 'more workload')} below, now` : 'Now'}
        </span>
      </p>
    </div>
  );
}

/** A bar with its name: within it where it is long, else beside it where there is room. */
function TroubleBar({ row: { item, group, ended, from, to, open } }: { row: HourRow }) {
  const isLong = to - from > 0.35;
  const isLate = !isLong && to > 0.6;
  return (
    <li className="relative h-6">
      <span
        data-bar=""
        aria-hidden="true"
        className={clsx(
          'absolute inset-y-1 min-w-[3px] rounded-1',
          ended === null ? fills[group] : endedFills[ended],
          (open || isLong) && 'opacity-25',
        )}
        style={{ left: `min(${from * 100}%, 100% - 3px)`, width: `${(to - from) * 100}%` }}
      />
      <Link
        href={workloadPagePath(item)}
        prefetch={false}
        className="group absolute inset-y-0 flex max-w-[60%] items-center gap-1.5 text-small"
        style={
          isLate
            ? { right: `${(1 - from) * 100}%`, paddingRight: 6 }
            : { left: `${(isLong ? from : to) * 100}%`, paddingLeft: 6 }
        }
      >
        <StateGlyph state={item.state} awaitsApproval={item.awaitsApproval} share={shareOf(item)} size={12} />
        <b className="flex min-w-0 decoration-line-2 group-hover:underline">
          <MiddleEllipsis text={item.name} />
          <ClusterTag cluster={item.cluster} className="ml-2 flex-none" />
        </b>
        <span className="flex-none font-mono text-[11px]/[16px] tracking-[-0.02em] text-ink-2">
          {item.lastRollout?.restart ? 'Restart' : lastRolloutText(item).replaceAll(' ', '')}
        </span>
        <MomentText moment={startMomentOf(item)} form="short" className="flex-none text-ink-2" />
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
    <p className="flex flex-wrap gap-x-3 font-medium max-desk:flex-nowrap">
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
    <p className="flex flex-wrap gap-x-3 font-medium max-desk:flex-nowrap">
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
