import { PUBLISH_VERSION } from '@/lib/workloads/application/resource';
import { textAt } from '@/lib/kube/read';
import type { Workload } from '@/lib/history/workload';

/** The revision that the status names as current. */
export function latestRevisionNameOf({ status }: Pick<Workload, 'status'>): string | undefined {
  return textAt(status, 'latestRevision', 'name');
}

export function publishVersionOf({ annotations }: Pick<Workload, 'annotations'>): string | null {
  return textAt(annotations, PUBLISH_VERSION) ?? null;
}
