import { desiredNodes, isOnDelete, maxUnavailableNodes } from '@/lib/workloads/daemon-set/strategy';
import { checkPodDeletion, findChosenPod, planPodDeletion } from '@/lib/workloads/delete-pod';
import { type ControlInput, type PlanResult } from '@/lib/workloads/kind';
import { checkControlDuringRelease } from '@/lib/workloads/kruise/release-checks';
import { checkManagingTools } from '@/lib/workloads/managing-tools';
import { kubectlCommand, patchRight, patchWorkload } from '@/lib/workloads/patch';
import { type Finding } from '@/lib/workloads/plan';
import { type ResourceType } from '@/lib/kube/resource';
import { checkRestart, restartPatch } from '@/lib/workloads/restart';
import { checkDeleting, refuseIf, unlessRefused } from '@/lib/workloads/rollback-checks';
import { formatCount } from '@/lib/format/text';

export function planDaemonSetRestart(resource: ResourceType, input: ControlInput): PlanResult {
  const { workload } = input;
  const desired = desiredNodes(workload);
  const findings: Finding[] = [
    ...checkDeleting(input),
    ...checkRestart(input),
    ...checkControlDuringRelease(workload, 'restart'),
    ...checkManagingTools(workload),
  ];
  if (isOnDelete(workload)) {
    findings.push({
      severity: 'warning',
      code: 'on_delete',
      message:
        'The strategy is OnDelete: a new revision is recorded, but no pod restarts until it is deleted.',
      action: 'Delete the pods afterwards, one at a time.',
    });
  }
  const atOnce = Math.max(1, maxUnavailableNodes(workload));
  return unlessRefused(findings, () => ({
    action: 'restart',
    title: `Restart ${workload.name}`,
    write: patchWorkload(resource, workload, restartPatch(input)),
    needs: patchRight(resource, workload),
    steps: [
      isOnDelete(workload)
        ? 'No pod restarts until it is deleted.'
        : `The pods of ${formatCount(desired, 'node')} are replaced, ${atOnce} at a time.`,
      'Kubernetes records a new revision that differs by the time of the restart alone.',
    ],
    stays: ['The template keeps everything but the annotation with the time of the restart.'],
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
    ...checkControlDuringRelease(input.workload, 'deletePod'),
    ...refuseIf(
      !isOnDelete(input.workload),
      'not_blocking',
      'The DaemonSet replaces its pods by itself.',
      'Wait for it.',
    ),
  ];
  if (chosen === undefined) return { plan: null, findings };
  const node = chosen.node === null ? 'its node' : `node ${chosen.node}`;
  return unlessRefused(findings, () =>
    planPodDeletion(input, chosen, {
      stays: ['All other pods stay.', `Only ${node} is without a pod for a moment.`],
    }),
  );
}
