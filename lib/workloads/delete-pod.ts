import type { ControlInput, PlanResult } from '@/lib/workloads/kind';
import { kubectlCommand } from '@/lib/workloads/patch';
import type { Finding, Plan } from '@/lib/workloads/plan';
import type { PodSummary } from '@/lib/history/pod';
import { resourcePath } from '@/lib/kube/resource';
import { checkDeleting, refuseIf, unlessRefused } from '@/lib/workloads/rollback-checks';
import { formatRevision } from '@/lib/history/revision';

const PODS = { id: 'pods', group: '', versions: ['v1'], plural: 'pods', kind: 'Pod' };

/**
 * Plans the deletion of the chosen pod, unless something is against it. `reasonsAgainst` gets undefined where that pod is
 * gone.
 */
export function planChosenPodDeletion(
  input: ControlInput,
  reasonsAgainst: (chosen: PodSummary | undefined) => readonly Finding[],
  stays: (chosen: PodSummary) => readonly string[],
): PlanResult {
  const chosen = findChosenPod(input);
  const findings = [...checkPodDeletion(input, chosen), ...reasonsAgainst(chosen)];
  if (chosen === undefined) return { plan: null, findings };
  return unlessRefused(findings, () => planPodDeletion(input, chosen, { stays: stays(chosen) }));
}

/** The pod that the viewer saw, by uid; undefined when another pod has its name now, or none does. */
function findChosenPod({ workload, pods, pod }: ControlInput): PodSummary | undefined {
  return pods.find(({ uid, controllerUid }) => uid === pod?.uid && controllerUid === workload.uid);
}

/** Reasons against deleting a pod so that it starts again on the target, for every kind. */
function checkPodDeletion(input: ControlInput, chosen: PodSummary | undefined): Finding[] {
  if (chosen === undefined) {
    const name = input.pod?.name ?? 'The pod';
    return refuseIf(true, 'pod_gone', `${name} was deleted or replaced.`, 'Check the pods again.');
  }
  const isUpdated = input.history.revisionOfPod.get(chosen.uid)?.target === true;
  return [
    ...checkDeleting(input),
    ...refuseIf(chosen.deletedAt !== null, 'pod_deleting', `${chosen.name} is already being deleted.`),
    ...refuseIf(isUpdated, 'already_updated', `${chosen.name} already runs the target revision.`),
  ];
}

/** Deletes the pod with a precondition on its uid; its controller creates it again. */
export function planPodDeletion(
  { workload, history }: ControlInput,
  pod: PodSummary,
  text: Pick<Plan, 'stays'>,
): Plan {
  const { namespace, name, uid } = pod;
  const on = history.target === null ? 'the current template' : `revision ${formatRevision(history.target)}`;
  return {
    action: 'deletePod',
    title: `Delete pod ${name}`,
    write: { kind: 'delete', path: resourcePath(PODS, 'v1', namespace, name), preconditions: { uid } },
    needs: { verb: 'delete', group: '', resource: 'pods', namespace, name },
    steps: [`${name} terminates within its grace period.`, `${workload.name} recreates it with ${on}.`],
    stays: text.stays,
    kubectl: kubectlCommand(namespace, 'delete', 'pod', name),
  };
}
