import { AppError } from '@/lib/errors';
import { deepEqual, isJsonObject, type Json, type JsonObject, stringifyGo } from '@/lib/kube/json';
import { objectAt, objectsAt, textAt } from '@/lib/kube/read';
import { pathTo } from '@/server/cluster/request-guard';
import { type ControllerManager } from '@/sandbox/controllers/engine/controller-manager';
import {
  type KruiseRollout,
  planOf,
  type RoutingSpec,
} from '@/sandbox/controllers/kruise/rollout/rollout-object';
import { controllerReference } from '@/sandbox/controllers/objects/owner';

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

/** Undefined where it does not exist, or its kind is not served. */
export async function readRoutingObject(
  { transport }: ControllerManager,
  { metadata }: KruiseRollout,
  kind: RoutingKind,
  name: string,
): Promise<JsonObject | undefined> {
  try {
    const answer = await transport.json({ method: 'GET', path: pathIn(metadata.namespace, kind, name) });
    return isJsonObject(answer) ? answer : undefined;
  } catch (error) {
    if (error instanceof AppError && error.code === 'not_found') return undefined;
    throw error;
  }
}

function pathIn(namespace = 'default', kind: RoutingKind, ...name: string[]): string {
  return pathTo(...GROUPS[kind], 'namespaces', namespace, kind, ...name);
}

/**
 * The objects that route traffic to one version or the other: a Service, and an Ingress or an HTTPRoute. What
 * does not exist is skipped: nothing waits for it.
 * https://github.com/openkruise/rollouts/blob/master/pkg/trafficrouting/manager.go
 */
export class Traffic {
  readonly routing: RoutingSpec | undefined;
  readonly #manager: ControllerManager;
  readonly #rollout: KruiseRollout;
  readonly #revisionLabel: string;

  constructor(manager: ControllerManager, rollout: KruiseRollout, revisionLabel: string) {
    this.routing = planOf(rollout.spec).trafficRoutings?.[0];
    this.#manager = manager;
    this.#rollout = rollout;
    this.#revisionLabel = revisionLabel;
  }

  /** Makes the first of the changes that are missing; returns whether there was one. */
  async change({ stable, canary, percent }: WantedTraffic): Promise<boolean> {
    const { routing } = this;
    if (routing === undefined) return false;
    if (stable !== undefined && (await this.#selectStable(routing, stable))) return true;
    if (typeof canary === 'string' && (await this.#createService(routing, canary))) return true;
    if (percent !== undefined && (await this.#weighIngress(routing, percent))) return true;
    if (percent !== undefined && (await this.#weighRoute(routing, percent))) return true;
    return canary === null && this.#remove('services', `${routing.service}-canary`);
  }

  async #selectStable({ service: name }: RoutingSpec, revision: string | null): Promise<boolean> {
    const service = revision === '' ? undefined : await this.#read('services', name);
    const present = textAt(service, 'spec', 'selector', this.#revisionLabel) ?? null;
    if (service === undefined || present === revision) return false;
    await this.#merge('services', name, { spec: { selector: { [this.#revisionLabel]: revision } } });
    return true;
  }

  async #createService({ service }: RoutingSpec, revision: string): Promise<boolean> {
    return this.#createCanary('services', service, ({ spec }) => {
      const { clusterIP: _ip, clusterIPs: _ips, ...rest } = objectAt(spec) ?? {};
      const ports = objectsAt(rest, 'ports').map(({ nodePort: _port, ...port }) => port);
      const selector = { ...objectAt(rest, 'selector'), [this.#revisionLabel]: revision };
      return { spec: { ...rest, ports, selector } };
    });
  }

  async #weighIngress({ ingress, service }: RoutingSpec, percent: number | null): Promise<boolean> {
    if (ingress === undefined) return false;
    const name = `${ingress.name}-canary`;
    if (percent === null) return this.#remove('ingresses', name);
    const isNew = await this.#createCanary('ingresses', ingress.name, ({ metadata, spec }) => ({
      annotations: {
        ...objectAt(metadata, 'annotations'),
        [`${NGINX}/canary`]: 'true',
        [`${NGINX}/canary-weight`]: '0',
      },
      spec: servedBy(spec ?? {}, service),
    }));
    if (isNew) return true;
    const weight = { [`${NGINX}/canary-weight`]: String(percent) };
    const canary = await this.#read('ingresses', name);
    const annotations = objectAt(canary, 'metadata', 'annotations') ?? {};
    if (canary === undefined || deepEqual({ ...annotations, ...weight }, annotations)) return false;
    await this.#merge('ingresses', name, { metadata: { annotations: weight } });
    return true;
  }

  /** Splits every rule that routes to the stable Service. */
  async #weighRoute({ gateway, service }: RoutingSpec, percent: number | null): Promise<boolean> {
    const name = gateway?.httpRouteName;
    const route = name === undefined ? undefined : await this.#read('httproutes', name);
    const rules = objectsAt(route, 'spec', 'rules');
    const wanted = rules.map((rule) => splitRule(rule, service, percent));
    if (name === undefined || deepEqual(rules, wanted)) return false;
    await this.#merge('httproutes', name, { spec: { rules: wanted } });
    return true;
  }

  #read(kind: RoutingKind, name: string): Promise<JsonObject | undefined> {
    return readRoutingObject(this.#manager, this.#rollout, kind, name);
  }

  #request(method: 'POST' | 'PATCH', path: string, body: JsonObject): Promise<Json> {
    const query = { fieldManager: 'kruise-manager' };
    const contentType = method === 'POST' ? 'application/json' : 'application/merge-patch+json';
    return this.#manager.transport.json({ method, path, query, contentType, body: stringifyGo(body) });
  }

  async #merge(kind: RoutingKind, name: string, patch: JsonObject): Promise<void> {
    await this.#request('PATCH', pathIn(this.#rollout.metadata.namespace, kind, name), patch);
  }

  /** Made from the stable object, unless it exists. */
  async #createCanary(
    kind: RoutingKind,
    name: string,
    draft: (stable: JsonObject) => { annotations?: JsonObject; spec: Json },
  ): Promise<boolean> {
    const stable = await this.#read(kind, name);
    if (stable === undefined || (await this.#read(kind, `${name}-canary`)) !== undefined) return false;
    const { annotations = {}, spec } = draft(stable);
    const ownerReferences = [controllerReference(this.#rollout)];
    await this.#request('POST', pathIn(this.#rollout.metadata.namespace, kind), {
      apiVersion: GROUPS[kind].slice(1).join('/'),
      kind: kind === 'services' ? 'Service' : 'Ingress',
      metadata: { name: `${name}-canary`, annotations, ownerReferences },
      spec,
    });
    return true;
  }

  async #remove(kind: RoutingKind, name: string): Promise<boolean> {
    if ((await this.#read(kind, name)) === undefined) return false;
    const path = pathIn(this.#rollout.metadata.namespace, kind, name);
    await this.#manager.transport.json({ method: 'DELETE', path });
    return true;
  }
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
