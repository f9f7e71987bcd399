import { CLAIM_ANNOTATION } from '@/lib/workloads/owner-checks';
import type { WorkloadKindName } from '@/lib/oam/rollout';
import { deepEqual, type Json, type JsonObject, isJsonObject } from '@/lib/kube/json';
import { controllerUidOf, type KubeObject } from '@/lib/kube/object';
import { heldByPartition } from '@/lib/workloads/kruise/rolling';
import { numberAt, objectAt, textAt, valueAt } from '@/lib/kube/read';

/** The claim's value before something is reverted. */
export function endingClaim(claim: string): string {
  return `${claim}/ending`;
}

/** Whether no other claimant has a workload. */
export function isFreeFor(claim: string, { claim: claimed }: Pick<RolledWorkload, 'claim'>): boolean {
  return claimed === undefined || claimed === claim || claimed === endingClaim(claim);
}

export const COMPONENT_LABEL = 'app.oam.dev/component';
export const REVISION_LABEL = 'app.oam.dev/revision';

/** What a workload reports about its pods; reliable only once its controller has observed its spec. */
interface PodCounts {
  readonly isObserved: boolean;
  readonly replicas: number;
  readonly readyReplicas: number;
  readonly updatedReplicas: number;
  readonly updatedReadyReplicas: number;
  readonly currentRevision: string | undefined;
  readonly updateRevision: string | undefined;
}

/** A Deployment or CloneSet, reduced to what a rollout needs. */
export interface RolledWorkload {
  readonly kind: WorkloadKindName;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly replicas: number;
  readonly isPaused: boolean;
  /** As written. */
  readonly partition: Json | undefined;
  /** Pods that the partition holds. */
  readonly heldReplicas: number;
  /** Names under `spec` of the object with partition and pause. */
  readonly strategyPath: readonly string[];
  readonly claim: string | undefined;
  readonly hasController: boolean;
  /** Component revision of its template, where it was applied from one. */
  readonly revision: string | undefined;
  readonly template: JsonObject;
  readonly pods: PodCounts;
}

/** The desired state of a workload; absent members stay unchanged. */
export interface DesiredWorkload {
  readonly replicas?: number;
  readonly isPaused?: boolean;
  readonly partition?: number | string | null;
  readonly claim?: string | null;
  readonly template?: JsonObject;
  /** Component revision of the template; null: of none. */
  readonly revision?: string | null;
}

export type WorkloadWrite =
  | { readonly do: 'change'; readonly workload: RolledWorkload; readonly desired: DesiredWorkload }
  | { readonly do: 'create'; readonly kind: WorkloadKindName; readonly manifest: JsonObject };

const FLAT_MEMBERS = ['partition', 'paused', 'maxUnavailable', 'maxSurge'];
const FLAT_TYPES = ['ReCreate', 'InPlaceIfPossible', 'InPlaceOnly'];

export function rolledWorkload(kind: WorkloadKindName, object: KubeObject): RolledWorkload {
  const { metadata, spec = {}, status = {} } = object;
  const at = kind === 'Deployment' ? [] : strategyPathOf(object);
  const replicas = numberAt(spec, 'replicas') ?? 1;
  const partition = kind === 'Deployment' ? undefined : valueAt(spec, ...at, 'partition');
  return {
    kind,
    namespace: metadata.namespace ?? '',
    name: metadata.name,
    uid: metadata.uid,
    resourceVersion: metadata.resourceVersion,
    replicas,
    isPaused: valueAt(spec, ...at, 'paused') === true,
    partition,
    heldReplicas: heldByPartition(partition, replicas),
    strategyPath: at,
    claim: metadata.annotations?.[CLAIM_ANNOTATION],
    revision: metadata.labels?.[REVISION_LABEL],
    hasController: controllerUidOf(object) !== undefined,
    template: objectAt(spec, 'template') ?? {},
    pods: {
      isObserved: (numberAt(status, 'observedGeneration') ?? 0) >= (metadata.generation ?? 0),
      replicas: numberAt(status, 'replicas') ?? 0,
      readyReplicas: numberAt(status, 'readyReplicas') ?? 0,
      updatedReplicas: numberAt(status, 'updatedReplicas') ?? 0,
      updatedReadyReplicas: numberAt(status, 'updatedReadyReplicas') ?? 0,
      currentRevision: textAt(status, 'currentRevision'),
      updateRevision: textAt(status, 'updateRevision'),
    },
  };
}

/** The write that leads to the desired state; none where it already applies. */
export function changeWorkload(workload: RolledWorkload, desired: DesiredWorkload): WorkloadWrite[] {
  const isUnchanged =
    (desired.replicas ?? workload.replicas) === workload.replicas &&
    (desired.isPaused ?? workload.isPaused) === workload.isPaused &&
    (desired.partition === undefined || (desired.partition ?? undefined) === workload.partition) &&
    (desired.claim === undefined || (desired.claim ?? undefined) === workload.claim) &&
    (desired.revision === undefined || (desired.revision ?? undefined) === workload.revision) &&
    (desired.template === undefined || deepEqual(desired.template, workload.template));
  return isUnchanged ? [] : [{ do: 'change', workload, desired }];
}

/**
 * The merge patch of a change. It names the version that was read, so that a later write by others causes a
 * conflict. A template is replaced completely, so removed members are listed as null.
 */
export function patchOf(workload: RolledWorkload, desired: DesiredWorkload): JsonObject {
  const { replicas, isPaused, partition, claim, template, revision } = desired;
  const rolling: JsonObject = {
    ...(isPaused !== undefined && { paused: isPaused }),
    ...(partition !== undefined && { partition }),
  };
  const at = workload.strategyPath.reduceRight<JsonObject>((inner, name) => ({ [name]: inner }), rolling);
  return {
    metadata: {
      uid: workload.uid,
      resourceVersion: workload.resourceVersion,
      ...(claim !== undefined && { annotations: { [CLAIM_ANNOTATION]: claim } }),
      ...(revision !== undefined && { labels: { [REVISION_LABEL]: revision } }),
    },
    spec: {
      ...(replicas !== undefined && { replicas }),
      ...(Object.keys(rolling).length > 0 && at),
      ...(template !== undefined && { template: replacementPatch(workload.template, template) }),
    },
  };
}

/** `after`, with null for every member that only `before` has. */
function replacementPatch(before: JsonObject, after: JsonObject): JsonObject {
  const patch: JsonObject = { ...after };
  for (const [name, value] of Object.entries(before)) {
    const inner = after[name];
    if (inner === undefined) patch[name] = null;
    else if (isJsonObject(value) && isJsonObject(inner)) patch[name] = replacementPatch(value, inner);
  }
  return patch;
}

/**
 * v1beta1 has the update strategy one level deeper than v1alpha1; a server that does not convert stores what
 * was written.
 */
function strategyPathOf({ apiVersion, spec = {} }: KubeObject): readonly string[] {
  const strategy = objectAt(spec, 'updateStrategy') ?? {};
  const isFlat =
    apiVersion.endsWith('/v1alpha1') ||
    FLAT_TYPES.includes(textAt(strategy, 'type') ?? '') ||
    FLAT_MEMBERS.some((member) => Object.hasOwn(strategy, member));
  return isFlat ? ['updateStrategy'] : ['updateStrategy', 'rollingUpdate'];
}
