import { OAM_FIELD_MANAGER } from '@/lib/oam/eligibility';
import { ROLLOUTS, type OamRolloutStatus, type WorkloadKindName, writeStatus } from '@/lib/oam/rollout';
import type { RolloutNotice } from '@/lib/oam/reconcile-pass';
import { patchOf, type RolledWorkload, rolledWorkload, type WorkloadWrite } from '@/lib/oam/rolled-workload';
import { AppError } from '@/lib/errors';
import { isJsonObject, type JsonObject, stringifyGo } from '@/lib/kube/json';
import type { KubeObject } from '@/lib/kube/object';
import { objectAt, objectsAt, textAt } from '@/lib/kube/read';
import { pathTo } from '@/server/cluster/request-guard';
import type { Transport } from '@/server/cluster/transport';
import type { KubeMethod } from '@/server/cluster/kube-request';

const MERGE_PATCH = 'application/merge-patch+json';

/** The resource of each kind of workload, with the versions that may be served, the preferred first. */
const KINDS: Readonly<
  Record<WorkloadKindName, { group: string; versions: readonly string[]; plural: string }>
> = {
  Deployment: { group: 'apps', versions: ['v1'], plural: 'deployments' },
  CloneSet: { group: 'apps.kruise.io', versions: ['v1beta1', 'v1alpha1'], plural: 'clonesets' },
};

/** `/apis/standard.oam.dev/v1alpha1/rollouts`, of one namespace or of all. */
export function rolloutsPath(namespace?: string): string {
  const { group, version, plural } = ROLLOUTS;
  return pathTo(
    'apis',
    group,
    version,
    ...(namespace === undefined ? [] : ['namespaces', namespace]),
    plural,
  );
}

/** The objects of a Rollout, read from the API server itself: a move starts from the current state. */
export class RolloutObjects {
  readonly #transport: Pick<Transport, 'json'>;

  constructor(transport: Pick<Transport, 'json'>) {
    this.#transport = transport;
  }

  async rollout(namespace: string, name: string): Promise<KubeObject | undefined> {
    return (await this.#get(rolloutsPath(namespace) + pathTo(name))) as KubeObject | undefined;
  }

  async workload(
    kind: WorkloadKindName,
    namespace: string,
    name: string,
  ): Promise<RolledWorkload | undefined> {
    const path = await this.#collection(kind, namespace);
    const object = path === undefined ? undefined : await this.#get(path + pathTo(name));
    return object === undefined ? undefined : rolledWorkload(kind, object as unknown as KubeObject);
  }

  /** Body of a ControllerRevision. */
  async revision(namespace: string, name: string): Promise<JsonObject | undefined> {
    const revisions = pathTo('apis', 'apps', 'v1', 'namespaces', namespace, 'controllerrevisions');
    return objectAt(await this.#get(revisions + pathTo(name)), 'data');
  }

  async configMap(namespace: string, name: string): Promise<JsonObject | undefined> {
    return objectAt(
      await this.#get(pathTo('api', 'v1', 'namespaces', namespace, 'configmaps', name)),
      'data',
    );
  }

  /** Fails with `conflict` when the workload has changed since the write was decided. */
  async write(namespace: string, write: WorkloadWrite): Promise<void> {
    switch (write.do) {
      case 'change': {
        const { workload, desired: wanted } = write;
        const path = await this.#collection(workload.kind, namespace);
        if (path === undefined) return;
        await this.#send('PATCH', path + pathTo(workload.name), patchOf(workload, wanted), MERGE_PATCH);
        return;
      }
      case 'create': {
        const { kind, manifest } = write;
        // In the version of its fields.
        const version = textAt(manifest, 'apiVersion') ?? '';
        const path = pathTo('apis', ...version.split('/'), 'namespaces', namespace, KINDS[kind].plural);
        await this.#send('POST', path, manifest);
        return;
      }
      default:
        write satisfies never;
    }
  }

  /** Replaces the status, at the version that was read. */
  async writeStatus(rollout: KubeObject, status: OamRolloutStatus): Promise<KubeObject> {
    const path = `${this.#pathOf(rollout)}/status`;
    const { managedFields: _managedFields, ...metadata } = rollout.metadata;
    const object = { ...rollout, metadata, status: writeStatus(status) } as object as JsonObject;
    return (await this.#send('PUT', path, object)) as unknown as KubeObject;
  }

  async setFinalizers(rollout: KubeObject, finalizers: readonly string[]): Promise<void> {
    const { uid, resourceVersion } = rollout.metadata;
    const metadata = { uid, resourceVersion, finalizers: [...finalizers] };
    await this.#send('PATCH', this.#pathOf(rollout), { metadata }, MERGE_PATCH);
  }

  async createEvent(
    rollout: KubeObject,
    { type, reason, message }: RolloutNotice,
    nowMs: number,
    suffix: string,
  ): Promise<void> {
    const { name, namespace = '', uid, resourceVersion } = rollout.metadata;
    const time = new Date(nowMs).toISOString().replace(/\.\d+Z$/, 'Z');
    const { apiVersion, kind } = rollout;
    await this.#send('POST', pathTo('api', 'v1', 'namespaces', namespace, 'events'), {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name: `${name}.${suffix}`, namespace },
      involvedObject: { apiVersion, kind, name, namespace, uid, resourceVersion },
      type,
      reason,
      message,
      source: { component: OAM_FIELD_MANAGER },
      reportingComponent: OAM_FIELD_MANAGER,
      reportingInstance: '',
      firstTimestamp: time,
      lastTimestamp: time,
      count: 1,
    });
  }

  #pathOf({ metadata }: KubeObject): string {
    return rolloutsPath(metadata.namespace ?? '') + pathTo(metadata.name);
  }

  /** Undefined where the kind is not served. */
  async #collection(kind: WorkloadKindName, namespace: string): Promise<string | undefined> {
    const { group, versions, plural } = KINDS[kind];
    const served = versions.length === 1 ? versions : await this.#servedVersions(group);
    const version = versions.find((known) => served.includes(known));
    return version === undefined
      ? undefined
      : pathTo('apis', group, version, 'namespaces', namespace, plural);
  }

  async #servedVersions(group: string): Promise<string[]> {
    const answer = await this.#get(pathTo('apis', group));
    return objectsAt(answer, 'versions').flatMap((version) => textAt(version, 'version') ?? []);
  }

  async #get(path: string): Promise<JsonObject | undefined> {
    try {
      const answer = await this.#transport.json({ method: 'GET', path });
      return isJsonObject(answer) ? answer : undefined;
    } catch (error) {
      if (error instanceof AppError && error.details.status === 404) return undefined;
      throw error;
    }
  }

  async #send(method: KubeMethod, path: string, body: JsonObject, contentType?: string): Promise<JsonObject> {
    const answer = await this.#transport.json({
      method,
      path,
      query: { fieldManager: OAM_FIELD_MANAGER },
      body: stringifyGo(body),
      ...(contentType !== undefined && { contentType }),
    });
    return isJsonObject(answer) ? answer : {};
  }
}
