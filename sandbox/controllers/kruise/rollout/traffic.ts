import { AppError } from '@/lib/errors';
import { deepEqual, isJsonObject, type Json, type JsonObject, stringifyGo } from '@/lib/kube/json';
import { objectAt, objectsAt, textAt } from '@/lib/kube/read';
import { pathTo } from '@/server/cluster/request-guard';
import { type ControllerManager } from '@/sandbox/controllers/engine/controller-manager';
import {
  planOf,
  type KruiseResource,
  type CanaryStep,
  type RoutingSpec,
} from '@/sandbox/controllers/kruise/shared/rollout-object';
import { type SubStatus } from '@/sandbox/controllers/kruise/rollout/sub-status';
import { controllerReference } from '@/sandbox/controllers/objects/owner';

const NGINX = 'nginx.ingress.kubernetes.io';
const MANAGER = 'kruise-manager';

/**
 * The objects that route traffic to one version or the other. Each function does one action and returns
 * whether there was one to do. A missing object, or one of a kind that is not served, is skipped: nothing
 * waits for it.
 * https://github.com/openkruise/rollouts/blob/master/pkg/trafficrouting/manager.go
 */
export class Traffic {
  readonly #manager: ControllerManager;
  readonly #rollout: KruiseResource;
  readonly #routing: RoutingSpec | undefined;
  readonly #revisionLabel: string;

  constructor(manager: ControllerManager, rollout: KruiseResource, revisionLabel: string) {
    this.#manager = manager;
    this.#rollout = rollout;
    this.#routing = planOf(rollout.spec).trafficRoutings?.[0];
    this.#revisionLabel = revisionLabel;
  }

  get isRouted(): boolean {
    return this.#routing !== undefined;
  }

  /** The stable Service selects only the stable pods. */
  restrictStable({ stableRevision }: SubStatus): Promise<boolean> {
    return this.#select(stableRevision);
  }

  restoreStable(): Promise<boolean> {
    return this.#select(null);
  }

  /** Makes the next of the changes that route the traffic as the step requires. */
  async route(step: CanaryStep, sub: SubStatus): Promise<boolean> {
    if (this.#routing === undefined) return false;
    if (await this.restrictStable(sub)) return true;
    if (await this.#createService(sub.podTemplateHash)) return true;
    if (await this.#createIngress()) return true;
    if (await this.#weighIngress(step)) return true;
    return this.#weighRoute(percentOf(step.traffic));
  }

  async routeToStable(): Promise<boolean> {
    const { ingress } = this.#routing ?? {};
    if (ingress !== undefined && (await this.#remove(this.#ingress(`${ingress.name}-canary`)))) return true;
    return this.#weighRoute(undefined);
  }

  async routeToNew(): Promise<boolean> {
    if (this.#routing === undefined) return false;
    return (await this.#weighIngress({ traffic: '100%' })) || this.#weighRoute(100);
  }

  async removeService(): Promise<boolean> {
    return this.#routing !== undefined && this.#remove(this.#service(`${this.#routing.service}-canary`));
  }

  async #select(revision: string | null): Promise<boolean> {
    if (this.#routing === undefined || revision === '') return false;
    const path = this.#service(this.#routing.service);
    const service = await this.#get(path);
    const present = textAt(service, 'spec', 'selector', this.#revisionLabel) ?? null;
    if (service === undefined || present === revision) return false;
    await this.#merge(path, { spec: { selector: { [this.#revisionLabel]: revision } } });
    return true;
  }

  async #createService(revision: string): Promise<boolean> {
    if (this.#routing === undefined) return false;
    const name = `${this.#routing.service}-canary`;
    const [stable, canary] = [
      await this.#get(this.#service(this.#routing.service)),
      await this.#get(this.#service(name)),
    ];
    if (stable === undefined || canary !== undefined) return false;
    const { clusterIP: _ip, clusterIPs: _ips, ...spec } = objectAt(stable, 'spec') ?? {};
    const ports = objectsAt(spec, 'ports').map(({ nodePort: _port, ...port }) => port);
    const selector = { ...objectAt(spec, 'selector'), [this.#revisionLabel]: revision };
    await this.#create(this.#service(), {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: this.#owned(name),
      spec: { ...spec, ports, selector },
    });
    return true;
  }

  async #createIngress(): Promise<boolean> {
    const { ingress, service } = this.#routing ?? {};
    if (ingress === undefined || service === undefined) return false;
    const name = `${ingress.name}-canary`;
    const [stable, canary] = [
      await this.#get(this.#ingress(ingress.name)),
      await this.#get(this.#ingress(name)),
    ];
    if (stable === undefined || canary !== undefined) return false;
    const annotations = {
      ...objectAt(stable, 'metadata', 'annotations'),
      [`${NGINX}/canary`]: 'true',
      [`${NGINX}/canary-weight`]: '0',
    };
    await this.#create(this.#ingress(), {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'Ingress',
      metadata: { ...this.#owned(name), annotations },
      spec: servedBy(objectAt(stable, 'spec') ?? {}, service, `${service}-canary`),
    });
    return true;
  }

  async #weighIngress({ traffic, matches = [] }: CanaryStep): Promise<boolean> {
    const { ingress } = this.#routing ?? {};
    if (ingress === undefined) return false;
    const path = this.#ingress(`${ingress.name}-canary`);
    const canary = await this.#get(path);
    if (canary === undefined) return false;
    const present = objectAt(canary, 'metadata', 'annotations') ?? {};
    const wanted = matches.length > 0 ? byHeader(matches) : byWeight(percentOf(traffic) ?? 0);
    if (Object.entries(wanted).every(([key, value]) => (present[key] ?? null) === value)) return false;
    await this.#merge(path, { metadata: { annotations: wanted } });
    return true;
  }

  /**
   * Splits every rule that routes to the stable Service; undefined: all to the stable one, without the other.
   */
  async #weighRoute(percent: number | undefined): Promise<boolean> {
    const name = this.#routing?.gateway?.httpRouteName;
    const service = this.#routing?.service ?? '';
    if (name === undefined) return false;
    const path = this.#inNamespace('apis', 'gateway.networking.k8s.io', 'v1beta1')('httproutes', name);
    const route = await this.#get(path);
    if (route === undefined) return false;
    const rules = objectsAt(route, 'spec', 'rules');
    const wanted = rules.map((rule) => shared(rule, service, percent));
    if (deepEqual(rules, wanted)) return false;
    await this.#merge(path, { spec: { rules: wanted } });
    return true;
  }

  #owned(name: string): JsonObject {
    return { name, ownerReferences: [controllerReference(this.#rollout)] };
  }

  #service(name?: string): string {
    return this.#inNamespace('api', 'v1')('services', name);
  }

  #ingress(name?: string): string {
    return this.#inNamespace('apis', 'networking.k8s.io', 'v1')('ingresses', name);
  }

  #inNamespace(...group: string[]) {
    const { namespace = 'default' } = this.#rollout.metadata;
    return (plural: string, name?: string) =>
      pathTo(...group, 'namespaces', namespace, plural, ...(name === undefined ? [] : [name]));
  }

  async #get(path: string): Promise<JsonObject | undefined> {
    try {
      const answer = await this.#manager.transport.json({ method: 'GET', path });
      return isJsonObject(answer) ? answer : undefined;
    } catch (error) {
      if (error instanceof AppError && error.code === 'not_found') return undefined;
      throw error;
    }
  }

  async #create(path: string, object: JsonObject): Promise<void> {
    const query = { fieldManager: MANAGER };
    await this.#manager.transport.json({ method: 'POST', path, query, body: stringifyGo(object) });
  }

  async #merge(path: string, patch: JsonObject): Promise<void> {
    const contentType = 'application/merge-patch+json';
    const query = { fieldManager: MANAGER };
    await this.#manager.transport.json({
      method: 'PATCH',
      path,
      query,
      contentType,
      body: stringifyGo(patch),
    });
  }

  async #remove(path: string): Promise<boolean> {
    if ((await this.#get(path)) === undefined) return false;
    await this.#manager.transport.json({ method: 'DELETE', path });
    return true;
  }
}

function percentOf(traffic: string | undefined): number | undefined {
  return traffic === undefined ? undefined : Number.parseFloat(traffic);
}

function byWeight(percent: number): Record<string, string | null> {
  return { [`${NGINX}/canary-weight`]: String(percent), [`${NGINX}/canary-by-header`]: null };
}

function byHeader(matches: readonly JsonObject[]): Record<string, string | null> {
  const [header] = matches.flatMap((match) => objectsAt(match, 'headers'));
  const isPattern = textAt(header, 'type') === 'RegularExpression';
  return {
    [`${NGINX}/canary-weight`]: null,
    [`${NGINX}/canary-by-header`]: textAt(header, 'name') ?? null,
    [`${NGINX}/canary-by-header-${isPattern ? 'pattern' : 'value'}`]: textAt(header, 'value') ?? null,
  };
}

/** The same with the one Service replaced by the other in every backend. */
function servedBy(spec: JsonObject, from: string, to: string): JsonObject {
  const replace = (value: Json | undefined): Json => {
    if (Array.isArray(value)) return value.map(replace);
    if (!isJsonObject(value)) return value ?? null;
    const entries = Object.entries(value).map(([key, member]): [string, Json] =>
      key === 'service' && textAt(member, 'name') === from
        ? [key, { ...(member as JsonObject), name: to }]
        : [key, replace(member)],
    );
    return Object.fromEntries(entries);
  };
  return replace(spec) as JsonObject;
}

function shared(rule: JsonObject, service: string, percent: number | undefined): JsonObject {
  const backends = objectsAt(rule, 'backendRefs');
  const stable = backends.find(({ name }) => name === service);
  if (stable === undefined) return rule;
  const others = backends.filter(({ name }) => name !== service && name !== `${service}-canary`);
  if (percent === undefined) return { ...rule, backendRefs: [...others, { ...stable, weight: 1 }] };
  const canary = { ...stable, name: `${service}-canary`, weight: percent };
  return { ...rule, backendRefs: [...others, { ...stable, weight: 100 - percent }, canary] };
}
