import { AppError } from '@/lib/errors';
import { deepEqual, isJsonObject, type Json, type JsonObject, stringifyGo } from '@/lib/kube/json';
import { objectAt, objectsAt, textAt } from '@/lib/kube/read';
import { pathTo } from '@/server/cluster/request-guard';
import type { RoutingSpec } from '@/sandbox/controllers/kruise/rollout/rollout-object';
import type { RolloutPass, StepProgress } from '@/sandbox/controllers/kruise/rollout/rollout-pass';
import { POD_TEMPLATE_HASH } from '@/sandbox/controllers/kruise/rollout/workload';
import { controllerReference } from '@/sandbox/controllers/objects/owner';

/** The least time between two changes of traffic objects. */
export const TRAFFIC_WAIT_MS = 3000;
const NGINX = 'nginx.ingress.kubernetes.io';

const GROUPS = {
  services: ['api', 'v1'],
  ingresses: ['apis', 'networking.k8s.io', 'v1'],
  httproutes: ['apis', 'gateway.networking.k8s.io', 'v1beta1'],
} as const;

type RoutingKind = keyof typeof GROUPS;

/** How traffic should flow; what is left out stays as it is. */
export interface WantedTraffic {
  /** Of the pods that the stable Service selects; null: of any revision. */
  readonly stable?: string | null;
  /** Of the pods that the canary Service selects; null: without that Service. */
  readonly canary?: string | null;
  /** To the canary Service; null: not routed there at all. */
  readonly percent?: number | null;
}

export function routingOf({ plan }: RolloutPass): RoutingSpec | undefined {
  return plan.trafficRoutings?.[0];
}

/** Makes one change after the other, with a wait before and after each. Returns whether none is left. */
export async function changeTraffic(
  pass: RolloutPass,
  progress: StepProgress,
  wanted: WantedTraffic,
): Promise<boolean> {
  const { gracePeriodSeconds = 0 } = routingOf(pass) ?? {};
  const waitMs = Math.max(TRAFFIC_WAIT_MS, gracePeriodSeconds * 1000);
  if (routingOf(pass) === undefined) return true;
  if (!pass.hasWaited(progress.lastUpdateTime, waitMs)) return false;
  if (!(await makeChange(pass, wanted))) return true;
  pass.enter(progress, {});
  pass.requeue(waitMs);
  return false;
}

/**
 * Makes the first of the changes that are missing, of a Service, and an Ingress or an HTTPRoute; returns
 * whether there was one. What does not exist is skipped: nothing waits for it.
 * https://github.com/openkruise/rollouts/blob/master/pkg/trafficrouting/manager.go
 */
export async function makeChange(
  pass: RolloutPass,
  { stable, canary, percent }: WantedTraffic,
): Promise<boolean> {
  const routing = routingOf(pass);
  if (routing === undefined) return false;
  if (stable !== undefined && (await selectStable(pass, routing.service, stable))) return true;
  if (typeof canary === 'string' && (await createService(pass, routing.service, canary))) return true;
  if (percent !== undefined && (await weighIngress(pass, routing, percent))) return true;
  if (percent !== undefined && (await weighRoute(pass, routing, percent))) return true;
  return canary === null && remove(pass, 'services', `${routing.service}-canary`);
}

async function selectStable(pass: RolloutPass, name: string, revision: string | null): Promise<boolean> {
  const label = labelOf(pass);
  const service = revision === '' ? undefined : await read(pass, 'services', name);
  const present = textAt(service, 'spec', 'selector', label) ?? null;
  if (service === undefined || present === revision) return false;
  await send(pass, 'PATCH', 'services', name, { spec: { selector: { [label]: revision } } });
  return true;
}

function createService(pass: RolloutPass, service: string, revision: string): Promise<boolean> {
  return createCanary(pass, 'services', service, ({ spec }) => {
    const ports = objectsAt(spec, 'ports').map(({ nodePort: _port, ...port }) => port);
    const selector = { ...objectAt(spec, 'selector'), [labelOf(pass)]: revision };
    return { spec: { ports, selector } };
  });
}

function labelOf({ workload }: RolloutPass): string {
  return workload?.revisionLabel ?? POD_TEMPLATE_HASH;
}

async function weighIngress(
  pass: RolloutPass,
  { ingress, service }: RoutingSpec,
  percent: number | null,
): Promise<boolean> {
  if (ingress === undefined) return false;
  const name = `${ingress.name}-canary`;
  if (percent === null) return remove(pass, 'ingresses', name);
  const marks = { [`${NGINX}/canary`]: 'true', [`${NGINX}/canary-weight`]: '0' };
  const isNew = await createCanary(pass, 'ingresses', ingress.name, ({ metadata, spec }) => ({
    metadata: { annotations: { ...objectAt(metadata, 'annotations'), ...marks } },
    spec: servedBy(spec ?? {}, service),
  }));
  if (isNew) return true;
  const weight = { [`${NGINX}/canary-weight`]: String(percent) };
  const annotations = objectAt(await read(pass, 'ingresses', name), 'metadata', 'annotations');
  if (annotations === undefined || deepEqual({ ...annotations, ...weight }, annotations)) return false;
  await send(pass, 'PATCH', 'ingresses', name, { metadata: { annotations: weight } });
  return true;
}

/** Splits every rule that routes to the stable Service. */
async function weighRoute(
  pass: RolloutPass,
  { gateway, service }: RoutingSpec,
  percent: number | null,
): Promise<boolean> {
  const name = gateway?.httpRouteName;
  if (name === undefined) return false;
  const rules = objectsAt(await read(pass, 'httproutes', name), 'spec', 'rules');
  const wanted = rules.map((rule) => splitRule(rule, service, percent));
  if (deepEqual(rules, wanted)) return false;
  await send(pass, 'PATCH', 'httproutes', name, { spec: { rules: wanted } });
  return true;
}

function pathIn({ rollout }: RolloutPass, kind: RoutingKind, ...name: string[]): string {
  const { namespace = 'default' } = rollout.metadata;
  return pathTo(...GROUPS[kind], 'namespaces', namespace, kind, ...name);
}

/** Undefined where it does not exist, or its kind is not served. */
async function read(pass: RolloutPass, kind: RoutingKind, name: string): Promise<JsonObject | undefined> {
  try {
    const answer = await pass.manager.transport.json({ method: 'GET', path: pathIn(pass, kind, name) });
    return isJsonObject(answer) ? answer : undefined;
  } catch (error) {
    if (error instanceof AppError && error.code === 'not_found') return undefined;
    throw error;
  }
}

async function send(
  pass: RolloutPass,
  method: 'POST' | 'PATCH',
  kind: RoutingKind,
  name: string,
  body: JsonObject,
): Promise<void> {
  const isNew = method === 'POST';
  const path = isNew ? pathIn(pass, kind) : pathIn(pass, kind, name);
  const contentType = isNew ? 'application/json' : 'application/merge-patch+json';
  const query = { fieldManager: 'kruise-manager' };
  await pass.manager.transport.json({ method, path, query, contentType, body: stringifyGo(body) });
}

/** Made from the stable object, unless it exists. */
async function createCanary(
  pass: RolloutPass,
  kind: RoutingKind,
  name: string,
  draft: (stable: JsonObject) => JsonObject,
): Promise<boolean> {
  const stable = await read(pass, kind, name);
  if (stable === undefined || (await read(pass, kind, `${name}-canary`)) !== undefined) return false;
  const { metadata, ...rest } = draft(stable);
  const ownerReferences = [controllerReference(pass.rollout)];
  const own = { ...objectAt(metadata), name: `${name}-canary`, ownerReferences };
  await send(pass, 'POST', kind, own.name, { ...rest, metadata: own });
  return true;
}

async function remove(pass: RolloutPass, kind: RoutingKind, name: string): Promise<boolean> {
  if ((await read(pass, kind, name)) === undefined) return false;
  await pass.manager.transport.json({ method: 'DELETE', path: pathIn(pass, kind, name) });
  return true;
}

/** The spec of an Ingress with the canary Service in the place of the stable one. */
function servedBy(value: Json, service: string): Json {
  if (Array.isArray(value)) return value.map((item) => servedBy(item, service));
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).map(([key, member]) =>
    key === 'service' && isJsonObject(member) && member.name === service
      ? [key, { ...member, name: `${service}-canary` }]
      : [key, servedBy(member ?? null, service)],
  );
  return Object.fromEntries(entries) as JsonObject;
}

function splitRule(rule: JsonObject, service: string, percent: number | null): JsonObject {
  const backends = objectsAt(rule, 'backendRefs');
  const stable = backends.find(({ name }) => name === service);
  if (stable === undefined) return rule;
  const others = backends.filter(({ name }) => name !== service && name !== `${service}-canary`);
  if (percent === null) return { ...rule, backendRefs: [...others, { ...stable, weight: 1 }] };
  const canary = { ...stable, name: `${service}-canary`, weight: percent };
  return { ...rule, backendRefs: [...others, { ...stable, weight: 100 - percent }, canary] };
}
