import { cloneSetRules } from '@/lib/workloads/clone-set/strategy';
import { checkPodDeletion, chosenPod, deletePodPlan } from '@/lib/workloads/delete-pod';
import { type ControlInput, type Planned } from '@/lib/workloads/kind';
import { planKruiseRestart } from '@/lib/workloads/kruise/controls';
import { refuseIf, unlessRefused } from '@/lib/workloads/rollback-checks';
import { KRUISE_RESTARTED_AT } from '@/lib/workloads/summarise';
import { shellWord } from '@/lib/workloads/words';

/** https://github.com/openkruise/kruise-tools/blob/master/pkg/internal/polymorphichelpers/objectrestarter.go */
export function planCloneSetRestart(input: ControlInput): Planned {
  const { namespace, name } = input.workload;
  return planKruiseRestart(cloneSetRules, input, {
    annotation: KRUISE_RESTARTED_AT,
    kubectl: ['kubectl-kruise', '-n', namespace, 'rollout', 'restart', `cloneset/${name}`]
      .map(shellWord)
      .join(' '),
  });
}

/** Only under OnDelete, which v1beta1 has, does a pod wait to be deleted. */
export function planCloneSetPodDeletion(input: ControlInput): Planned {
  const chosen = chosenPod(input);
  const findings = [
    ...checkPodDeletion(input, chosen),
    ...refuseIf(
      !cloneSetRules.rollingOf(input.workload).isOnDelete,
      'not_blocking',
      'The CloneSet updates its pods by itself.',
      'Wait for it, or move its partition.',
    ),
  ];
  if (chosen === undefined) return { plan: null, findings };
  return unlessRefused(findings, () => deletePodPlan(input, chosen, { stays: ['All other pods stay.'] }));
}
