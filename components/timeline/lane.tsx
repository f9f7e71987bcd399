'use client';

import { clsx } from 'clsx';
import { Activation, type CardHandlers } from '@/components/timeline/activation';
import { Bar } from '@/components/timeline/bar';
import type { HatchIds } from '@/components/timeline/hatches';
import { useTimeFrame } from '@/components/ui/time';
import type { BarBox } from '@/lib/timeline/bar-layout';
import type { ActivationBar, Lane } from '@/lib/timeline/lanes';
import type { LaneBox, TimelineLayout } from '@/lib/timeline/layout';
import { truncateMiddle } from '@/lib/format/truncate-middle';
import { formatDay, type TimeFrame } from '@/lib/format/time';
import { outcomeDuration, outcomeText } from '@/lib/view/record-text';

const DIGIT_WIDTH = 7.2;
const VERSION_TEXT = {
  wide: { lettersMax: 12, letterWidth: 6.6 },
  compact: { lettersMax: 6, letterWidth: 6 },
};

/** One revision: its number and version, its bars, and its current status. */
export function Lane({
  box,
  layout,
  ids,
  trouble,
  compact,
  pointed,
  opened,
  cards,
  onPoint,
  onSelect,
}: {
  box: LaneBox;
  layout: TimelineLayout;
  ids: HatchIds;
  trouble: boolean;
  compact: boolean;
  pointed: boolean;
  /** The activation whose card is open. */
  opened: ActivationBar | undefined;
  cards: CardHandlers;
  onPoint: (revisionId: string | null) => void;
  onSelect: (revisionId: string) => void;
}) {
  const { lane, top } = box;
  const { width, laneHeight, axis } = layout;
  const baseline = top + laneHeight / 2 + 4;
  const isPast = lane.role === 'past';
  const frame = useTimeFrame();
  return (
    <g
      data-lane={lane.id}
      onPointerEnter={() => onPoint(lane.id)}
      onPointerLeave={() => onPoint(null)}
      onClick={() => onSelect(lane.id)}
      className="cursor-pointer"
    >
      <rect
        role="button"
        tabIndex={0}
        aria-label={describeLane(lane)}
        onFocus={() => onPoint(lane.id)}
        onBlur={() => onPoint(null)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' && event.key !== ' ') return;
          event.preventDefault();
          onSelect(lane.id);
        }}
        x={0}
        y={top}
        width={width}
        height={laneHeight}
        rx={2}
        className={clsx(
          'outline-none focus-visible:stroke-focus focus-visible:stroke-2',
          pointed ? 'fill-selected' : 'fill-transparent hover:fill-hover',
        )}
      />
      <path d={`M0 ${top + laneHeight - 0.5}H${width}`} stroke="var(--hair)" />
      <LaneName box={box} baseline={baseline} right={axis.panels[0]?.left ?? 0} compact={compact} />
      {groupsOf(box.boxes).map(({ activation, boxes }, index) =>
        activation === null ? (
          boxes.map((bar, place) => <Bar key={`${index} ${place}`} box={bar} ids={ids} />)
        ) : (
          <Activation
            key={`activation ${activation.number} ${index}`}
            boxes={boxes}
            label={describeActivation(lane, activation, frame)}
            activation={activation}
            laneId={lane.id}
            laneTop={top}
            laneHeight={laneHeight}
            expanded={opened === activation}
            ids={ids}
            {...cards}
          />
        ),
      )}
      {box.labels.map(({ x, anchor, outcome, rest, appearance }) => (
        <text key={x} x={x} y={baseline} textAnchor={anchor} className="pointer-events-none fill-ink-3!">
          <tspan className={appearance === 'failed' ? 'fill-stuck!' : 'fill-back!'}>{outcome}</tspan>
          {rest}
        </text>
      ))}
      <text
        x={axis.nowX + 12}
        y={baseline}
        className={clsx(
          isPast ? 'fill-ink-3!' : 'font-medium',
          !isPast && (isBad(box, trouble) ? 'fill-stuck!' : 'fill-ink!'),
        )}
      >
        {box.endText}
      </text>
    </g>
  );
}

/** The boxes of one activation together, in order. */
function groupsOf(boxes: readonly BarBox[]): { activation: ActivationBar | null; boxes: BarBox[] }[] {
  const groups: { activation: ActivationBar | null; boxes: BarBox[] }[] = [];
  for (const box of boxes) {
    const last = groups.at(-1);
    if (last?.activation === box.activation) last.boxes.push(box);
    else groups.push({ activation: box.activation, boxes: [box] });
  }
  return groups;
}

function LaneName({
  box: { lane },
  baseline,
  right,
  compact,
}: {
  box: LaneBox;
  baseline: number;
  right: number;
  compact: boolean;
}) {
  const number = lane.number === null ? '?' : String(lane.number);
  const was = lane.formerNumbers.length > 0 ? `was ${lane.formerNumbers.at(-1)}` : '';
  const room = right - 14 - number.length * DIGIT_WIDTH - 8;
  const wasFits = !compact && was !== '' && room > was.length * 6 + 40;
  const { lettersMax, letterWidth } = compact ? VERSION_TEXT.compact : VERSION_TEXT.wide;
  const free = wasFits ? room - was.length * 6 - 8 : room;
  return (
    <>
      <text
        x={0}
        y={baseline}
        className={clsx('font-mono! text-[12px]!', lane.archived ? 'fill-ink-3!' : 'fill-ink! font-medium')}
      >
        {number}
      </text>
      {wasFits && (
        <text x={number.length * DIGIT_WIDTH + 9} y={baseline} className="fill-ink-3!">
          {was}
        </text>
      )}
      <text
        x={right - 12}
        y={baseline}
        textAnchor="end"
        className={clsx(
          lane.archived ? 'fill-ink-3!' : 'fill-ink-2!',
          'font-mono!',
          compact && 'text-[10px]!',
        )}
      >
        {truncateMiddle(lane.version, Math.min(lettersMax, Math.floor(free / letterWidth)))}
      </text>
    </>
  );
}

function isBad({ lane }: LaneBox, trouble: boolean): boolean {
  return trouble && lane.role === 'target' && lane.pods.ready < lane.pods.total;
}

/** The accessible name of a lane: "Revision 40, was 37, version 2.17.4, not live". */
function describeLane({ number, formerNumbers: was, version, role, pods, note }: Lane): string {
  const parts = [
    number === null ? 'Revision without a number' : `Revision ${number}`,
    ...(was.length > 0 ? [`was ${was.join(' and ')}`] : []),
    ...(version === '' ? [] : [`version ${version}`]),
    role === 'past'
      ? note
      : `${role === 'target' ? 'target' : 'live'}, ${pods.ready} of ${pods.total} pods ready`,
  ];
  return parts.join(', ');
}

/** The accessible name of a bar: "Revision 40, 2.17.4, from Mon 7 Sep 10:05, completed in 58 s". */
function describeActivation({ version }: Lane, activation: ActivationBar, frame: TimeFrame): string {
  const { number, span, record } = activation;
  const since = `${span.startMin === span.startMax ? 'from' : 'before'} ${formatDay(span.startMax, frame)}`;
  return [`Revision ${number}`, version, since, ...(record === null ? [] : [describeRollout(record)])]
    .filter((outcomeText) => outcomeText !== '')
    .join(', ');
}

function describeRollout(record: NonNullable<ActivationBar['record']>): string {
  const { outcome } = record;
  if (outcome === null) return 'rollout in progress';
  if (outcome === 'unknown') return 'end not observed';
  return `${outcomeText(record)} ${outcomeDuration(record)}`.trimEnd();
}
