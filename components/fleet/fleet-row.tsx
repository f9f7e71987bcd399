'use client';

import { memo } from 'react';
import Link from 'next/link';
import { clsx } from 'clsx';
import { type WorkloadItem } from '@/lib/api/workloads';
import { nameKey } from '@/lib/kube/name-key';
import { ActorName } from '@/components/shared/actor-name';
import { Glyph } from '@/components/ui/glyph';
import { MiddleEllipsis } from '@/components/ui/middle-ellipsis';
import { PodFigures, PodTicks } from '@/components/ui/pod-ticks';
import { RolloutOutcome } from '@/components/shared/rollout-outcome';
import { stateColor, StateGlyph, stateLabel } from '@/components/shared/state-label';
import { RowHead, Td, Tr } from '@/components/ui/table';
import { Elapsed } from '@/components/ui/time';
import { type FleetWidth } from '@/components/fleet/fleet-column-widths';
import { attentionGroupOf, toolOfWorkload } from '@/components/fleet/fleet-filter';
import {
  startMomentOf,
  truncate,
  isLongReason,
  placeAndKind,
  lastRolloutText,
} from '@/components/fleet/row-text';
import { MomentText } from '@/components/ui/moment-text';
import { rolloutDurationText } from '@/lib/view/record-text';
import { workloadPagePath } from '@/components/queries/workload-ref';
import { shortImageName } from '@/lib/view/image-name';
import { shareOf } from '@/lib/view/rollout-progress';

/** One workload: its state and the reason, its pods by revision, and its last rollout. Three lines on a phone. */
export const FleetRow = memo(function FleetRow({
  item,
  index,
  current,
  columns,
  onSelect,
  onOpen,
  onLeave,
}: {
  item: WorkloadItem;
  index: number;
  current: boolean;
  /** The width that a row has. */
  columns: FleetWidth;
  onSelect: (item: WorkloadItem) => void;
  onOpen: (item: WorkloadItem) => void;
  /** Called before the link navigates. */
  onLeave: (item: WorkloadItem) => void;
}) {
  const record = item.lastRollout?.record ?? null;
  const outcome = record?.outcome ?? null;
  const isStuck = item.state === 'stuck' || item.state === 'deadlineExceeded';
  return (
    <Tr
      index={index}
      current={current}
      aria-selected={current}
      onClick={(event) => isClickOnRow(event) && onOpen(item)}
      className={clsx(
        'cursor-pointer max-desk:relative max-desk:grid max-desk:grid-cols-[minmax(0,1fr)_auto] max-desk:gap-x-3 max-desk:py-[9px]',
        current && 'max-desk:bleed',
      )}
    >
      <RowHead>
        <Link
          href={workloadPagePath(item)}
          data-row={nameKey(item)}
          prefetch={false}
          onFocus={() => onSelect(item)}
          onClick={() => onLeave(item)}
          className={clsx(
            'flex h-[30px] items-center gap-2 max-desk:h-[22px] max-desk:gap-[9px] max-desk:text-[15px]',
            'max-desk:after:absolute max-desk:after:inset-0 focus-visible:-outline-offset-2',
          )}
        >
          <StateGlyph state={item.state} awaitsApproval={item.awaitsApproval} share={shareOf(item)} />
          <b className="flex max-w-[75%] flex-none">
            <MiddleEllipsis text={item.name} />
          </b>
          <span className="min-w-0 truncate text-small text-ink-3">{placeAndKind(item)}</span>
        </Link>
      </RowHead>
      <Td
        className={clsx(
          'max-desk:[grid-area:2/1/3/3] max-desk:ml-[23px] max-desk:text-[13px]/[18px]',
          isLongReason(item)
            ? 'max-desk:line-clamp-2! max-desk:h-9 max-desk:whitespace-normal'
            : 'max-desk:h-[18px]',
        )}
      >
        <span className={clsx('mr-1.5 font-medium', messageColor(item))}>{stateLabel(item)}</span>{' '}
        <span
          title={truncate(item.message)}
          className={item.state === 'complete' ? 'text-ink-3' : 'text-ink-2'}
        >
          {truncate(item.message)}
        </span>
      </Td>
      <Td className="max-desk:[grid-area:3/1] max-desk:pl-[23px]">
        <span className="flex h-[30px] items-center gap-2 max-desk:h-5">
          <PodTicks groups={item.pods.byRevision} stuck={isStuck} />
          <PodFigures groups={item.pods.byRevision} stuck={isStuck} />
        </span>
      </Td>
      {columns === 'full' && (
        <Td>
          <ImageCell images={item.images} />
        </Td>
      )}
      <Td
        className={clsx(
          'max-desk:[grid-area:3/2] max-desk:text-end max-desk:leading-5',
          outcome !== null && 'max-desk:hidden',
        )}
      >
        <TransitionCell item={item} />
      </Td>
      <Td className="text-small text-ink-2 max-desk:[grid-area:1/2] max-desk:text-end max-desk:text-body max-desk:leading-[22px]">
        <MomentText moment={startMomentOf(item)} form="short" />
      </Td>
      {columns === 'full' && (
        <Td numeric className="text-small text-ink-2">
          <DurationCell item={item} />
        </Td>
      )}
      {(columns === 'full' || columns === 'wide') && (
        <Td className="text-small" title={causeOf(item)}>
          <ChangedByCell item={item} />
        </Td>
      )}
      {columns !== 'narrow' && (
        <Td
          title={
            columns === 'full' || record === null ? undefined : (rolloutDurationText(record) ?? undefined)
          }
          className={clsx(
            'text-small max-desk:[grid-area:3/2] max-desk:text-end max-desk:text-[13px]/[20px]',
            outcome === null && 'max-desk:hidden',
          )}
        >
          {record === null ? (
            <span className="text-ink-3">unknown</span>
          ) : (
            <RolloutOutcome rollout={record} />
          )}
        </Td>
      )}
    </Tr>
  );
});

function ImageCell({ images }: { images: WorkloadItem['images'] }) {
  const [first, ...others] = images;
  if (first === undefined) return <span className="text-ink-3">none</span>;
  const { name, version } = shortImageName(first.image);
  return (
    <span
      title={truncate(images.map(({ container, image }) => `${container}: ${image}`).join('\n'))}
      className="flex min-w-0 literal text-ink-3"
    >
      <span className="min-w-0 truncate">{name}</span>
      <span className="flex max-w-[70%] flex-none text-ink">
        <MiddleEllipsis text={version} />
      </span>
      {others.length > 0 && <span className="flex-none pl-1.5 font-sans">+{others.length}</span>}
    </span>
  );
}

function TransitionCell({ item }: { item: WorkloadItem }) {
  if (item.lastRollout?.restart) {
    return (
      <span className="inline-flex items-center gap-1 text-ink-2" title={lastRolloutText(item)}>
        <Glyph name="restart" size={12} className="text-ink-3" />
        restart
      </span>
    );
  }
  const isNumbers = item.lastRollout !== null && item.targetRevision !== null && item.lastRollout.to !== 1;
  return (
    <span
      className={isNumbers ? 'font-mono text-code font-medium tracking-[-0.02em]' : 'text-small text-ink-3'}
    >
      {lastRolloutText(item)}
    </span>
  );
}

/** Duration of the last rollout; of one in progress, the time since its start. */
function DurationCell({ item: { lastRollout } }: { item: WorkloadItem }) {
  const record = lastRollout?.record ?? null;
  if (record?.outcome === null && record.startedAt !== null) return <Elapsed from={record.startedAt} />;
  return record && rolloutDurationText(record);
}

function ChangedByCell({ item }: { item: WorkloadItem }) {
  const record = item.lastRollout?.record ?? null;
  if (record !== null) return <ActorName actor={record.actor} />;
  const tool = toolOfWorkload(item);
  if (tool === null) return <ActorName actor={null} />;
  return (
    <>
      <span className="text-ink-3">via</span> {tool}
    </>
  );
}

function causeOf({ lastRollout }: WorkloadItem): string | undefined {
  const cause = lastRollout?.record?.cause ?? lastRollout?.changeCause;
  return cause == null ? undefined : truncate(cause);
}

function messageColor(item: WorkloadItem): string {
  return attentionGroupOf(item) === 'quiet' ? 'text-ink-3' : stateColor(item.state);
}

/** A press on the row itself: not on a control in it, and not the end of a text selection. */
function isClickOnRow(event: React.MouseEvent): boolean {
  const target = event.target;
  if (event.defaultPrevented || event.metaKey || event.ctrlKey || event.shiftKey) return false;
  if (target instanceof Element && target.closest('a, button')) return false;
  return window.getSelection()?.type !== 'Range';
}
