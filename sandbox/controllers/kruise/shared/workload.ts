import { type JsonObject } from '@/lib/kube/json';
import { type KubeObject } from '@/lib/kube/object';
import { numberAt, textAt } from '@/lib/kube/read';
import { sameTemplate } from '@/sandbox/controllers/deployment/replica-sets';
import { type Resource } from '@/sandbox/controllers/engine/resource';
import { type ControllerManager } from '@/sandbox/controllers/engine/controller-manager';
import { type KruiseKinds, workloadsOf } from '@/sandbox/controllers/kruise/shared/kruise-kinds';
import {
  CANARY_DEPLOYMENT,
  IN_PROGRESSING,
  type KruiseResource,
  STABLE_REVISION,
  type Style,
  styleOf,
} from '@/sandbox/controllers/kruise/shared/rollout-object';
import { isControlledBy } from '@/sandbox/controllers/objects/owner';
import { isDeleting, type PodTemplateSpec } from '@/sandbox/controllers/objects/pod';
import { type Deployment, type ReplicaSet } from '@/sandbox/controllers/objects/workloads';
import { templateHash } from '@/sandbox/controllers/revisions/hash';

export const POD_TEMPLATE_HASH = 'pod-template-hash';
export const CONTROLLER_REVISION_HASH = 'controller-revision-hash';

/** The workload as a Rollout sees it. */
export interface RolloutWorkload {
  readonly object: KubeObject;
  readonly resource: Resource<KubeObject>;
  readonly replicas: number;
  /** Of the desired pod template; the rollout id unless a label sets another. */
  readonly revision: string;
  readonly stableRevision: string;
  /** The hash label of its updated pods; empty while there can be none. */
  readonly podTemplateHash: string;
  /** The label of pods that carries `podTemplateHash`. */
  readonly revisionLabel: string;
  /** A rollout of it has started and is not finalizing. */
  readonly isInProgress: boolean;
  readonly isInRollback: boolean;
  /** Its own controller has observed the desired state. */
  readonly isObserved: boolean;
}

/**
 * The workload of a Rollout; undefined when there is none.
 * https://github.com/openkruise/rollouts/blob/master/pkg/util/controller_finder.go
 */
export function workloadOf(
  manager: ControllerManager,
  kinds: KruiseKinds,
  rollout: KruiseResource,
): RolloutWorkload | undefined {
  const { workloadRef } = rollout.spec;
  const resource = workloadsOf(manager, kinds, workloadRef);
  const object = resource?.store.get(`${rollout.metadata.namespace ?? '-'}/${workloadRef.name}`);
  if (resource === undefined || object === undefined || isDeleting(object)) return undefined;
  const shared = {
    object,
    resource,
    replicas: numberAt(object.spec, 'replicas') ?? numberAt(object.status, 'desiredNumberScheduled') ?? 1,
    isInProgress: object.metadata.annotations?.[IN_PROGRESSING] !== undefined,
    isObserved: numberAt(object.status, 'observedGeneration') === object.metadata.generation,
  };
  const facts = factsOf(manager, object, shared.isInProgress, styleOf(rollout.spec));
  return { ...shared, ...facts, isInRollback: shared.isInProgress && facts.isInRollback };
}

type Facts = Pick<
  RolloutWorkload,
  'revision' | 'stableRevision' | 'podTemplateHash' | 'revisionLabel' | 'isInRollback'
>;

function factsOf(manager: ControllerManager, object: KubeObject, isInProgress: boolean, style: Style): Facts {
  if (object.kind === 'Deployment') return factsOfDeployment(manager, object as Deployment, style);
  return isNativeDaemonSet(object)
    ? factsOfDaemonSet(manager, object, isInProgress)
    : factsOfRevisions(object);
}

export function isNativeDaemonSet({ apiVersion, kind }: KubeObject): boolean {
  return kind === 'DaemonSet' && apiVersion.startsWith('apps/');
}

/** Not the hash in the names of ReplicaSets, although both are computed from the same template. */
export function kruiseHash(template: JsonObject): string {
  const { metadata, ...rest } = template;
  const { creationTimestamp: _none, ...kept } = (metadata ?? {}) as JsonObject;
  const { [POD_TEMPLATE_HASH]: _hash, ...labels } = (kept.labels ?? {}) as Record<string, string>;
  return templateHash({ ...rest, metadata: { ...kept, labels } }, 0);
}

export function setsOf(manager: ControllerManager, deployment: KubeObject): ReplicaSet[] {
  return manager.replicaSets.store
    .inNamespace(deployment.metadata.namespace)
    .filter((set) => isControlledBy(set, deployment) && !isDeleting(set))
    .sort(byAge);
}

/** The ReplicaSet that is still available: the oldest with pods. */
export function stableSetOf(sets: readonly ReplicaSet[]): ReplicaSet | undefined {
  return sets.find((set) => set.spec.replicas > 0);
}

export function freshSetOf(sets: readonly ReplicaSet[], template: PodTemplateSpec): ReplicaSet | undefined {
  return sets.find((set) => sameTemplate(set.spec.template, template));
}

export function hashOf(set: ReplicaSet | undefined): string {
  return set?.metadata.labels?.[POD_TEMPLATE_HASH] ?? '';
}

export function canaryDeploymentOf(manager: ControllerManager, stable: KubeObject): Deployment | undefined {
  return manager.deployments.store
    .inNamespace(stable.metadata.namespace)
    .find((one) => one.metadata.labels?.[CANARY_DEPLOYMENT] === stable.metadata.name && !isDeleting(one));
}

function factsOfDeployment(manager: ControllerManager, deployment: Deployment, style: Style): Facts {
  const { template } = deployment.spec;
  const sets = setsOf(manager, deployment);
  const labelled = deployment.metadata.labels?.[STABLE_REVISION] ?? '';
  const fresh = freshSetOf(sets, template);
  const shared = { revision: kruiseHash(template), revisionLabel: POD_TEMPLATE_HASH };
  if (style !== 'Canary') {
    return {
      ...shared,
      stableRevision: labelled,
      podTemplateHash: labelled === '' ? '' : hashOf(fresh),
      isInRollback: labelled !== '' && hashOf(fresh) === labelled,
    };
  }
  const stable = stableSetOf(sets);
  const canary = canaryDeploymentOf(manager, deployment);
  const canarySet =
    canary === undefined ? undefined : freshSetOf(setsOf(manager, canary), canary.spec.template);
  return {
    ...shared,
    stableRevision: hashOf(stable),
    podTemplateHash: hashOf(canarySet),
    isInRollback: stable !== undefined && sameTemplate(stable.spec.template, template),
  };
}

/** Its status names no revision: those with the highest two numbers count as the new and the stable one. */
function factsOfDaemonSet(manager: ControllerManager, set: KubeObject, isInProgress: boolean): Facts {
  const [newest, next] = isInProgress ? newestRevisions(manager, set) : [];
  const revision = newest ?? '';
  return {
    revision,
    stableRevision: next ?? revision,
    podTemplateHash: revision,
    revisionLabel: CONTROLLER_REVISION_HASH,
    isInRollback: revision !== '' && next === undefined,
  };
}

/** Hashes of the revisions of a workload, the one with the highest number first. */
export function newestRevisions(manager: ControllerManager, set: KubeObject): string[] {
  return manager.revisions.store
    .inNamespace(set.metadata.namespace)
    .filter((revision) => isControlledBy(revision, set))
    .sort((a, b) => b.revision - a.revision)
    .map(({ metadata }) => metadata.labels?.[CONTROLLER_REVISION_HASH] ?? '');
}

/** Of kinds whose own controllers name the revisions. */
function factsOfRevisions({ apiVersion, kind, status, spec }: KubeObject): Facts {
  const isDaemonSet = kind === 'DaemonSet';
  const update = textAt(status, 'updateRevision') ?? textAt(status, 'daemonSetHash') ?? '';
  const current = textAt(status, 'currentRevision') ?? '';
  const isShort = kind === 'CloneSet' || isDaemonSet;
  const revision = isShort ? hashPart(update) : update;
  // Not the desired ones: in a blue-green rollout there are twice as many.
  const replicas = numberAt(status, 'replicas') ?? numberAt(spec, 'replicas') ?? 0;
  const isHalfway = (numberAt(status, 'updatedReplicas') ?? 0) !== replicas;
  return {
    revision,
    stableRevision: isShort ? hashPart(current) : current,
    podTemplateHash: revision,
    revisionLabel:
      kind === 'CloneSet' && apiVersion.startsWith('apps.kruise.io/')
        ? POD_TEMPLATE_HASH
        : CONTROLLER_REVISION_HASH,
    isInRollback: !isDaemonSet && current !== '' && current === update && isHalfway,
  };
}

/** The last part of `{name}-{hash}`. */
export function hashPart(revision: string): string {
  return revision.slice(revision.lastIndexOf('-') + 1);
}

function byAge(a: ReplicaSet, b: ReplicaSet): number {
  const [mine, theirs] = [a.metadata.creationTimestamp, b.metadata.creationTimestamp];
  if (mine !== theirs) return mine < theirs ? -1 : 1;
  return a.metadata.name < b.metadata.name ? -1 : 1;
}
