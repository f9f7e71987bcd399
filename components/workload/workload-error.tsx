import { candidatesOf } from '@/components/shared/cluster-candidates';
import { LazyClusterChooser } from '@/components/shared/lazy-cluster-chooser';
import { ErrorState } from '@/components/ui/error-state';
import { AppError } from '@/lib/errors';
import { useClusters } from '@/components/queries/cluster';
import { type WorkloadRef } from '@/components/queries/workload-ref';

/** Why a workload cannot be shown. The API lists the kinds that it knows for scripts; a person has mistyped one. */
export function WorkloadError({
  workload,
  error,
  onRetry,
}: {
  workload: WorkloadRef;
  error: Error;
  onRetry: () => void;
}) {
  const candidates = candidatesOf(error);
  const { list } = useClusters();
  const resources = list?.items.flatMap((each) => each.resources);
  const isKnown = resources?.some(({ id }) => id === workload.resource) ?? true;
  if (candidates !== null)
    return (
      <LazyClusterChooser
        what={`${workload.namespace}/${workload.name}`}
        candidates={candidates}
        workload={workload}
      />
    );
  return (
    <ErrorState
      error={isKnown ? error : unknownKind(workload)}
      heading="h1"
      onRetry={onRetry}
      className="mt-4"
    />
  );
}

function unknownKind({ resource, name }: WorkloadRef): AppError {
  return new AppError(
    'not_found',
    `This cluster has no workload kind “${resource.slice(0, 80)}”. Check the URL, or search for “${name.slice(0, 80)}”.`,
    { resource, name },
  );
}
