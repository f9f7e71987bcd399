import { isActive } from '@/lib/history/assemble';
import type { Revision } from '@/lib/history/revision';
import { BATCH_ID, ROLLOUT_ID } from '@/lib/rollout/openkruise/resources';
import { bareHash, carriesHash } from '@/lib/rollout/openkruise/revision-hash';
import { isReleasing, type KruiseContext } from '@/lib/rollout/openkruise/context';
import {
  comparePodNames,
  pendingRevision,
  podRow,
  rolloutRevisionOf,
  type StepPods,
} from '@/lib/rollout/common-shape';
import type { RolloutPod, RolloutRevision } from '@/lib/api/rollouts';
import type { RolloutFacts } from '@/lib/rollout/rollout-facts';
import type { PodSummary } from '@/lib/history/pod';

/** The two revisions of a rollout, and how to identify the pods of the new one. */
interface KruiseRevisions {
  stable: RolloutRevision | null;
  updated: RolloutRevision | null;
  /** Of the new revision: also that of a canary Deployment, which has source objects of its own. */
  updatedIds: ReadonlySet<string>;
  /** Template of the rollout, where a source object has it. */
  updatedSemanticId: string | null;
}

/**
 * Finds the revisions that a Rollout's status names. A Deployment's are pod-template-hashes of ReplicaSets;
 * those of the other kinds name ControllerRevisions, by the full name or by the hash in it. `canaryRevision`
 * of a Deployment is a hash of OpenKruise's own, which no ReplicaSet carries.
 * https://github.com/openkruise/rollouts/blob/master/pkg/util/controller_finder.go
 */
export function findKruiseRevisions(context: KruiseContext): KruiseRevisions {
  const { facts, auxiliaries } = context;
  const stable = stableOf(context);
  const hash = updatedHash(context);
  const own = hash === null ? currentTarget(context, stable?.id ?? null) : findRevision(facts, hash);
  const foreign = auxiliaries.flatMap((auxiliary) => {
    const found = hash === null ? auxiliary.history.target : findRevision(auxiliary, hash);
    return found === null ? [] : [found];
  });
  const carrier = own ?? foreign[0] ?? null;
  return {
    stable,
    updated: updatedRevisionOf(context, hash, own, carrier),
    updatedIds: new Set([...(own === null ? [] : [own]), ...foreign].map(({ id }) => id)),
    updatedSemanticId: carrier?.source.semanticId ?? null,
  };
}

/** Whether the pod runs the new revision of the rollout. */
function isUpdated(
  pod: PodSummary,
  { history, workload }: RolloutFacts,
  context: KruiseContext,
  { updatedIds }: KruiseRevisions,
): boolean {
  const revision = history.revisionOfPod.get(pod.uid);
  if (revision !== undefined) return updatedIds.has(revision.id);
  const hash = updatedHash(context);
  // A Deployment's pods carry this label for OpenKruise's own use, old ones too.
  if (hash === null || pod.revisionLabel === null || isDeployment(workload.resource)) return false;
  return bareHash(pod.revisionLabel, workload.name) === bareHash(hash, workload.name);
}

/** A template that was set since the rollout began; null while there is none. */
export function newerTemplate(context: KruiseContext): 'stable' | 'other' | null {
  const { stage, facts } = context;
  const { stable, updated, updatedIds, updatedSemanticId } = findKruiseRevisions(context);
  if (facts === null || updated === null || (stage !== 'inStep' && stage !== 'paused')) return null;
  const { history, workload } = facts;
  const { target } = history;
  if (target === null) {
    return updatedSemanticId === null || updatedSemanticId === workload.semanticId ? null : 'other';
  }
  if (updatedIds.size === 0 || updatedIds.has(target.id)) return null;
  if (target.id === stable?.id) return 'stable';
  return updatedSemanticId === target.source.semanticId ? null : 'other';
}

function stableOf({ rollout, stage, facts }: KruiseContext): RolloutRevision | null {
  const hash = rollout.progress?.stableRevision ?? null;
  const found = hash === null ? null : findRevision(facts, hash);
  if (found !== null || hash !== null) return rolloutRevisionOf(hash, found);
  // Before the first rollout of a partitioned Deployment, and for a DaemonSet, it is not reported.
  const target = facts?.history.target ?? null;
  return stage === 'idle' && target !== null ? rolloutRevisionOf(null, target) : null;
}

function updatedHash({ progress, facts, stage, rollout }: KruiseContext): string | null {
  if (progress === null || stage === 'idle' || stage === 'initial') return null;
  const resource = facts?.workload.resource ?? rollout.workload.resource ?? '';
  // After a rollback the status names the restored revision in the place of the new one.
  const isRestored =
    stage === 'rolledBack' || stage === 'rollingBack' || stage === 'bypassing' || stage === 'bypassed';
  return progress.podTemplateHash ?? (isDeployment(resource) || isRestored ? null : progress.updatedRevision);
}

/** While the status does not name it yet, the template of the workload is the new one. */
function currentTarget({ stage, facts }: KruiseContext, stableId: string | null): Revision | null {
  const target = facts?.history.target ?? null;
  return isReleasing(stage) && target !== null && target.id !== stableId ? target : null;
}

function updatedRevisionOf(
  { stage, facts, progress, rollout }: KruiseContext,
  hash: string | null,
  own: Revision | null,
  carrier: Revision | null,
): RolloutRevision | null {
  if (stage === 'idle' || stage === 'initial') return null;
  if (own !== null) return rolloutRevisionOf(hash, own);
  const workload = facts?.workload;
  const isPending =
    facts !== null &&
    workload !== undefined &&
    facts.history.target === null &&
    (carrier === null ? isReleasing(stage) : carrier.source.semanticId === workload.semanticId);
  if (isPending) return pendingRevision(hash, null, workload);
  if (carrier !== null) return { ...rolloutRevisionOf(hash, carrier), id: null, number: null };
  const named = hash ?? progress?.updatedRevision ?? rollout.progress?.updatedRevision ?? null;
  return named === null || stage === 'starting' ? null : rolloutRevisionOf(named, null);
}

function findRevision(facts: RolloutFacts | null, hash: string): Revision | null {
  if (facts === null) return null;
  const { history, workload } = facts;
  return history.revisions.find(({ source }) => carriesHash(source, hash, workload.name)) ?? null;
}

function isDeployment(resource: string): boolean {
  return resource === 'deployments.apps';
}

/**
 * The pods that each step added. A pod belongs to a step if it runs the revision of the rollout and
 * OpenKruise has labeled it with this rollout and that batch; labels outlive the rollout, and an id may be
 * used again, so each alone proves nothing. Ending pods belong to none.
 * https://github.com/openkruise/rollouts/blob/master/pkg/controller/batchrelease/labelpatch/patcher.go
 */
export function findKruisePods(context: KruiseContext): StepPods {
  const revisions = findKruiseRevisions(context);
  const bySteps = new Map<number, RolloutPod[]>();
  const unassigned: RolloutPod[] = [];
  if (context.stage === 'idle' || context.stage === 'initial') return { bySteps, unassigned };
  const owners = context.facts === null ? context.auxiliaries : [context.facts, ...context.auxiliaries];
  const knownUids = new Set<string>();
  for (const facts of owners) {
    for (const pod of facts.pods) {
      if (knownUids.has(pod.uid) || !isActive(pod)) continue;
      if (!isUpdated(pod, facts, context, revisions)) continue;
      knownUids.add(pod.uid);
      const step = stepOf(pod, context);
      const row = rowOf(pod, facts, context);
      const pods = step === null ? unassigned : (bySteps.get(step) ?? []);
      pods.push(row);
      if (step !== null) bySteps.set(step, pods);
    }
  }
  for (const pods of bySteps.values()) pods.sort(comparePodNames);
  return { bySteps, unassigned: unassigned.sort(comparePodNames) };
}

/** Null where no label of this rollout names the step, or names one that does not exist or has not begun. */
function stepOf({ metadataValues }: PodSummary, { progress, stage, total }: KruiseContext): number | null {
  const batch = metadataValues?.[BATCH_ID];
  if (progress?.rolloutId == null || metadataValues?.[ROLLOUT_ID] !== progress.rolloutId) return null;
  if (batch === undefined || !/^[1-9]\d{0,4}$/.test(batch)) return null;
  const index = Number(batch);
  const reached = stage === 'inStep' || stage === 'paused' ? Math.min(progress.stepIndex, total) : total;
  return index <= reached ? index : null;
}

function rowOf(pod: PodSummary, { history }: RolloutFacts, { facts }: KruiseContext): RolloutPod {
  const revision = history.revisionOfPod.get(pod.uid);
  // A canary Deployment has separate revision numbers, without meaning for the workload.
  const isOwn = facts?.history === history;
  return podRow(pod, isOwn ? (revision ?? null) : null);
}
