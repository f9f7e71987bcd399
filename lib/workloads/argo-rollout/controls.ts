import { argoRollouts } from '@/lib/workloads/argo-rollout/resource';
import { replicasOf } from '@/lib/workloads/argo-rollout/spec';
import type { ControlInput, PlanResult } from '@/lib/workloads/kind';
import { kubectlCommand, patchRight, patchWorkload, setTested, testUid } from '@/lib/workloads/patch';
import { refuseIf } from '@/lib/workloads/plan';
import { checkDeleting, unlessRefused } from '@/lib/workloads/rollback-checks';
import { formatCount } from '@/lib/format/text';
import { formatRevision } from '@/lib/history/revision';

/** `kubectl argo rollouts pause`; tested on the object that the viewer saw. */
export function planPause(input: ControlInput): PlanResult {
  const { workload, history } = input;
  const findings = [
    ...checkDeleting(input),
    ...refuseIf(workload.spec.paused === true, 'already_paused', 'The Rollout is already paused.'),
  ];
  return unlessRefused(findings, () => ({
    action: 'pause',
    title: `Pause ${workload.name}`,
    write: patchWorkload(argoRollouts, workload, [
      testUid(workload),
      ...setTested('/spec/paused', workload.spec.paused, true),
    ]),
    needs: patchRight(argoRollouts, workload),
    steps: [
      history.target === null
        ? 'No rollout starts until it is resumed.'
        : `A rollout in progress stops at its current state: ${history.target.pods.total} of ${formatCount(replicasOf(workload), 'pod')} on revision ${formatRevision(history.target)}.`,
    ],
    stays: ['Running pods and their share of traffic are not affected.'],
    kubectl: argoCommand(workload, 'pause'),
  }));
}

export function planResume(input: ControlInput): PlanResult {
  const { workload } = input;
  const findings = [
    ...checkDeleting(input),
    ...refuseIf(workload.spec.paused !== true, 'not_paused', 'The Rollout is not paused.'),
  ];
  return unlessRefused(findings, () => ({
    action: 'resume',
    title: `Resume ${workload.name}`,
    write: patchWorkload(argoRollouts, workload, [
      testUid(workload),
      { op: 'test', path: '/spec/paused', value: true },
      { op: 'replace', path: '/spec/paused', value: false },
    ]),
    needs: patchRight(argoRollouts, workload),
    steps: ['A paused rollout continues at its current step; otherwise nothing changes.'],
    stays: ['A step that waits for promotion keeps waiting.'],
    kubectl: kubectlCommand(
      workload.namespace,
      'patch',
      `${argoRollouts.plural}.${argoRollouts.group}`,
      workload.name,
      '--type=merge',
      '-p',
      '{"spec":{"paused":false}}',
    ),
  }));
}

/**
 * The controller deletes pods by age and creates them again; the template, and so the revision, stays the
 * same.
 */
export function planRestart(input: ControlInput): PlanResult {
  const { workload, now } = input;
  const desired = replicasOf(workload);
  const findings = [
    ...checkDeleting(input),
    ...refuseIf(
      workload.spec.restartAt === now,
      'already_restarted',
      'A restart was already requested in this second.',
      'Wait a moment, then check whether it has started.',
    ),
  ];
  return unlessRefused(findings, () => ({
    action: 'restart',
    title: `Restart ${workload.name}`,
    write: patchWorkload(argoRollouts, workload, [
      testUid(workload),
      ...setTested('/spec/restartAt', workload.spec.restartAt, now),
    ]),
    needs: patchRight(argoRollouts, workload),
    steps: describeRestart(desired),
    stays: ['The template does not change: no revision is recorded and no steps run.'],
    kubectl: argoCommand(workload, 'restart'),
  }));
}

/** What a restart does, in order. */
export function describeRestart(desired: number): string[] {
  return [
    desired === 0
      ? 'The Rollout is scaled to 0: no pod restarts.'
      : 'Pods older than the restart are evicted a few at a time, as maxUnavailable allows, and recreated from the same revision.',
  ];
}

export function argoCommand(
  { namespace, name }: { namespace: string; name: string },
  ...args: readonly string[]
): string {
  const [command = '', ...options] = args;
  return kubectlCommand(namespace, 'argo', 'rollouts', command, name, ...options);
}
