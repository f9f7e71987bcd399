import 'server-only';
import { AppError } from '@/lib/errors';
import type { Workload } from '@/lib/history/workload';
import type { RolloutObject } from '@/lib/rollout/rollout-facts';
import type { ActionsContext } from '@/server/actions/context';
import { readObject } from '@/server/cluster/read-object';
import type { WorkloadName } from '@/server/views/find-workload';
import { rolloutPreconditionToken } from '@/server/views/precondition-token';
import { deriveRolloutView, type RolloutView } from '@/server/views/rollout-view';
import { missingRollout, requireSystem } from '@/server/views/find-rollout';
import { deriveOwnView } from '@/server/views/workload-view';
import type { Viewer } from '@/server/shared/viewer';

/** The current rollout, read as the viewer; its workload and pods are the cache's. */
export interface CurrentRollout extends RolloutView {
  /** Identifies everything that an action depends on, as in the viewer's own copy. */
  preconditionToken: string;
}

/** Rejects with AppError: `forbidden`, `not_found`; `cluster_unreachable` while not followed, `conflict` if recreated. */
export async function readCurrentRollout(
  context: ActionsContext,
  viewer: Viewer,
  { resource, namespace, name }: WorkloadName,
): Promise<CurrentRollout> {
  const { cluster, keys } = context;
  const system = requireSystem(resource);
  const cached = cluster.rollouts.rollout(resource, namespace, name);
  const state = cluster.cache.states(namespace).find((entry) => entry.resource === resource);
  if (cached === undefined || state === undefined || !state.synced || state.problem !== null)
    throw missingRollout(cluster, system.resource, namespace, name);
  if (state.behind !== undefined) {
    throw new AppError(
      'cluster_unreachable',
      `Shiplog has no current data of ${resource}: ${state.behind.reason} Nothing was applied.`,
      { resource },
    );
  }
  const object = await readObject(cluster, viewer, system.resource, cached.version, { namespace, name });
  const fresh = system.parse(object);
  if (fresh.uid !== cached.uid) {
    throw new AppError(
      'conflict',
      `${system.resource.kind} ${name} was just recreated. Nothing was applied; try again in a moment.`,
      { resource, namespace, name },
    );
  }
  const view = deriveCurrentView(context, fresh);
  return { ...view, preconditionToken: rolloutPreconditionToken(cluster, keys, view) };
}

/**
 * The cache's reading of the current object. Each of its workloads is derived once, without the rollout that drives it.
 * Its message names no pods: errors and the progress of actions quote it to people who can't list them, too.
 */
export function deriveCurrentView(
  { cluster, now }: Pick<ActionsContext, 'cluster' | 'now'>,
  object: RolloutObject,
): RolloutView {
  const view = (workload: Workload) => deriveOwnView(cluster, workload, now());
  const current = deriveRolloutView(cluster, { view }, object, now());
  const { messageWithoutPods: message = current.rollout.message } = current.rollout;
  return { ...current, rollout: { ...current.rollout, message } };
}

/**
 * AppError `changed` with the current state, and the value to confirm it with. Nothing has been written.
 */
export function rolloutChanged({ rollout, preconditionToken: seen, system }: CurrentRollout): AppError {
  return new AppError(
    'changed',
    `${system.resource.kind} ${rollout.name} changed in the meantime. Nothing was applied. Current state: ${rollout.message}`,
    { seen, now: rollout.message, uid: rollout.uid, diff: null },
  );
}
