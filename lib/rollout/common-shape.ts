import type { ConditionItem } from '@/lib/api/common';
import type { RolloutPod, RolloutRevision, RolloutStep } from '@/lib/api/rollouts';
import type { StepState } from '@/lib/api/rollout-values';
import { isActive } from '@/lib/history/assemble';
import type { PodSummary } from '@/lib/history/pod';
import type { Revision } from '@/lib/history/revision';
import type { Workload } from '@/lib/history/workload';
import { controllerUidOf, type KubeObject } from '@/lib/kube/object';
import type { ResourceType } from '@/lib/kube/resource';
import { boundedName, boundedText, conditionsOf, writtenAt } from '@/lib/rollout/bounded';
import type { ProgressiveRollout } from '@/lib/rollout/rollout';
import type { RelatedObject, RolloutFacts, RolloutObject } from '@/lib/rollout/rollout-facts';
import { describeBlock } from '@/lib/messages/pods';
import { isPersistentBlock } from '@/lib/pods/pod-block';

/**
 * What the object of any rollout contains, without what few systems have: each replaces what it reads. A
 * cluster-scoped object has the namespace `-`.
 */
export function objectFacts(object: KubeObject, resource: string): Omit<RolloutObject, 'workload'> {
  const { apiVersion, metadata, status } = object;
  return {
    resource,
    version: readVersion(apiVersion),
    uid: metadata.uid,
    namespace: metadata.namespace ?? '-',
    name: metadata.name,
    resourceVersion: metadata.resourceVersion,
    generation: metadata.generation ?? 0,
    createdAt: metadata.creationTimestamp,
    deletedAt: metadata.deletionTimestamp ?? null,
    observedGeneration: null,
    relatedObjects: [],
    others: [],
    rollsBackInSteps: false,
    component: null,
    specWrittenAt: writtenAt(object, 'spec'),
    statusWrittenAt: writtenAt(object, 'status'),
    conditions: conditionsOf(status),
  };
}

/** What any related object contains. */
export function relatedObjectFacts({ id, kind }: ResourceType, object: KubeObject): RelatedObject {
  const { metadata, status } = object;
  return {
    resource: id,
    kind,
    uid: metadata.uid,
    namespace: metadata.namespace ?? '-',
    name: metadata.name,
    controllerUid: controllerUidOf(object) ?? null,
    phase: boundedName(status, 'phase'),
    message: boundedText(status, 'message'),
  };
}

/** An object that something else controls does not belong to the rollout, whatever its name. */
export function isControlledBy({ controllerUid }: RelatedObject, uid: string): boolean {
  return controllerUid === null || controllerUid === uid;
}

export function readVersion(apiVersion: string): string {
  return apiVersion.slice(apiVersion.lastIndexOf('/') + 1);
}

/** What is derived of every rollout. */
type Described = 'state' | 'message' | 'waitsFor' | 'since' | 'phase' | 'style' | 'revisions' | 'actions';

export function findCondition(
  { conditions }: Pick<RolloutObject, 'conditions'>,
  type: string,
): ConditionItem | null {
  return conditions.find((condition) => condition.type === type) ?? null;
}

/** The rollout of an object that reports nothing: each system replaces what it knows. */
export function shapeRollout(
  system: string,
  object: RolloutObject,
  state: ProgressiveRollout['workload']['state'],
): Omit<ProgressiveRollout, Described> {
  const { resource, namespace, name, uid, createdAt, deletedAt, workload, conditions } = object;
  return {
    system,
    resource,
    namespace,
    name,
    uid,
    createdAt,
    deletedAt,
    workload: { ...workload, state },
    reported: { message: null, stepState: null, conditions },
    paused: false,
    disabled: false,
    step: { index: 0, total: 0, state: null, next: null },
    run: { id: null, startedAt: null },
    replicas: { desired: null, updated: null, ready: null },
    steps: [],
    unassignedPods: [],
    auxiliaries: [],
    routes: [],
    relatedObjects: [],
    notes: [],
  };
}

/** A pod as a step lists it; `revision` null where the workload has no number for its revision. */
export function podRow(pod: PodSummary, revision: { number: number | null; id: string } | null): RolloutPod {
  const { uid, name, ip, node, phase, ready, readyAt, createdAt, restarts } = pod;
  return {
    uid,
    name,
    ip,
    node,
    phase,
    ready,
    readyAt,
    createdAt,
    restarts,
    blocked: pod.block !== null && isPersistentBlock(pod.block) ? describeBlock(pod.block) : null,
    revision: revision?.number ?? null,
    revisionId: revision?.id ?? null,
  };
}

/** Active pods of a revision; null: those whose revision is unknown. */
export function listPodsOf({ history, pods }: RolloutFacts, revision: Revision | null): RolloutPod[] {
  return pods
    .filter((pod) => isActive(pod) && history.revisionOfPod.get(pod.uid)?.id === revision?.id)
    .map((pod) => podRow(pod, revision));
}

/** A step of which no more is known than its place: each system replaces what it knows. */
export function shapeStep(index: number, state: StepState, pods: StepPods): RolloutStep {
  return {
    index,
    state,
    does: null,
    since: null,
    replicas: { planned: null, requested: null, updated: null, ready: null },
    traffic: { planned: null, ...NO_TRAFFIC_KNOWN },
    pause: { kind: 'none' },
    startedAt: null,
    readyAt: null,
    waitsFor: null,
    pods: pods.bySteps.get(index) ?? [],
  };
}

export const NO_TRAFFIC_KNOWN = { actual: null, evidence: null } as const;

/** The pods of a rollout, each in one step at most. */
export interface StepPods {
  /** By the index of the step, from 1. */
  bySteps: ReadonlyMap<number, readonly RolloutPod[]>;
  /** Of the new revision, in no known step. */
  unassigned: readonly RolloutPod[];
}

export function comparePodNames(a: { name: string }, b: { name: string }): number {
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0;
}

/** What the system calls `hash`, with its revision in the workload's history, where that is known. */
export function rolloutRevisionOf(hash: string | null, revision: Revision | null): RolloutRevision {
  return {
    hash,
    id: revision?.id ?? null,
    number: revision?.number ?? null,
    name: revision?.name ?? null,
    pending: false,
    images: imagesOf(revision?.source),
  };
}

/** A revision that the workload requests, and that no source object of it has recorded so far. */
export function pendingRevision(
  hash: string | null,
  name: string | null,
  workload: Workload,
): RolloutRevision {
  return { hash, id: null, number: null, name, pending: true, images: imagesOf(workload) };
}

/** A revision of which no more than its name is known. */
export function namedRevision(hash: string | null, name: string): RolloutRevision {
  return { ...rolloutRevisionOf(hash, null), name };
}

export function imagesOf(template: Pick<Workload, 'images'> | undefined): RolloutRevision['images'] {
  return template?.images.map(({ container, image }) => ({ container, image })) ?? [];
}
