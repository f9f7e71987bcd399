'use client';

import { Button } from '@/components/ui/button';
import { EmptyState } from '@/components/ui/empty-state';
import { PartialNotices } from '@/components/shared/partial-notices';
import { Skeleton, SkeletonRows } from '@/components/ui/skeleton';
import { unobservedHatch, fillColors } from '@/components/fleet-timeline/rollout-colors';
import { Glyph } from '@/components/ui/glyph';
import { OutcomeCounts } from '@/components/fleet-timeline/window-head';
import type { TimelineItem } from '@/lib/api/timeline';
import { formatCount } from '@/lib/format/text';
import type { PartialResult } from '@/lib/api/common';

/** No rollouts in the window: offers a longer period, or fewer filters. */
export function EmptyTimeline({
  isFiltered,
  isRecorded,
  onWiden,
  onNow,
  onClear,
}: {
  isFiltered: boolean;
  /** Whether the whole window was recorded. */
  isRecorded: boolean;
  onWiden: () => void;
  /** Null where the window already follows the present. */
  onNow: (() => void) | null;
  onClear: () => void;
}) {
  return (
    <EmptyState
      title={titleOf(isFiltered, isRecorded)}
      glyph="timeline"
      className="mt-3"
      actions={
        <>
          {isFiltered && (
            <Button size="small" kbd="escape" onClick={onClear}>
              Clear filters
            </Button>
          )}
          <Button size="small" kbd="-" onClick={onWiden}>
            Widen the period
          </Button>
          {onNow !== null && (
            <Button size="small" tone="quiet" kbd="0" onClick={onNow}>
              Go to now
            </Button>
          )}
        </>
      }
    >
      {isRecorded
        ? 'The overview above shows when rollouts started.'
        : 'Shiplog did not observe all of this period, so rollouts may be missing.'}
    </EmptyState>
  );
}

function titleOf(isFiltered: boolean, isRecorded: boolean): string {
  if (isFiltered) return 'No rollouts match the filters';
  return isRecorded ? 'No rollouts started' : 'No rollouts recorded';
}

/** One row for the rollouts that were in progress in the window, but started before it. */
export function OlderRollouts({ items, onShow }: { items: readonly TimelineItem[]; onShow: () => void }) {
  const open = items.filter(({ outcome }) => outcome === null);
  const ended = items.length - open.length;
  return (
    <button
      type="button"
      aria-expanded={false}
      onClick={onShow}
      className="flex min-h-[38px] w-full flex-wrap items-center gap-x-2 border-b border-line px-1 text-start text-ink-2 hover:bg-sunken max-desk:min-h-11"
    >
      <Glyph name="chevron-right" size={12} className="text-ink-3" />
      <span>
        {open.length > 0
          ? `${formatCount(open.length, 'older rollout')} still in progress`
          : `${formatCount(ended, 'older rollout')} ended in this period`}
      </span>
      <span className="text-small text-ink-3">
        {open.length > 0 && <OutcomeCounts items={open} />}
        {open.length > 0 && ended > 0 && `; ${ended.toLocaleString('en')} ended in this period`}
      </span>
    </button>
  );
}

/** No recorded workload is visible to the viewer. */
export function ForbiddenTimeline({ partial }: { partial: readonly PartialResult[] }) {
  return (
    <EmptyState title="No permission to view any recorded workload" glyph="lock" className="mt-3">
      {partial.map(({ reason }) => reason).join(' ')} Permission to list workloads in the cluster includes
      their timeline.
    </EmptyState>
  );
}

/** Parts that are missing, each with its reason. */
export function PartialTimelineNotices({ partial }: { partial: readonly PartialResult[] }) {
  if (partial.length === 0) return null;
  return (
    <div className="grid gap-1.5 pb-2">
      <PartialNotices
        partial={partial}
        missing={({ resource }) => `Some ${resource?.split('.')[0] ?? 'rollouts'} could not be listed.`}
      />
    </div>
  );
}

export function LoadingTimeline() {
  return (
    <>
      <Skeleton width="100%" height={56} className="mb-8" />
      <SkeletonRows rows={12} label="Loading timeline…" rowHeight={38} />
    </>
  );
}

const swatch = 'inline-block h-2.5 w-5 flex-none overflow-hidden rounded-2';

/** The legend of the bars. */
export function TimelineLegend({ note }: { note: string | null }) {
  return (
    <div className="flex flex-wrap items-center gap-x-5 gap-y-1.5 pt-3 text-small text-ink-3">
      <Entry label="Completed">
        <span data-bar="" className={swatch} style={{ background: fillColors.completed }} />
      </Entry>
      <Entry label="In progress">
        <span data-bar="" className={`${swatch} relative`}>
          <span className="absolute inset-0 opacity-20" style={{ background: fillColors.rolling }} />
          <span className="absolute inset-y-0 left-0 w-[3px]" style={{ background: fillColors.rolling }} />
        </span>
      </Entry>
      <Entry label="Failed or stalled">
        <span data-bar="" className={swatch} style={{ background: fillColors.failed }} />
      </Entry>
      <Entry label="Rolled back">
        <span data-bar="" className={swatch} style={{ background: fillColors.back }} />
      </Entry>
      <Entry label="Not observed">
        <span data-bar="" className={swatch} style={{ backgroundImage: unobservedHatch }} />
      </Entry>
      {note !== null && <span className="ml-auto max-desk:ml-0">{note}</span>}
    </div>
  );
}

function Entry({ label, children }: { label: string; children: React.ReactNode }) {
  return (
    <span className="inline-flex items-center gap-2">
      {children}
      {label}
    </span>
  );
}
