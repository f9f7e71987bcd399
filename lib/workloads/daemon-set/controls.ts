import { desiredNodes, isOnDelete, maxUnavailableNodes } from '@/lib/workloads/daemon-set/strategy';
import { checkPodDeletion, findChosenPod, planPodDeletion } from '@/lib/workloads/delete-pod';
import { type ControlInput, type PlanResult } from '@/lib/workloads/kind';
import { checkControlDuringRollout } from '@/lib/workloads/kruise/rollout-checks';
import { checkManagingTools } from '@/lib/workloads/managing-tools';
import { kubectlCommand, patchRight, patchWorkload } from '@/lib/workloads/patch';
import { type Finding } from '@/lib/workloads/plan';
import { type ResourceType } from '@/lib/kube/resource';
import { checkRestart, restartPatch, restartWaitsForDeletion } from '@/lib/workloads/restart';
import { checkDeleting, refuseIf, unlessRefused } from '@/lib/workloads/rollback-checks';
import { formatCount } from '@/lib/format/text';

export function planDaemonSetRestart(resource: ResourceType, input: ControlInput): PlanResult {
  const { workload } = input;
  const desired = desiredNodes(workload);
  const findings: Finding[] = [
    ...checkDeleting(input),
    ...checkRestart(input),
    ...checkControlDuringRollout(workload, 'restart'),
    ...checkManagingTools(workload),
  ];
  if (isOnDelete(workload)) findings.push(restartWaitsForDeletion);
  const atOnce = Math.max(1, maxUnavailableNodes(workload));
  return unlessRefused(findings, () => ({
    action: 'restart',
    title: `Restart ${workload.name}`,
    write: patchWorkload(resource, workload, restartPatch(input)),
    needs: patchRight(resource, workload),
    steps: [
      isOnDelete(workload)
        ? 'Pods restart only when you delete them.'
        : `The pods of ${formatCount(desired, 'node')} are replaced, ${atOnce} at a time.`,
      'Kubernetes records a new revision in which only the restart time differs.',
    ],
    stays: ['Only the restart annotation of the template changes.'],
    kubectl: kubectlCommand(workload.namespace, 'rollout', 'restart', `daemonset/${workload.name}`),
  }));
}

/**
 * Under OnDelete a pod takes the target only when a person deletes it; otherwise the controller replaces it
 * itself.
 */
export function planDaemonSetPodDeletion(input: ControlInput): PlanResult {
  const chosen = findChosenPod(input);
  const findings = [
    ...checkPodDeletion(input, chosen),
    ...checkControlDuringRollout(input.workload, 'deletePod'),
    ...refuseIf(
      !isOnDelete(input.workload),
      'not_blocking',
      'The DaemonSet replaces its pods automatically.',
      'Wait for the rollout.',
    ),
  ];
  if (chosen === undefined) return { plan: null, findings };
  const node = chosen.node === null ? 'its node' : `node ${chosen.node}`;
  return unlessRefused(findings, () =>
    planPodDeletion(input, chosen, {
      stays: ['All other pods keep running.', `Only ${node} has no pod until the new one starts.`],
    }),
  );
}
