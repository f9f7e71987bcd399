import type { KubeObject } from '@/lib/kube/object';
import { boundedName } from '@/lib/rollout/bounded';
import { isControlledBy, relatedObjectFacts } from '@/lib/rollout/common-shape';
import { ROUTES_MAX, routesOf } from '@/lib/rollout/openkruise/parse';
import { batchReleases, trafficRoutings } from '@/lib/rollout/openkruise/resources';
import type { RelatedObjectSummary } from '@/lib/api/rollouts';
import type { RelatedObject } from '@/lib/rollout/rollout-facts';
import { numberAt, objectAt, objectsAt } from '@/lib/kube/read';

/** One per running rollout, named like its Rollout: the object that upgrades one batch after the other. */
export type BatchRelease = ReturnType<typeof parseBatchRelease>;

export type KruiseRelatedObject = BatchRelease | ReturnType<typeof parseTrafficRouting>;

export function parseBatchRelease(object: KubeObject) {
  const { status } = object;
  const canary = objectAt(status, 'canaryStatus');
  const batch = numberAt(canary, 'currentBatch');
  return {
    ...relatedObjectFacts(batchReleases, object),
    kind: 'BatchRelease' as const,
    rolloutId:
      boundedName(status, 'observedRolloutID') ?? boundedName(object.spec, 'releasePlan', 'rolloutID'),
    /** Counts from 1; the object itself counts from 0. */
    batch: batch === undefined ? null : batch + 1,
    batchState: boundedName(canary, 'batchState'),
    batchReadyTime: boundedName(canary, 'batchReadyTime'),
    updated: numberAt(canary, 'updatedReplicas') ?? null,
    ready: numberAt(canary, 'updatedReadyReplicas') ?? null,
    /** Number of pods at the start of the rollout; percentages are of it. */
    replicas: numberAt(status, 'observedWorkloadReplicas') ?? null,
  };
}

export function parseTrafficRouting(object: KubeObject) {
  return {
    ...relatedObjectFacts(trafficRoutings, object),
    kind: 'TrafficRouting' as const,
    routes: objectsAt(object.spec, 'objectRef').slice(0, ROUTES_MAX).flatMap(routesOf),
  };
}

/** Those of one Rollout. A BatchRelease of the same name that another object controls does not belong to it. */
export function relatedObjectsOf(
  rolloutUid: string,
  objects: readonly RelatedObject[],
): KruiseRelatedObject[] {
  return (objects as readonly KruiseRelatedObject[]).filter(
    (related) => related.kind !== 'BatchRelease' || isControlledBy(related, rolloutUid),
  );
}

export function batchReleaseOf(relatedObjects: readonly KruiseRelatedObject[]): BatchRelease | null {
  return relatedObjects.find((entry) => entry.kind === 'BatchRelease') ?? null;
}

export function summaryOf(entry: KruiseRelatedObject): RelatedObjectSummary {
  const { resource, kind, name, message } = entry;
  const phase =
    entry.kind === 'BatchRelease' && entry.batchState !== null
      ? `${entry.phase ?? ''}, batch ${entry.batch ?? '?'} ${entry.batchState}`
      : entry.phase;
  return { resource, kind, name, phase, message };
}
