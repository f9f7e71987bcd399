import { createHash } from 'node:crypto';
import { deepEqual, type JsonObject } from '@/lib/kube/json';
import { type KubeObject } from '@/lib/kube/object';
import { keyOf, type ObjectKey } from '@/server/cluster/reflector-store';
import { type Resource } from '@/sandbox/controllers/engine/resource';
import { type ControllerManager } from '@/sandbox/controllers/engine/controller-manager';
import { controllerReference, isControlledBy } from '@/sandbox/controllers/objects/owner';
import { isDeleting, isReady, type Pod, type PodTemplateSpec } from '@/sandbox/controllers/objects/pod';
import { type ControllerRevision } from '@/sandbox/controllers/objects/workloads';
import { dataText, revisionData } from '@/sandbox/controllers/revisions/data';
import { byRevision } from '@/sandbox/controllers/revisions/order';

interface StormService extends KubeObject {
  spec: JsonObject & { replicas: number; template: PodTemplateSpec };
}

/** The label with the revision that a pod was created from. */
const REVISION = 'storm-service-revision';
const KEPT = 10;

/**
 * Simulates a controller of a kind that Shiplog knows by its revisions alone: a StormService of AIBrix, as
 * far as its history requires. Its pods are replaced one after the other.
 * https://github.com/vllm-project/aibrix/tree/main/pkg/controller/stormservice
 */
export function runStormServices(manager: ControllerManager): void {
  const kind = manager.follow<StormService>('stormservices.orchestration.aibrix.ai');
  const work = manager.register(async (key) => {
    if (kind.resource !== undefined) await sync(manager, kind.resource, key);
  });
  kind.onChange(({ object, before }) => {
    const state = object ?? before;
    if (state !== undefined) work.add(keyOf(state));
  });
  manager.pods.store.onChange(({ object, before }) => {
    const pod = object ?? before;
    const owner = pod?.metadata.ownerReferences?.find(({ controller }) => controller === true);
    if (pod === undefined || owner?.kind !== 'StormService') return;
    const { namespace = '' } = pod.metadata;
    work.add(`${namespace}/${owner.name}`);
  });
}

async function sync(
  manager: ControllerManager,
  services: Resource<StormService>,
  key: ObjectKey,
): Promise<void> {
  const service = services.store.get(key);
  if (service === undefined || isDeleting(service)) return;
  const target = await chooseRevision(manager, service);
  await keepPods(manager, service, target);
  await report(manager, services, service, target);
}

/** An equal one is reused, under a new number. */
async function chooseRevision(
  manager: ControllerManager,
  service: StormService,
): Promise<ControllerRevision> {
  const { namespace, name } = service.metadata;
  const known = manager.revisions.store
    .inNamespace(namespace)
    .filter((revision) => isControlledBy(revision, service))
    .sort(byRevision);
  const data = revisionData(service.spec.template);
  const text = dataText(data);
  const newest = known.at(-1);
  const equal = known.findLast((revision) => dataText(revision.data) === text);
  const revision = (newest?.revision ?? 0) + 1;
  if (equal !== undefined)
    return equal === newest ? equal : await manager.revisions.replace({ ...equal, revision });
  for (const old of known.slice(0, Math.max(0, known.length + 1 - KEPT))) await manager.revisions.delete(old);
  return manager.revisions.create(namespace, {
    metadata: {
      name: `${name}-${createHash('sha1').update(text).digest('hex').slice(0, 10)}`,
      labels: { name },
      ownerReferences: [controllerReference(service)],
    },
    revision,
    data,
  });
}

async function keepPods(
  manager: ControllerManager,
  service: StormService,
  target: ControllerRevision,
): Promise<void> {
  const { namespace, name } = service.metadata;
  const pods = podsOf(manager, service);
  const wanted = Array.from({ length: service.spec.replicas }, (_, index) => `${name}-${index}`);
  for (const pod of pods)
    if (!wanted.includes(pod.metadata.name) && !isDeleting(pod)) await manager.pods.delete(pod);
  const missing = wanted.filter((podName) => !pods.some(({ metadata }) => metadata.name === podName));
  for (const podName of missing) await manager.pods.create(namespace, podDraft(service, target, podName));
  if (missing.length > 0 || !pods.every((pod) => isReady(pod) && !isDeleting(pod))) return;
  const outdated = pods.findLast(({ metadata }) => metadata.labels?.[REVISION] !== target.metadata.name);
  if (outdated !== undefined) await manager.pods.delete(outdated);
}

function podsOf(manager: ControllerManager, service: StormService): Pod[] {
  return manager.pods.store
    .inNamespace(service.metadata.namespace)
    .filter((pod) => isControlledBy(pod, service))
    .sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
}

function podDraft(service: StormService, target: ControllerRevision, name: string) {
  const { metadata = {}, spec } = service.spec.template;
  return {
    metadata: {
      ...metadata,
      name,
      labels: { ...metadata.labels, [REVISION]: target.metadata.name },
      ownerReferences: [controllerReference(service)],
    },
    spec: { ...spec },
  };
}

async function report(
  manager: ControllerManager,
  services: Resource<StormService>,
  service: StormService,
  target: ControllerRevision,
): Promise<void> {
  const pods = podsOf(manager, service);
  const updated = pods.filter(({ metadata }) => metadata.labels?.[REVISION] === target.metadata.name);
  const isThrough = updated.length === service.spec.replicas && updated.every(isReady);
  const { currentRevision } = service.status ?? {};
  const status = {
    observedGeneration: service.metadata.generation ?? 0,
    replicas: pods.length,
    readyReplicas: pods.filter(isReady).length,
    updatedReplicas: updated.length,
    currentRevision: isThrough ? target.metadata.name : (currentRevision ?? target.metadata.name),
    updateRevision: target.metadata.name,
  };
  if (deepEqual(status, service.status ?? {})) return;
  await services.replaceStatus({ ...service, status });
}
