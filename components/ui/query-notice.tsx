import { Button } from '@/components/ui/button';
import { errorText } from '@/components/ui/error-state';
import { SkeletonRows } from '@/components/ui/skeleton';

/** Whether an answer is there: until `isLoaded`, its content is unknown. */
export interface QueryProgress {
  isLoaded: boolean;
  /** Why there is none, or no newer one. */
  error: Error | null;
}

/**
 * The status above a list while its answer loads, when it failed, or when it could not be refreshed; nothing once it
 * is there. `noun` is what it lists: "pods".
 */
export function QueryNotice({
  answer: { isLoaded, error },
  noun,
  onRetry,
}: {
  answer: QueryProgress;
  noun: string;
  onRetry: () => void;
}) {
  if (isLoaded && error === null) return null;
  if (error === null) return <SkeletonRows rows={3} label={`Loading ${noun}`} />;
  return (
    <p role="status" className="flex flex-wrap items-center gap-x-3 gap-y-1 pb-2 text-ink-2">
      <span className="min-w-0 [overflow-wrap:anywhere]">
        <b className="font-medium text-ink">
          {isLoaded
            ? `The ${noun} could not be refreshed; these were read before.`
            : `The ${noun} could not be loaded.`}
        </b>{' '}
        {errorText(error)}
      </span>
      <Button size="small" onClick={onRetry}>
        Try again
      </Button>
    </p>
  );
}
