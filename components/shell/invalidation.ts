import { type Query, type QueryClient, type QueryKey } from '@tanstack/react-query';
import { type StreamKey } from '@/lib/api/cluster';
import { AppError } from '@/lib/errors';
import { rolloutHistoriesKey } from '@/lib/queries/rollout-histories';
import { rolloutsKey } from '@/lib/queries/rollouts';
import { fleetKey, refreshRows } from '@/lib/queries/workloads';

/** A single workload is cheap to ask again, so a rollout is followed closely. */
const WORKLOAD_PAUSE_MS = 50;
const LIST_PAUSE_MS = 150;
/** Most changes are none of an action, and several pages may be open. */
const ACTIVITY_PAUSE_MS = 1_000;
/** What was read within that long is not asked for again because the stream has opened. */
const FRESH_MS = 5_000;

export interface Invalidation {
  /** These objects changed. */
  onKeys: (keys: readonly StreamKey[]) => void;
  /** Changes are heard of from now on. */
  onOpened: () => void;
  /** Anything may have changed. */
  onResync: () => void;
  /** The page came into sight again: what went stale meanwhile is fetched. */
  onVisible: () => void;
}

/**
 * Turns changed keys into refetches: the first at once, later ones after a pause that grows with what the answer takes,
 * never two at a time, and none lost: a change that comes while an answer is on its way asks once more after it. Of the
 * fleet only the rows that changed are asked for. A page out of sight only notes what is stale.
 */
export function createInvalidation(client: QueryClient, isHidden: () => boolean): Invalidation {
  const refreshers = new Map<string, () => void>();
  const changedRows = new Map<string, StreamKey>();

  function start(name: string, pauseMs: number, work: () => Promise<Again>) {
    const known = refreshers.get(name) ?? createRefresher(work, pauseMs, () => refreshers.delete(name));
    refreshers.set(name, known);
    known();
  }

  function refresh(queryKey: QueryKey, pauseMs: number, predicate?: (query: Query) => boolean) {
    const which = { queryKey, predicate };
    if (client.getQueryCache().findAll(which).length === 0) return;
    if (isHidden()) return void client.invalidateQueries({ ...which, refetchType: 'none' });
    start(JSON.stringify(queryKey), pauseMs, async () => {
      // An answer that is already on its way may be older than the change.
      const isOnItsWay = client.isFetching(which) > 0;
      await client.invalidateQueries(which, { cancelRefetch: false });
      return isOnItsWay;
    });
  }

  /** What asks by the clock, or hardly changes, is not asked for twice because a stream opens with the page. */
  function refreshOld() {
    const isOld = (query: Query) =>
      query.state.status === 'error'
        ? !wasRefused(query)
        : query.state.dataUpdatedAt > 0 && Date.now() - query.state.dataUpdatedAt > FRESH_MS;
    void client.invalidateQueries(
      {
        predicate: (query) => !livesOfStream(query) && isOld(query),
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
      const isOnItsWay = client.isFetching({ queryKey: fleetKey }) > 0;
      if (isOnItsWay) {
        await client.invalidateQueries({ queryKey: fleetKey }, { cancelRefetch: false });
      } else {
        const rows = [...changedRows.values()];
        changedRows.clear();
        await refreshRows(client, rows);
      }
      return isOnItsWay;
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
      refresh(rolloutsKey, LIST_PAUSE_MS);
      refresh(rolloutHistoriesKey, LIST_PAUSE_MS);
      refresh(['activity'], ACTIVITY_PAUSE_MS);
      refreshFleet(keys);
    },
    onOpened() {
      refresh([], LIST_PAUSE_MS, (query) => livesOfStream(query) && !wasRefused(query));
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

/** Whether it is kept up to date by the keys that the stream tells, and by nothing else. */
function livesOfStream({ queryKey: [name], observers }: Query): boolean {
  const isTold = name === 'workload' || name === 'workloads' || name === fleetKey[0];
  return isTold && !observers.some(({ options }) => typeof options.refetchInterval === 'number');
}

/** Whether it was answered a moment ago that it is not there or not allowed: the same question has the same answer. */
function wasRefused({ state: { status, error, errorUpdatedAt } }: Query): boolean {
  if (status !== 'error' || Date.now() - errorUpdatedAt > FRESH_MS) return false;
  return error instanceof AppError && ['not_found', 'forbidden'].includes(error.code);
}

/** Whether the work must be done once more. */
type Again = boolean;

function createRefresher(work: () => Promise<Again>, pauseMs: number, onIdle: () => void): () => void {
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
