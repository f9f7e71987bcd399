import 'server-only';
import { type NeededRight, resourceOfRight } from '@/lib/workloads/plan';
import type { RolloutActionName } from '@/lib/api/action-values';
import { kindOf } from '@/lib/workloads/kinds/table';
import type { Cluster } from '@/server/cluster/cluster';
import type { ReadContext } from '@/server/views/context';
import { refusalOf, type Right, rightBy } from '@/server/views/rights';
import type { RolloutView } from '@/server/views/rollout-view';
import type { Viewer } from '@/server/shared/viewer';

/** Why the viewer can't act, by the name of the action; null where they can. */
export type RolloutRefusals = Partial<Record<RolloutActionName, string | null>>;

/** An action whose right was not asked for is not allowed. */
export function refusalIn(refusals: RolloutRefusals, name: RolloutActionName): string | null {
  const refusal = refusals[name];
  return refusal === undefined
    ? 'It is unknown whether you are allowed to do this. Reload the page.'
    : refusal;
}

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
  const checks = new Map<string, Promise<Right>>();
  const refusals: RolloutRefusals = {};
  await Promise.all(
    rollout.actions.map(async ({ name }) => {
      if (config.readOnly === true) {
        refusals[name] = 'Shiplog is read-only.';
        return;
      }
      const right = system.rightOf(input.object, name) ?? workloadRight(rollout);
      if (right === null) {
        refusals[name] = 'Shiplog does not know the kind of its workload, nor who is allowed to change it.';
        return;
      }
      const what = `${right.verb} ${resourceOfRight(right)}`;
      const answer = checks.get(what) ?? rightToWrite(cluster, viewer, right, byName);
      checks.set(what, answer);
      refusals[name] = refusalOf(await answer);
    }),
  );
  return refusals;
}

function rightToWrite(
  { access }: Pick<Cluster, 'access'>,
  viewer: Viewer,
  needed: NeededRight,
  byName: boolean,
): Promise<Right> {
  const { name, ...right } = needed;
  return rightBy(
    async () => (await access.can(viewer, byName ? { ...right, name } : right)).allowed,
    `${viewer.name} is not allowed to ${right.verb} ${resourceOfRight(needed)} in namespace ${right.namespace}.`,
  );
}

/** Null for a workload of a kind that Shiplog does not know. */
function workloadRight({ namespace, workload }: RolloutView['rollout']): NeededRight | null {
  const type = workload.resource === null ? undefined : kindOf(workload.resource)?.resource;
  if (type === undefined) return null;
  return { verb: 'patch', group: type.group, resource: type.plural, namespace, name: workload.name };
}
