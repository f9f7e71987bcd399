import { clsx } from 'clsx';

/** A placeholder for loading text: give it the size of that text. Pulses, and stops when the page is stale. */
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

/** Widths of typical text, the same on every paint. */
const wordWidths = [
  [86, 146, 62],
  [64, 118, 38],
  [92, 130, 70],
  [58, 98, 50],
  [80, 122, 44],
] as const;

/** Placeholder rows of a loading list. `label` is announced once by screen readers: "Loading the fleet". */
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
        <div
          key={row}
          className="flex items-center gap-3 overflow-hidden border-b border-hair"
          style={{ height: rowHeight }}
        >
          <Skeleton width={14} height={14} />
          {wordWidths[row % wordWidths.length]?.map((width, index) => (
            <Skeleton key={index} width={width} className={index === 2 ? 'max-desk:hidden' : undefined} />
          ))}
          <Skeleton width={40} className="ml-auto" />
        </div>
      ))}
    </div>
  );
}
