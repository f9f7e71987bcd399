import { desiredNodes, isOnDelete, maxUnavailableNodes } from '@/lib/workloads/daemon-set/strategy';
import { planChosenPodDeletion } from '@/lib/workloads/delete-pod';
import type { ControlInput, PlanResult } from '@/lib/workloads/kind';
import { checkControlDuringRollout } from '@/lib/workloads/kruise/rollout-checks';
import { checkOwners } from '@/lib/workloads/owner-checks';
import type { Finding } from '@/lib/workloads/plan';
import type { ResourceType } from '@/lib/kube/resource';
import { checkRestart, restartPlan, restartWaitsForDeletion } from '@/lib/workloads/restart';
import { checkDeleting, refuseIf, unlessRefused } from '@/lib/workloads/rollback-checks';
import { formatCount } from '@/lib/format/text';

export function planDaemonSetRestart(resource: ResourceType, input: ControlInput): PlanResult {
  const { workload } = input;
  const desired = desiredNodes(workload);
  const findings: Finding[] = [
    ...checkDeleting(input),
    ...checkRestart(input),
    ...checkControlDuringRollout(workload, 'restart'),
    ...checkOwners(workload),
  ];
  if (isOnDelete(workload)) findings.push(restartWaitsForDeletion);
  const atOnce = Math.max(1, maxUnavailableNodes(workload));
  const replacement = isOnDelete(workload)
    ? 'Pods restart only when you delete them.'
    : `The pods of ${formatCount(desired, 'node')} are replaced, ${atOnce} at a time.`;
  return unlessRefused(findings, () => restartPlan(resource, input, replacement));
}

/**
 * Under OnDelete a pod takes the target only when a person deletes it; otherwise the controller replaces it
 * itself.
 */
export function planDaemonSetPodDeletion(input: ControlInput): PlanResult {
  return planChosenPodDeletion(
    input,
    () => [
      ...checkControlDuringRollout(input.workload, 'deletePod'),
      ...refuseIf(
        !isOnDelete(input.workload),
        'not_blocking',
        'The DaemonSet replaces its pods automatically.',
        'Wait for the rollout.',
      ),
    ],
    ({ node }) => [
      'All other pods keep running.',
      `Only ${node === null ? 'its node' : `node ${node}`} has no pod until the new one starts.`,
    ],
  );
}
