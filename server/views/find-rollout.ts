import 'server-only';
import { AppError } from '@/lib/errors';
import type { ResourceType } from '@/lib/kube/resource';
import type { RolloutObject } from '@/lib/rollout/rollout-facts';
import type { RolloutSystem } from '@/lib/rollout/system';
import { rolloutSystems, systemOf } from '@/lib/rollout/systems/table';
import { kindOf } from '@/lib/workloads/kinds/table';
import { controllerRevisions } from '@/lib/workloads/sources/controller-revisions';
import type { Cluster } from '@/server/cluster/cluster';
import type { Viewer } from '@/server/shared/viewer';
import type { ReadContext } from '@/server/views/context';
import type { WorkloadName } from '@/server/views/find-workload';
import { assertCan, can } from '@/server/views/rights';
import { deriveRolloutView, type RolloutView } from '@/server/views/rollout-view';

/** One rollout, if the viewer can see it: 403 without the right, 404 when it does not exist. */
export async function findRollout(
  context: ReadContext,
  viewer: Viewer,
  { resource, namespace, name }: WorkloadName,
): Promise<RolloutView> {
  const system = requireSystem(resource);
  const { cluster } = context;
  await assertCan(cluster, viewer, 'get', system.resource, namespace, { name });
  const object = cluster.rollouts.rollout(resource, namespace, name);
  if (object !== undefined) return viewOf(context, object);
  throw missingRollout(cluster, system.resource, namespace, name);
}

/** Derived anew where no views are kept between requests. */
export function viewOf({ cluster, views, rollouts, now }: ReadContext, object: RolloutObject): RolloutView {
  return rollouts?.view(object) ?? deriveRolloutView(cluster, views, object, now());
}

/** The system of a resource id; 404 with the known ones otherwise. */
export function requireSystem(resource: string): RolloutSystem {
  const system = systemOf(resource);
  if (system !== undefined) return system;
  const known = rolloutSystems.map((entry) => entry.resource.id).join(', ');
  throw new AppError(
    'not_found',
    `${resource} is not a rollout resource that Shiplog knows. Supported: ${known}.`,
  );
}

/** Why there is no such object, or why that is unknown. */
export function missingRollout(
  { cache, connection }: Cluster,
  type: RolloutSystem['resource'],
  namespace: string,
  name: string,
): AppError {
  const state = cache.states(namespace).find(({ resource }) => resource === type.id);
  const ref = { resource: type.id, namespace, name };
  if (state === undefined) {
    const message =
      connection.state === 'connected'
        ? `This cluster does not serve ${type.plural}.${type.group}: its CustomResourceDefinition is not installed.`
        : `Shiplog has not loaded ${type.plural} yet. Shiplog retries automatically.`;
    return new AppError(connection.state === 'connected' ? 'not_found' : 'cluster_unreachable', message, ref);
  }
  const why = state.problem ?? state.behind?.reason ?? null;
  if (state.problem !== null)
    return new AppError('forbidden', `Shiplog cannot read ${type.kind} ${name}: ${state.problem}`, ref);
  if (!state.synced || why !== null)
    return new AppError(
      'cluster_unreachable',
      `Shiplog has not loaded ${type.plural} yet: ${why ?? 'the first request is still running.'} Shiplog retries automatically.`,
      ref,
    );
  return new AppError(
    'not_found',
    `${type.kind} ${namespace}/${name} not found. It may have been deleted.`,
    ref,
  );
}

/** The rollout that drives a workload, if the viewer can see it. */
export async function rolloutOf(
  { cluster }: ReadContext,
  viewer: Viewer,
  workload: WorkloadName,
): Promise<WorkloadName | null> {
  const { rollouts } = cluster;
  for (const { resource, namespace, name } of [
    ...rollouts.rolloutsOf(workload),
    ...rollouts.rolloutsInvolving(workload),
  ]) {
    const type = systemOf(resource)?.resource;
    if (type !== undefined && (await can(cluster, viewer, 'get', type, namespace, { name })))
      return { resource, namespace, name };
  }
  return null;
}

/** The objects that carry its revisions. */
export function sourcesOf({
  rollout: { workload, comparison },
}: Pick<RolloutView, 'rollout'>): ResourceType[] {
  const own = workload.resource === null ? undefined : kindOf(workload.resource)?.source.resource;
  if (own === undefined) return [];
  return comparison == null || own.id === controllerRevisions.resource.id
    ? [own]
    : [own, controllerRevisions.resource];
}
