import { AppError } from '@/lib/errors';
import { isJsonObject, type Json, type JsonObject, parseJson } from '@/lib/kube/json';
import type { KubeObject } from '@/lib/kube/object';
import type { RolloutObject } from '@/lib/rollout/rollout-facts';
import { rolloutSystems } from '@/lib/rollout/systems/table';
import type { WorkloadKind } from '@/lib/workloads/kind';
import type { JsonPatchOperation } from '@/lib/workloads/plan';
import type { PodSummary } from '@/lib/history/pod';
import { resourcePath } from '@/lib/kube/resource';
import { objectAt } from '@/lib/kube/read';
import { sourcesByResource } from '@/lib/workloads/source-readers';
import { workloadKinds } from '@/lib/workloads/kinds/table';
import { applyPatch } from '@/lib/workloads/testing/patch';
import type { RevisionSource, Workload } from '@/lib/history/workload';
import type { AccessAnswer, AccessQuestion } from '@/server/cluster/access';
import { ViewerAccess } from '@/server/cluster/viewer-access';
import { systemClock } from '@/server/shared/clock';
import { BodyStore } from '@/server/cluster/body-store';
import type { ResourceState, WorkloadKey } from '@/server/cluster/cache';
import type { Cluster, Connection } from '@/server/cluster/cluster';
import type { ClusterIdentity } from '@/server/cluster/cluster-identity';
import { IndexedCache } from '@/server/cluster/indexed-cache';
import type { StoreChange } from '@/server/cluster/store-change';
import {
  ingestAnySource,
  ingestSource,
  ingestWorkload,
  SemanticIds,
  temporaryContext,
} from '@/server/cluster/ingest';
import { ingestPod } from '@/server/cluster/ingest-pod';
import { OwnerHistories } from '@/server/cluster/owner-histories';
import { RolloutIndex, type RolloutKey } from '@/server/cluster/rollout-index';
import type { ViewerTransport } from '@/server/cluster/transport';
import type { KubeRequest } from '@/server/cluster/kube-request';
import type { ArgoPlace } from '@/server/shared/cluster-entry';
import type { Viewer } from '@/server/shared/viewer';
import { processViewer } from '@/server/shared/testing/viewers';

/** A request with the credential that it came with. */
type ReceivedRequest = KubeRequest & { readonly credential: Viewer['credential'] };

type Cached = Workload | RevisionSource | PodSummary;

/**
 * A cluster in memory: objects as an API server stores them, JSON patches with their tests, dry runs, uid
 * preconditions, and the real cache over them. Nothing changes by itself; a test writes what a controller
 * would have written.
 */
export class FakeCluster implements Cluster {
  identity: ClusterIdentity = {
    id: 'cluster',
    name: 'test',
    server: 'https://api',
    version: 'v1.36.0',
  };
  namespaces: readonly string[] = [];
  argocd: ArgoPlace = { namespaces: ['argocd', 'openshift-gitops'], name: null, cluster: null };
  readonly self = processViewer('ana');
  connection: Connection = { state: 'connected', message: null, observedAt: 0, since: 0 };
  ready = true;
  /** Every resource is read, unless a test sets otherwise. */
  states: ResourceState[] = workloadKinds
    .flatMap(({ resource, source }) => [resource.id, source.resource.id])
    .map((resource) => ({ resource, synced: true, problem: null }));
  readonly requests: ReceivedRequest[] = [];
  /** Called with each request before it is answered; may throw, or change objects in between. */
  onRequest: (request: KubeRequest) => void = () => undefined;
  /** Called after a write has been stored, before it is answered. */
  onWritten: (request: KubeRequest) => void = () => undefined;
  answerAccess: (question: AccessQuestion, viewer: Viewer) => AccessAnswer = () => ({ allowed: true });
  readonly cache: IndexedCache;
  readonly rollouts = new RolloutIndex((keys) =>
    this.#rolloutListeners.forEach((listener) => listener(keys)),
  );
  /** What the API server answers; a test may replace either. */
  readonly api = {
    json: (request: ReceivedRequest) => this.#answer(request),
    text: ({ path }: ReceivedRequest): Promise<string> => Promise.reject(new Error(`${path} is not played`)),
  };
  readonly access = {
    can: (viewer: Viewer, question: AccessQuestion) => Promise.resolve(this.answerAccess(question, viewer)),
    whoAmI: ({ name }: Viewer) => Promise.resolve({ name, groups: [] }),
  } as unknown as Cluster['access'];
  readonly viewerAccess = new ViewerAccess(this.access, systemClock, new AbortController().signal);
  readonly #objects = new Map<string, string>();
  readonly #cached = new Map<string, Cached>();
  readonly #cachedRollouts = new Map<string, RolloutObject>();
  readonly #bodies = new BodyStore();
  readonly #semantic = new SemanticIds(this.#bodies);
  readonly #listeners = new Set<(keys: readonly WorkloadKey[]) => void>();
  readonly #rolloutListeners = new Set<(keys: readonly RolloutKey[]) => void>();

  constructor() {
    this.cache = new IndexedCache({
      kinds: workloadKinds,
      bodies: this.#bodies,
      semantic: this.#semantic,
      states: () => this.states,
      onChange: (keys) => this.#listeners.forEach((listener) => listener(keys)),
    });
    this.cache.extend(new OwnerHistories(this.cache));
  }

  onChange(listener: (keys: readonly WorkloadKey[]) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  onRolloutChange(listener: (keys: readonly RolloutKey[]) => void): () => void {
    this.#rolloutListeners.add(listener);
    return () => this.#rolloutListeners.delete(listener);
  }

  get listeners(): number {
    return this.#listeners.size;
  }

  onConnection(): () => void {
    return () => undefined;
  }

  stop(): Promise<void> {
    return Promise.resolve();
  }

  /** As that of a cluster that is really read. */
  guess(formerId: string | undefined): void {
    const { id, name, server, version } = this.identity;
    this.identity = { id, name, server, version, isGuessed: true };
    if (formerId !== undefined) this.identity.formerId = formerId;
  }

  /** Stores an object and shows it to the cache. */
  put(object: KubeObject): void {
    this.store(object);
    this.updateCache(pathOf(object));
  }

  /** Stores an object that the cache does not show yet. */
  store(object: KubeObject): void {
    this.#objects.set(pathOf(object), JSON.stringify(object));
  }

  /** Brings the cache up to date with one object. */
  updateCache(path: string): void {
    const object = this.#read(path);
    if (object === undefined) return;
    this.#updateRolloutCache(path, object);
    const cached = this.#ingest(object);
    if (cached === undefined) return;
    const previous = this.#cached.get(path);
    this.#cached.set(path, cached);
    this.#change(
      object.kind,
      previous === undefined
        ? { type: 'added', value: cached }
        : { type: 'updated', value: cached, previous },
    );
  }

  /** A rollout may be a workload as well. */
  #updateRolloutCache(path: string, object: KubeObject): void {
    const system = rolloutSystems.find(
      ({ resource }) => resource.kind === object.kind && object.apiVersion.startsWith(`${resource.group}/`),
    );
    if (system === undefined) return;
    const value = system.parse(object);
    const previous = this.#cachedRollouts.get(path);
    this.#cachedRollouts.set(path, value);
    this.rollouts.changeRollout(
      previous === undefined ? { type: 'added', value } : { type: 'updated', value, previous },
    );
  }

  remove(path: string): void {
    const object = this.#read(path);
    const previous = this.#cached.get(path);
    this.#objects.delete(path);
    this.#cached.delete(path);
    const rollout = this.#cachedRollouts.get(path);
    this.#cachedRollouts.delete(path);
    if (rollout !== undefined)
      this.rollouts.changeRollout({ type: 'deleted', value: rollout, previous: rollout });
    if (object !== undefined && previous !== undefined) {
      this.#change(object.kind, { type: 'deleted', value: previous, previous });
    }
  }

  get(path: string): KubeObject {
    const object = this.#read(path);
    if (object === undefined) throw new Error(`no ${path}`);
    return object;
  }

  transportFor({ credential }: Viewer): ViewerTransport {
    return {
      json: (request) => this.api.json({ ...request, credential }),
      text: (request) => this.api.text({ ...request, credential }),
    };
  }

  async readWorkload(viewer: Viewer, kind: WorkloadKind, namespace: string, name: string) {
    const object = await this.#get(
      viewer,
      resourcePath(kind.resource, kind.resource.versions[0] ?? 'v1', namespace, name),
    );
    return { object, summary: ingestWorkload(kind, object, temporaryContext()) };
  }

  async readSource(viewer: Viewer, kind: WorkloadKind, namespace: string, name: string) {
    const object = await this.#get(
      viewer,
      resourcePath(kind.source.resource, kind.source.resource.versions[0] ?? 'v1', namespace, name),
    );
    return { object, summary: ingestSource(kind.source, object, temporaryContext()) };
  }

  /** Resolves once listeners have been notified of all changes. */
  settled(): Promise<void> {
    return new Promise((resolve) => setImmediate(resolve));
  }

  async #get(viewer: Viewer, path: string): Promise<KubeObject> {
    return (await this.#answer({
      method: 'GET',
      path,
      credential: viewer.credential,
    })) as unknown as KubeObject;
  }

  async #answer(request: ReceivedRequest): Promise<Json> {
    await Promise.resolve();
    this.requests.push(request);
    this.onRequest(request);
    switch (request.method) {
      case 'GET':
        return this.#list(request.path) ?? (this.#existing(request.path) as unknown as Json);
      case 'PATCH':
        return this.#patch(request);
      case 'DELETE':
        return this.#delete(request);
      case 'POST':
      case 'PUT':
        throw new Error(`${request.method} is not played`);
    }
  }

  #list(path: string): Json | undefined {
    const isList = /^\/api\/v1\/nodes$|\/namespaces\/[^/]+\/[^/]+$/.test(path);
    if (!isList) return undefined;
    const items = [...this.#objects]
      .filter(([key]) => key.startsWith(`${path}/`))
      .map(([, text]) => parseJson(text));
    return { kind: 'List', metadata: {}, items };
  }

  #existing(path: string): KubeObject {
    const object = this.#read(path);
    if (object === undefined) throw apiError(404, 'NotFound', `${path} not found`);
    return object;
  }

  #patch(request: KubeRequest): Json {
    const isStatus = request.path.endsWith('/status');
    const before = this.#existing(request.path.replace(/\/status$/, '')) as unknown as JsonObject;
    const after = isMerge(request) ? mergeInto(before, request) : applyTo(before, request);
    const { metadata } = after as unknown as KubeObject;
    if (!isStatus) metadata.generation = (metadata.generation ?? 0) + 1;
    if (isMerge(request)) metadata.resourceVersion = String(Number(metadata.resourceVersion) + 1);
    if (request.query?.dryRun === undefined) {
      this.store(after as unknown as KubeObject);
      this.onWritten(request);
    }
    return after;
  }

  #delete(request: KubeRequest): Json {
    const object = this.#existing(request.path);
    const {
      preconditions: { uid, resourceVersion = object.metadata.resourceVersion },
    } = parseJson(request.body ?? '') as { preconditions: { uid: string; resourceVersion?: string } };
    if (object.metadata.uid !== uid) throw apiError(409, 'Conflict', 'the UID in the precondition differs');
    if (object.metadata.resourceVersion !== resourceVersion)
      throw apiError(409, 'Conflict', 'the ResourceVersion in the precondition differs');
    if (request.query?.dryRun === undefined) {
      this.remove(request.path);
      this.onWritten(request);
    }
    return object as unknown as Json;
  }

  #read(path: string): KubeObject | undefined {
    const text = this.#objects.get(path);
    return text === undefined ? undefined : (parseJson(text) as unknown as KubeObject);
  }

  #ingest(object: KubeObject): Cached | undefined {
    const context = { bodies: this.#bodies, semantic: this.#semantic };
    if (object.kind === 'Pod') return ingestPod(object);
    const group = object.apiVersion.split('/')[0];
    const kind = workloadKinds.find(
      ({ resource }) => resource.kind === object.kind && resource.group === group,
    );
    if (kind !== undefined) return ingestWorkload(kind, object, context);
    const sources = [...sourcesByResource(workloadKinds).values()].find(
      ([source]) => source?.resource.kind === object.kind,
    );
    return sources === undefined ? undefined : ingestAnySource(sources, object, context);
  }

  #change(kind: string, change: StoreChange<Cached>): void {
    if (kind === 'Pod') this.cache.changePod(change as StoreChange<PodSummary>);
    else if (workloadKinds.some(({ source }) => source.resource.kind === kind)) {
      this.cache.changeSource(change as StoreChange<RevisionSource>);
    } else this.cache.changeWorkload(change as StoreChange<Workload>);
  }
}

function isMerge({ contentType }: KubeRequest): boolean {
  return contentType === 'application/merge-patch+json';
}

function applyTo(before: JsonObject, { body }: KubeRequest): JsonObject {
  try {
    return applyPatch(before, parseJson(body ?? '') as unknown as JsonPatchOperation[]);
  } catch {
    const apiMessage = 'the server rejected our request due to an error in our request';
    throw new AppError('conflict', `API server: ${apiMessage}`, {
      status: 422,
      reason: 'Invalid',
      apiMessage,
    });
  }
}

/** https://kubernetes.io/docs/reference/using-api/api-concepts/#resource-versions */
function mergeInto(before: JsonObject, { body, path }: KubeRequest): JsonObject {
  const patch = parseJson(body ?? '') as JsonObject;
  const version = objectAt(patch, 'metadata')?.resourceVersion;
  if (version !== objectAt(before, 'metadata')?.resourceVersion)
    throw apiError(409, 'Conflict', `Operation cannot be fulfilled on ${path}: the object has been modified`);
  return merged(before, patch);
}

function merged(before: JsonObject, patch: JsonObject): JsonObject {
  const after = { ...before };
  for (const [key, value] of Object.entries(patch)) {
    const old = after[key];
    if (value === null) Reflect.deleteProperty(after, key);
    else after[key] = isJsonObject(value) && isJsonObject(old) ? merged(old, value) : value;
  }
  return after;
}

/** As the transport reports a rejection of the API server. */
export function apiError(status: number, reason: string, apiMessage: string): AppError {
  const codes = { 403: 'forbidden', 404: 'not_found', 409: 'conflict', 503: 'cluster_unreachable' } as const;
  const code = codes[status as keyof typeof codes] ?? 'cluster_error';
  return new AppError(code, `API server: ${apiMessage}`, { status, reason, apiMessage });
}

export function unreachable(details: { outcome?: 'not_sent' } = {}): AppError {
  return new AppError('cluster_unreachable', 'https://api is out of reach.', details);
}

const plurals: Readonly<Record<string, string>> = {
  HorizontalPodAutoscaler: 'horizontalpodautoscalers',
  PodDisruptionBudget: 'poddisruptionbudgets',
  RolloutHistory: 'rollouthistories',
};

export function pathOf({ apiVersion, kind, metadata }: KubeObject): string {
  const version = kind === 'Pod' ? 'v1' : apiVersion;
  const root = version.includes('/') ? `/apis/${version}` : `/api/${version}`;
  const namespace = kind === 'Node' ? '' : `/namespaces/${metadata.namespace ?? ''}`;
  return `${root}${namespace}/${plurals[kind] ?? `${kind.toLowerCase()}s`}/${metadata.name}`;
}
