import 'server-only';
import { type ActionsContext } from '@/server/actions/context';
import { withTimeout } from '@/server/archive/with-timeout';

/** The latest ones say most: replicas and probes change. */
const ROLLOUTS_MAX = 9;

/** The median of how long the latest completed rollouts of the workload took; null where none was recorded in full. */
export async function usualDurationMs(
  { archive, cluster }: Pick<ActionsContext, 'archive' | 'cluster'>,
  uid: string,
): Promise<number | null> {
  const opened = archive();
  if (opened === null) return null;
  const search = opened.rollouts.search({
    clusters: [{ cluster: cluster.identity.id, scopes: null }],
    uids: [uid],
    outcomes: ['completed'],
    limit: ROLLOUTS_MAX,
  });
  const { items } = await withTimeout(search).catch(() => ({ items: [] }));
  const durations = items
    .flatMap(({ record: { startedAt, endedAt } }) =>
      startedAt === null || endedAt === null ? [] : [Date.parse(endedAt) - Date.parse(startedAt)],
    )
    .filter((ms) => ms >= 0)
    .sort((a, b) => a - b);
  return durations[Math.floor(durations.length / 2)] ?? null;
}
