import { clsx } from 'clsx';
import type { HatchIds } from '@/components/timeline/hatches';
import type { BarBox, BarAppearance } from '@/lib/timeline/bar-layout';

const fills: Record<Exclude<BarAppearance, 'unready' | 'starting' | 'unknown'>, string> = {
  target: 'var(--rev-target)',
  live: 'var(--rev-live)',
  past: 'var(--rev-past)',
  failed: 'var(--stuck-fill)',
  back: 'var(--back-fill)',
};

const inks: Record<BarAppearance, string> = {
  target: 'fill-ink-inv!',
  live: 'fill-ink!',
  past: 'fill-rev-past-ink!',
  failed: 'fill-ink-inv!',
  back: 'fill-ink-inv!',
  unready: 'fill-stuck!',
  starting: 'fill-ink!',
  unknown: 'fill-ink-3!',
};

/** Opacity of a bar during its rollout. */
const ROLLING_OPACITY = 0.42;

/**
 * One bar: plain where it is proven, pale during its rollout, hatched where pods are not ready or their state is
 * unknown.
 */
export function Bar({ box, ids }: { box: BarBox; ids: HatchIds }) {
  const { left, top, height, text, appearance, rolling } = box;
  return (
    <>
      <BarShape box={box} ids={ids} />
      {text !== null && (
        <text
          x={left + 7}
          y={top + height / 2 + 3.8}
          className={clsx(
            'text-[10.5px]!',
            appearance !== 'past' && 'font-medium',
            rolling ? 'fill-ink!' : inks[appearance],
          )}
        >
          {text}
        </text>
      )}
    </>
  );
}

function BarShape({ box, ids }: { box: BarBox; ids: HatchIds }) {
  const { appearance, rolling, left: x, top: y, width, height, pods, ready } = box;
  const area = { x, y, width, height };
  switch (appearance) {
    case 'target':
    case 'live':
    case 'past':
    case 'failed':
    case 'back': {
      const opacity = rolling && appearance !== 'failed' && appearance !== 'back' ? ROLLING_OPACITY : 1;
      const edge = opacity < 1 ? { stroke: fills[appearance], strokeWidth: 0.75 } : {};
      return (
        <>
          {pods === null ? (
            <rect {...area} rx={1.5} fill={fills[appearance]} fillOpacity={opacity} {...edge} />
          ) : (
            <path d={pods} fill={fills[appearance]} fillOpacity={opacity} {...edge} />
          )}
          {ready !== null && opacity < 1 && <path d={ready} fill={fills[appearance]} />}
        </>
      );
    }
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
      return appearance satisfies never;
  }
}
