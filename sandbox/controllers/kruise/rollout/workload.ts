import type { KubeObject } from '@/lib/kube/object';
import { numberAt, textAt } from '@/lib/kube/read';
import { sameTemplate, withoutHash } from '@/sandbox/controllers/deployment/replica-sets';
import type { ControllerManager } from '@/sandbox/controllers/runtime/controller-manager';
import type { CustomKind } from '@/sandbox/controllers/runtime/custom-kind';
import type { ObjectChange } from '@/sandbox/controllers/runtime/informer';
import type { Resource } from '@/sandbox/controllers/runtime/resource';
import {
  CANARY_DEPLOYMENT,
  IN_PROGRESSING,
  type KruiseRollout,
  type KruiseSpec,
  ROLLOUT_ID,
  STABLE_REVISION,
  styleOf,
} from '@/sandbox/controllers/kruise/rollout/rollout-object';
import { isControlledBy } from '@/sandbox/controllers/objects/owner';
import { isActive, isDeleting, isReady, type Pod } from '@/sandbox/controllers/objects/pod';
import type { Deployment, ReplicaSet } from '@/sandbox/controllers/objects/workloads';
import { templateHash } from '@/sandbox/controllers/revisions/hash';
import { byCreation } from '@/sandbox/controllers/revisions/controller-revisions';

export const POD_TEMPLATE_HASH = 'pod-template-hash';
export const CONTROLLER_REVISION_HASH = 'controller-revision-hash';

/** The kinds that Rollouts are about; each exists once it is served. */
export interface KruiseKinds {
  readonly rollouts: CustomKind<KruiseRollout>;
  readonly batchReleases: CustomKind<KubeObject>;
  /** By group and kind. */
  readonly workloads: Readonly<Record<string, { readonly resource: Resource<KubeObject> | undefined }>>;
}

/** Calls back for every change of an object that may be the workload of a Rollout, or belong to one. */
export function followKruise(
  manager: ControllerManager,
  onChange: (object: KubeObject) => void = () => undefined,
): KruiseKinds {
  const notify = ({ object, before }: ObjectChange<KubeObject>) => {
    const state = object ?? before;
    if (state !== undefined) onChange(state);
  };
  const { deployments, statefulSets, daemonSets, replicaSets, pods } = manager;
  for (const { store } of [deployments, statefulSets, daemonSets, replicaSets, pods]) store.onChange(notify);
  const follow = (plural: string) => {
    const kind = manager.follow(`${plural}.apps.kruise.io`);
    kind.onChange(notify);
    return kind;
  };
  return {
    rollouts: manager.follow('rollouts.rollouts.kruise.io'),
    batchReleases: manager.follow('batchreleases.rollouts.kruise.io'),
    workloads: {
      'apps Deployment': { resource: deployments as unknown as Resource<KubeObject> },
      'apps StatefulSet': { resource: statefulSets as unknown as Resource<KubeObject> },
      'apps DaemonSet': { resource: daemonSets as unknown as Resource<KubeObject> },
      'apps.kruise.io CloneSet': follow('clonesets'),
      'apps.kruise.io StatefulSet': follow('statefulsets'),
      'apps.kruise.io DaemonSet': follow('daemonsets'),
    },
  };
}

/** The objects among which the workload is; undefined for a kind that cannot be rolled out, or is not served. */
export function workloadsOf(
  { workloads }: KruiseKinds,
  { apiVersion, kind }: KruiseSpec['workloadRef'],
): Resource<KubeObject> | undefined {
  const [group] = apiVersion.split('/');
  return workloads[`${group} ${kind}`]?.resource?.as('kruise-manager');
}

/** The workload as a Rollout sees it. */
export interface RolloutWorkload extends Facts {
  readonly object: KubeObject;
  readonly resource: Resource<KubeObject>;
  readonly replicas: number;
  /** A rollout of it has started and is not finalizing. */
  readonly isInProgress: boolean;
  /** Its own controller has observed the desired state. */
  readonly isObserved: boolean;
}

interface Facts {
  /** Of the desired pod template; the rollout id unless a label sets another. */
  readonly revision: string;
  readonly stableRevision: string;
  /** The hash label of its updated pods; empty while there can be none. */
  readonly podTemplateHash: string;
  /** The label of pods that carries `podTemplateHash`. */
  readonly revisionLabel: string;
  readonly isInRollback: boolean;
  /** Of any revision, without those of a canary Deployment. */
  readonly pods: readonly Pod[];
  /** Of the new revision; with the canary Deployment they are its pods. */
  readonly updatedPods: readonly Pod[];
  /** All of `pods` are of the new revision. */
  readonly isUniform: boolean;
}

/** https://github.com/openkruise/rollouts/blob/master/pkg/util/controller_finder.go */
export function findWorkload(
  manager: ControllerManager,
  resource: Resource<KubeObject>,
  { metadata, spec }: KruiseRollout,
): RolloutWorkload | undefined {
  const object = resource.store.get(`${metadata.namespace ?? '-'}/${spec.workloadRef.name}`);
  if (object === undefined || isDeleting(object)) return undefined;
  const isInProgress = object.metadata.annotations?.[IN_PROGRESSING] !== undefined;
  const facts =
    object.kind === 'Deployment'
      ? readDeployment(manager, object as Deployment, styleOf(spec) === 'Canary')
      : readRevisions(manager, object);
  return {
    ...facts,
    object,
    resource,
    replicas: numberAt(object.spec, 'replicas') ?? numberAt(object.status, 'desiredNumberScheduled') ?? 1,
    isInProgress,
    isInRollback: isInProgress && facts.isInRollback,
    isObserved: numberAt(object.status, 'observedGeneration') === object.metadata.generation,
  };
}

/** The id by which pods and records refer to a rollout. Reused if the label does not change. */
export function rolloutIdOf({ object, revision, isInRollback }: RolloutWorkload): string {
  const requested = object.metadata.labels?.[ROLLOUT_ID] ?? '';
  if (requested !== '') return requested;
  return isInRollback ? `rollback-${revision}` : revision;
}

/** No pod of an older revision is left, and all of the new one are ready. */
export function isRolledOut({ pods, isUniform, replicas, isObserved }: RolloutWorkload): boolean {
  return isObserved && isUniform && pods.length === replicas && pods.every(isReady);
}

/** Of all kinds but Deployments the last part of `{name}-{hash}`. */
export function hashPart(revision: string): string {
  return revision.slice(revision.lastIndexOf('-') + 1);
}

export function findSets(manager: ControllerManager, deployment: KubeObject): ReplicaSet[] {
  return manager.replicaSets.store
    .inNamespace(deployment.metadata.namespace)
    .filter((set) => isControlledBy(set, deployment) && !isDeleting(set))
    .sort(byCreation);
}

export function hashOf(set: ReplicaSet | undefined): string {
  return set?.metadata.labels?.[POD_TEMPLATE_HASH] ?? '';
}

export function findCanaries(manager: ControllerManager, stable: KubeObject): Deployment[] {
  return manager.deployments.store
    .inNamespace(stable.metadata.namespace)
    .filter((one) => one.metadata.labels?.[CANARY_DEPLOYMENT] === stable.metadata.name && !isDeleting(one));
}

function podsOf(manager: ControllerManager, owner: KubeObject | undefined): Pod[] {
  if (owner === undefined) return [];
  return manager.pods.store
    .inNamespace(owner.metadata.namespace)
    .filter((pod) => isControlledBy(pod, owner) && isActive(pod));
}

function readDeployment(manager: ControllerManager, deployment: Deployment, isCanary: boolean): Facts {
  const { template } = deployment.spec;
  const sets = findSets(manager, deployment);
  const fresh = sets.find((set) => sameTemplate(set.spec.template, template));
  const [canary] = isCanary ? findCanaries(manager, deployment) : [];
  const [canarySet] = canary === undefined ? [] : findSets(manager, canary);
  // The write that started the rollout labels it; at its end the oldest with pods may be another.
  const oldest = sets.find((set) => set.spec.replicas > 0);
  const stableRevision = isCanary ? hashOf(oldest) : (deployment.metadata.labels?.[STABLE_REVISION] ?? '');
  const pods = sets.flatMap((set) => podsOf(manager, set));
  const freshPods = podsOf(manager, fresh);
  return {
    // Not the hash in the names of ReplicaSets, although both are computed from the same template.
    revision: templateHash(withoutHash(template), 0),
    stableRevision,
    podTemplateHash: isCanary ? hashOf(canarySet) : stableRevision === '' ? '' : hashOf(fresh),
    revisionLabel: POD_TEMPLATE_HASH,
    isInRollback: stableRevision !== '' && hashOf(fresh) === stableRevision,
    pods,
    updatedPods: isCanary ? podsOf(manager, canarySet) : freshPods,
    isUniform: freshPods.length === pods.length,
  };
}

/** Of kinds with ControllerRevisions. */
function readRevisions(manager: ControllerManager, object: KubeObject): Facts {
  const { apiVersion, kind, status, spec } = object;
  const isNative = apiVersion.startsWith('apps/');
  const [update, current] =
    kind === 'DaemonSet' && isNative
      ? nativeRevisions(manager, object)
      : [
          textAt(status, 'updateRevision') ?? textAt(status, 'daemonSetHash') ?? '',
          textAt(status, 'currentRevision') ?? '',
        ];
  const isShort = kind === 'CloneSet' || kind === 'DaemonSet';
  const revision = isShort ? hashPart(update) : update;
  const pods = podsOf(manager, object);
  const updatedPods = pods.filter(({ metadata: { labels } }) => {
    const own = labels?.[CONTROLLER_REVISION_HASH] ?? '';
    return own !== '' && hashPart(own) === hashPart(revision);
  });
  // Not the desired ones: in a blue-green rollout there are twice as many.
  const replicas = numberAt(status, 'replicas') ?? numberAt(spec, 'replicas') ?? 0;
  const isHalfway = (numberAt(status, 'updatedReplicas') ?? 0) !== replicas;
  return {
    revision,
    stableRevision: isShort ? hashPart(current) : current,
    podTemplateHash: revision,
    revisionLabel: kind === 'CloneSet' ? POD_TEMPLATE_HASH : CONTROLLER_REVISION_HASH,
    isInRollback: kind !== 'DaemonSet' && current !== '' && current === update && isHalfway,
    pods,
    updatedPods,
    isUniform: updatedPods.length === pods.length,
  };
}

/** Its status names no revision: those with the highest two numbers count as the new and the stable one. */
function nativeRevisions(manager: ControllerManager, set: KubeObject): readonly [string, string] {
  const [newest = '', next = newest] = manager.revisions.store
    .inNamespace(set.metadata.namespace)
    .filter((revision) => isControlledBy(revision, set))
    .sort((a, b) => b.revision - a.revision)
    .map(({ metadata }) => metadata.labels?.[CONTROLLER_REVISION_HASH] ?? '');
  return [newest, next];
}
