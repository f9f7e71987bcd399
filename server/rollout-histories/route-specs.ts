import 'server-only';
import { AppError } from '@/lib/errors';
import { type JsonObject } from '@/lib/kube/json';
import { type Masked } from '@/lib/masked';
import { type RouteSpecs } from '@/lib/view/kruise-rollout-history';
import { ROUTE_TYPES } from '@/lib/rollout/openkruise/traffic';
import { type RouteRef } from '@/lib/rollout/routed-traffic';
import { objectAt } from '@/lib/kube/read';
import { resourcePath } from '@/lib/kube/resource';
import { type Transport } from '@/server/cluster/transport';
import { type Mask } from '@/server/shared/mask';

/** A record is complete without them, so a slow answer is dropped. */
const TIMEOUT_MS = 5_000;

/**
 * By kind, the specs of the objects that led requests to the pods of a rollout, masked, read as the process.
 * Missing, unserved and forbidden objects are left out.
 */
export async function readRouteSpecs(
  transport: Pick<Transport, 'json'>,
  namespace: string,
  routes: readonly { kind: string; name: string }[],
  mask: Mask,
): Promise<RouteSpecs> {
  const specs = new Map<string, Masked<JsonObject>>();
  for (const type of ROUTE_TYPES) {
    const route = routes.find(({ kind }) => kind === type.kind);
    if (route === undefined) continue;
    const spec = await readSpec(transport, namespace, { type, name: route.name });
    if (spec !== undefined) specs.set(type.kind, await mask.template(spec));
  }
  return specs;
}

async function readSpec(
  transport: Pick<Transport, 'json'>,
  namespace: string,
  { type, name }: RouteRef,
): Promise<JsonObject | undefined> {
  for (const version of type.versions) {
    try {
      const path = resourcePath(type, version, namespace, name);
      const object = await transport.json({ method: 'GET', path, timeoutMs: TIMEOUT_MS });
      return objectAt(object, 'spec');
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
    }
  }
  return undefined;
}
