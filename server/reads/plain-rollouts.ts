import 'server-only';
import { type Answer } from '@/lib/api/common';
import { isOpenRollout } from '@/lib/api/rollout-values';
import { type workloadItemSchema } from '@/lib/api/workloads';
import { type WorkloadState } from '@/lib/api/workload-values';
import { systemOf } from '@/lib/rollout/systems/table';
import { type ReadContext } from '@/server/views/context';
import { can } from '@/server/views/rights';
import { deriveRolloutView } from '@/server/views/rollout-view';
import { type Viewer } from '@/server/shared/viewer';

type Item = Answer<typeof workloadItemSchema>;

/** States of a workload in the middle of a rollout. */
const inProgressStates: ReadonlySet<WorkloadState> = new Set([
  'rolling',
  'held',
  'paused',
  'waiting',
  'stuck',
  'deadlineExceeded',
]);

/**
 * Those with a rollout in progress that no progressive rollout in progress moves: `GET /api/rollouts` has the others.
 * A progressive rollout that the viewer can't list hides nothing.
 */
export async function withPlainRollout<Row extends { item: Item }>(
  context: ReadContext,
  viewer: Viewer,
  rows: readonly Row[],
): Promise<Row[]> {
  const isPlain = await Promise.all(
    rows.map(async ({ item }) => isInProgress(item) && !(await isProgressive(context, viewer, item))),
  );
  return rows.filter((_, index) => isPlain[index]);
}

/** A record that has ended settles what the state leaves open: a workload may be paused after its rollout. */
function isInProgress({ state, lastRollout }: Item): boolean {
  const record = lastRollout?.record ?? null;
  return inProgressStates.has(state) && (record === null || record.outcome === null);
}

async function isProgressive(context: ReadContext, viewer: Viewer, item: Item): Promise<boolean> {
  const { cluster, views, rollouts, now } = context;
  for (const object of [...cluster.rollouts.rolloutsOf(item), ...cluster.rollouts.rolloutsInvolving(item)]) {
    const type = systemOf(object.resource)?.resource;
    const view = rollouts?.view(object) ?? deriveRolloutView(cluster, views, object, now());
    if (type === undefined || !isOpenRollout(view.rollout.state)) continue;
    if (await can(cluster, viewer, 'list', type, object.namespace)) return true;
  }
  return false;
}
