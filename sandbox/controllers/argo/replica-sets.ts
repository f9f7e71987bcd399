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
export async function numberFresh(turn: ArgoReconcile): Promise<void> {
  const wanted = Math.max(0, ...turn.older.map(revisionOf)) + 1;
  const { fresh } = turn;
  if (fresh !== undefined) await renumber(turn, fresh, wanted);
  else await createFresh(turn, wanted);
}

async function renumber(turn: ArgoReconcile, fresh: ReplicaSet, wanted: number): Promise<void> {
  const present = fresh.metadata.annotations;
  const annotations = newestAnnotations(present, turn.rollout.metadata.annotations, wanted);
  const minReadySeconds = turn.rollout.spec.minReadySeconds ?? 0;
  if (!deepEqual(annotations, present ?? {}) || minReadySeconds !== (fresh.spec.minReadySeconds ?? 0))
    await turn.write({
      ...fresh,
      metadata: { ...fresh.metadata, annotations },
      spec: { ...fresh.spec, minReadySeconds },
    });
  await noteRevision(turn, annotations[REVISION] ?? '');
}

async function createFresh(turn: ArgoReconcile, wanted: number): Promise<void> {
  const { rollout, world } = turn;
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
  const marks = metadataOf(turn, turn.stable === undefined ? 'stable' : 'fresh');
  const marked = withEphemeral(bare as unknown as ReplicaSet, marks);
  const draft = { metadata: marked.metadata as unknown as typeof bare.metadata, spec: marked.spec };
  try {
    turn.add(await world.replicaSets.as('rollouts-controller').create(metadata.namespace, draft));
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    // Another template has this hash; the next count avoids it.
    const collisionCount = (status.collisionCount ?? 0) + 1;
    await turn.rollouts.replaceStatus({ ...rollout, status: { ...status, collisionCount } });
    throw error;
  }
  turn.record(
    'Normal',
    'NewReplicaSetCreated',
    `Created ReplicaSet ${metadata.name}-${hash} (revision ${wanted})`,
  );
  await noteRevision(turn, String(wanted));
}

/**
 * The real controller writes the whole Rollout, as Go encodes it: with replicas, and in each container
 * resources, if empty.
 */
async function noteRevision(turn: ArgoReconcile, revision: string): Promise<void> {
  const { rollout } = turn;
  const { annotations, resourceVersion } = rollout.metadata;
  if (annotations?.[REVISION] === revision) return;
  const { replicas, workloadRef, template } = rollout.spec;
  const spelled = { ...template, spec: withResources(template.spec) };
  const written = await turn.rollouts.merge(rollout, {
    metadata: { resourceVersion, annotations: { [REVISION]: revision } },
    spec: { replicas, ...(workloadRef === undefined && { template: spelled }) },
  });
  turn.rollout = { ...rollout, metadata: written.metadata, spec: { ...rollout.spec, template: spelled } };
  turn.record('Normal', 'RolloutUpdated', `Rollout updated to revision ${revision}`);
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
export async function pruneOldest(turn: ArgoReconcile): Promise<void> {
  const { others } = turn;
  const surplus = others.length - (turn.rollout.spec.revisionHistoryLimit ?? HISTORY_LIMIT);
  for (const set of others.slice(0, Math.max(0, surplus))) {
    const { spec, status, metadata } = set;
    const isSeen = (metadata.generation ?? 0) <= (status.observedGeneration ?? 0);
    if (spec.replicas !== 0 || (status.replicas ?? 0) !== 0 || !isSeen) continue;
    await turn.world.replicaSets.as('rollouts-controller').delete(set);
    for (const run of runsOf(turn))
      if (run.metadata.labels?.[HASH_LABEL] === hashOf(set))
        await turn.kinds.analysisRuns.resource?.delete(run);
  }
}

/** A ReplicaSet that is used again keeps its pods. */
export async function liftDeadlines(turn: ArgoReconcile, isGoing: boolean): Promise<void> {
  for (const set of new Set([isGoing ? undefined : turn.fresh, turn.stable]))
    if (set?.metadata.annotations?.[SCALE_DOWN_DEADLINE] !== undefined)
      await setDeadline(turn, set, undefined);
}

/** The number of pods that it keeps: all of them until its deadline, which is set first. */
export async function keptUntilDeadline(turn: ArgoReconcile, set: ReplicaSet): Promise<number> {
  const delayMs = scaleDownDelayOf(turn.rollout.spec) * 1000;
  const deadline = deadlineOf(set);
  if (deadline === undefined) {
    if (delayMs === 0) return 0;
    await setDeadline(turn, set, turn.world.now() + delayMs);
    turn.requeueAfter(delayMs);
    return set.spec.replicas;
  }
  const left = deadline - turn.world.now();
  if (left <= 0) return 0;
  turn.requeueAfter(left);
  return turn.rollout.spec.replicas;
}

/** Milliseconds since the epoch; undefined where there is none. */
export function deadlineOf({ metadata }: ReplicaSet): number | undefined {
  return timeOf(metadata.annotations?.[SCALE_DOWN_DEADLINE]);
}

async function setDeadline(turn: ArgoReconcile, set: ReplicaSet, at: number | undefined): Promise<void> {
  const { [SCALE_DOWN_DEADLINE]: _before, ...annotations } = set.metadata.annotations ?? {};
  const noted = at === undefined ? annotations : { ...annotations, [SCALE_DOWN_DEADLINE]: timeText(at) };
  await turn.write({ ...set, metadata: { ...set.metadata, annotations: noted } });
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
  turn: ArgoReconcile,
  fresh: ReplicaSet,
  size: number,
): Promise<number | undefined> {
  const seconds = abortDelayOf(turn.rollout.spec);
  const { stable, isAborted } = turn;
  if (!isAborted || stable === undefined || stable === fresh || seconds === undefined) return size;
  const deadline = deadlineOf(fresh);
  const now = turn.world.now();
  if (deadline !== undefined) {
    if (deadline <= now) return 0;
    turn.requeueAfter(deadline - now);
    return undefined;
  }
  const isBack = availableOf(stable) === turn.rollout.spec.replicas;
  if (isBack && fresh.spec.replicas > 0) {
    await setDeadline(turn, fresh, now + seconds * 1000);
    turn.requeueAfter(seconds * 1000);
  }
  return undefined;
}
