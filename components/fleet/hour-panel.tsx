'use client';

import Link from 'next/link';
import { clsx } from 'clsx';
import { type WorkloadItem } from '@/lib/api/workloads';
import { Glyph } from '@/components/ui/glyph';
import { Kbd } from '@/components/ui/kbd';
import { MomentText } from '@/components/ui/moment-text';
import { OutcomeLabel, stateColor, StateGlyph, stateLabel } from '@/components/shared/state-label';
import { changedMsOf, attentionGroupOf } from '@/components/fleet/fleet-filter';
import { nameKey } from '@/lib/kube/name-key';
import { HourPlot, LANES_MAX } from '@/components/fleet/hour-plot';
import { type LastHour } from '@/components/fleet/last-hour';
import { startMomentOf, lastRolloutText } from '@/components/fleet/row-text';
import { workloadPagePath } from '@/components/queries/workload-ref';
import { shareOf } from '@/lib/view/rollout-progress';

const LISTED_MAX = 15;

/** What changed in the last hour: a sentence, a plot and names. One muted line where nothing changed. */
export function HourPanel({
  hour,
  items,
  nowMs,
  pressed,
  onToggle,
}: {
  hour: LastHour;
  /** The unfiltered fleet: the source of the latest change when the last hour had none. */
  items: readonly WorkloadItem[];
  nowMs: number;
  /** Filters the table to these. */
  pressed: boolean;
  onToggle: () => void;
}) {
  if (hour.items.length === 0) return <LatestChange items={items} />;
  const hidden = hour.bars.filter((bar) => bar.lane >= LANES_MAX).length;
  return (
    <section
      aria-labelledby="last-hour"
      className="grid gap-x-8 pt-[18px] pb-3.5 max-desk:gap-y-2.5 max-desk:pt-3.5 max-desk:pb-3 desk:grid-cols-[190px_minmax(0,1fr)] full:grid-cols-[190px_minmax(320px,560px)_minmax(0,1fr)]"
    >
      <div>
        <h2 id="last-hour" className="text-lead font-semibold tracking-[-0.011em] max-desk:text-title">
          {hour.items.length === 1 ? '1 changed' : `${hour.items.length} changed`} in the last hour
        </h2>
        <TroubleCounts items={hour.items} />
        <OutcomeCounts items={hour.items} />
        <p className="flex flex-wrap gap-x-3 text-[12px]/[18px] text-ink-3 max-desk:text-[13px]/[20px]">
          <Count items={hour.items} group="moving" label="in progress" />
          <Count items={hour.items} group="quiet" label="complete" />
          {hour.uncertain > 0 && (
            <span title="The cluster proves only that they began no later than within this hour">
              {hour.uncertain} maybe earlier
            </span>
          )}
          {hidden > 0 && <span>{hidden} not drawn</span>}
        </p>
        <p className="mt-2.5 flex flex-wrap gap-x-4 gap-y-1 text-[12px]/[18px] max-desk:mt-1 max-desk:text-[13px]/[28px]">
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
            Show them on the timeline
          </Link>
        </p>
      </div>
      <HourPlot hour={hour} nowMs={nowMs} />
      <ol
        aria-label="Those that matter first"
        className="hidden h-[120px] grid-flow-col grid-rows-[repeat(5,24px)] gap-x-5 overflow-hidden full:grid full:auto-cols-[minmax(150px,1fr)]"
      >
        {hour.items.slice(0, LISTED_MAX).map((item) => (
          <li key={nameKey(item)} className="min-w-0">
            <Link
              href={workloadPagePath(item)}
              prefetch={false}
              className={clsx(
                'group grid h-6 items-center gap-[7px] text-small',
                hour.uncertain > 0 ? 'grid-cols-[56px_12px_auto_1fr]' : 'grid-cols-[34px_12px_auto_1fr]',
              )}
            >
              <MomentText moment={startMomentOf(item)} form="short" className="truncate text-ink-3" />
              <StateGlyph state={item.state} share={shareOf(item)} size={12} />
              <b className="truncate decoration-line-2 group-hover:underline">{item.name}</b>
              <span className="truncate font-mono text-[11px]/[16px] tracking-[-0.02em] text-ink-3">
                {item.lastRollout?.restart ? 'restart' : lastRolloutText(item).replaceAll(' ', '')}
              </span>
            </Link>
          </li>
        ))}
      </ol>
    </section>
  );
}

const MINUTE_MS = 60_000;

/** The link to the last hour on the timeline, in whole minutes. */
function timelineHref(nowMs: number): string {
  const to = Math.ceil(nowMs / MINUTE_MS) * MINUTE_MS;
  const iso = (ms: number) => new Date(ms).toISOString().replace('.000', '');
  return `/timeline?${new URLSearchParams({ from: iso(to - 60 * MINUTE_MS), to: iso(to) })}`;
}

function TroubleCounts({ items }: { items: readonly WorkloadItem[] }) {
  // Two states of the API can have one label.
  const words = Map.groupBy(
    items.filter((item) => attentionGroupOf(item) === 'look'),
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

/** Failed rollouts whose workload has recovered. */
function OutcomeCounts({ items }: { items: readonly WorkloadItem[] }) {
  const counts = badOutcomes
    .map((outcome) => ({
      outcome,
      // One that still has a problem is counted by its state.
      count: items.filter((item) => attentionGroupOf(item) !== 'look' && outcomeOf(item) === outcome).length,
    }))
    .filter(({ count }) => count > 0);
  if (counts.length === 0) return null;
  return (
    <p className="flex flex-wrap gap-x-3 text-[12px]/[18px] font-medium max-desk:text-[13px]/[20px]">
      {counts.map(({ outcome, count }) => (
        <OutcomeLabel key={outcome} outcome={outcome}>
          {count} {outcome === 'failed' ? 'failed' : 'rolled back'}
        </OutcomeLabel>
      ))}
    </p>
  );
}

const badOutcomes = ['failed', 'rolledBack'] as const;

function outcomeOf({ lastRollout }: WorkloadItem) {
  return lastRollout?.record?.outcome ?? null;
}

function endedBadly(item: WorkloadItem): boolean {
  return badOutcomes.some((outcome) => outcome === outcomeOf(item));
}

/** Without those that `OutcomeCounts` counts: the counts add up to the number of the heading. */
function Count({
  items,
  group,
  label,
}: {
  items: readonly WorkloadItem[];
  group: 'moving' | 'quiet';
  label: string;
}) {
  const count = items.filter((item) => attentionGroupOf(item) === group && !endedBadly(item)).length;
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
      Nothing has changed in the last hour.
      {latest && (
        <span>
          The latest was{' '}
          <Link href={workloadPagePath(latest)} prefetch={false} className="text-ink-2 hover:underline">
            {latest.name}
          </Link>
          , <MomentText moment={startMomentOf(latest)} className="text-ink-3" />.
        </span>
      )}
    </p>
  );
}
