import { type RolloutItem } from '@/lib/api/rollouts';
import { workloadPagePath, type WorkloadRef } from '@/lib/queries/workload-ref';

/** Two revisions of one history, as its diff takes them. */
export interface ReleaseComparison {
  history: WorkloadRef;
  from: string;
  to: string;
}

/** Where the stable revision and the new one stand beside each other; null where nothing has both. */
export function comparisonOf({
  namespace,
  workload,
  revisions: { compare },
}: Pick<RolloutItem, 'namespace' | 'workload' | 'revisions'>): ReleaseComparison | null {
  if (compare === null) return null;
  const { from, to, of } = compare;
  if (of !== undefined) return { history: { ...of, namespace }, from, to };
  const { resource, name } = workload;
  return resource === null ? null : { history: { resource, namespace, name }, from, to };
}

export function comparisonPath({ history, from, to }: ReleaseComparison): string {
  return workloadPagePath(history, `/compare?${new URLSearchParams({ from, to })}`);
}
