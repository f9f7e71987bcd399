import type { WorkloadDetail } from '@/lib/api/workloads';
import type { EarlierIncarnation } from '@/lib/api/earlier-incarnation';
import type { RevisionItem } from '@/lib/api/revisions';
import type { WorkloadRef } from '@/components/queries/workload-ref';
import type { WorkloadState } from '@/lib/api/workload-values';

/** The history of a workload, or of an incarnation that is over, as the list shows it. */
export interface ShownHistory extends Pick<
  WorkloadDetail,
  'revisions' | 'gaps' | 'orphans' | 'warnings' | 'partial'
> {
  workload: WorkloadRef;
  /** Undefined where the workload is deleted. */
  state: WorkloadState | undefined;
  /** Who wrote the current template; null where the field manager is unknown. */
  writer: RevisionItem['writer'];
  /** Why the current template is in no revision yet; null where it is in one. */
  pending: 'separate' | 'paused' | 'unseen' | null;
  /** RFC 3339, when it ended; null while the workload exists. */
  endedAt: string | null;
}

export function historyOfWorkload(detail: WorkloadDetail): ShownHistory {
  const { workload } = detail;
  return {
    ...detail,
    state: workload.state,
    writer: workload.lastRollout?.writer ?? null,
    pending: workload.targetRevision === null ? pendingOf(workload) : null,
    endedAt: null,
  };
}

/** A progressive rollout on separate pods is recorded when it changes the workload itself. */
function pendingOf({ rollout, state, paused }: WorkloadDetail['workload']): ShownHistory['pending'] {
  if (rollout !== null && state === 'held') return 'separate';
  return paused ? 'paused' : 'unseen';
}

export function historyOfIncarnation({ workload, revisions, incarnation }: EarlierIncarnation): ShownHistory {
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
    endedAt: incarnation.to,
  };
}
