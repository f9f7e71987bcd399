import 'server-only';
import { LRUCache } from 'lru-cache';
import { AppError } from '@/lib/errors';
import { isJsonObject } from '@/lib/kube/json';
import { type RouteReading, type RouteRef, withTraffic } from '@/lib/rollout/routed-traffic';
import { resourcePath } from '@/lib/kube/resource';
import type { Cluster } from '@/server/cluster/cluster';
import type { ReadContext } from '@/server/views/context';
import { can, type Right, rightBy } from '@/server/views/rights';
import type { RolloutView } from '@/server/views/rollout-view';
import { accessKeyOf, type Viewer } from '@/server/shared/viewer';

/** A page reads again with each change of a rollout; traffic changes by other systems show this much later. */
const CACHE_TTL_MS = 3_000;
/** The page does not wait longer for optional data. */
const TIMEOUT_MS = 1_500;
const CACHE_MAX = 500;

interface CachedTraffic {
  of: RolloutView;
  at: number;
  view: RolloutView;
}

const cache = new WeakMap<Cluster, LRUCache<string, CachedTraffic>>();

/**
 * The same view with the real traffic of the current step, from objects that are read as the viewer. They are not
 * watched: there are many in a cluster, and few belong to a rollout in progress.
 */
export async function withRoutedTraffic(
  { cluster, now }: ReadContext,
  viewer: Viewer,
  view: RolloutView,
): Promise<RolloutView> {
  const { system, input } = view;
  const refs = system.routing.refs(input);
  const { namespace } = input.object;
  // Asked each time, so that a removed binding counts at once.
  const asked = await Promise.all(
    refs.map(async (ref) => ({ ref, right: await rightToRead(cluster, viewer, namespace, ref) })),
  );
  const views = cache.get(cluster) ?? new LRUCache<string, CachedTraffic>({ max: CACHE_MAX });
  cache.set(cluster, views);
  const key = JSON.stringify([accessKeyOf(viewer), input.object.uid, asked.map(({ right }) => right.state)]);
  const known = views.get(key);
  if (known?.of === view && now() - known.at < CACHE_TTL_MS) return known.view;
  const readings = await Promise.all(
    asked.map(({ ref, right }) => read(cluster, viewer, namespace, ref, right)),
  );
  const traffic = system.routing.traffic(input, readings);
  const routedView = traffic === null ? view : { ...view, rollout: withTraffic(view.rollout, traffic) };
  views.set(key, { of: view, at: now(), view: routedView });
  return routedView;
}

function rightToRead(
  cluster: Cluster,
  viewer: Viewer,
  namespace: string,
  { type, name }: RouteRef,
): Promise<Right> {
  return rightBy(
    () => can(cluster, viewer, 'get', type, namespace, { name }),
    `${viewer.name} is not allowed to read ${type.plural} in ${namespace}`,
  );
}

/** Never throws: what can't be read is unknown, and the rest of the page is shown. */
async function read(
  cluster: Cluster,
  viewer: Viewer,
  namespace: string,
  ref: RouteRef,
  right: Right,
): Promise<RouteReading> {
  const what = `${ref.type.kind} ${ref.name}`;
  if (right.state === 'denied') return { state: 'unreadable', reason: right.why };
  try {
    if (right.state === 'unknown') throw right.error;
    return await readServed(cluster, viewer, namespace, ref);
  } catch (error) {
    return { state: 'unreadable', reason: `${what} could not be read: ${sentenceOf(error)}` };
  }
}

async function readServed(
  cluster: Cluster,
  viewer: Viewer,
  namespace: string,
  { type, name }: RouteRef,
): Promise<RouteReading> {
  for (const version of type.versions) {
    try {
      const object = await cluster.transportFor(viewer).json({
        method: 'GET',
        path: resourcePath(type, version, namespace, name),
        timeoutMs: TIMEOUT_MS,
      });
      if (isJsonObject(object)) return { state: 'found', object };
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'not_found') throw error;
      if (String(error.details.apiMessage).includes(`"${name}" not found`)) return { state: 'missing' };
    }
  }
  return { state: 'unreadable', reason: `the cluster does not serve ${type.plural}.${type.group}` };
}

function sentenceOf(error: unknown): string {
  return error instanceof Error ? error.message.replace(/\.$/, '') : String(error);
}
