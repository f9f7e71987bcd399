import { type Revision } from '@/lib/history/revision';
import { isReleasing, type Situation } from '@/lib/rollout/openkruise/situation';
import { markOf } from '@/lib/rollout/revision-mark';
import { type ReleaseRevision } from '@/lib/rollout/rollout';
import { type WorkloadFacts } from '@/lib/rollout/system';
import { type PodSummary } from '@/lib/workloads/pod';
import { type RevisionSource } from '@/lib/workloads/workload';

/** The two revisions of a release, and how to tell the pods of the new one. */
export interface ReleaseRevisions {
  stable: ReleaseRevision | null;
  updated: ReleaseRevision | null;
  /** Of the revision that the release brings: also that of a canary Deployment, which has source objects of its own. */
  updatedIds: ReadonlySet<string>;
  /** Template of the release, where a source object has it. */
  updatedSemanticId: string | null;
}

/**
 * Finds the revisions that a Rollout's status names. A Deployment's are pod-template-hashes of ReplicaSets; those of the other
 * kinds name ControllerRevisions, by the whole name or by the hash in it. `canaryRevision` of a Deployment is a hash of
 * OpenKruise's own, which no ReplicaSet carries.
 * https://github.com/openkruise/rollouts/blob/master/pkg/util/controller_finder.go
 */
export function releaseRevisions(situation: Situation): ReleaseRevisions {
  const { facts, auxiliaries } = situation;
  const stable = stableOf(situation);
  const hash = updatedHash(situation);
  const own = hash === null ? presentTarget(situation, stable?.id ?? null) : findRevision(facts, hash);
  const foreign = auxiliaries.flatMap((auxiliary) => {
    const found = hash === null ? auxiliary.history.target : findRevision(auxiliary, hash);
    return found === null ? [] : [found];
  });
  const carrier = own ?? foreign[0] ?? null;
  return {
    stable,
    updated: updatedMark(situation, hash, own, carrier),
    updatedIds: new Set([...(own === null ? [] : [own]), ...foreign].map(({ id }) => id)),
    updatedSemanticId: carrier?.source.semanticId ?? null,
  };
}

/** Whether the pod runs the revision that the release brings. */
export function isUpdated(
  pod: PodSummary,
  { history, workload }: WorkloadFacts,
  situation: Situation,
  { updatedIds }: ReleaseRevisions,
): boolean {
  const revision = history.revisionOfPod.get(pod.uid);
  if (revision !== undefined) return updatedIds.has(revision.id);
  const hash = updatedHash(situation);
  // A Deployment's pods carry this label for OpenKruise's own use, old ones too.
  if (hash === null || pod.revisionLabel === null || isDeployment(workload.resource)) return false;
  return bare(pod.revisionLabel, workload.name) === bare(hash, workload.name);
}

/** A template that somebody has set since the release began; null while there is none. */
export function newerTemplate(
  { stage, facts }: Situation,
  { stable, updated, updatedIds, updatedSemanticId }: ReleaseRevisions,
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

function stableOf({ rollout, stage, facts }: Situation): ReleaseRevision | null {
  const hash = rollout.progress?.stableRevision ?? null;
  const found = hash === null ? null : findRevision(facts, hash);
  if (found !== null || hash !== null) return markOf(hash, found);
  // Before the first release of a partitioned Deployment, and for a DaemonSet, nothing is said.
  const target = facts?.history.target ?? null;
  return stage === 'idle' && target !== null ? markOf(null, target) : null;
}

function updatedHash({ progress, facts, stage, rollout }: Situation): string | null {
  if (progress === null || stage === 'idle' || stage === 'initial') return null;
  const resource = facts?.workload.resource ?? rollout.workload.resource ?? '';
  // The status of a release that was rolled back names the restored revision where it named the new one before.
  const isRestored = stage === 'rolledBack' || stage === 'rollingBack';
  return progress.podTemplateHash ?? (isDeployment(resource) || isRestored ? null : progress.updatedRevision);
}

/** While the status does not name it yet, what the workload asks for is what the release brings. */
function presentTarget({ stage, facts }: Situation, stableId: string | null): Revision | null {
  const target = facts?.history.target ?? null;
  return isReleasing(stage) && target !== null && target.id !== stableId ? target : null;
}

function updatedMark(
  { stage, facts, progress, rollout }: Situation,
  hash: string | null,
  own: Revision | null,
  carrier: Revision | null,
): ReleaseRevision | null {
  if (stage === 'idle' || stage === 'initial') return null;
  if (own !== null) return markOf(hash, own);
  const workload = facts?.workload;
  const isPending =
    facts !== null &&
    workload !== undefined &&
    facts.history.target === null &&
    (carrier === null ? isReleasing(stage) : carrier.source.semanticId === workload.semanticId);
  if (isPending) {
    const images = workload.images.map(({ container, image }) => ({ container, image }));
    return { hash, id: null, number: null, name: null, pending: true, images };
  }
  if (carrier !== null) return { ...markOf(hash, carrier), id: null, number: null };
  const named = hash ?? progress?.updatedRevision ?? rollout.progress?.updatedRevision ?? null;
  return named === null || stage === 'starting' ? null : markOf(named, null);
}

function findRevision(facts: WorkloadFacts | null, hash: string): Revision | null {
  if (facts === null) return null;
  const { history, workload } = facts;
  const wanted = bare(hash, workload.name);
  return history.revisions.find(({ source }) => hashesOf(source, workload.name).includes(wanted)) ?? null;
}

/** Labels of a ControllerRevision include those of its template, so only the keys made for it are asked. */
function hashesOf({ resource, name, labels }: RevisionSource, workload: string): string[] {
  if (resource === 'replicasets.apps') {
    const label = labels['pod-template-hash'];
    return label === undefined ? [bare(name, workload)] : [label];
  }
  const keys = ['controller.kubernetes.io/hash', 'controller-revision-hash'];
  return [
    bare(name, workload),
    ...keys.flatMap((key) => labels[key] ?? []).map((text) => bare(text, workload)),
  ];
}

/** The hash alone, of a name that has the workload's before it. */
function bare(text: string, workload: string): string {
  return text.startsWith(`${workload}-`) ? text.slice(workload.length + 1) : text;
}

function isDeployment(resource: string): boolean {
  return resource === 'deployments.apps';
}
