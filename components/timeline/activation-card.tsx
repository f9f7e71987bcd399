'use client';

import { useEffect, useRef } from 'react';
import { ActorName } from '@/components/shared/actor-name';
import { TextLink } from '@/components/ui/link';
import { RolloutOutcome } from '@/components/shared/rollout-outcome';
import { useTimeFrame } from '@/components/ui/time';
import type { ShownActivation } from '@/components/timeline/activation';
import { formatDay, type TimeFrame } from '@/lib/format/time';
import { recordPagePath } from '@/components/queries/records';
import type { Lane } from '@/lib/timeline/lanes';
import type { Span } from '@/lib/timeline/span';
import { formatDurationRange } from '@/lib/format/moment';

const WIDTH = 292;
const CAUSE_LENGTH_MAX = 240;

/** The card of a bar: the outcome of its rollout, when it was the target, changed by and change cause, and links. */
export function ActivationCard({
  shown,
  isPinned,
  lane,
  width,
  onStay,
  onLeave,
  onClose,
}: {
  shown: ShownActivation;
  /** Opened rather than hovered: it takes the focus. */
  isPinned: boolean;
  lane: Lane;
  /** Width of the drawing. */
  width: number;
  onStay: () => void;
  onLeave: () => void;
  onClose: () => void;
}) {
  const ref = useRef<HTMLDivElement>(null);
  const { activation } = shown;
  const { record, span, open } = activation;
  const frame = useTimeFrame();
  useEffect(() => {
    if (isPinned) ref.current?.focus({ preventScroll: true });
  }, [isPinned, activation]);
  const room = Math.min(WIDTH, width);
  const left = Math.max(0, Math.min(width - room, (shown.left + shown.right) / 2 - room / 2));
  const at = new Date(span.startMax).toISOString();
  return (
    <div
      ref={ref}
      role="dialog"
      aria-label={`Revision ${activation.number}, ${lane.version}`}
      tabIndex={-1}
      style={{ left, top: shown.bottom + 3, width: room }}
      onPointerEnter={onStay}
      onPointerLeave={onLeave}
      onBlur={(event) => isPinned && !event.currentTarget.contains(event.relatedTarget) && onClose()}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        event.stopPropagation();
        onClose();
        document
          .querySelector<SVGElement>(
            `[data-activation="${CSS.escape(`${shown.laneId} ${activation.number}`)}"]`,
          )
          ?.focus();
      }}
      className="absolute z-10 rounded-3 bg-raised px-3 py-2.5 text-small text-ink-2 shadow-menu outline-none"
    >
      <p className="flex items-baseline gap-2">
        <span className="font-mono text-code font-medium text-ink">{activation.number}</span>
        <span className="min-w-0 truncate literal">{lane.version}</span>
        {record !== null && record.outcome !== null && (
          <span className="ml-auto flex-none">
            <RolloutOutcome rollout={record} withDuration />
          </span>
        )}
      </p>
      <p className="mt-1">{periodText(span, open, frame)}</p>
      {record === null ? (
        <p className="mt-1 text-ink-3">No recorded rollout.</p>
      ) : (
        <>
          <p className="mt-1 truncate">
            <ActorName actor={record.actor} />
          </p>
          {record.cause !== null && (
            <p className="mt-1 text-ink [overflow-wrap:anywhere]">
              {record.cause.slice(0, CAUSE_LENGTH_MAX)}
            </p>
          )}
        </>
      )}
      <p className="mt-2 flex gap-4 border-t border-hair pt-1.5">
        {record !== null && <TextLink href={recordPagePath(record.id)}>Record</TextLink>}
        <TextLink href={`/timeline?${new URLSearchParams({ at })}`}>Other changes at that time</TextLink>
      </p>
    </div>
  );
}

/** "Active from Mon 7 Sep 10:05 until Wed 9 Sep 16:30, 2 d 6 h" */
function periodText({ startMin, startMax, endMin, endMax }: Span, open: boolean, frame: TimeFrame): string {
  const until = open ? 'until now' : `until ${formatDay(endMax, frame)}`;
  const length = formatDurationRange(Math.max(0, endMin - startMax), Math.max(0, endMax - startMin));
  return `Active from ${formatDay(startMax, frame)} ${until}, ${length}`;
}
