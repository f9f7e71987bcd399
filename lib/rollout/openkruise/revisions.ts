import type { Revision } from '@/lib/history/revision';
import { bareHash, carriesHash } from '@/lib/rollout/openkruise/revision-hash';
import { isReleasing, type KruiseContext } from '@/lib/rollout/openkruise/context';
import { pendingRevision, rolloutRevisionOf } from '@/lib/rollout/common-shape';
import type { RolloutRevision } from '@/lib/api/rollouts';
import type { RolloutFacts } from '@/lib/rollout/rollout-facts';
import type { PodSummary } from '@/lib/history/pod';

/** The two revisions of a rollout, and how to identify the pods of the new one. */
export interface KruiseRevisions {
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
export function isUpdated(
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
export function newerTemplate(
  { stage, facts }: KruiseContext,
  { stable, updated, updatedIds, updatedSemanticId }: KruiseRevisions,
): 'stable' | 'other' | null {
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
