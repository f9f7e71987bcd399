import type { RolloutItem } from '@/lib/api/rollouts';
import { workloadPagePath, type WorkloadRef } from '@/components/queries/workload-ref';

/** Two revisions of one history, as its diff requires them. */
export interface ComparedRevisions {
  history: WorkloadRef;
  from: string;
  to: string;
}

/** Where the stable and the canary revision exist side by side; null where no history has both. */
export function comparisonOf({
  cluster,
  namespace,
  workload,
  revisions: { compare },
}: Pick<RolloutItem, 'cluster' | 'namespace' | 'workload' | 'revisions'>): ComparedRevisions | null {
  if (compare === null) return null;
  const { from, to, of } = compare;
  if (of !== undefined) return { history: { ...of, cluster, namespace }, from, to };
  const { resource, name } = workload;
  return resource === null ? null : { history: { cluster, resource, namespace, name }, from, to };
}

export function comparisonPath({ history, from, to }: ComparedRevisions): string {
  return workloadPagePath(history, `/compare?${new URLSearchParams({ from, to })}`);
}
