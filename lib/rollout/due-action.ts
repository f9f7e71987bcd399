import type { DueAction } from '@/lib/api/workloads';
import { troubledStates, type WorkloadState } from '@/lib/api/workload-values';
import { isOpenRollout } from '@/lib/api/rollout-values';
import type { RevisionHistory } from '@/lib/history/revision';
import type { Workload } from '@/lib/history/workload';
import { actionLabel } from '@/lib/rollout/action-labels';
import type { ProgressiveRollout } from '@/lib/rollout/rollout';
import type { WorkloadKind } from '@/lib/workloads/kind';
import { refuseGenerated } from '@/lib/workloads/owner-checks';
import type { WorkloadStatus } from '@/lib/engine/status';

interface Situation {
  kind: WorkloadKind;
  workload: Workload;
  history: RevisionHistory;
  status: WorkloadStatus;
  /** The progressive rollout that the status takes into account. Absent: none drives it. */
  rollout?: { rollout: ProgressiveRollout };
}

/** The action that ends the state of a workload, for any viewer: a rollback of what has failed, a go-ahead for what waits. */
export function dueActionOf(view: Situation): { dueAction?: DueAction } {
  const open = view.rollout !== undefined && isOpenRollout(view.rollout.rollout.state);
  const dueAction = open ? dueOnRollout(view) : dueOnWorkload(view);
  return dueAction === null ? {} : { dueAction };
}

function dueOnRollout({ status, rollout: view }: Situation): DueAction | null {
  if (view === undefined) return null;
  const { rollout } = view;
  const action = rolloutActionFor(status.state, rollout.state);
  const offered = rollout.actions.find(({ name }) => name === action);
  if (action === null || offered === undefined) return null;
  // The page of the workload rolls it back, where its rollout follows the template.
  if (offered.instead === 'workload') return { action: 'rollback', label: 'Roll back', rollout: null };
  const { resource, namespace, name } = rollout;
  const ref = { resource, namespace, name };
  if (offered.allowed) return { action, label: actionLabel(rollout, action), rollout: ref };
  return action === 'approve' ? { action: 'open', label: 'Open rollout', rollout: ref } : null;
}

function rolloutActionFor(
  state: WorkloadState,
  rolloutState: ProgressiveRollout['state'],
): Exclude<DueAction['action'], 'open'> | null {
  if (troubledStates.includes(state)) return 'rollback';
  if (state !== 'held') return null;
  if (rolloutState === 'waiting') return 'approve';
  return rolloutState === 'paused' ? 'resume' : null;
}

function dueOnWorkload({ kind, workload, history, status }: Situation): DueAction | null {
  if (workload.placeholder !== undefined || refuseGenerated(workload) !== null) return null;
  if (status.state === 'paused' && kind.writes.resume !== undefined)
    return { action: 'resume', label: 'Resume', rollout: null };
  if (!troubledStates.includes(status.state)) return null;
  const hasTarget = history.revisions.some(({ target }) => !target);
  const isRefused = (kind.writes.refusesRollback?.(workload) ?? []).length > 0;
  return hasTarget && !isRefused ? { action: 'rollback', label: 'Roll back', rollout: null } : null;
}
