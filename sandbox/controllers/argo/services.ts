import { AppError } from '@/lib/errors';
import { isJsonObject, type JsonObject, stringifyGo } from '@/lib/kube/json';
import { textAt } from '@/lib/kube/read';
import { pathTo } from '@/server/cluster/request-guard';
import { COMPONENT, HASH_LABEL, MANAGED_BY } from '@/sandbox/controllers/argo/argo-rollout';
import { availableOf } from '@/sandbox/controllers/argo/replica-sets';
import { hashOf, type ArgoReconcile } from '@/sandbox/controllers/argo/argo-reconcile';
import { type ReplicaSet } from '@/sandbox/controllers/objects/workloads';

/** A Service as it was read. */
export interface ArgoService {
  name: string;
  /** Hash of the ReplicaSet that it selects; undefined while it selects all pods. */
  hash: string | undefined;
  isManaged: boolean;
}

/** Undefined where there is none. */
export async function readService(reconcile: ArgoReconcile, name: string): Promise<ArgoService | undefined> {
  try {
    const object = await reconcile.manager.transport.json({ method: 'GET', path: pathOf(reconcile, name) });
    if (!isJsonObject(object)) return undefined;
    return {
      name,
      hash: textAt(object, 'spec', 'selector', HASH_LABEL),
      isManaged: textAt(object, 'metadata', 'annotations', MANAGED_BY) !== undefined,
    };
  } catch (error) {
    if (error instanceof AppError && error.code === 'not_found') return undefined;
    throw error;
  }
}

/** Makes the Service select only the pods of that hash. */
export async function pointService(
  reconcile: ArgoReconcile,
  service: ArgoService,
  hash: string,
): Promise<ArgoService> {
  if (service.hash === hash && service.isManaged) return service;
  const { name } = reconcile.rollout.metadata;
  const body: JsonObject = {
    ...(!service.isManaged && { metadata: { annotations: { [MANAGED_BY]: name } } }),
    spec: { selector: { [HASH_LABEL]: hash } },
  };
  await reconcile.manager.transport.json({
    method: 'PATCH',
    path: pathOf(reconcile, service.name),
    query: { fieldManager: COMPONENT },
    contentType: 'application/merge-patch+json',
    body: stringifyGo(body),
  });
  const message = `Switched selector for service '${service.name}' from '${service.hash ?? ''}' to '${hash}'`;
  reconcile.record('Normal', 'SwitchService', message);
  return { ...service, hash, isManaged: true };
}

/** Points the Services of a canary to its two sides, once these have pods that can answer. */
export async function pointCanaryServices(reconcile: ArgoReconcile): Promise<void> {
  const { stableService, canaryService } = reconcile.rollout.spec.strategy.canary ?? {};
  await pointAt(reconcile, stableService, reconcile.stable);
  await pointAt(reconcile, canaryService, reconcile.isAborted ? reconcile.stable : reconcile.fresh);
}

async function pointAt(
  reconcile: ArgoReconcile,
  name: string | undefined,
  set: ReplicaSet | undefined,
): Promise<void> {
  if (name === undefined || set === undefined) return;
  const service = await readService(reconcile, name);
  if (service === undefined || service.hash === hashOf(set)) return;
  const enough = service.isManaged ? 1 : set.spec.replicas;
  if (availableOf(set) > 0 && availableOf(set) >= enough) await pointService(reconcile, service, hashOf(set));
}

function pathOf({ rollout }: ArgoReconcile, name: string): string {
  return pathTo('api', 'v1', 'namespaces', rollout.metadata.namespace ?? 'default', 'services', name);
}
