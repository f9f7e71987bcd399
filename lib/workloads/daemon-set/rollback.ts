import { isActive } from '@/lib/history/assemble';
import { desiredNodes, isOnDelete, maxUnavailableNodes } from '@/lib/workloads/daemon-set/strategy';
import { type PlanResult, type RollbackInput } from '@/lib/workloads/kind';
import { checkRollbackDuringRelease } from '@/lib/workloads/kruise/release-checks';
import { activeRolloutOf } from '@/lib/workloads/kruise-rollout-metadata';
import { type Finding } from '@/lib/workloads/plan';
import { type PodSummary } from '@/lib/history/pod';
import { type ResourceType } from '@/lib/kube/resource';
import { checkRollback, unlessRefused } from '@/lib/workloads/rollback-checks';
import { checkEncoding, describeNumbering, rollbackPlan } from '@/lib/workloads/rollback-plan';
import { formatTarget, carrierOf } from '@/lib/workloads/rollback-target';
import { formatCount, formatList } from '@/lib/format/text';

/** Rollback of a DaemonSet; it does not change annotations, as in kubectl. */
export function planDaemonSetRollback(resource: ResourceType, input: RollbackInput): PlanResult {
  const findings = [
    ...checkRollback(input),
    ...checkRollbackDuringRelease(input, null),
    ...checkOnDelete(input),
    ...checkEncoding(input),
  ];
  return unlessRefused(findings, () =>
    rollbackPlan(resource, input, {
      steps: [...describePodChanges(input), describeNumbering(input, carrierOf(input.history, input.to))],
      stays: [
        `The choice of nodes follows the template; ${formatCount(desiredNodes(input.workload), 'node')} ${desiredNodes(input.workload) === 1 ? 'is' : 'are'} wanted now.`,
        'The update strategy, labels and annotations stay, the change-cause among them.',
        'ConfigMaps, Secrets, Services and the ServiceAccount stay as they are now; they have no history.',
      ],
    }),
  );
}

function checkOnDelete(input: RollbackInput): Finding[] {
  const outdated = otherPods(input);
  // A Rollout with a release in progress deletes them itself.
  if (!isOnDelete(input.workload) || outdated.length === 0 || activeRolloutOf(input.workload) !== null)
    return [];
  return [
    {
      severity: 'warning',
      code: 'on_delete',
      message: `The strategy is OnDelete: nothing restarts by itself. ${formatCount(outdated.length, 'pod')} must be deleted to run ${formatTarget(input.to)}.`,
      action: `Delete ${formatList(
        outdated.map(({ name }) => name),
        6,
      )} afterwards, one at a time.`,
    },
  ];
}

function otherPods({ history, pods, to }: RollbackInput): PodSummary[] {
  const carrier = carrierOf(history, to);
  return pods.filter(
    (pod) => isActive(pod) && (carrier === null || history.revisionOfPod.get(pod.uid)?.id !== carrier.id),
  );
}

function describePodChanges(input: RollbackInput): string[] {
  const { workload, history, to } = input;
  const rollout = activeRolloutOf(workload);
  if (rollout !== null)
    return [
      `Rollout ${rollout} begins a release of revision ${formatTarget(to)} with its first step, and replaces the pods of each step itself.`,
    ];
  if (isOnDelete(workload))
    return [`No pod restarts; a pod that is deleted comes back on ${formatTarget(to)}.`];
  const others = otherPods(input);
  if (others.length === 0) return ['No pod restarts.'];
  const untouched = carrierOf(history, to)?.pods.total ?? 0;
  const atOnce = maxUnavailableNodes(workload);
  const notReady = others.filter((pod) => !pod.ready).length;
  return [
    `${formatCount(others.length, 'pod')} ${others.length === 1 ? 'is' : 'are'} replaced by pods of ${formatTarget(to)}${untouched === 0 ? '' : `; ${untouched} ${untouched === 1 ? 'is' : 'are'} not touched`}.`,
    ...(notReady > 0
      ? [
          `The ${formatCount(notReady, 'pod')} that ${notReady === 1 ? 'is not available goes' : 'are not available go'} first.`,
        ]
      : []),
    atOnce === 0
      ? 'Each node gets its new pod before the old one ends.'
      : `At most ${formatCount(atOnce, 'node')} ${atOnce === 1 ? 'is' : 'are'} without an available pod at a time.`,
  ];
}
