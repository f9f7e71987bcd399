import { clsx } from 'clsx';

/** A stretch where words will come: give it the size of what it stands for. Breathes, and rests when the page is stale. */
export function Skeleton({
  width,
  height = 10,
  className,
}: {
  width: number | string;
  height?: number;
  className?: string;
}) {
  return (
    <i
      aria-hidden="true"
      className={clsx('inline-block flex-none animate-breathe rounded-[3px] bg-fill', className)}
      style={{ width, height }}
    />
  );
}

/** Widths that look like words, the same on every paint. */
const words = [
  [86, 146, 62],
  [64, 118, 38],
  [92, 130, 70],
  [58, 98, 50],
  [80, 122, 44],
] as const;

/** Rows of a list that is being read. `label` is said once to whom can't see it: "Loading the fleet". */
export function SkeletonRows({
  rows,
  label,
  rowHeight = 34,
}: {
  rows: number;
  label: string;
  rowHeight?: number;
}) {
  return (
    <div role="status" aria-live="polite">
      <span className="sr-only">{label}</span>
      {Array.from({ length: rows }, (_, row) => (
        <div key={row} className="flex items-center gap-3 border-b border-hair" style={{ height: rowHeight }}>
          <Skeleton width={14} height={14} />
          {words[row % words.length]?.map((width, index) => (
            <Skeleton key={index} width={width} className={index === 2 ? 'max-desk:hidden' : undefined} />
          ))}
          <Skeleton width={40} className="ml-auto" />
        </div>
      ))}
    </div>
  );
}
