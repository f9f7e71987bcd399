import { controllerUidOf, type KubeObject } from '@/lib/kube/object';
import { textOf, word } from '@/lib/rollout/bounded';
import { ROUTES_MAX, routesOf } from '@/lib/rollout/openkruise/parse';
import { batchReleases, trafficRoutings } from '@/lib/rollout/openkruise/resources';
import { type BesideSummary } from '@/lib/rollout/rollout';
import { type BesideObject } from '@/lib/rollout/system';
import { numberAt, objectAt, objectsAt } from '@/lib/workloads/read';

/** One per running release, named like its Rollout: the worker that upgrades one batch after the other. */
export interface BatchRelease extends BesideObject {
  kind: 'BatchRelease';
  phase: string | null;
  message: string | null;
  rolloutId: string | null;
  /** Counts from 1; the object itself counts from 0. */
  batch: number | null;
  batchState: string | null;
  batchReadyTime: string | null;
  updated: number | null;
  ready: number | null;
  /** Pods of which the release started; percentages are of it. */
  replicas: number | null;
}

export interface TrafficRouting extends BesideObject {
  kind: 'TrafficRouting';
  phase: string | null;
  message: string | null;
  routes: readonly { kind: string; name: string }[];
}

export type KruiseBeside = BatchRelease | TrafficRouting;

export function parseBatchRelease(object: KubeObject): BatchRelease {
  const { status } = object;
  const canary = objectAt(status, 'canaryStatus');
  const batch = numberAt(canary, 'currentBatch');
  return {
    ...identity(batchReleases.id, object),
    kind: 'BatchRelease',
    phase: word(status, 'phase'),
    message: textOf(status, 'message'),
    rolloutId: word(status, 'observedRolloutID') ?? word(object.spec, 'releasePlan', 'rolloutID'),
    batch: batch === undefined ? null : batch + 1,
    batchState: word(canary, 'batchState'),
    batchReadyTime: word(canary, 'batchReadyTime'),
    updated: numberAt(canary, 'updatedReplicas') ?? null,
    ready: numberAt(canary, 'updatedReadyReplicas') ?? null,
    replicas: numberAt(status, 'observedWorkloadReplicas') ?? null,
  };
}

export function parseTrafficRouting(object: KubeObject): TrafficRouting {
  return {
    ...identity(trafficRoutings.id, object),
    kind: 'TrafficRouting',
    phase: word(object.status, 'phase'),
    message: textOf(object.status, 'message'),
    routes: objectsAt(object.spec, 'objectRef').slice(0, ROUTES_MAX).flatMap(routesOf),
  };
}

/** Those beside one Rollout. A BatchRelease of the same name that another object controls is none of its. */
export function besideOf(rolloutUid: string, objects: readonly BesideObject[]): KruiseBeside[] {
  return (objects as readonly KruiseBeside[]).filter(
    ({ kind, controllerUid }) =>
      kind !== 'BatchRelease' || controllerUid === null || controllerUid === rolloutUid,
  );
}

export function batchReleaseOf(beside: readonly KruiseBeside[]): BatchRelease | null {
  return beside.find((entry) => entry.kind === 'BatchRelease') ?? null;
}

export function summaryOf(entry: KruiseBeside): BesideSummary {
  const { resource, kind, name, message } = entry;
  const phase =
    entry.kind === 'BatchRelease' && entry.batchState !== null
      ? `${entry.phase ?? ''}, batch ${entry.batch ?? '?'} ${entry.batchState}`
      : entry.phase;
  return { resource, kind, name, phase, message };
}

function identity(resource: string, object: KubeObject): BesideObject {
  const { metadata } = object;
  return {
    resource,
    uid: metadata.uid,
    namespace: metadata.namespace ?? '-',
    name: metadata.name,
    controllerUid: controllerUidOf(object) ?? null,
  };
}
