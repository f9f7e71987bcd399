'use client';

import { memo } from 'react';
import Link from 'next/link';
import { clsx } from 'clsx';
import { MiddleEllipsis } from '@/components/ui/middle-ellipsis';
import { outcomeColor, OutcomeGlyph, outcomeGlyphs } from '@/components/shared/outcome-glyph';
import { RowHead, Td, Tr } from '@/components/ui/table';
import { RolloutBar, xOf } from '@/components/fleet-timeline/rollout-bar';
import { lazily } from '@/components/ui/lazily';
import type { TimelineItem } from '@/lib/api/timeline';
import type { TimeFrame } from '@/lib/format/time';
import { actorText } from '@/lib/view/record-text';
import { workloadPagePath } from '@/components/queries/workload-ref';
import { intervalOf, type TimelineRow } from '@/lib/timeline/fleet-rows';
import { barNote, describeOutcome, transitionLabel } from '@/lib/timeline/fleet-text';
import type { TimeScale } from '@/lib/timeline/scale';
import { ClusterTag } from '@/components/shared/cluster-tag';

const RolloutCard = lazily(
  async () => (await import('@/components/fleet-timeline/rollout-card')).RolloutCard,
);

const CARD_PX = 340;
/** Less shows no word to its end. */
const LABEL_PX_MIN = 120;

/** The rollout whose card is shown, and the side of its bar that has room. */
export interface ShownCard {
  id: string;
  isAbove: boolean;
}

export interface RowHandlers {
  onEnter: (id: string, element: HTMLElement) => void;
  onStay: () => void;
  onLeave: () => void;
  onFocus: (id: string, element: HTMLElement) => void;
}

/** One workload: its name, its rollouts on the time axis, and the outcome of the one that matters. */
export const RolloutRow = memo(function RolloutRow({
  row,
  isCompact,
  index,
  scale,
  ticks,
  atX,
  nowMs,
  frame,
  returns,
  shown,
  selected,
  handlers,
}: {
  row: TimelineRow;
  /** In one line on a desktop. */
  isCompact: boolean;
  index: number;
  scale: TimeScale;
  /** The grid lines of the axis as one path. */
  ticks: string;
  /** Position of the highlighted moment. */
  atX: number | null;
  nowMs: number;
  frame: TimeFrame;
  /** Numbers of the revisions that rollouts returned to, by the id of the rollout. */
  returns: ReadonlyMap<string, number | null>;
  /** Null where the card belongs to another row. */
  shown: ShownCard | null;
  /** Selected rollout of this row; empty where it is in another row. */
  selected: string;
  handlers: RowHandlers;
}) {
  const { workload, mostUrgent: told, rollouts } = row;
  const isReverted = told.revertedBy !== null;
  return (
    <Tr
      index={index}
      current={selected !== ''}
      className="max-desk:grid max-desk:grid-cols-[minmax(0,1fr)_fit-content(40%)] max-desk:gap-x-3 max-desk:py-2"
    >
      <RowHead className={clsx('max-desk:h-[24px]!', isCompact ? 'h-[28px]!' : 'h-[38px]!')}>
        <Link
          href={workloadPagePath(workload)}
          prefetch={false}
          className="flex h-[26px] items-center gap-2 focus-visible:-outline-offset-2 max-desk:h-[24px] max-desk:text-[15px]"
        >
          <OutcomeGlyph record={told} />
          <b className="flex max-w-[70%] flex-none">
            <MiddleEllipsis text={workload.name} />
          </b>
          <span className="min-w-0 truncate text-small text-ink-3">{workload.namespace}</span>
          <ClusterTag cluster={workload.cluster} className="flex-none" />
        </Link>
      </RowHead>
      <Td className="rev max-desk:leading-6 desk:text-end desk:pr-4!" title={transitionLabel(told)}>
        <MiddleEllipsis text={transitionLabel(told)} />
      </Td>
      <Td className="relative overflow-visible! p-0! max-desk:[grid-area:2/1/3/3] max-desk:h-[30px]!">
        <Plot
          rollouts={rollouts}
          scale={scale}
          ticks={ticks}
          atX={atX}
          nowMs={nowMs}
          frame={frame}
          returns={returns}
          shown={shown}
          selected={selected}
          handlers={handlers}
        />
      </Td>
      <Td
        className={clsx('leading-4 max-desk:[grid-area:3/1/4/3] desk:pl-4!', isCompact && 'desk:h-[28px]!')}
      >
        <div className={clsx(isCompact && 'desk:flex desk:items-baseline desk:gap-2')}>
          <p
            className={clsx(
              'truncate text-small desk:max-w-full desk:flex-none',
              isReverted ? outcomeGlyphs.back.color : outcomeColor(told),
            )}
          >
            {describeOutcome(told)}
            {rollouts.length > 1 && (
              <span className="text-ink-3"> (1 of {rollouts.length.toLocaleString('en')} rollouts)</span>
            )}
          </p>
          <p className="min-w-0 truncate text-micro text-ink-2" title={told.summary}>
            {told.restart ? 'Restart' : told.summary}
            <Actor item={told} />
          </p>
        </div>
      </Td>
    </Tr>
  );
});

function Actor({ item }: { item: TimelineItem }) {
  const text = actorText(item.actor);
  return text === null ? null : <span className="text-ink-3">, {text}</span>;
}

function Plot({
  rollouts,
  scale,
  ticks,
  atX,
  nowMs,
  frame,
  returns,
  shown,
  selected,
  handlers,
}: { rollouts: readonly TimelineItem[] } & Omit<
  Parameters<typeof RolloutRow>[0],
  'row' | 'isCompact' | 'index'
>) {
  const of = rollouts.find(({ id }) => id === shown?.id);
  const last = rollouts.at(-1);
  return (
    <div data-plot="" className="absolute inset-0 select-none" style={{ width: scale.right }}>
      <svg
        width={scale.right}
        height="100%"
        aria-hidden="true"
        className="pointer-events-none absolute inset-0"
      >
        <path d={ticks} stroke="var(--hair)" />
        {atX !== null && <path d={`M${atX} 0V400`} stroke="var(--accent)" strokeWidth="1.5" />}
      </svg>
      <div className="absolute inset-0 overflow-hidden">
        <RevertArrows rollouts={rollouts} scale={scale} nowMs={nowMs} />
        {last !== undefined && (
          <Label
            item={last}
            formerNumber={returns.get(last.id)}
            scale={scale}
            nowMs={nowMs}
            frame={frame}
            before={rollouts.at(-2)}
          />
        )}
        {rollouts.map((item) => (
          <RolloutBar
            key={item.id}
            item={item}
            isReturn={returns.has(item.id)}
            scale={scale}
            nowMs={nowMs}
            frame={frame}
            selected={item.id === selected}
            {...handlers}
          />
        ))}
      </div>
      {of !== undefined && (
        <div
          data-card=""
          onPointerEnter={handlers.onStay}
          onPointerLeave={handlers.onLeave}
          className={clsx(
            'z-20 max-desk:fixed max-desk:inset-x-2 desk:absolute desk:left-(--card-x)',
            shown?.isAbove === true
              ? 'max-desk:top-[calc(var(--top)+8px)] desk:bottom-[30px] desk:pb-1'
              : 'max-desk:bottom-[calc(var(--tabs)+8px)] desk:top-[30px] desk:pt-1',
          )}
          style={cardStyle(of, scale, nowMs)}
        >
          <div className="desk:w-[340px]">
            <RolloutCard item={of} />
          </div>
        </div>
      )}
    </div>
  );
}

/** A CSS variable, which the phone layout ignores. */
function cardStyle(item: TimelineItem, scale: TimeScale, nowMs: number): React.CSSProperties {
  const stretch = intervalOf(item, nowMs);
  const x = stretch === null ? 0 : xOf(scale, stretch.fromMs);
  const left = Math.max(0, Math.min(scale.right - CARD_PX, x - 20));
  return { '--card-x': `${left}px` } as React.CSSProperties;
}

/** From the end of a rolled back rollout to the rollout that rolled it back. */
function RevertArrows({
  rollouts,
  scale,
  nowMs,
}: {
  rollouts: readonly TimelineItem[];
  scale: TimeScale;
  nowMs: number;
}) {
  return rollouts.map((item) => {
    const reverting = rollouts.find(({ id }) => id === item.revertedBy);
    const from = reverting && intervalOf(item, nowMs);
    const to = reverting && intervalOf(reverting, nowMs);
    if (from == null || to == null) return null;
    const left = xOf(scale, from.toMs);
    const width = xOf(scale, to.fromMs) - left;
    if (width < 4) return null;
    return (
      <span
        key={item.id}
        className="pointer-events-none absolute top-1/2 border-t-[1.5px] border-dotted border-back"
        style={{ left: left + 2, width: width - 4 }}
      />
    );
  });
}

/** Shows inside an open bar, or next to a completed one, what the bar does not show. */
function Label({
  item,
  before,
  formerNumber,
  scale,
  nowMs,
  frame,
}: {
  item: TimelineItem;
  before: TimelineItem | undefined;
  formerNumber: number | null | undefined;
  scale: TimeScale;
  nowMs: number;
  frame: TimeFrame;
}) {
  const stretch = intervalOf(item, nowMs);
  const told = barNote(item, undefined, formerNumber, scale, frame);
  const text =
    told ?? (before?.outcome === 'superseded' ? barNote(before, item, undefined, scale, frame) : null);
  if (stretch === null || text === null) return null;
  const isInside = item.outcome === null;
  const left = (isInside ? Math.max(0, xOf(scale, stretch.fromMs)) : xOf(scale, stretch.toMs)) + 8;
  const room = Math.min(scale.right, isInside ? xOf(scale, stretch.toMs) : scale.right) - left - 4;
  if (room < LABEL_PX_MIN) return null;
  return (
    <span
      aria-hidden="true"
      className={clsx(
        'pointer-events-none absolute top-1/2 z-1 -mt-[6px] truncate rounded-1 px-[3px] text-micro leading-3',
        isInside && 'bg-canvas/75',
        formerNumber !== undefined ? 'font-medium text-back' : 'text-ink-2',
      )}
      style={{ left, maxWidth: room }}
    >
      {text}
    </span>
  );
}
