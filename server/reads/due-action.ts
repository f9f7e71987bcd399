import 'server-only';
import { type Answer } from '@/lib/api/common';
import { type workloadItemSchema } from '@/lib/api/workloads';
import { type WorkloadState } from '@/lib/api/workload-values';
import { isOpenRollout } from '@/lib/api/rollout-values';
import { AppError } from '@/lib/errors';
import { actionLabel } from '@/lib/rollout/action-labels';
import { systemOf } from '@/lib/rollout/systems/table';
import { kindOf } from '@/lib/workloads/kinds/table';
import { refuseGenerated } from '@/lib/workloads/managing-tools';
import { isUnreachable } from '@/server/cluster/api-errors';
import { type ReadContext } from '@/server/reads/context';
import { filterAllowed } from '@/server/reads/rights';
import { type WorkloadView } from '@/server/reads/workload-view';
import { type Viewer } from '@/server/shared/viewer';

type Item = Answer<typeof workloadItemSchema>;
type DueAction = NonNullable<Item['dueAction']>;

const troubledStates: readonly WorkloadState[] = ['stuck', 'deadlineExceeded', 'degraded', 'failed'];

/** The action that ends the state of a workload, for any viewer: a rollback of what has failed, a go-ahead for what waits. */
export function dueActionOf(view: WorkloadView): { dueAction?: DueAction } {
  const open = view.rollout !== undefined && isOpenRollout(view.rollout.rollout.state);
  const dueAction = open ? dueOnRollout(view) : dueOnWorkload(view);
  return dueAction === null ? {} : { dueAction };
}

function dueOnRollout({ status, rollout: view }: WorkloadView): DueAction | null {
  if (view === undefined) return null;
  const { rollout } = view;
  const action = rolloutActionFor(status.state, rollout.state);
  const offered = rollout.actions.find(({ name }) => name === action);
  if (action === null || offered === undefined) return null;
  // The page of the workload rolls it back, where its rollout follows the template.
  if (offered.instead === 'workload') return { action: 'rollback', label: 'Roll back', rollout: null };
  if (!offered.allowed) return null;
  const { resource, namespace, name } = rollout;
  return { action, label: actionLabel(rollout, action), rollout: { resource, namespace, name } };
}

function rolloutActionFor(
  state: WorkloadState,
  rolloutState: NonNullable<WorkloadView['rollout']>['rollout']['state'],
): DueAction['action'] | null {
  if (troubledStates.includes(state)) return 'rollback';
  if (state !== 'held') return null;
  if (rolloutState === 'waiting') return 'approve';
  return rolloutState === 'paused' ? 'resume' : null;
}

function dueOnWorkload({ kind, workload, history, status }: WorkloadView): DueAction | null {
  if (workload.placeholder !== undefined || refuseGenerated(workload) !== null) return null;
  if (status.state === 'paused' && kind.writes.resume !== undefined)
    return { action: 'resume', label: 'Resume', rollout: null };
  if (!troubledStates.includes(status.state)) return null;
  const hasTarget = history.revisions.some(({ target }) => !target);
  const isRefused = (kind.refusesRollback?.(workload) ?? []).length > 0;
  return hasTarget && !isRefused ? { action: 'rollback', label: 'Roll back', rollout: null } : null;
}

/** The items without the actions that the viewer can't do. */
export async function withAllowedActions(
  context: ReadContext,
  viewer: Viewer,
  items: readonly Item[],
): Promise<Item[]> {
  const due = items.filter(({ dueAction }) => dueAction !== undefined);
  if (due.length === 0) return [...items];
  const allowed = new Set(
    context.config.readOnly === true ? [] : await filterAllowed(due, (item) => mayAct(context, viewer, item)),
  );
  return items.map((item) => {
    if (item.dueAction === undefined || allowed.has(item)) return item;
    const { dueAction: _, ...rest } = item;
    return rest;
  });
}

async function mayAct({ cluster }: ReadContext, viewer: Viewer, item: Item): Promise<boolean> {
  const right = rightOf(cluster, item);
  if (right === null) return false;
  try {
    const { name: _, ...anyOfNamespace } = right;
    return (await cluster.access.can(viewer, anyOfNamespace)).allowed;
  } catch (error) {
    // Nothing can be written then.
    if (error instanceof AppError && isUnreachable(error)) return false;
    throw error;
  }
}

function rightOf({ rollouts }: ReadContext['cluster'], { dueAction, ...item }: Item) {
  const ref = dueAction?.rollout;
  if (dueAction !== undefined && ref != null) {
    const object = rollouts.rollout(ref.resource, ref.namespace, ref.name);
    const right = object && systemOf(ref.resource)?.rightOf(object, dueAction.action);
    if (right != null) return right;
  }
  const type = kindOf(item.resource)?.resource;
  if (type === undefined) return null;
  return {
    verb: 'patch',
    group: type.group,
    resource: type.plural,
    namespace: item.namespace,
    name: item.name,
  };
}
