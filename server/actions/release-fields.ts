import 'server-only';
import type { Action } from '@/lib/api/action';
import { planRelease } from '@/lib/workloads/release-fields';
import { refuseIf } from '@/lib/workloads/plan';
import { listActions } from '@/server/actions/action-list';
import { changedError } from '@/server/actions/changed-error';
import { readCurrentWorkload } from '@/server/actions/current-workload';
import type { Execution, Proposal } from '@/server/actions/strategy';

/** Releases the fields that the last rollback took from a manager that applies without force. */
export async function releaseFields(execution: Execution): Promise<Proposal> {
  const { context, follower, viewer, ref, request, attempt } = execution;
  const current = await readCurrentWorkload(execution, ref);
  const { kind, workload, holder, preconditionToken } = current;
  attempt.describeCurrent(current);
  if (preconditionToken !== request.seen) throw changedError(current);
  const actions = await listActions(context, follower, viewer, ref);
  const { plan, findings } = planRelease(kind.resource, workload, holder.object.metadata.managedFields ?? []);
  const mayRelease = isCompletedRollback(
    actions.find(({ uid, state }) => uid === workload.uid && state !== 'refused'),
  );
  return {
    plan: mayRelease ? plan : null,
    findings: [
      ...findings,
      ...refuseIf(!mayRelease, 'not_after_rollback', 'The last action on it is no completed rollback.'),
    ],
    preconditionToken,
    compare: () => Promise.resolve({ diff: null, findings: [] }),
    expect: () => ({ template: '', generation: workload.generation, until: 'released', pod: null }),
    // Another writer has moved the entry in the list: the next proposal reads where it is now.
    explainConflict: () => Promise.resolve(),
    findOutcome: () => Promise.resolve({ is: 'unknown', isUnchanged: false }),
  };
}

/** What it wrote is all that Shiplog's entry has. */
function isCompletedRollback(last: Pick<Action, 'action' | 'state'> | undefined): boolean {
  return last?.action === 'rollback' && last.state === 'done';
}
