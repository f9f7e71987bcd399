import 'server-only';
import { LRUCache } from 'lru-cache';
import { AppError } from '@/lib/errors';
import { isJsonObject } from '@/lib/kube/json';
import { type RouteReading, type RouteRef, withTraffic } from '@/lib/rollout/routed-traffic';
import { resourcePath } from '@/lib/workloads/resource';
import { type Cluster } from '@/server/cluster/cluster';
import { type ReadContext } from '@/server/reads/context';
import { may } from '@/server/reads/rights';
import { type RolloutView } from '@/server/reads/rollout-view';
import { type Viewer } from '@/server/viewer';

/** A page asks again with each change of a release; traffic that somebody else shifts shows this much later. */
const KEEP_MS = 3_000;
/** The page does not wait longer for what it can do without. */
const PATIENCE_MS = 1_500;
const KEPT_MAX = 500;

interface Kept {
  of: RolloutView;
  at: number;
  view: RolloutView;
}

const kept = new WeakMap<Cluster, LRUCache<string, Kept>>();

/**
 * The same view, of which the step at hand says where requests really go, by objects that are read as the viewer. Not
 * followed like the others: there are many in a cluster, and few belong to a release that is under way.
 */
export async function withRoutedTraffic(
  { cluster, now }: ReadContext,
  viewer: Viewer,
  view: RolloutView,
): Promise<RolloutView> {
  const { system, input } = view;
  const refs = system.routing.refs(input);
  const views = kept.get(cluster) ?? new LRUCache<string, Kept>({ max: KEPT_MAX });
  kept.set(cluster, views);
  const key = `${viewer.id} ${input.object.uid}`;
  const known = views.get(key);
  if (known?.of === view && now() - known.at < KEEP_MS) return known.view;
  const readings = await Promise.all(refs.map((ref) => read(cluster, viewer, input.object.namespace, ref)));
  const traffic = system.routing.traffic(input, readings);
  const told = traffic === null ? view : { ...view, rollout: withTraffic(view.rollout, traffic) };
  views.set(key, { of: view, at: now(), view: told });
  return told;
}

/** Never throws: what can't be read is not known, and all the rest of the page is. */
async function read(
  cluster: Cluster,
  viewer: Viewer,
  namespace: string,
  ref: RouteRef,
): Promise<RouteReading> {
  const what = `${ref.type.kind} ${ref.name}`;
  try {
    if (!(await may(cluster, viewer, 'get', ref.type, namespace, { name: ref.name })))
      return {
        state: 'unreadable',
        reason: `${viewer.name} may not read ${ref.type.plural} in ${namespace}`,
      };
    return await readServed(cluster, viewer, namespace, ref);
  } catch (error) {
    return { state: 'unreadable', reason: `${what} could not be read: ${sentenceOf(error)}` };
  }
}

async function readServed(
  { transport }: Cluster,
  viewer: Viewer,
  namespace: string,
  { type, name }: RouteRef,
): Promise<RouteReading> {
  for (const version of type.versions) {
    try {
      const object = await transport.json({
        method: 'GET',
        path: resourcePath(type, version, namespace, name),
        timeoutMs: PATIENCE_MS,
        ...(viewer.impersonate === undefined ? {} : { impersonate: viewer.impersonate }),
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
