import { desiredNodes, isOnDelete, unavailableMax } from '@/lib/workloads/daemon-set/strategy';
import { checkPodDeletion, chosenPod, deletePodPlan } from '@/lib/workloads/delete-pod';
import { type ControlInput, type Planned } from '@/lib/workloads/kind';
import { checkReleasing } from '@/lib/workloads/kruise/release';
import { findOwners } from '@/lib/workloads/owners';
import { kubectlLine, patchRight, patchWorkload } from '@/lib/workloads/patch';
import { type Finding } from '@/lib/workloads/plan';
import { type ResourceType } from '@/lib/workloads/resource';
import { checkRestart, restartPatch } from '@/lib/workloads/restart';
import { checkDeleting, refuseIf, unlessRefused } from '@/lib/workloads/rollback-checks';
import { count } from '@/lib/workloads/words';

export function planDaemonSetRestart(resource: ResourceType, input: ControlInput): Planned {
  const { workload } = input;
  const desired = desiredNodes(workload);
  const findings: Finding[] = [
    ...checkDeleting(input),
    ...checkRestart(input),
    ...checkReleasing(workload, 'restart'),
    ...findOwners(workload),
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
  const atOnce = Math.max(1, unavailableMax(workload));
  return unlessRefused(findings, () => ({
    action: 'restart',
    title: `Restart ${workload.name}`,
    write: patchWorkload(resource, workload, restartPatch(input)),
    needs: patchRight(resource, workload),
    steps: [
      isOnDelete(workload)
        ? 'No pod restarts until it is deleted.'
        : `The pods of ${count(desired, 'node')} are replaced, ${atOnce} at a time.`,
      'Kubernetes records a new revision that differs by the time of the restart alone.',
    ],
    stays: ['The template keeps everything but the annotation with the time of the restart.'],
    kubectl: kubectlLine(workload.namespace, 'rollout', 'restart', `daemonset/${workload.name}`),
  }));
}

/** Under OnDelete a pod takes the target only when somebody deletes it; otherwise the controller replaces it itself. */
export function planDaemonSetPodDeletion(input: ControlInput): Planned {
  const chosen = chosenPod(input);
  const findings = [
    ...checkPodDeletion(input, chosen),
    ...checkReleasing(input.workload, 'deletePod'),
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
    deletePodPlan(input, chosen, {
      stays: ['All other pods stay.', `Only ${node} is without a pod for a moment.`],
    }),
  );
}
