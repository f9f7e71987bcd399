import { deepEqual, type JsonObject } from '@/lib/kube/json';
import { runsOf } from '@/sandbox/controllers/argo/analysis';
import {
  DESIRED_REPLICAS,
  HASH_LABEL,
  leewayOf,
  type PodMetadata,
  REVISION,
  REVISION_HISTORY,
  SCALE_DOWN_DEADLINE,
} from '@/sandbox/controllers/argo/argo-rollout';
import { type ArgoReconcile, hashOf, revisionOf } from '@/sandbox/controllers/argo/argo-reconcile';
import { ephemeralOf, withEphemeral } from '@/sandbox/controllers/argo/templates';
import type { Annotations } from '@/sandbox/controllers/deployment/replica-sets';
import { sumOf } from '@/sandbox/controllers/objects/amounts';
import { controllerReference } from '@/sandbox/controllers/objects/owner';
import { type Container, isAvailable, isDeleting, type PodSpec } from '@/sandbox/controllers/objects/pod';
import { timeOf, timeText } from '@/sandbox/controllers/objects/time';
import type { ReplicaSet } from '@/sandbox/controllers/objects/workloads';

const HISTORY_LIMIT = 10;

/**
 * Numbers the ReplicaSet of the current template, and creates it first where it is missing.
 * https://github.com/argoproj/argo-rollouts/blob/master/rollout/sync.go (getAllReplicaSetsAndSyncRevision)
 */
export async function numberFresh(reconcile: ArgoReconcile): Promise<void> {
  const { fresh, rollout } = reconcile;
  const older = reconcile.sets.filter((set) => set !== fresh);
  const wanted = Math.max(0, ...older.map(revisionOf)) + 1;
  const present = fresh?.metadata.annotations;
  const annotations = newestAnnotations(present, rollout.metadata.annotations, wanted);
  if (fresh === undefined) await createFresh(reconcile, annotations);
  else if (!deepEqual(annotations, present))
    await reconcile.write({ ...fresh, metadata: { ...fresh.metadata, annotations } });
  await noteRevision(reconcile, annotations[REVISION] ?? '');
}

/** Never copied from a Rollout to its ReplicaSets. */
const SKIPPED = new Set([
  'kubectl.kubernetes.io/last-applied-configuration',
  REVISION,
  REVISION_HISTORY,
  DESIRED_REPLICAS,
]);

/**
 * Annotations of the newest ReplicaSet. Any change apart from its revision number adds the former number to
 * its history, even when the number stays the same: so histories repeat numbers, and include the current one.
 * https://github.com/argoproj/argo-rollouts/blob/master/utils/annotations/annotations.go (SetNewReplicaSetAnnotations)
 */
function newestAnnotations(
  present: Annotations | undefined,
  rollout: Annotations | undefined,
  wanted: number,
): Annotations {
  const before = present?.[REVISION];
  const copied = Object.entries(rollout ?? {}).filter(([name]) => !SKIPPED.has(name));
  const isNumbered = Number(before ?? 0) < wanted;
  const result: Annotations = { ...present, ...Object.fromEntries(copied) };
  if (isNumbered) result[REVISION] = String(wanted);
  const hasChanged = isNumbered || copied.some(([name, value]) => present?.[name] !== value);
  if (before === undefined || !hasChanged) return result;
  const history = present?.[REVISION_HISTORY];
  return { ...result, [REVISION_HISTORY]: history ? `${history},${before}` : before };
}

async function createFresh(reconcile: ArgoReconcile, annotations: Annotations): Promise<void> {
  const { rollout, manager, hash } = reconcile;
  const { template, selector, minReadySeconds } = rollout.spec;
  const labels = { ...template.metadata?.labels, [HASH_LABEL]: hash };
  const matchLabels = { ...(selector.matchLabels as Annotations | undefined), [HASH_LABEL]: hash };
  const created = await manager.replicaSets.as('rollouts-controller').create(rollout.metadata.namespace, {
    metadata: {
      name: `${rollout.metadata.name}-${hash}`,
      labels,
      annotations,
      ownerReferences: [controllerReference(rollout)],
    },
    spec: {
      replicas: 0,
      minReadySeconds,
      selector: { ...selector, matchLabels },
      template: { ...template, metadata: { ...template.metadata, labels } },
    },
  });
  reconcile.addFresh(created);
}

/**
 * The real controller writes the whole Rollout, as Go encodes it: with replicas, and in each container
 * resources, if empty.
 */
async function noteRevision(reconcile: ArgoReconcile, revision: string): Promise<void> {
  const { rollout } = reconcile;
  const { annotations, resourceVersion } = rollout.metadata;
  if (annotations?.[REVISION] === revision) return;
  const template = { ...rollout.spec.template, spec: withResources(rollout.spec.template.spec) };
  const spec: JsonObject = { replicas: rollout.spec.replicas };
  if (rollout.spec.workloadRef === undefined) spec.template = template;
  const body = { metadata: { resourceVersion, annotations: { [REVISION]: revision } }, spec };
  const { metadata } = await reconcile.rollouts.merge(rollout, body);
  reconcile.rollout = { ...rollout, metadata, spec: { ...rollout.spec, template } };
  reconcile.record('RolloutUpdated', `Rollout updated to revision ${revision}`);
}

function withResources(spec: PodSpec): PodSpec {
  const spell = (container: Container): Container => ({ resources: {}, ...container });
  const { containers, initContainers } = spec;
  return { ...spec, containers: containers.map(spell), initContainers: initContainers?.map(spell) };
}

/**
 * Adds the metadata of their role, canary or stable, to pods and to the templates of their ReplicaSets, and
 * removes that of a former role.
 * https://argo-rollouts.readthedocs.io/en/stable/features/ephemeral-metadata/
 */
export async function labelPods(reconcile: ArgoReconcile): Promise<void> {
  const { fresh, stable, manager } = reconcile;
  const { canaryMetadata = {}, stableMetadata = {} } = reconcile.rollout.spec.strategy.canary ?? {};
  for (const set of reconcile.sets) {
    const isStable = set === stable || (stable === undefined && set === fresh);
    const wanted = isStable ? stableMetadata : set === fresh ? canaryMetadata : {};
    const before = ephemeralOf(set);
    if (deepEqual(before, wanted)) continue;
    await reconcile.write(withEphemeral(set, wanted));
    for (const pod of reconcile.podsOf(set))
      await manager.pods.as('rollouts-controller').merge(pod, patchOf(before, wanted));
  }
}

function patchOf(before: PodMetadata, wanted: PodMetadata): JsonObject {
  const change = (part: keyof PodMetadata) => ({
    ...Object.fromEntries(Object.keys(before[part] ?? {}).map((name) => [name, null])),
    ...wanted[part],
  });
  return { metadata: { labels: change('labels'), annotations: change('annotations') } };
}

/** Deletes the oldest unused ones, with their analysis runs. */
export async function pruneOldest(reconcile: ArgoReconcile): Promise<void> {
  const { others, rollout, manager } = reconcile;
  const limit = rollout.spec.revisionHistoryLimit ?? HISTORY_LIMIT;
  for (const set of others.slice(limit)) {
    if (set.spec.replicas !== 0 || (set.status.replicas ?? 0) !== 0) continue;
    await manager.replicaSets.as('rollouts-controller').delete(set);
    for (const run of runsOf(reconcile))
      if (run.metadata.labels?.[HASH_LABEL] === hashOf(set))
        await reconcile.kinds.analysisRuns.resource?.delete(run);
  }
}

/** A ReplicaSet that is in use, or used again, has all its pods. */
export async function keepUp(reconcile: ArgoReconcile, set: ReplicaSet | undefined): Promise<void> {
  if (set === undefined) return;
  const { [SCALE_DOWN_DEADLINE]: deadline, ...annotations } = set.metadata.annotations ?? {};
  const lifted = { ...set, metadata: { ...set.metadata, annotations } };
  const present = deadline === undefined ? set : await reconcile.write(lifted);
  await reconcile.scale(present, reconcile.rollout.spec.replicas);
}

/** Deletes the pods of a ReplicaSet so long after it went out of use. */
export async function scaleDownLater(
  reconcile: ArgoReconcile,
  set: ReplicaSet,
  delaySeconds: number,
): Promise<void> {
  if (set.spec.replicas === 0) return;
  const now = reconcile.manager.now();
  const deadline = timeOf(set.metadata.annotations?.[SCALE_DOWN_DEADLINE]);
  const leftMs = (deadline ?? now + delaySeconds * 1000) - now;
  if (leftMs <= 0) return reconcile.scale(set, 0);
  reconcile.requeueAfter(leftMs);
  if (deadline !== undefined) return reconcile.scale(set, reconcile.rollout.spec.replicas);
  const annotations = { ...set.metadata.annotations, [SCALE_DOWN_DEADLINE]: timeText(now + leftMs) };
  await reconcile.write({ ...set, metadata: { ...set.metadata, annotations } });
}

const RESTART_AGAIN_MS = 30_000;

/**
 * Deletes pods that are older than the requested restart time, a few at a time. The result is the time as the
 * status has it: the requested one once no such pod is left.
 * https://github.com/argoproj/argo-rollouts/blob/master/rollout/restart.go
 */
export async function restartPods(reconcile: ArgoReconcile): Promise<string | undefined> {
  const { manager, sets, rollout } = reconcile;
  const { spec, status } = rollout;
  const at = timeOf(spec.restartAt);
  if (at === undefined || status.restartedAt === spec.restartAt) return status.restartedAt;
  const pods = sets.flatMap((set) => reconcile.podsOf(set)).filter((pod) => !isDeleting(pod));
  const serving = pods.filter((pod) => isAvailable(pod, spec.minReadySeconds, manager.now()));
  const free =
    serving.length - sumOf(sets, (set) => set.spec.replicas) + Math.max(1, leewayOf(spec).unavailable);
  const old = pods.filter(({ metadata }) => Date.parse(metadata.creationTimestamp) < at);
  const chosen = old.slice(0, Math.max(0, free));
  for (const pod of chosen) await manager.pods.as('rollouts-controller').delete(pod);
  if (chosen.length === old.length) return spec.restartAt;
  reconcile.requeueAfter(RESTART_AGAIN_MS);
  return status.restartedAt;
}
