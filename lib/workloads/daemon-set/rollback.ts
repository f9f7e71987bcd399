import { isActive } from '@/lib/history/assemble';
import { desiredNodes, isOnDelete, unavailableMax } from '@/lib/workloads/daemon-set/strategy';
import { type Planned, type RollbackInput } from '@/lib/workloads/kind';
import { checkRelease } from '@/lib/workloads/kruise/release';
import { releasingRollout } from '@/lib/workloads/kruise/rollout-marks';
import { type Finding } from '@/lib/workloads/plan';
import { type PodSummary } from '@/lib/workloads/pod';
import { type ResourceType } from '@/lib/workloads/resource';
import { checkRollback, unlessRefused } from '@/lib/workloads/rollback-checks';
import { checkEncoding, numberStep, rollbackPlan } from '@/lib/workloads/rollback-plan';
import { calledTarget, carrierOf } from '@/lib/workloads/rollback-target';
import { count, listed } from '@/lib/workloads/words';

/** Return of a DaemonSet to an earlier template; annotations have no part in it, as in kubectl. */
export function planDaemonSetRollback(resource: ResourceType, input: RollbackInput): Planned {
  const findings = [
    ...checkRollback(input),
    ...checkRelease(input, null),
    ...heldByOnDelete(input),
    ...checkEncoding(input),
  ];
  return unlessRefused(findings, () =>
    rollbackPlan(resource, input, {
      steps: [...podSteps(input), numberStep(input, carrierOf(input.history, input.to))],
      stays: [
        `The choice of nodes follows the template; ${count(desiredNodes(input.workload), 'node')} ${desiredNodes(input.workload) === 1 ? 'is' : 'are'} wanted now.`,
        'The update strategy, labels and annotations stay, the change-cause among them.',
        'ConfigMaps, Secrets, Services and the ServiceAccount stay as they are now; they have no history.',
      ],
    }),
  );
}

function heldByOnDelete(input: RollbackInput): Finding[] {
  const outdated = otherPods(input);
  // A Rollout that is in the middle of a release deletes them itself.
  if (!isOnDelete(input.workload) || outdated.length === 0 || releasingRollout(input.workload) !== null)
    return [];
  return [
    {
      severity: 'warning',
      code: 'on_delete',
      message: `The strategy is OnDelete: nothing restarts by itself. ${count(outdated.length, 'pod')} must be deleted to run ${calledTarget(input.to)}.`,
      action: `Delete ${listed(
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

function podSteps(input: RollbackInput): string[] {
  const { workload, history, to } = input;
  const rollout = releasingRollout(workload);
  if (rollout !== null)
    return [
      `Rollout ${rollout} begins a release of revision ${calledTarget(to)} with its first step, and replaces the pods of each step itself.`,
    ];
  if (isOnDelete(workload))
    return [`No pod restarts; a pod that is deleted comes back on ${calledTarget(to)}.`];
  const others = otherPods(input);
  if (others.length === 0) return ['No pod restarts.'];
  const untouched = carrierOf(history, to)?.pods.total ?? 0;
  const atOnce = unavailableMax(workload);
  const notReady = others.filter((pod) => !pod.ready).length;
  return [
    `${count(others.length, 'pod')} ${others.length === 1 ? 'is' : 'are'} replaced by pods of ${calledTarget(to)}${untouched === 0 ? '' : `; ${untouched} ${untouched === 1 ? 'is' : 'are'} not touched`}.`,
    ...(notReady > 0
      ? [
          `The ${count(notReady, 'pod')} that ${notReady === 1 ? 'is not available goes' : 'are not available go'} first.`,
        ]
      : []),
    atOnce === 0
      ? 'Each node gets its new pod before the old one ends.'
      : `At most ${count(atOnce, 'node')} ${atOnce === 1 ? 'is' : 'are'} without an available pod at a time.`,
  ];
}
