import type { RevisionItem } from '@/lib/api/revisions';
import type { WorkloadDetail } from '@/lib/api/workloads';

/** Whether there is a section of them. */
export function hasStoredObjects(detail: WorkloadDetail): boolean {
  return storedRevisionsOf(detail).length + (detail.stored?.length ?? 0) > 0;
}

/** Revisions to show as stored: of a kind with specific support, only what cannot be shown as a template. */
export function storedRevisionsOf({ workload, revisions }: WorkloadDetail): RevisionItem[] {
  const isOpen = workload.producer !== undefined || workload.components !== undefined;
  return revisions.filter(({ retained, fault }) => retained && (isOpen || fault !== undefined));
}
