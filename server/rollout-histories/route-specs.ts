import 'server-only';
import { AppError } from '@/lib/errors';
import { isJsonObject, type JsonObject } from '@/lib/kube/json';
import { type RouteSpecs } from '@/lib/view/kruise-rollout-history';
import { ROUTE_TYPES } from '@/lib/rollout/openkruise/traffic';
import { type RouteRef } from '@/lib/rollout/routed-traffic';
import { objectAt } from '@/lib/kube/read';
import { resourcePath } from '@/lib/kube/resource';
import { type Transport } from '@/server/cluster/transport';
import { type Keys } from '@/server/shared/keys';
import { inSlices } from '@/server/shared/in-slices';
import { maskJsonInPieces } from '@/server/shared/mask';

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
  keys: Keys,
): Promise<RouteSpecs> {
  const specs = new Map<string, JsonObject>();
  for (const type of ROUTE_TYPES) {
    const route = routes.find(({ kind }) => kind === type.kind);
    if (route === undefined) continue;
    const spec = await readSpec(transport, namespace, { type, name: route.name });
    const masked = spec === undefined ? undefined : await inSlices(maskJsonInPieces(spec, keys));
    if (isJsonObject(masked)) specs.set(type.kind, masked);
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
