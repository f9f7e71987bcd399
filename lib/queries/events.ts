import { queryOptions } from '@tanstack/react-query';
import { apiFetch } from '@/lib/api/client';
import { type EventList } from '@/lib/api/workloads';
import { workloadApiPath, workloadKey, type WorkloadRef } from '@/lib/queries/workload-ref';

/** The events of a workload, of what carries its revisions and of its pods. */
export function eventsQuery(workload: WorkloadRef) {
  return queryOptions({
    queryKey: [...workloadKey(workload), 'events'],
    queryFn: ({ signal }) => apiFetch<EventList>(workloadApiPath(workload, '/events'), { signal }),
  });
}
