import { cloneSetRules } from '@/lib/workloads/clone-set/strategy';
import { checkPodDeletion, findChosenPod, planPodDeletion } from '@/lib/workloads/delete-pod';
import { type ControlInput, type PlanResult } from '@/lib/workloads/kind';
import { planKruiseRestart } from '@/lib/workloads/kruise/controls';
import { refuseIf, unlessRefused } from '@/lib/workloads/rollback-checks';
import { KRUISE_RESTARTED_AT } from '@/lib/workloads/template-facts';
import { quoteShellWord } from '@/lib/format/text';

/** https://github.com/openkruise/kruise-tools/blob/master/pkg/internal/polymorphichelpers/objectrestarter.go */
export function planCloneSetRestart(input: ControlInput): PlanResult {
  const { namespace, name } = input.workload;
  return planKruiseRestart(cloneSetRules, input, {
    annotation: KRUISE_RESTARTED_AT,
    kubectl: ['kubectl-kruise', '-n', namespace, 'rollout', 'restart', `cloneset/${name}`]
      .map(quoteShellWord)
      .join(' '),
  });
}

/** A pod waits for deletion only under OnDelete, which v1beta1 has. */
export function planCloneSetPodDeletion(input: ControlInput): PlanResult {
  const chosen = findChosenPod(input);
  const findings = [
    ...checkPodDeletion(input, chosen),
    ...refuseIf(
      !cloneSetRules.rollingOf(input.workload).isOnDelete,
      'not_blocking',
      'The CloneSet updates its pods automatically.',
      'Change its partition, or resume it if it is paused.',
    ),
  ];
  if (chosen === undefined) return { plan: null, findings };
  return unlessRefused(findings, () =>
    planPodDeletion(input, chosen, { stays: ['All other pods keep running.'] }),
  );
}
