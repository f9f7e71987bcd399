import type { Query, QueryClient, QueryKey } from '@tanstack/react-query';
import type { StreamKey } from '@/lib/api/cluster';
import { AppError } from '@/lib/errors';
import { fleetKey, refreshRows } from '@/components/queries/workloads';

/** A single workload is cheap to request, so a rollout is followed closely. */
const WORKLOAD_PAUSE_MS = 50;
const LIST_PAUSE_MS = 150;
/** Most changes do not come from an action, and several pages may be open. */
const ACTIVITY_PAUSE_MS = 1_000;
/** An answer that is newer than this is not refetched because the stream has opened. */
const FRESH_MS = 5_000;

interface Invalidation {
  /** The objects that changed. */
  onKeys: (keys: readonly StreamKey[]) => void;
  /** The stream has opened: it reports changes from now on. */
  onOpened: () => void;
  /** Anything may have changed. */
  onResync: () => void;
  /** The page is visible again: fetches what went stale meanwhile. */
  onVisible: () => void;
}

/**
 * Turns changed keys into refetches: the first at once, later ones after a pause that grows with the duration of the
 * answers, never two at a time. None is lost: a change during a request causes another one after it. Of the fleet
 * only the changed rows are requested. A hidden page only records what is stale.
 */
export function createInvalidation(client: QueryClient, isHidden: () => boolean): Invalidation {
  const refreshers = new Map<string, () => void>();
  const changedRows = new Map<string, StreamKey>();

  function start(name: string, pauseMs: number, work: () => Promise<RunAgain>) {
    const refresher = refreshers.get(name) ?? createRefresher(work, pauseMs, () => refreshers.delete(name));
    refreshers.set(name, refresher);
    refresher();
  }

  function refresh(queryKey: QueryKey, pauseMs: number, predicate?: (query: Query) => boolean) {
    const which = { queryKey, predicate };
    if (client.getQueryCache().findAll(which).length === 0) return;
    if (isHidden()) return void client.invalidateQueries({ ...which, refetchType: 'none' });
    start(JSON.stringify(queryKey), pauseMs, async () => {
      // A pending answer may be older than the change.
      const isFetching = client.isFetching(which) > 0;
      await client.invalidateQueries(which, { cancelRefetch: false });
      return isFetching;
    });
  }

  /** Queries that poll, or hardly change, are not fetched twice because the stream opens with the page. */
  function refreshOld() {
    const isOld = (query: Query) =>
      query.state.status === 'error'
        ? !wasRefused(query)
        : query.state.dataUpdatedAt > 0 && Date.now() - query.state.dataUpdatedAt > FRESH_MS;
    void client.invalidateQueries(
      {
        predicate: (query) => !isFedByStream(query) && isOld(query),
        refetchType: isHidden() ? 'none' : 'active',
      },
      { cancelRefetch: false },
    );
  }

  function refreshFleet(keys: readonly StreamKey[]) {
    if (client.getQueryCache().find({ queryKey: fleetKey }) === undefined) return;
    if (isHidden()) return void client.invalidateQueries({ queryKey: fleetKey, refetchType: 'none' });
    for (const key of keys) changedRows.set(JSON.stringify(key), key);
    start('rows', LIST_PAUSE_MS, async () => {
      const isFetching = client.isFetching({ queryKey: fleetKey }) > 0;
      if (isFetching) {
        await client.invalidateQueries({ queryKey: fleetKey }, { cancelRefetch: false });
      } else {
        const rows = [...changedRows.values()];
        changedRows.clear();
        await refreshRows(client, rows);
      }
      return isFetching;
    });
  }

  return {
    onKeys(keys) {
      for (const { resource, namespace, name } of keys) {
        refresh(['workload', resource, namespace, name], WORKLOAD_PAUSE_MS);
        refresh(['rollout', resource, namespace, name], WORKLOAD_PAUSE_MS);
        refresh(['rollouthistory', namespace, name], WORKLOAD_PAUSE_MS);
      }
      if (keys.length === 0) return;
      refresh(['workloads'], LIST_PAUSE_MS);
      refresh(['rollouts'], LIST_PAUSE_MS);
      refresh(['rollouthistories'], LIST_PAUSE_MS);
      refresh(['activity'], ACTIVITY_PAUSE_MS);
      refreshFleet(keys);
    },
    onOpened() {
      refresh([], LIST_PAUSE_MS, (query) => isFedByStream(query) && !wasRefused(query));
      refreshOld();
    },
    onResync() {
      refresh([], LIST_PAUSE_MS);
    },
    onVisible() {
      void client.refetchQueries({ type: 'active', stale: true });
    },
  };
}

/** Whether only the keys of the stream refresh it. */
function isFedByStream({ queryKey: [name], observers }: Query): boolean {
  const isStreamed = name === 'workload' || name === 'workloads' || name === fleetKey[0];
  return isStreamed && !observers.some(({ options }) => typeof options.refetchInterval === 'number');
}

/** Whether the server just answered that it does not exist or is forbidden: a repeated request has the same answer. */
function wasRefused({ state: { status, error, errorUpdatedAt } }: Query): boolean {
  if (status !== 'error' || Date.now() - errorUpdatedAt > FRESH_MS) return false;
  return error instanceof AppError && ['not_found', 'forbidden'].includes(error.code);
}

/** Whether another run is required. */
type RunAgain = boolean;

function createRefresher(work: () => Promise<RunAgain>, pauseMs: number, onIdle: () => void): () => void {
  let isRunning = false;
  let again = false;

  async function run(): Promise<void> {
    isRunning = true;
    do {
      again = false;
      const startMs = performance.now();
      again = (await work()) || again;
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
