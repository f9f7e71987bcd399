import type { UseQueryResult } from '@tanstack/react-query';
import { ChangeList } from '@/components/action-dialog/change-list';
import { errorText } from '@/components/ui/error-state';
import { Skeleton } from '@/components/ui/skeleton';
import type { Diff } from '@/lib/api/diff';

/** The changes of a comparison that may still be loading or may have failed. */
export function LoadedChangeList({
  query: { data, error },
  rows,
}: {
  query: Pick<UseQueryResult<Diff>, 'data' | 'error'>;
  /** Placeholders while it loads. */
  rows: number;
}) {
  if (error) return <p className="border-t border-line pt-2 text-ink-2">{errorText(error)}</p>;
  return data ? <ChangeList diff={data} /> : <ListSkeleton rows={rows} />;
}

/** Placeholder rows for changes. */
export function ListSkeleton({ rows }: { rows: number }) {
  return (
    <div className="border-t border-line" aria-hidden="true">
      {Array.from({ length: rows }, (_, row) => (
        <div key={row} className="flex h-[29px] items-center gap-[9px] border-b border-hair">
          <Skeleton width={16} height={16} />
          <Skeleton width={[92, 128, 74][row % 3] ?? 92} />
          <Skeleton width={[150, 96, 180][row % 3] ?? 96} className="ml-[20px]" />
        </div>
      ))}
    </div>
  );
}
