import { Button } from '@/components/ui/button';
import { sentenceOf } from '@/components/ui/error-state';
import { SkeletonRows } from '@/components/ui/skeleton';

/** How far an answer is: until `isThere`, nothing may be said of what it holds. */
export interface Awaited {
  isThere: boolean;
  /** Why there is none, or no newer one. */
  error: Error | null;
}

/**
 * What stands over a list while its answer is on its way, when it failed, or when it could not be refreshed; nothing
 * once it is there. `noun` is what it lists: "pods".
 */
export function AwaitedNotice({
  answer: { isThere, error },
  noun,
  onRetry,
}: {
  answer: Awaited;
  noun: string;
  onRetry: () => void;
}) {
  if (isThere && error === null) return null;
  if (error === null) return <SkeletonRows rows={3} label={`Loading ${noun}`} />;
  return (
    <p role="status" className="flex flex-wrap items-center gap-x-3 gap-y-1 pb-2 text-ink-2">
      <span className="min-w-0 [overflow-wrap:anywhere]">
        <b className="font-medium text-ink">
          {isThere
            ? `The ${noun} could not be refreshed; these were read before.`
            : `The ${noun} could not be loaded.`}
        </b>{' '}
        {sentenceOf(error)}
      </span>
      <Button size="small" onClick={onRetry}>
        Try again
      </Button>
    </p>
  );
}
