import type { WorkloadRef } from '@/components/queries/workload-ref';
import { candidatesOf } from '@/components/shared/cluster-candidates';
import { ErrorState } from '@/components/ui/error-state';
import { lazily } from '@/components/ui/lazily';

/** Needed only where an address names none of several clusters. */
const ClusterChooser = lazily(
  async () => (await import('@/components/shared/cluster-chooser')).ClusterChooser,
);

/** Why the object of a page can't be shown; where several clusters have it, the choice between them. */
export function ObjectError({
  what,
  workload,
  error,
  onRetry,
  className,
}: {
  /** "shop/cart" */
  what: string;
  /** The choice shows the state and the version of a workload. */
  workload?: WorkloadRef;
  error: Error;
  onRetry: () => void;
  className: string;
}) {
  const candidates = candidatesOf(error);
  return candidates === null ? (
    <ErrorState error={error} heading="h1" onRetry={onRetry} className={className} />
  ) : (
    <ClusterChooser what={what} candidates={candidates} workload={workload} />
  );
}
