import { candidatesOf } from '@/components/shared/cluster-candidates';
import { ObjectError } from '@/components/shared/object-error';
import { AppError } from '@/lib/errors';
import { useClusters } from '@/components/queries/cluster';
import type { WorkloadRef } from '@/components/queries/workload-ref';

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
  const { list } = useClusters();
  const resources = list?.items.flatMap((each) => each.resources);
  const isKnown = resources?.some(({ id }) => id === workload.resource) ?? true;
  return (
    <ObjectError
      what={`${workload.namespace}/${workload.name}`}
      workload={workload}
      error={isKnown || candidatesOf(error) !== null ? error : unknownKind(workload)}
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
