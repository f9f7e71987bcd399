import { PUBLISH_VERSION } from '@/lib/workloads/application/resource';
import { textAt } from '@/lib/workloads/read';
import { type Workload } from '@/lib/workloads/workload';

/** The revision that the controller says it is at. */
export function latestNameOf({ status }: Pick<Workload, 'status'>): string | undefined {
  return textAt(status, 'latestRevision', 'name');
}

export function publishVersionOf({ annotations }: Pick<Workload, 'annotations'>): string | null {
  return Object.hasOwn(annotations, PUBLISH_VERSION) ? (annotations[PUBLISH_VERSION] ?? null) : null;
}
