import { desiredReplicas, isRecreate } from '@/lib/workloads/deployment/strategy';
import type { ControlInput, PlanResult } from '@/lib/workloads/kind';
import { checkControlDuringRollout } from '@/lib/workloads/kruise/rollout-checks';
import { controllingRolloutOf } from '@/lib/workloads/kruise-rollout-metadata';
import { checkOwners } from '@/lib/workloads/owner-checks';
import { kubectlCommand, patchRight, patchWorkload, setTested, testUid } from '@/lib/workloads/patch';
import type { ResourceType } from '@/lib/kube/resource';
import { checkRestart, restartPlan } from '@/lib/workloads/restart';
import { checkDeleting, refuseIf, unlessRefused } from '@/lib/workloads/rollback-checks';
import { formatCount } from '@/lib/format/text';
import { formatRevision } from '@/lib/history/revision';

/** https://kubernetes.io/docs/concepts/workloads/controllers/deployment/#pausing-and-resuming-a-deployment */
export function planPause(resource: ResourceType, input: ControlInput): PlanResult {
  const { workload, history } = input;
  const findings = [
    ...checkDeleting(input),
    ...checkControlDuringRollout(workload, 'pause'),
    ...refuseIf(
      workload.spec.paused === true && controllingRolloutOf(workload) === null,
      'already_paused',
      'The Deployment is already paused.',
    ),
  ];
  const { target } = history;
  return unlessRefused(findings, () => ({
    action: 'pause',
    title: `Pause ${workload.name}`,
    write: patchWorkload(resource, workload, [
      testUid(workload),
      ...setTested('/spec/paused', workload.spec.paused, true),
    ]),
    needs: patchRight(resource, workload),
    steps: [
      target === null
        ? 'No rollout starts until the Deployment is resumed.'
        : `A rollout in progress stops at its current state: ${target.pods.total} of ${formatCount(desiredReplicas(workload), 'pod')} on revision ${formatRevision(target)}.`,
      'Template changes have no effect until it is resumed. Scaling still works.',
    ],
    stays: ['Running pods are not affected.', 'The progress deadline is suspended while it is paused.'],
    kubectl: kubectlCommand(workload.namespace, 'rollout', 'pause', `deployment/${workload.name}`),
  }));
}

export function planResume(resource: ResourceType, input: ControlInput): PlanResult {
  const { workload, history } = input;
  const findings = [
    ...checkDeleting(input),
    ...checkControlDuringRollout(workload, 'resume'),
    ...refuseIf(workload.spec.paused !== true, 'not_paused', 'The Deployment is not paused.'),
  ];
  return unlessRefused(findings, () => ({
    action: 'resume',
    title: `Resume ${workload.name}`,
    write: patchWorkload(resource, workload, [
      testUid(workload),
      { op: 'test', path: '/spec/paused', value: true },
      { op: 'remove', path: '/spec/paused' },
    ]),
    needs: patchRight(resource, workload),
    steps: [
      history.target === null
        ? 'The current template is recorded as a new revision and rolled out.'
        : `The rollout of revision ${formatRevision(history.target)} continues until all ${formatCount(desiredReplicas(workload), 'pod')} run it.`,
    ],
    stays: ['The template, replicas and all other settings are unchanged.'],
    kubectl: kubectlCommand(workload.namespace, 'rollout', 'resume', `deployment/${workload.name}`),
  }));
}

export function planDeploymentRestart(resource: ResourceType, input: ControlInput): PlanResult {
  const { workload } = input;
  const desired = desiredReplicas(workload);
  const paused = refuseIf(
    workload.spec.paused === true && controllingRolloutOf(workload) === null,
    'paused',
    'The Deployment is paused: a restart has no effect until it is resumed.',
    'Resume it first.',
  );
  const findings = [
    ...checkDeleting(input),
    ...checkControlDuringRollout(workload, 'restart'),
    ...paused,
    ...checkRestart(input),
    ...checkOwners(workload),
  ];
  const order = isRecreate(workload)
    ? 'All pods terminate before new ones start (Recreate).'
    : 'The update strategy limits how many at a time.';
  const replacement =
    desired === 0
      ? 'The Deployment is scaled to 0: no pod restarts.'
      : `${formatCount(desired, 'pod')} ${desired === 1 ? 'is' : 'are'} replaced by new pods with the same template. ${order}`;
  return unlessRefused(findings, () => restartPlan(resource, input, replacement));
}
