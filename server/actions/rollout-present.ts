import 'server-only';
import { AppError } from '@/lib/errors';
import { type KubeObject } from '@/lib/kube/object';
import { resourcePath } from '@/lib/workloads/resource';
import { type RolloutObject } from '@/lib/rollout/system';
import { type ActionsContext } from '@/server/actions/context';
import { type WorkloadRef } from '@/server/reads/find';
import { seenOf } from '@/server/reads/rollout-item';
import { deriveRolloutView, type RolloutView } from '@/server/reads/rollout-view';
import { missingRollout, requireSystem } from '@/server/reads/rollouts';
import { deriveView } from '@/server/reads/view';
import { type Viewer } from '@/server/viewer';

/** A rollout as it is at this moment, read as the viewer; its workload and pods are the cache's. */
export interface RolloutPresent extends RolloutView {
  /** Stands for everything that an action depends on, as the viewer's own copy of it does. */
  seen: string;
}

/** Rejects with AppError: `forbidden`, `not_found`; `cluster_unreachable` or `conflict` where it could not be followed. */
export async function readRolloutPresent(
  context: ActionsContext,
  viewer: Viewer,
  { resource, namespace, name }: WorkloadRef,
): Promise<RolloutPresent> {
  const { cluster, keys } = context;
  const system = requireSystem(resource);
  const cached = cluster.rollouts.rollout(resource, namespace, name);
  const state = cluster.cache.states(namespace).find((entry) => entry.resource === resource);
  if (cached === undefined || state === undefined || !state.synced || state.problem !== null)
    throw missingRollout(cluster, system.resource, namespace, name);
  if (state.behind !== undefined) {
    throw new AppError(
      'cluster_unreachable',
      `Shiplog can't follow ${resource} at present: ${state.behind.reason} Nothing was done.`,
      { resource },
    );
  }
  const object = (await cluster.transport.json({
    method: 'GET',
    path: resourcePath(system.resource, cached.version, namespace, name),
    ...(viewer.impersonate === undefined ? {} : { impersonate: viewer.impersonate }),
  })) as unknown as KubeObject;
  const fresh = system.parse(object);
  if (fresh.uid !== cached.uid) {
    throw new AppError(
      'conflict',
      `${system.resource.kind} ${name} is another object than the one that Shiplog knows: it has just been created again. Try again in a moment.`,
      { resource, namespace, name },
    );
  }
  const view = viewNow(context, fresh);
  return { ...view, seen: seenOf(cluster, keys, view) };
}

/** What the cache makes of it at this moment. */
export function viewNow(
  { cluster, now }: Pick<ActionsContext, 'cluster' | 'now'>,
  object: RolloutObject,
): RolloutView {
  return deriveRolloutView(
    cluster,
    { view: (workload) => deriveView(cluster, workload, now()) },
    object,
    now(),
  );
}

/** "Changed since you looked": what is there now, and the value to confirm it with. Nothing has been written. */
export function rolloutChanged({ rollout, seen, system }: RolloutPresent): AppError {
  return new AppError(
    'changed',
    `${system.resource.kind} ${rollout.name} changed since you looked at it, so nothing was written. Now: ${rollout.message} Look at what is there now, then decide again.`,
    { seen, now: rollout.message, uid: rollout.uid, diff: null },
  );
}
