import type { UpdateRules } from '@/lib/engine/update';
import type { PodSummary } from '@/lib/history/pod';
import { resourcePath } from '@/lib/kube/resource';
import { formatTarget } from '@/lib/messages/target';
import type { ControlInput, PlanResult } from '@/lib/workloads/kind';
import { kubectlCommand } from '@/lib/workloads/patch';
import { type Finding, type Plan, refuseIf } from '@/lib/workloads/plan';
import { checkDeleting, unlessRefused } from '@/lib/workloads/rollback-checks';
import { checkControlDuringRollout } from '@/lib/workloads/rollout-checks';

const PODS = { id: 'pods', group: '', versions: ['v1'], plural: 'pods', kind: 'Pod' };

/** Deletion of a pod that the update does not replace: under OnDelete, or one that an ordered update waits for. */
export function planPodDeletion(rules: UpdateRules, input: ControlInput): PlanResult {
  const { workload, pods, history, pod } = input;
  // The pod that the viewer saw, by uid: another pod may have its name now.
  const chosen = pods.find(({ uid, controllerUid }) => uid === pod?.uid && controllerUid === workload.uid);
  if (chosen === undefined) return { plan: null, findings: refuseGone(input, 'pods') };
  const { name, node } = chosen;
  const findings = [
    ...checkDeleting(input),
    ...refuseDeleting(chosen),
    ...refuseIf(
      history.revisionOfPod.get(chosen.uid)?.target === true,
      'already_updated',
      `${name} already runs the target revision.`,
    ),
    ...(rules.unit === 'node' ? checkControlDuringRollout(workload, 'deletePod') : []),
    ...refuseIf(
      rules.rollingOf(workload).isOnDelete !== true && !isAwaited(rules, input, chosen),
      'not_blocking',
      `${name} does not block the rollout: the ${rules.title} updates it automatically, unless it is held.`,
      'Wait for the rollout, or change what holds the pod.',
    ),
  ];
  const stays = ['All other pods keep running.'];
  if (rules.hasClaims === true) stays.push('Its volume claims and their data are kept and mounted again.');
  if (rules.unit === 'node')
    stays.push(`Only ${node === null ? 'its node' : `node ${node}`} has no pod until the new one starts.`);
  return unlessRefused(findings, () => ({
    ...podDeletion(chosen),
    title: `Delete pod ${name}`,
    steps: [
      `${name} terminates within its grace period.`,
      `${workload.name} recreates it with ${formatTarget(history)}.`,
    ],
    stays,
  }));
}

function isAwaited(rules: UpdateRules, { workload, history, pods }: ControlInput, pod: PodSummary): boolean {
  if (rules.isAwaited !== undefined) return rules.isAwaited(workload, pod);
  const others = pods.filter(({ uid }) => history.revisionOfPod.get(uid)?.target !== true);
  return rules.findBlockingPod?.(workload, others, pods)?.uid === pod.uid;
}

export function refuseGone({ pod }: ControlInput, units: 'pods' | 'groups'): Finding[] {
  const message = `${pod?.name ?? 'The pod'} was deleted or replaced.`;
  return refuseIf(true, 'pod_gone', message, `Check the ${units} again.`);
}

export function refuseDeleting({ name, deletedAt }: PodSummary): Finding[] {
  return refuseIf(deletedAt !== null, 'pod_deleting', `${name} is already being deleted.`);
}

/** With a precondition on its uid; its controller creates the pod again. */
export function podDeletion({ namespace, name, uid }: PodSummary) {
  return {
    action: 'deletePod',
    write: { kind: 'delete', path: resourcePath(PODS, 'v1', namespace, name), preconditions: { uid } },
    needs: { verb: 'delete', group: '', resource: 'pods', namespace, name },
    kubectl: kubectlCommand(namespace, 'delete', 'pod', name),
  } satisfies Partial<Plan>;
}
