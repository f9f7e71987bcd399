import { type WorkloadKindName } from '@/lib/oam/rollout';
import { deepEqual, type Json, type JsonObject } from '@/lib/kube/json';
import { controllerUidOf, type KubeObject } from '@/lib/kube/object';
import { keptBy } from '@/lib/workloads/kruise/rolling';
import { numberAt, objectAt, textAt, valueAt } from '@/lib/workloads/read';

/** Who rolls a workload: `{name}/{uid}` of a Rollout. An owner would take the workload with it when it is deleted. */
export const CLAIM = 'shiplog.dev/oam-rollout';

/** What a claim becomes before something is taken back. */
export function endingClaim(claim: string): string {
  return `${claim}/ending`;
}

/** Whether nobody but this claimant has a workload. */
export function isFreeFor(claim: string, { claim: claimed }: Pick<RolledWorkload, 'claim'>): boolean {
  return claimed === undefined || claimed === claim || claimed === endingClaim(claim);
}

export const COMPONENT_LABEL = 'app.oam.dev/component';
export const REVISION_LABEL = 'app.oam.dev/revision';

/** What a workload says of its pods; only to be trusted once it has seen its spec. */
export interface PodCounts {
  readonly isObserved: boolean;
  readonly replicas: number;
  readonly readyReplicas: number;
  readonly updatedReplicas: number;
  readonly updatedReadyReplicas: number;
  readonly currentRevision: string | undefined;
  readonly updateRevision: string | undefined;
}

/** A Deployment or CloneSet as far as a rollout is concerned with it. */
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
  /** Pods that the partition keeps as they are. */
  readonly kept: number;
  /** Names under `spec` of the object that holds partition and pause. */
  readonly at: readonly string[];
  readonly claim: string | undefined;
  readonly hasController: boolean;
  /** Component revision that its template is of, where it was applied from one. */
  readonly revision: string | undefined;
  readonly template: JsonObject;
  readonly pods: PodCounts;
}

/** What is to become of a workload; what is absent stays. */
export interface Wanted {
  readonly replicas?: number;
  readonly isPaused?: boolean;
  readonly partition?: number | string | null;
  readonly claim?: string | null;
  readonly template?: JsonObject;
  /** Component revision that the template is of; null: of none. */
  readonly revision?: string | null;
}

export type Write =
  | { readonly do: 'change'; readonly workload: RolledWorkload; readonly wanted: Wanted }
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
    kept: keptBy(partition, replicas),
    at,
    claim: metadata.annotations?.[CLAIM],
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

/** The write that brings about what is wanted; none where it is so already. */
export function change(workload: RolledWorkload, wanted: Wanted): Write[] {
  const isSo =
    (wanted.replicas ?? workload.replicas) === workload.replicas &&
    (wanted.isPaused ?? workload.isPaused) === workload.isPaused &&
    (wanted.partition === undefined || (wanted.partition ?? undefined) === workload.partition) &&
    (wanted.claim === undefined || (wanted.claim ?? undefined) === workload.claim) &&
    (wanted.revision === undefined || (wanted.revision ?? undefined) === workload.revision) &&
    (wanted.template === undefined || deepEqual(wanted.template, workload.template));
  return isSo ? [] : [{ do: 'change', workload, wanted }];
}

/**
 * The merge patch of a change. It names the version that was looked at, so that what somebody else wrote since is
 * looked at first. A template is replaced as a whole, which the members that go need to be told.
 */
export function patchOf(workload: RolledWorkload, wanted: Wanted): JsonObject {
  const { replicas, isPaused, partition, claim, template, revision } = wanted;
  const rolling: JsonObject = {
    ...(isPaused !== undefined && { paused: isPaused }),
    ...(partition !== undefined && { partition }),
  };
  const at = workload.at.reduceRight<JsonObject>((inner, name) => ({ [name]: inner }), rolling);
  return {
    metadata: {
      uid: workload.uid,
      resourceVersion: workload.resourceVersion,
      ...(claim !== undefined && { annotations: { [CLAIM]: claim } }),
      ...(revision !== undefined && { labels: { [REVISION_LABEL]: revision } }),
    },
    spec: {
      ...(replicas !== undefined && { replicas }),
      ...(Object.keys(rolling).length > 0 && at),
      ...(template !== undefined && { template: replacing(workload.template, template) }),
    },
  };
}

/** `after`, with null for every member that only `before` has. */
function replacing(before: JsonObject, after: JsonObject): JsonObject {
  const patch: JsonObject = { ...after };
  for (const [name, value] of Object.entries(before)) {
    const inner = after[name];
    if (inner === undefined) patch[name] = null;
    else if (isPlain(value) && isPlain(inner)) patch[name] = replacing(value, inner);
  }
  return patch;
}

function isPlain(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** v1beta1 has the rules of an update one level deeper than v1alpha1; a server that does not convert keeps what was written. */
function strategyPathOf({ apiVersion, spec = {} }: KubeObject): readonly string[] {
  const strategy = objectAt(spec, 'updateStrategy') ?? {};
  const isFlat =
    apiVersion.endsWith('/v1alpha1') ||
    FLAT_TYPES.includes(textAt(strategy, 'type') ?? '') ||
    FLAT_MEMBERS.some((member) => Object.hasOwn(strategy, member));
  return isFlat ? ['updateStrategy'] : ['updateStrategy', 'rollingUpdate'];
}
