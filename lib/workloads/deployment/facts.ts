import type { Workload } from '@/lib/history/workload';
import type { JsonObject } from '@/lib/kube/json';
import { conditionAt, textAt } from '@/lib/kube/read';
import { formatCount } from '@/lib/format/text';
import { plainFacts, type WorkloadFacts } from '@/lib/engine/facts';
import { readKubectlLine } from '@/lib/engine/status';
import { desiredReplicas, isRecreate, rollingLimitsOf } from '@/lib/workloads/deployment/strategy';
import { lastReadyAt } from '@/lib/pods/by-revision';
import type { StatusInput } from '@/lib/workloads/kind';
import { controllingRolloutOf } from '@/lib/workloads/kruise-rollout-metadata';
import {
  readDeadline,
  readReplicaFailure,
  isObserved,
  countReplicas,
  type PodCounts,
} from '@/lib/workloads/reported';

/**
 * What a Deployment reports, as `kubectl rollout status` reads it, and its conditions.
 * https://github.com/kubernetes/kubectl/blob/master/pkg/polymorphichelpers/rollout_status.go
 */
export function deploymentFacts(input: StatusInput): WorkloadFacts {
  const { workload } = input;
  const counts = countReplicas(workload, desiredReplicas(workload));
  const { desired, total, ready, updated, available } = counts;
  const isFinished = updated >= desired && total <= updated && available >= updated;
  const progressing = conditionAt(workload.status, 'Progressing');
  const isPaused = workload.spec.paused === true;
  const rollout = isPaused ? controllingRolloutOf(workload) : null;
  return {
    ...plainFacts(input),
    isObserved: isObserved(workload),
    counts: { desired, ready, updated, available },
    progress: {
      updated,
      goal: desired,
      serving: available,
      servingWord: 'available',
      desired,
      old: total - updated,
      waitsFor: describeRecreation(input),
    },
    isScaledDown: desired === 0 && (total === 0 || isFinished),
    isFinished,
    finishedAt: finishedAt(input, progressing),
    completedBefore: hasCompleted(input, progressing) ? 'reported' : 'no',
    unavailableSince: unavailableSince(workload),
    pause: isPaused && rollout === null ? { since: pausedSince(progressing) } : null,
    movedBy: rollout === null ? null : { rollout, by: 'pause' },
    deadline: readDeadline(workload),
    failure: readReplicaFailure(workload),
    canProgress: !isFinished && canProgress(input),
    waitsForDeletion: isRecreate(workload),
    namesPods: false,
    kubectl: readKubectlLine(kubectlStatus(workload, counts)),
  };
}

/** Recreate creates the next ReplicaSet only when the old pods have ended. */
function describeRecreation({ workload, history, pods }: StatusInput): string | null {
  if (!isRecreate(workload)) return null;
  const ending = pods.filter(
    (pod) => pod.deletedAt !== null && history.revisionOfPod.get(pod.uid)?.target !== true,
  );
  return ending.length === 0 ? null : `${formatCount(ending.length, 'old pod')} terminating`;
}

function pausedSince(progressing: JsonObject | undefined): string | null {
  return progressing?.reason === 'DeploymentPaused' ? (textAt(progressing, 'lastUpdateTime') ?? null) : null;
}

function unavailableSince({ status }: Workload): string | null {
  const condition = conditionAt(status, 'Available');
  return condition?.status === 'False' ? (textAt(condition, 'lastTransitionTime') ?? null) : null;
}

/** The later of the end of the rollout and the time when the last pod became ready. */
function finishedAt({ pods }: StatusInput, progressing: JsonObject | undefined): string | null {
  const ended =
    progressing?.reason === 'NewReplicaSetAvailable' ? textAt(progressing, 'lastUpdateTime') : undefined;
  if (ended === undefined) return null;
  return lastReadyAt(pods, ended);
}

/**
 * Whether the controller can still start or end a pod: the new ReplicaSet has room to grow, or an old one to
 * shrink.
 * https://github.com/kubernetes/kubernetes/blob/master/pkg/controller/deployment/rolling.go
 */
function canProgress({ workload, history }: StatusInput): boolean {
  const target = history.target?.source.scale;
  if (target == null) return false;
  const desired = desiredReplicas(workload);
  if (isRecreate(workload)) return target.desired < desired;
  const { surge, unavailable } = rollingLimitsOf(workload);
  const old = history.revisions.flatMap(({ target: isTarget, source }) =>
    isTarget || source.scale === null ? [] : [source.scale],
  );
  const sum = (of: (scale: { desired: number; available: number }) => number) =>
    [target, ...old].reduce((total, scale) => total + of(scale), 0);
  const total = sum((scale) => scale.desired);
  if (target.desired < desired && total < desired + surge) return true;
  const leastAvailable = desired - unavailable;
  const mayEnd = total - leastAvailable - (target.desired - target.available);
  if (mayEnd <= 0 || old.every((scale) => scale.desired === 0)) return false;
  return (
    sum((scale) => scale.available) > leastAvailable || old.some((scale) => scale.desired > scale.available)
  );
}

/**
 * The condition names the ReplicaSet that it is about: that of a former rollout stays until the next one has a ReplicaSet of
 * its own, for Recreate until all old pods have ended.
 * https://github.com/kubernetes/kubernetes/blob/master/pkg/controller/deployment/progress.go (syncRolloutStatus)
 */
function hasCompleted({ history }: StatusInput, progressing: JsonObject | undefined): boolean {
  const { target, revisions } = history;
  if (progressing?.reason !== 'NewReplicaSetAvailable' || target === null) return false;
  if (revisions.some((revision) => !revision.target && revision.pods.total > 0)) return false;
  const named = /^ReplicaSet "([^"]+)"/.exec(textAt(progressing, 'message') ?? '')?.[1];
  return named === undefined || named === target.name;
}

function kubectlStatus(workload: Workload, counts: PodCounts): string {
  const waiting = (what: string) => `Waiting for deployment "${workload.name}" rollout to finish: ${what}...`;
  if (!isObserved(workload)) return 'Waiting for deployment spec update to be observed...';
  if (conditionAt(workload.status, 'Progressing')?.reason === 'ProgressDeadlineExceeded')
    return `error: deployment "${workload.name}" exceeded its progress deadline`;
  const { desired, total, updated, available } = counts;
  if (updated < desired) return waiting(`${updated} out of ${desired} new replicas have been updated`);
  if (total > updated) return waiting(`${total - updated} old replicas are pending termination`);
  if (available < updated) return waiting(`${available} of ${updated} updated replicas are available`);
  return `deployment "${workload.name}" successfully rolled out`;
}
