import { matchesSelector, parseLabelSelector } from '@/lib/kube/selector';
import { isAvailable, isReady, type Pod } from '@/sandbox/controllers/objects/pod';
import { withoutZeros } from '@/sandbox/controllers/objects/amounts';
import { timeText } from '@/sandbox/controllers/objects/time';
import {
  type Condition,
  type ReplicaSet,
  type ReplicaSetStatus,
} from '@/sandbox/controllers/objects/workloads';

export interface Observed {
  readonly active: readonly Pod[];
  readonly terminating: readonly Pod[];
  /** The error of creating or deleting pods. */
  readonly failure: string | undefined;
}

/**
 * https://github.com/kubernetes/kubernetes/blob/master/pkg/controller/replicaset/replica_set_utils.go (calculateStatus)
 */
export function replicaSetStatus(
  { spec, metadata, status }: ReplicaSet,
  { active, terminating, failure }: Observed,
  now: number,
): ReplicaSetStatus {
  const ofTemplate = parseLabelSelector({ matchLabels: spec.template.metadata?.labels ?? {} });
  const counts = {
    replicas: active.length,
    fullyLabeledReplicas: active.filter((pod) => matchesSelector(ofTemplate, pod.metadata.labels ?? {}))
      .length,
    readyReplicas: active.filter(isReady).length,
    availableReplicas: active.filter((pod) => isAvailable(pod, spec.minReadySeconds, now)).length,
    terminatingReplicas: terminating.length,
  };
  const conditions = conditionsOf(status.conditions ?? [], active.length - spec.replicas, failure, now);
  return withoutZeros({ ...counts, observedGeneration: metadata.generation ?? 0, conditions }, [
    'replicas',
    'terminatingReplicas',
  ]);
}

/** A failure keeps its first message, until a sync succeeds. */
function conditionsOf(
  present: readonly Condition[],
  surplus: number,
  failure: string | undefined,
  now: number,
): Condition[] {
  const others = present.filter(({ type }) => type !== 'ReplicaFailure');
  if (failure === undefined) return others;
  if (others.length < present.length) return [...present];
  const reason = surplus < 0 ? 'FailedCreate' : 'FailedDelete';
  const lastTransitionTime = timeText(now);
  return [
    ...others,
    { type: 'ReplicaFailure', status: 'True', lastTransitionTime, reason, message: failure },
  ];
}
