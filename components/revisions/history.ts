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
  pending: 'released' | 'paused' | 'unseen' | null;
  /** RFC 3339, when it ended; null while it goes on. */
  endedAt: string | null;
}

export function historyOf(detail: WorkloadDetail): History {
  const { workload } = detail;
  return {
    ...detail,
    state: workload.state,
    writer: workload.lastRollout?.writer ?? null,
    pending: workload.targetRevision === null ? pendingOf(workload) : null,
    endedAt: null,
  };
}

/** What a release tries on pods of its own is recorded when it gets to the workload's. */
function pendingOf({ rollout, state, paused }: WorkloadDetail['workload']): History['pending'] {
  if (rollout !== null && state === 'held') return 'released';
  return paused ? 'paused' : 'unseen';
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
