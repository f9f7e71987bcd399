import { type QueryClient, type QueryKey } from '@tanstack/react-query';
import { type StreamKey } from '@/lib/api/cluster';

/** A single workload is cheap to ask again, so a rollout is followed closely. */
const WORKLOAD_PAUSE_MS = 50;
const LIST_PAUSE_MS = 150;

export interface Invalidation {
  /** These objects changed. */
  onKeys: (keys: readonly StreamKey[]) => void;
  /** Anything may have changed. */
  onResync: () => void;
  /** The page came into sight again: what went stale meanwhile is fetched. */
  onVisible: () => void;
}

/**
 * Turns changed keys into refetches: the first at once, later ones after a pause that grows with what the answer takes,
 * never two at a time, and none lost: a change that comes while an answer is on its way asks once more after it. A page
 * out of sight only notes what is stale.
 */
export function createInvalidation(client: QueryClient, isHidden: () => boolean): Invalidation {
  const refreshers = new Map<string, () => void>();

  function refresh(queryKey: QueryKey, pauseMs: number) {
    if (client.getQueryCache().findAll({ queryKey }).length === 0) return;
    if (isHidden()) return void client.invalidateQueries({ queryKey, refetchType: 'none' });
    const name = JSON.stringify(queryKey);
    const known =
      refreshers.get(name) ?? createRefresher(client, queryKey, pauseMs, () => refreshers.delete(name));
    refreshers.set(name, known);
    known();
  }

  return {
    onKeys(keys) {
      for (const { resource, namespace, name } of keys) {
        refresh(['workload', resource, namespace, name], WORKLOAD_PAUSE_MS);
      }
      if (keys.length > 0) refresh(['workloads'], LIST_PAUSE_MS);
    },
    onResync() {
      refresh([], LIST_PAUSE_MS);
    },
    onVisible() {
      void client.refetchQueries({ type: 'active', stale: true });
    },
  };
}

function createRefresher(
  client: QueryClient,
  queryKey: QueryKey,
  pauseMs: number,
  onIdle: () => void,
): () => void {
  let isRunning = false;
  let again = false;

  async function run(): Promise<void> {
    isRunning = true;
    do {
      // An answer that is already on its way may be older than the change.
      again = client.isFetching({ queryKey }) > 0;
      const startMs = performance.now();
      await client.invalidateQueries({ queryKey }, { cancelRefetch: false });
      await sleep(Math.max(pauseMs, performance.now() - startMs));
    } while (again);
    isRunning = false;
    onIdle();
  }

  return () => {
    if (isRunning) again = true;
    else void run();
  };
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
