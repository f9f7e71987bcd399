'use client';

import { useState } from 'react';
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { type QueryProgress } from '@/components/ui/query-notice';
import { type WorkloadPresence } from '@/components/workload/presence-notice';
import { type PartialResult } from '@/lib/api/common';
import { type WorkloadDetail } from '@/lib/api/workloads';
import { type EventItem, type PodItem } from '@/lib/api/pods';
import { type PodTrack } from '@/lib/api/earlier-incarnation';
import { AppError } from '@/lib/errors';
import { eventsQuery } from '@/components/queries/events';
import { podsQuery } from '@/components/queries/pods';
import { podTrackQuery } from '@/components/queries/pod-track';
import { workloadDetailQuery } from '@/components/queries/workload-detail';
import { type WorkloadRef } from '@/components/queries/workload-ref';

export interface QueryList<Item> extends QueryProgress {
  items: readonly Item[];
  partial: readonly PartialResult[];
}

export interface WorkloadData {
  /** The last answer, also when it cannot be refreshed. */
  detail: WorkloadDetail | undefined;
  /** Why there is no newer answer. */
  error: Error | null;
  presence: WorkloadPresence;
  pods: QueryList<PodItem>;
  events: QueryList<EventItem>;
  /** Pods over time; loaded last, and only where rollouts were recorded. */
  track: PodTrack | undefined;
  acceptReplaced: () => void;
  retry: () => void;
}

/** Where the workload itself cannot be read, only that error is shown. */
function toQueryList<Item>(
  query: UseQueryResult<Omit<QueryList<Item>, keyof QueryProgress>>,
  isReadable: boolean,
): QueryList<Item> {
  const { data } = query;
  return {
    items: data?.items ?? [],
    partial: data?.partial ?? [],
    isLoaded: data !== undefined,
    error: isReadable ? query.error : null,
  };
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
    pods: toQueryList(pods, isLoaded),
    events: toQueryList(events, isLoaded),
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
