import { deepEqual } from '@/lib/kube/json';
import {
  abortDelayOf,
  HASH_LABEL,
  REVISION,
  SCALE_DOWN_DEADLINE,
  scaleDownDelayOf,
} from '@/sandbox/controllers/argo/argo-rollout';
import { newestAnnotations, revisionOf } from '@/sandbox/controllers/argo/annotations';
import { runsOf } from '@/sandbox/controllers/argo/analysis';
import { metadataOf, withEphemeral } from '@/sandbox/controllers/argo/ephemeral-metadata';
import { hashOf, type ArgoReconcile } from '@/sandbox/controllers/argo/argo-reconcile';
import { isAlreadyExists } from '@/sandbox/controllers/engine/resource';
import { controllerReference } from '@/sandbox/controllers/objects/owner';
import { type Container, type PodSpec } from '@/sandbox/controllers/objects/pod';
import { timeOf, timeText } from '@/sandbox/controllers/objects/time';
import { type ReplicaSet } from '@/sandbox/controllers/objects/workloads';
import { templateHash } from '@/sandbox/controllers/revisions/hash';

const HISTORY_LIMIT = 10;

/**
 * Numbers the ReplicaSet of the current template, and creates it first where it is missing.
 * https://github.com/argoproj/argo-rollouts/blob/master/rollout/sync.go (getAllReplicaSetsAndSyncRevision)
 */
export async function numberFresh(reconcile: ArgoReconcile): Promise<void> {
  const wanted = Math.max(0, ...reconcile.older.map(revisionOf)) + 1;
  const { fresh } = reconcile;
  if (fresh !== undefined) await renumber(reconcile, fresh, wanted);
  else await createFresh(reconcile, wanted);
}

async function renumber(reconcile: ArgoReconcile, fresh: ReplicaSet, wanted: number): Promise<void> {
  const present = fresh.metadata.annotations;
  const annotations = newestAnnotations(present, reconcile.rollout.metadata.annotations, wanted);
  const minReadySeconds = reconcile.rollout.spec.minReadySeconds ?? 0;
  if (!deepEqual(annotations, present ?? {}) || minReadySeconds !== (fresh.spec.minReadySeconds ?? 0))
    await reconcile.write({
      ...fresh,
      metadata: { ...fresh.metadata, annotations },
      spec: { ...fresh.spec, minReadySeconds },
    });
  await noteRevision(reconcile, annotations[REVISION] ?? '');
}

async function createFresh(reconcile: ArgoReconcile, wanted: number): Promise<void> {
  const { rollout, manager } = reconcile;
  const { spec, status, metadata } = rollout;
  const hash = templateHash(spec.template, status.collisionCount);
  const labels = { ...spec.template.metadata?.labels, [HASH_LABEL]: hash };
  const bare = {
    metadata: {
      name: `${metadata.name}-${hash}`,
      labels,
      annotations: newestAnnotations(undefined, metadata.annotations, wanted),
      ownerReferences: [controllerReference(rollout)],
    },
    spec: {
      replicas: 0,
      ...(spec.minReadySeconds && { minReadySeconds: spec.minReadySeconds }),
      selector: {
        ...spec.selector,
        matchLabels: {
          ...(spec.selector.matchLabels as Record<string, string> | undefined),
          [HASH_LABEL]: hash,
        },
      },
      template: { ...spec.template, metadata: { ...spec.template.metadata, labels } },
    },
  };
  const marks = metadataOf(reconcile, reconcile.stable === undefined ? 'stable' : 'fresh');
  const marked = withEphemeral(bare as unknown as ReplicaSet, marks);
  const draft = { metadata: marked.metadata as unknown as typeof bare.metadata, spec: marked.spec };
  try {
    reconcile.add(await manager.replicaSets.as('rollouts-controller').create(metadata.namespace, draft));
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    // Another template has this hash; the next count avoids it.
    const collisionCount = (status.collisionCount ?? 0) + 1;
    await reconcile.rollouts.replaceStatus({ ...rollout, status: { ...status, collisionCount } });
    throw error;
  }
  reconcile.record(
    'Normal',
    'NewReplicaSetCreated',
    `Created ReplicaSet ${metadata.name}-${hash} (revision ${wanted})`,
  );
  await noteRevision(reconcile, String(wanted));
}

/**
 * The real controller writes the whole Rollout, as Go encodes it: with replicas, and in each container
 * resources, if empty.
 */
async function noteRevision(reconcile: ArgoReconcile, revision: string): Promise<void> {
  const { rollout } = reconcile;
  const { annotations, resourceVersion } = rollout.metadata;
  if (annotations?.[REVISION] === revision) return;
  const { replicas, workloadRef, template } = rollout.spec;
  const spelled = { ...template, spec: withResources(template.spec) };
  const written = await reconcile.rollouts.merge(rollout, {
    metadata: { resourceVersion, annotations: { [REVISION]: revision } },
    spec: { replicas, ...(workloadRef === undefined && { template: spelled }) },
  });
  reconcile.rollout = {
    ...rollout,
    metadata: written.metadata,
    spec: { ...rollout.spec, template: spelled },
  };
  reconcile.record('Normal', 'RolloutUpdated', `Rollout updated to revision ${revision}`);
}

function withResources(spec: PodSpec): PodSpec {
  const spell = (container: Container): Container => ({ resources: {}, ...container });
  const { containers, initContainers } = spec;
  return {
    ...spec,
    containers: containers.map(spell),
    ...(initContainers && { initContainers: initContainers.map(spell) }),
  };
}

/** Deletes the oldest unused ones, with their analysis runs. */
export async function pruneOldest(reconcile: ArgoReconcile): Promise<void> {
  const { others } = reconcile;
  const surplus = others.length - (reconcile.rollout.spec.revisionHistoryLimit ?? HISTORY_LIMIT);
  for (const set of others.slice(0, Math.max(0, surplus))) {
    const { spec, status, metadata } = set;
    const isSeen = (metadata.generation ?? 0) <= (status.observedGeneration ?? 0);
    if (spec.replicas !== 0 || (status.replicas ?? 0) !== 0 || !isSeen) continue;
    await reconcile.manager.replicaSets.as('rollouts-controller').delete(set);
    for (const run of runsOf(reconcile))
      if (run.metadata.labels?.[HASH_LABEL] === hashOf(set))
        await reconcile.kinds.analysisRuns.resource?.delete(run);
  }
}

/** A ReplicaSet that is used again keeps its pods. */
export async function liftDeadlines(reconcile: ArgoReconcile, isGoing: boolean): Promise<void> {
  for (const set of new Set([isGoing ? undefined : reconcile.fresh, reconcile.stable]))
    if (set?.metadata.annotations?.[SCALE_DOWN_DEADLINE] !== undefined)
      await setDeadline(reconcile, set, undefined);
}

/** The number of pods that it keeps: all of them until its deadline, which is set first. */
export async function keptUntilDeadline(reconcile: ArgoReconcile, set: ReplicaSet): Promise<number> {
  const delayMs = scaleDownDelayOf(reconcile.rollout.spec) * 1000;
  const deadline = deadlineOf(set);
  if (deadline === undefined) {
    if (delayMs === 0) return 0;
    await setDeadline(reconcile, set, reconcile.manager.now() + delayMs);
    reconcile.requeueAfter(delayMs);
    return set.spec.replicas;
  }
  const left = deadline - reconcile.manager.now();
  if (left <= 0) return 0;
  reconcile.requeueAfter(left);
  return reconcile.rollout.spec.replicas;
}

/** Milliseconds since the epoch; undefined where there is none. */
export function deadlineOf({ metadata }: ReplicaSet): number | undefined {
  return timeOf(metadata.annotations?.[SCALE_DOWN_DEADLINE]);
}

async function setDeadline(reconcile: ArgoReconcile, set: ReplicaSet, at: number | undefined): Promise<void> {
  const { [SCALE_DOWN_DEADLINE]: _before, ...annotations } = set.metadata.annotations ?? {};
  const noted = at === undefined ? annotations : { ...annotations, [SCALE_DOWN_DEADLINE]: timeText(at) };
  await reconcile.write({ ...set, metadata: { ...set.metadata, annotations: noted } });
}

/** Available pods; those beyond the desired number are about to be deleted. */
export function availableOf(set: ReplicaSet | undefined): number {
  return set?.status.availableReplicas ?? 0;
}

/**
 * Whether a return to the ReplicaSet of the current template skips the steps: it is older than the stable
 * one, and few enough were created between the two.
 * https://argo-rollouts.readthedocs.io/en/stable/features/rollback/
 */
export function isInRollbackWindow({ rollout, fresh, stable, sets }: ArgoReconcile): boolean {
  const window = rollout.spec.rollbackWindow?.revisions ?? 0;
  if (fresh === undefined || stable === undefined) return false;
  const [from, to] = [createdMs(fresh), createdMs(stable)];
  const between = sets.filter((set) => createdMs(set) > from && createdMs(set) < to);
  return from < to && between.length < window;
}

function createdMs({ metadata }: ReplicaSet): number {
  return Date.parse(metadata.creationTimestamp);
}

/**
 * The size of the new ReplicaSet after an abort: with a scale-down delay, its pods stay for inspection until
 * its deadline. Undefined: unchanged.
 */
export async function abortingSize(
  reconcile: ArgoReconcile,
  fresh: ReplicaSet,
  size: number,
): Promise<number | undefined> {
  const seconds = abortDelayOf(reconcile.rollout.spec);
  const { stable, isAborted } = reconcile;
  if (!isAborted || stable === undefined || stable === fresh || seconds === undefined) return size;
  const deadline = deadlineOf(fresh);
  const now = reconcile.manager.now();
  if (deadline !== undefined) {
    if (deadline <= now) return 0;
    reconcile.requeueAfter(deadline - now);
    return undefined;
  }
  const isBack = availableOf(stable) === reconcile.rollout.spec.replicas;
  if (isBack && fresh.spec.replicas > 0) {
    await setDeadline(reconcile, fresh, now + seconds * 1000);
    reconcile.requeueAfter(seconds * 1000);
  }
  return undefined;
}
