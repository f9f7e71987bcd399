'use client';

import { useState } from 'react';
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { type Awaited } from '@/components/ui/awaited';
import { type Fate } from '@/components/workload/fate-notice';
import { type Partial } from '@/lib/api/common';
import { type EventItem, type PodItem, type PodTrack, type WorkloadDetail } from '@/lib/api/workloads';
import { AppError } from '@/lib/errors';
import { eventsQuery } from '@/lib/queries/events';
import { podsQuery } from '@/lib/queries/pods';
import { podTrackQuery } from '@/lib/queries/track';
import { workloadDetailQuery } from '@/lib/queries/workload-detail';
import { type WorkloadRef } from '@/lib/queries/workload-ref';

export interface Part<Item> extends Awaited {
  items: readonly Item[];
  partial: readonly Partial[];
}

export interface WorkloadData {
  /** What was read last; kept when it can't be read any longer. */
  detail: WorkloadDetail | undefined;
  /** Why there is no newer answer. */
  error: Error | null;
  fate: Fate;
  pods: Part<PodItem>;
  events: Part<EventItem>;
  /** Pods over time; comes after everything else, and only where rollouts were recorded. */
  track: PodTrack | undefined;
  acceptReplaced: () => void;
  retry: () => void;
}

/** Where the workload itself can't be read, that is said once for all. */
function partOf<Item>(
  query: UseQueryResult<Omit<Part<Item>, keyof Awaited>>,
  isReadable: boolean,
): Part<Item> {
  const { data } = query;
  return {
    items: data?.items ?? [],
    partial: data?.partial ?? [],
    isThere: data !== undefined,
    error: isReadable ? query.error : null,
  };
}

/** A workload with its pods and events; remembers which life of it was opened first. */
export function useWorkload(workload: WorkloadRef): WorkloadData {
  const detail = useQuery(workloadDetailQuery(workload));
  const isThere = detail.data !== undefined && detail.error === null;
  const pods = useQuery({ ...podsQuery(workload), enabled: isThere });
  const events = useQuery({ ...eventsQuery(workload), enabled: isThere });
  const records = (detail.data?.revisions ?? []).flatMap(({ activations }) =>
    activations.flatMap(({ record }) => (record === null ? [] : [record])),
  );
  const track = useQuery({
    ...podTrackQuery(
      workload,
      null,
      records.some(({ outcome }) => outcome === null),
    ),
    enabled: isThere && records.length > 0,
  });
  const uid = detail.data?.workload.uid;
  const [openedUid, setOpenedUid] = useState(uid);
  if (openedUid === undefined && uid !== undefined) setOpenedUid(uid);

  return {
    detail: detail.data,
    error: detail.error,
    fate: fateOf(detail.data, detail.error, openedUid),
    pods: partOf(pods, isThere),
    events: partOf(events, isThere),
    track: track.data,
    acceptReplaced: () => setOpenedUid(uid),
    retry: () => {
      void detail.refetch();
      void pods.refetch();
      void events.refetch();
    },
  };
}

function fateOf(
  detail: WorkloadDetail | undefined,
  error: Error | null,
  openedUid: string | undefined,
): Fate {
  if (detail === undefined) return { kind: 'present' };
  if (error instanceof AppError && error.code === 'not_found') return { kind: 'gone' };
  const { uid, deletedAt } = detail.workload;
  if (openedUid !== undefined && uid !== openedUid) return { kind: 'replaced' };
  return deletedAt === null ? { kind: 'present' } : { kind: 'ending', since: deletedAt };
}
