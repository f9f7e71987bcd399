import { type PastLife, type RevisionItem, type WorkloadDetail } from '@/lib/api/workloads';
import { type WorkloadRef } from '@/lib/queries/workload-ref';
import { type WorkloadState } from '@/lib/workloads/status';

/** A history as the list shows it: that of a workload, or that of a life that is over. */
export interface History extends Pick<
  WorkloadDetail,
  'revisions' | 'gaps' | 'orphans' | 'warnings' | 'partial'
> {
  workload: WorkloadRef;
  /** Undefined where there is no workload any longer. */
  state: WorkloadState | undefined;
  /** Who wrote the present template; null where nobody signed. */
  writer: RevisionItem['writer'];
  /** Why the present template is in no revision yet; null where it is. */
  pending: 'paused' | 'unseen' | null;
  /** RFC 3339, when it ended; null while it goes on. */
  endedAt: string | null;
}

export function historyOf(detail: WorkloadDetail): History {
  const { workload } = detail;
  const isPending = workload.targetRevision === null;
  return {
    ...detail,
    state: workload.state,
    writer: workload.lastRollout?.writer ?? null,
    pending: isPending ? (workload.paused ? 'paused' : 'unseen') : null,
    endedAt: null,
  };
}

export function historyOfLife({ workload, revisions, life }: PastLife): History {
  return {
    workload,
    revisions,
    gaps: [],
    orphans: [],
    warnings: [],
    partial: [],
    state: undefined,
    writer: null,
    pending: null,
    endedAt: life.to,
  };
}
