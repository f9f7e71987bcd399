import { advancedStatefulSetRules } from '@/lib/workloads/advanced-stateful-set/strategy';
import { checkPodDeletion, findChosenPod, planPodDeletion } from '@/lib/workloads/delete-pod';
import { type ControlInput, type PlanResult } from '@/lib/workloads/kind';
import { type PodSummary } from '@/lib/history/pod';
import { refuseIf, unlessRefused } from '@/lib/workloads/rollback-checks';

/** Deletion of a pod that the update does not replace: under OnDelete, or one that an ordered update waits for. */
export function planAdvancedStatefulSetPodDeletion(input: ControlInput): PlanResult {
  const chosen = findChosenPod(input);
  const findings = [
    ...checkPodDeletion(input, chosen),
    ...refuseIf(
      chosen !== undefined && !mustBeDeleted(input, chosen),
      'not_blocking',
      `${chosen?.name ?? 'The pod'} does not block the rollout: the Advanced StatefulSet updates it automatically, or its partition holds it.`,
      'Wait, or change the partition.',
    ),
  ];
  if (chosen === undefined) return { plan: null, findings };
  return unlessRefused(findings, () =>
    planPodDeletion(input, chosen, {
      stays: ['Its volume claims and their data are kept and mounted again.', 'All other pods keep running.'],
    }),
  );
}

function mustBeDeleted({ workload, history, pods }: ControlInput, pod: PodSummary): boolean {
  if (advancedStatefulSetRules.rollingOf(workload).isOnDelete) return true;
  const others = pods.filter(({ uid }) => history.revisionOfPod.get(uid)?.target !== true);
  return advancedStatefulSetRules.findBlockingPod(workload, others, pods)?.uid === pod.uid;
}
