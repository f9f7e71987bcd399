import 'server-only';
import type { Answer } from '@/lib/api/common';
import type { Action, actionSchema } from '@/lib/api/action';
import { AppError } from '@/lib/errors';
import type { ResourceType } from '@/lib/kube/resource';
import { systemOf } from '@/lib/rollout/systems/table';
import type { ActionsContext } from '@/server/actions/context';
import type { Follower } from '@/server/actions/follower';
import type { Cluster } from '@/server/cluster/cluster';
import { assertConnected, connectedCluster, knownIdOf } from '@/server/views/connected-cluster';
import { requireKind, type WorkloadName } from '@/server/views/find-workload';
import { assertCan } from '@/server/views/rights';
import { hideInAction, readRights } from '@/server/views/view-rights';
import { maskedAction } from '@/server/shared/masked-action';
import type { Viewer } from '@/server/shared/viewer';

/** How many actions of one workload a list returns. */
const LIST_MAX = 50;

export async function readAction(
  context: ActionsContext,
  follower: Follower,
  viewer: Viewer,
  id: string,
): Promise<Answer<typeof actionSchema>> {
  const action = await findAction(context, follower, id);
  if (action === null) {
    throw new AppError(
      'not_found',
      `Action ${id} not found. Only the latest actions are kept; older ones are in the audit file of the data directory.`,
    );
  }
  assertConnected(context.cluster, action.cluster, `Action ${id}`);
  await assertCanGet(context.cluster, viewer, action);
  const rights = await readRights(context.cluster, viewer, action.namespace);
  return maskedAction(hideInAction(action, rights), context.keys.mask);
}

export async function listActions(
  context: ActionsContext,
  follower: Follower,
  viewer: Viewer,
  ref: WorkloadName,
): Promise<Answer<typeof actionSchema>[]> {
  await assertCanGet(context.cluster, viewer, ref);
  const rights = await readRights(context.cluster, viewer, ref.namespace);
  const cluster = connectedCluster(context.cluster);
  const matches = (action: Action) =>
    action.cluster === cluster &&
    action.namespace === ref.namespace &&
    [action, action.rollout].some((at) => at?.resource === ref.resource && at.name === ref.name);
  const known = [...context.audit.actions(), ...(await archivedActions(context, cluster, ref))];
  return [...Map.groupBy(known.filter(matches), ({ id }) => id)]
    .map(([id, versions]) => follower.action(id) ?? latestOf(versions))
    .sort((a, b) => b.startedAt.localeCompare(a.startedAt))
    .slice(0, LIST_MAX)
    .map((action) => maskedAction(hideInAction(action, rights), context.keys.mask));
}

export function latestActions({ audit, cluster }: ActionsContext, follower: Follower): Action[] {
  const id = knownIdOf(cluster);
  return audit
    .actions()
    .filter((action) => action.cluster === id)
    .map((action) => follower.action(action.id) ?? action);
}

/** Whether the action was on an object of this cluster. */
export async function ownsAction(context: ActionsContext, follower: Follower, id: string): Promise<boolean> {
  const action = await findAction(context, follower, id);
  return action !== null && action.cluster === knownIdOf(context.cluster);
}

/** Another process may have executed it, or have observed its end. */
async function findAction(
  { audit, archive }: ActionsContext,
  follower: Follower,
  id: string,
): Promise<Action | null> {
  const followed = follower.action(id);
  if (followed !== undefined) return followed;
  const logged = audit.entry(id)?.action;
  if (logged !== undefined && logged.endedAt !== null) return logged;
  const archived = await archive()?.actions.byId(id).catch(unlessUnavailable);
  return archived ?? logged ?? null;
}

async function archivedActions(
  { archive }: ActionsContext,
  cluster: string,
  { resource, namespace, name }: WorkloadName,
): Promise<Action[]> {
  // An action on a rollout also has the name of the rollout's workload.
  const filter = systemOf(resource) === undefined ? { resource, name } : {};
  const page = await archive()
    ?.actions.list({ clusters: [cluster], namespace, ...filter, limit: 4 * LIST_MAX })
    .catch(unlessUnavailable);
  return page?.items.map(({ action }) => action) ?? [];
}

/** The local actions are shown, whether or not the archive answers. */
function unlessUnavailable(error: unknown): undefined {
  if (!(error instanceof AppError) || error.code !== 'archive_unavailable') throw error;
}

function latestOf(versions: readonly Action[]): Action {
  const latest = versions.find(({ endedAt }) => endedAt !== null) ?? versions[0];
  if (latest === undefined) throw new Error('an action without a version');
  return latest;
}

async function assertCanGet(cluster: Cluster, viewer: Viewer, ref: WorkloadName): Promise<void> {
  const { resource, namespace, name } = ref;
  const type: ResourceType = systemOf(resource)?.resource ?? requireKind(cluster, resource).resource;
  await assertCan(cluster, viewer, 'get', type, namespace, { name });
}
