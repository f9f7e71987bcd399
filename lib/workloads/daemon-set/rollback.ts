import { isActive } from '@/lib/history/assemble';
import { desiredNodes, isOnDelete, maxUnavailableNodes } from '@/lib/workloads/daemon-set/strategy';
import {
  type Capacity,
  capacityHeld,
  capacityInSteps,
  capacityOf,
  readyCountOf,
  servingAtLeast,
} from '@/lib/workloads/capacity';
import type { PlanResult, RollbackInput } from '@/lib/workloads/kind';
import { checkRollbackDuringRollout } from '@/lib/workloads/kruise/rollout-checks';
import { activeRolloutOf } from '@/lib/workloads/kruise-rollout-metadata';
import type { Finding } from '@/lib/workloads/plan';
import type { PodSummary } from '@/lib/history/pod';
import type { ResourceType } from '@/lib/kube/resource';
import { checkPodsToDelete, checkRollback, unlessRefused } from '@/lib/workloads/rollback-checks';
import {
  checkEncoding,
  describeNumbering,
  OTHER_OBJECTS_STAY,
  rollbackPlan,
} from '@/lib/workloads/rollback-plan';
import { formatResult, carrierOf } from '@/lib/workloads/rollback-target';
import { formatCount } from '@/lib/format/text';

/** Rollback of a DaemonSet; it does not change annotations, as in kubectl. */
export function planDaemonSetRollback(resource: ResourceType, input: RollbackInput): PlanResult {
  const findings = [
    ...checkRollback(input),
    ...checkRollbackDuringRollout(input, null),
    ...checkOnDelete(input),
    ...checkEncoding(input),
  ];
  return unlessRefused(findings, () =>
    rollbackPlan(resource, input, {
      steps: [...describePodChanges(input), describeNumbering(input, carrierOf(input.history, input.to))],
      stays: [
        `The template selects the nodes; the DaemonSet runs on ${formatCount(desiredNodes(input.workload), 'node')} now.`,
        'The update strategy, labels and annotations are unchanged, including kubernetes.io/change-cause.',
        OTHER_OBJECTS_STAY,
      ],
      capacity: capacity(input),
    }),
  );
}

function checkOnDelete(input: RollbackInput): Finding[] {
  // A Rollout with a rollout in progress deletes them itself.
  if (!isOnDelete(input.workload) || activeRolloutOf(input.workload) !== null) return [];
  return checkPodsToDelete(input, otherPods(input));
}

function otherPods({ history, pods, to }: RollbackInput): PodSummary[] {
  const carrier = carrierOf(history, to);
  return pods.filter(
    (pod) => isActive(pod) && (carrier === null || history.revisionOfPod.get(pod.uid)?.id !== carrier.id),
  );
}

function capacity(input: RollbackInput): Capacity {
  const { workload, pods } = input;
  const rollout = activeRolloutOf(workload);
  if (rollout !== null) return capacityInSteps(`Rollout ${rollout}`);
  const others = otherPods(input).length;
  if (isOnDelete(workload)) return capacityHeld(others, 'to delete (OnDelete)');
  const serving = servingAtLeast(readyCountOf(pods), desiredNodes(workload), maxUnavailableNodes(workload));
  return capacityOf({ replaced: others, serving });
}

function describePodChanges(input: RollbackInput): string[] {
  const { workload, history, to } = input;
  const rollout = activeRolloutOf(workload);
  if (rollout !== null)
    return [
      `Rollout ${rollout} starts a rollout of revision ${formatResult(input)} with its first step, and replaces the pods of each step.`,
    ];
  if (isOnDelete(workload))
    return [`No pod restarts. Pods that you delete are recreated with revision ${formatResult(input)}.`];
  const others = otherPods(input);
  if (others.length === 0) return ['No pod restarts.'];
  const untouched = carrierOf(history, to)?.pods.total ?? 0;
  const atOnce = maxUnavailableNodes(workload);
  const notReady = others.filter((pod) => !pod.ready).length;
  return [
    `${formatCount(others.length, 'pod')} ${others.length === 1 ? 'is' : 'are'} replaced by pods of revision ${formatResult(input)}${untouched === 0 ? '' : `; ${untouched} ${untouched === 1 ? 'keeps' : 'keep'} running`}.`,
    ...(notReady > 0
      ? [`The ${formatCount(notReady, 'unavailable pod')} ${notReady === 1 ? 'is' : 'are'} replaced first.`]
      : []),
    atOnce === 0
      ? 'On each node the new pod starts before the old one terminates.'
      : `At most ${formatCount(atOnce, 'node')} ${atOnce === 1 ? 'has' : 'have'} no available pod at any time.`,
  ];
}
