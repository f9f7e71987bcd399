import type { WorkloadItem } from '@/lib/api/workloads';

/** Progress of a rollout or of scaling, 0 to 1; undefined where that has no meaning. */
export function shareOf({ state, pods }: Pick<WorkloadItem, 'state' | 'pods'>): number | undefined {
  if (state !== 'rolling' && state !== 'scaling' && state !== 'held') return undefined;
  const ready = pods.byRevision.filter(({ target }) => target).reduce((sum, group) => sum + group.ready, 0);
  return pods.desired === 0 ? 0 : Math.min(1, ready / pods.desired);
}
