import 'server-only';
import { AppError } from '@/lib/errors';
import { type RolloutActionName } from '@/lib/rollout/rollout';
import { type NeededRight, resourceOfRight } from '@/lib/workloads/plan';
import { kindOf } from '@/lib/workloads/table';
import { isOutOfReach } from '@/server/cluster/api-errors';
import { type Cluster } from '@/server/cluster/cluster';
import { type ReadContext } from '@/server/reads/context';
import { type RolloutView } from '@/server/reads/rollout-view';
import { type Viewer } from '@/server/viewer';

/** Why the viewer may not act, by the name of the action; what is not in it may be done. */
export type RolloutRefusals = Partial<Record<RolloutActionName, string>>;

/** What the API server, or this process, would not let the viewer do. `byName` asks for this very object, which is too much for a list. */
export async function rolloutRefusals(
  { cluster, config }: ReadContext,
  viewer: Viewer,
  { system, input, rollout }: RolloutView,
  { byName }: { byName: boolean },
): Promise<RolloutRefusals> {
  const asked = new Map<string, Promise<boolean>>();
  const refusals: RolloutRefusals = {};
  await Promise.all(
    rollout.actions.map(async ({ name }) => {
      if (config.readOnly === true) {
        refusals[name] = 'Shiplog runs read-only.';
        return;
      }
      const right = system.rightOf(input.object, name) ?? workloadRight(rollout);
      if (right === null) return;
      const what = `${right.verb} ${resourceOfRight(right)}`;
      const answer = asked.get(what) ?? mayWrite(cluster, viewer, right, byName);
      asked.set(what, answer);
      if (!(await answer)) refusals[name] = `${viewer.name} may not ${what} in namespace ${right.namespace}.`;
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
    // Nothing can be written meanwhile, and the page still shows what is known.
    if (error instanceof AppError && isOutOfReach(error)) return true;
    throw error;
  }
}

/** Null for a workload of a kind that Shiplog does not know. */
function workloadRight({ namespace, workload }: RolloutView['rollout']): NeededRight | null {
  const type = workload.resource === null ? undefined : kindOf(workload.resource)?.resource;
  if (type === undefined) return null;
  return { verb: 'patch', group: type.group, resource: type.plural, namespace, name: workload.name };
}
