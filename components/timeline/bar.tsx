import { type HatchIds } from '@/components/timeline/hatches';
import { type BarBox, type BarLook } from '@/lib/timeline/bar-layout';

const fills: Record<Exclude<BarLook, 'unready' | 'starting' | 'unknown'>, string> = {
  target: 'var(--rev-target)',
  live: 'var(--rev-live)',
  past: 'var(--rev-past)',
};

const inks: Record<BarLook, string> = {
  target: 'fill-ink-inv!',
  live: 'fill-ink!',
  past: 'fill-rev-past-ink!',
  unready: 'fill-stuck!',
  starting: 'fill-ink!',
  unknown: 'fill-ink-3!',
};

/** One bar: plain where it is proven, hatched where pods are not ready or where nobody can say. */
export function Bar({ box, ids }: { box: BarBox; ids: HatchIds }) {
  const { left, top, width, height, text, look } = box;
  return (
    <>
      <BarShape box={box} ids={ids} />
      {text !== null && (
        <text
          x={left + 7}
          y={top + height / 2 + 3.8}
          className={`text-[10.5px]! ${look === 'past' ? '' : 'font-medium'} ${inks[look]}`}
        >
          {text}
        </text>
      )}
      <title>{width > 0 ? titles[look] : ''}</title>
    </>
  );
}

const titles: Record<BarLook, string> = {
  target: 'was or is the target',
  live: 'pods still run it',
  past: 'was the target then',
  unready: 'pods that are not ready',
  starting: 'pods that are starting',
  unknown: 'somewhere in this time; the cluster does not record it exactly',
};

function BarShape({ box: { look, left: x, top: y, width, height }, ids }: { box: BarBox; ids: HatchIds }) {
  const area = { x, y, width, height };
  switch (look) {
    case 'target':
    case 'live':
    case 'past':
      return <rect {...area} rx={1.5} fill={fills[look]} />;
    case 'unready':
      return (
        <>
          <rect {...area} rx={1} fill="var(--stuck-soft)" />
          <rect {...area} rx={1} fill={`url(#${ids.unready})`} stroke="var(--stuck)" strokeWidth={1.25} />
        </>
      );
    case 'starting':
      return (
        <>
          <rect {...area} rx={1} fill="var(--accent-soft)" />
          <rect
            {...area}
            rx={1}
            fill={`url(#${ids.starting})`}
            stroke="var(--rev-target)"
            strokeWidth={1.25}
          />
        </>
      );
    case 'unknown':
      return (
        <rect
          {...area}
          rx={1}
          fill={`url(#${ids.unknown})`}
          stroke="var(--line-2)"
          strokeWidth={1}
          strokeDasharray="2 3"
        />
      );
    default:
      return look satisfies never;
  }
}
