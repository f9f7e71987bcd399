import type { ControllerManager } from '@/sandbox/controllers/runtime/controller-manager';
import { podDraft } from '@/sandbox/controllers/runtime/pod-control';
import { type Draft, isAlreadyExists } from '@/sandbox/controllers/runtime/resource';
import { withoutZeros } from '@/sandbox/controllers/objects/amounts';
import {
  isAvailable,
  isDeleting,
  isReady,
  type Pod,
  type PodTemplateSpec,
} from '@/sandbox/controllers/objects/pod';
import type { StatefulSet, StatefulSetStatus } from '@/sandbox/controllers/objects/workloads';
import { type ChosenRevisions, REVISION_LABEL } from '@/sandbox/controllers/revisions/controller-revisions';

export function startOrdinal({ spec }: StatefulSet): number {
  return spec.ordinals?.start ?? 0;
}

/** Name of the set and position in it, from the name of a pod; undefined for any other name. */
export function identityOf(name: string): { parent: string; ordinal: number } | undefined {
  const match = /^(.*)-(\d+)$/s.exec(name);
  return match === null ? undefined : { parent: match[1] ?? '', ordinal: Number(match[2]) };
}

export function ordinalOf({ metadata }: Pod): number {
  return identityOf(metadata.name)?.ordinal ?? -1;
}

function revisionOfPod({ metadata }: Pod): string {
  return metadata.labels?.[REVISION_LABEL] ?? '';
}

export function podName(set: StatefulSet, ordinal: number): string {
  return `${set.metadata.name}-${ordinal}`;
}

function claimName(set: StatefulSet, template: string, ordinal: number): string {
  return `${template}-${set.metadata.name}-${ordinal}`;
}

/** The pod for one position in the set. Its claims replace volumes of the same name. */
export function memberDraft(
  set: StatefulSet,
  template: PodTemplateSpec,
  revision: string,
  ordinal: number,
): Draft {
  const { metadata, spec } = podDraft(set, template);
  const name = podName(set, ordinal);
  const labels = {
    ...template.metadata?.labels,
    'statefulset.kubernetes.io/pod-name': name,
    'apps.kubernetes.io/pod-index': String(ordinal),
    [REVISION_LABEL]: revision,
  };
  const claims = (set.spec.volumeClaimTemplates ?? []).map(({ metadata: claim }) => ({
    name: claim.name,
    persistentVolumeClaim: { claimName: claimName(set, claim.name, ordinal) },
  }));
  const others = (spec.volumes ?? []).filter((volume) => claims.every((claim) => claim.name !== volume.name));
  const volumes = claims.length + others.length === 0 ? undefined : [...claims, ...others];
  const subdomain = set.spec.serviceName === '' ? undefined : set.spec.serviceName;
  return { metadata: { ...metadata, name, labels }, spec: { ...spec, hostname: name, subdomain, volumes } };
}

/** Creates the missing volume claims of one pod of the set; they outlive it. */
export async function createClaims(
  manager: ControllerManager,
  set: StatefulSet,
  ordinal: number,
): Promise<void> {
  const { namespace } = set.metadata;
  const matchLabels = set.spec.selector.matchLabels as Record<string, string> | undefined;
  for (const { metadata, spec } of set.spec.volumeClaimTemplates ?? []) {
    const name = claimName(set, metadata.name, ordinal);
    if (manager.claims.store.get(`${namespace ?? '-'}/${name}`) !== undefined) continue;
    const labels = { ...metadata.labels, ...matchLabels };
    try {
      await manager.claims.create(namespace, { metadata: { ...metadata, name, labels }, spec });
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
    }
  }
}

type Counts = Required<
  Pick<
    StatefulSetStatus,
    'replicas' | 'readyReplicas' | 'availableReplicas' | 'currentReplicas' | 'updatedReplicas'
  >
>;

/** https://github.com/kubernetes/kubernetes/blob/master/pkg/controller/statefulset/stateful_set_control.go (computeReplicaStatus) */
export function countPods(
  pods: readonly Pod[],
  { current, update }: ChosenRevisions,
  minReadySeconds: number | undefined,
  now: number,
): Counts {
  const ready = pods.filter((pod) => pod.status.phase === 'Running' && isReady(pod));
  const staying = pods.filter((pod) => !isDeleting(pod)).map(revisionOfPod);
  return {
    replicas: pods.length,
    readyReplicas: ready.length,
    availableReplicas: ready.filter((pod) => isAvailable(pod, minReadySeconds, now)).length,
    currentReplicas: staying.filter((name) => name === current.metadata.name).length,
    updatedReplicas: staying.filter((name) => name === update.metadata.name).length,
  };
}

/** A rolling update that has completed makes the update revision the current one. */
export function statefulSetStatus(
  set: StatefulSet,
  { current, update, collisionCount }: ChosenRevisions,
  counts: Counts,
): StatefulSetStatus {
  const { replicas, updateStrategy } = set.spec;
  const isThrough =
    updateStrategy.type === 'RollingUpdate' &&
    [counts.updatedReplicas, counts.readyReplicas, counts.replicas].every((count) => count === replicas);
  const status = {
    observedGeneration: set.metadata.generation ?? 0,
    ...counts,
    currentReplicas: isThrough ? counts.updatedReplicas : counts.currentReplicas,
    currentRevision: (isThrough ? update : current).metadata.name,
    updateRevision: update.metadata.name,
    collisionCount,
  };
  return withoutZeros(status, ['replicas', 'availableReplicas', 'collisionCount']);
}
