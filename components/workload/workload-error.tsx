import { ErrorState } from '@/components/ui/error-state';
import { type ClusterItem } from '@/lib/api/cluster';
import { AppError } from '@/lib/errors';
import { clusterParam } from '@/components/queries/cluster-names';
import { useClusters } from '@/components/queries/clusters';
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
  const { items, find } = useClusters();
  const own = find(workload.cluster);
  const clusters = own === undefined ? items : [own];
  const isKnown =
    clusters.length === 0 ||
    clusters.some(({ resources }) => resources.some(({ id }) => id === workload.resource));
  return (
    <ErrorState
      error={isKnown ? error : unknownKind(workload, clusters)}
      heading="h1"
      onRetry={onRetry}
      className="mt-4"
    />
  );
}

function unknownKind({ resource, name }: WorkloadRef, clusters: readonly ClusterItem[]): AppError {
  const [own, ...others] = clusters;
  const problem =
    own === undefined || others.length > 0
      ? 'No connected cluster has a workload kind'
      : `${clusterParam(own.id) ?? 'This cluster'} has no workload kind`;
  return new AppError(
    'not_found',
    `${problem} “${resource.slice(0, 80)}”. Check the URL, or search for “${name.slice(0, 80)}”.`,
    { resource, name },
  );
}
