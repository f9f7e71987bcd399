'use client';

import { Button } from '@/components/ui/button';
import { EmptyState } from '@/components/ui/empty-state';
import { PartialNotice } from '@/components/shared/partial-notice';
import { Skeleton, SkeletonRows } from '@/components/ui/skeleton';
import { unobservedHatch, fillColors } from '@/components/fleet-timeline/rollout-colors';
import { type PartialResult } from '@/lib/api/common';

/** No rollouts in the window: offers more of the time, or fewer filters. */
export function EmptyTimeline({
  isFiltered,
  isRecorded,
  onWiden,
  onNow,
  onClear,
}: {
  isFiltered: boolean;
  /** Whether anything was recorded before the end of the window. */
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
            Look at more of the time
          </Button>
          {onNow !== null && (
            <Button size="small" tone="quiet" kbd="0" onClick={onNow}>
              To the present
            </Button>
          )}
        </>
      }
    >
      {isRecorded
        ? 'No recorded rollout was in progress in this period. The overview above shows when there were some.'
        : 'Shiplog had not recorded anything yet, so it can’t tell what changed. The overview above shows the recorded time.'}
    </EmptyState>
  );
}

function titleOf(isFiltered: boolean, isRecorded: boolean): string {
  if (!isRecorded) return 'Nothing was recorded in this period';
  return isFiltered ? 'No rollout matches the filters' : 'Nothing changed';
}

/** No recorded workload is visible to the viewer. */
export function ForbiddenTimeline({ partial }: { partial: readonly PartialResult[] }) {
  return (
    <EmptyState title="You may not see any recorded workload" glyph="lock" className="mt-3">
      {partial.map(({ reason }) => reason).join(' ')} Whoever gives you that right in the cluster gives you
      the timeline with it.
    </EmptyState>
  );
}

/** Parts that are missing, each with its reason. */
export function PartialTimelineNotices({ partial }: { partial: readonly PartialResult[] }) {
  if (partial.length === 0) return null;
  return (
    <div className="grid gap-1.5 pb-2">
      {partial.map((part) => (
        <PartialNotice
          key={part.resource}
          part={part}
          missing={`Some ${part.resource.split('.')[0] ?? part.resource} are missing.`}
        />
      ))}
    </div>
  );
}

export function LoadingTimeline() {
  return (
    <>
      <Skeleton width="100%" height={56} className="mb-8" />
      <SkeletonRows rows={12} label="Reading the timeline" rowHeight={38} />
    </>
  );
}

const swatch = 'inline-block h-2.5 w-5 flex-none overflow-hidden rounded-2';

/** The legend of the bars. */
export function TimelineLegend({ note }: { note: string | null }) {
  return (
    <div className="flex flex-wrap items-center gap-x-5 gap-y-1.5 pt-3 text-small text-ink-3">
      <Entry label="ended">
        <span className={swatch} style={{ background: fillColors.completed }} />
      </Entry>
      <Entry label="in progress">
        <span className={`${swatch} relative`}>
          <span className="absolute inset-0 opacity-20" style={{ background: fillColors.rolling }} />
          <span className="absolute inset-y-0 left-0 w-[3px]" style={{ background: fillColors.rolling }} />
        </span>
      </Entry>
      <Entry label="failed or stalled">
        <span className={swatch} style={{ background: fillColors.failed }} />
      </Entry>
      <Entry label="rolled back">
        <span className={swatch} style={{ background: fillColors.back }} />
      </Entry>
      <Entry label="not observed">
        <span className={swatch} style={{ backgroundImage: unobservedHatch }} />
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
