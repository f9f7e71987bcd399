import 'server-only';
import { AppError } from '@/lib/errors';
import { type NeededRight, resourceOfRight } from '@/lib/workloads/plan';
import { type RolloutActionName } from '@/lib/api/action-values';
import { kindOf } from '@/lib/workloads/kinds/table';
import { isUnreachable } from '@/server/cluster/api-errors';
import { type Cluster } from '@/server/cluster/cluster';
import { type ReadContext } from '@/server/reads/context';
import { type RolloutView } from '@/server/reads/rollout-view';
import { type Viewer } from '@/server/shared/viewer';

/** Why the viewer can't act, by the name of the action; actions that are not in it are allowed. */
export type RolloutRefusals = Partial<Record<RolloutActionName, string>>;

/**
 * What the API server, or this process, would not allow the viewer. `byName` checks this very object, which is too much
 * for a list.
 */
export async function rolloutRefusals(
  { cluster, config }: ReadContext,
  viewer: Viewer,
  { system, input, rollout }: RolloutView,
  { byName }: { byName: boolean },
): Promise<RolloutRefusals> {
  const checks = new Map<string, Promise<boolean>>();
  const refusals: RolloutRefusals = {};
  await Promise.all(
    rollout.actions.map(async ({ name }) => {
      if (config.readOnly === true) {
        refusals[name] = 'Shiplog is read-only.';
        return;
      }
      const right = system.rightOf(input.object, name) ?? workloadRight(rollout);
      if (right === null) return;
      const what = `${right.verb} ${resourceOfRight(right)}`;
      const answer = checks.get(what) ?? mayWrite(cluster, viewer, right, byName);
      checks.set(what, answer);
      if (!(await answer))
        refusals[name] = `${viewer.name} is not allowed to ${what} in namespace ${right.namespace}.`;
    }),
  );
  return refusals;
}

async function mayWrite(
  { access }: Pick<Cluster, 'access'>,
  viewer: Viewer,
  { name, ...right }: NeededRight,
  byName: boolean,
): Promise<boolean> {
  try {
    return (await access.can(viewer, byName ? { ...right, name } : right)).allowed;
  } catch (error) {
    // No write is possible meanwhile, and the page still shows what is known.
    if (error instanceof AppError && isUnreachable(error)) return true;
    throw error;
  }
}

/** Null for a workload of a kind that Shiplog does not know. */
function workloadRight({ namespace, workload }: RolloutView['rollout']): NeededRight | null {
  const type = workload.resource === null ? undefined : kindOf(workload.resource)?.resource;
  if (type === undefined) return null;
  return { verb: 'patch', group: type.group, resource: type.plural, namespace, name: workload.name };
}
