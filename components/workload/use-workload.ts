'use client';

import { useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import type { QueryAnswer } from '@/components/shared/waiting';
import type { WorkloadPresence } from '@/components/workload/presence-notice';
import type { WorkloadDetail } from '@/lib/api/workloads';
import type { EventList, PodList } from '@/lib/api/pods';
import type { PodTrack } from '@/lib/api/earlier-incarnation';
import { AppError } from '@/lib/errors';
import { podsQuery } from '@/components/queries/pods';
import { podTrackQuery } from '@/components/queries/pod-track';
import { workloadDetailQuery, eventsQuery } from '@/components/queries/workload-detail';
import type { WorkloadRef } from '@/components/queries/workload-ref';

export interface WorkloadData {
  /** The last answer, also when it cannot be refreshed. */
  detail: WorkloadDetail | undefined;
  /** Why there is no newer answer. */
  error: Error | null;
  presence: WorkloadPresence;
  pods: QueryAnswer<PodList>;
  events: QueryAnswer<EventList>;
  /** Pods over time; loaded last, and only where rollouts were recorded. */
  track: PodTrack | undefined;
  acceptReplaced: () => void;
  retry: () => void;
}

/** A workload with its pods and events; remembers the incarnation that was opened first. */
export function useWorkload(workload: WorkloadRef): WorkloadData {
  const detail = useQuery(workloadDetailQuery(workload));
  const isLoaded = detail.data !== undefined && detail.error === null;
  const pods = useQuery({ ...podsQuery(workload), enabled: isLoaded });
  const events = useQuery({ ...eventsQuery(workload), enabled: isLoaded });
  const records = (detail.data?.revisions ?? []).flatMap(({ activations }) =>
    activations.flatMap(({ record }) => (record === null ? [] : [record])),
  );
  const track = useQuery({
    ...podTrackQuery(
      workload,
      null,
      records.some(({ outcome }) => outcome === null),
    ),
    enabled: isLoaded && records.length > 0,
  });
  const uid = detail.data?.workload.uid;
  const [openedUid, setOpenedUid] = useState(uid);
  if (openedUid === undefined && uid !== undefined) setOpenedUid(uid);

  return {
    detail: detail.data,
    error: detail.error,
    presence: presenceOf(detail.data, detail.error, openedUid),
    // Where the workload itself cannot be read, only that error is shown.
    pods: { data: pods.data, error: isLoaded ? pods.error : null },
    events: { data: events.data, error: isLoaded ? events.error : null },
    track: track.data,
    acceptReplaced: () => setOpenedUid(uid),
    retry: () => {
      void detail.refetch();
      void pods.refetch();
      void events.refetch();
    },
  };
}

function presenceOf(
  detail: WorkloadDetail | undefined,
  error: Error | null,
  openedUid: string | undefined,
): WorkloadPresence {
  if (detail === undefined) return { kind: 'present' };
  if (error instanceof AppError && error.code === 'not_found') return { kind: 'gone' };
  const { uid, deletedAt } = detail.workload;
  if (openedUid !== undefined && uid !== openedUid) return { kind: 'replaced' };
  return deletedAt === null ? { kind: 'present' } : { kind: 'ending', since: deletedAt };
}
