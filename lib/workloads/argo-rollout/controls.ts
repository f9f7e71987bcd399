import { argoRollouts } from '@/lib/workloads/argo-rollout/resource';
import { replicasOf } from '@/lib/workloads/argo-rollout/spec';
import { type ControlInput, type PlanResult } from '@/lib/workloads/kind';
import { kubectlCommand, patchRight, patchWorkload, setTested, testUid } from '@/lib/workloads/patch';
import { checkDeleting, refuseIf, unlessRefused } from '@/lib/workloads/rollback-checks';
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
        ? 'No release begins until it is resumed.'
        : `A release under way stops where it is: ${history.target.pods.total} of ${formatCount(replicasOf(workload), 'pod')} on ${formatRevision(history.target)}.`,
    ],
    stays: ['The pods that run now go on running, and so does their share of the traffic.'],
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
    steps: ['The release goes on where it was; without one under way nothing happens.'],
    stays: ['A step that waits for promotion goes on waiting for it.'],
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
      'A restart was asked for within this very second.',
      'Wait a moment and look whether it has begun.',
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
    stays: ['The template stays as it is: no revision is recorded, and no step runs.'],
    kubectl: argoCommand(workload, 'restart'),
  }));
}

/** What a restart does, in order. */
export function describeRestart(desired: number): string[] {
  return [
    desired === 0
      ? 'The Rollout is scaled to 0: no pod restarts.'
      : 'Pods that are older than the restart are evicted a few at a time, as the strategy allows, and made again from the same revision.',
  ];
}

export function argoCommand(
  { namespace, name }: { namespace: string; name: string },
  ...args: readonly string[]
): string {
  const [command = '', ...options] = args;
  return kubectlCommand(namespace, 'argo', 'rollouts', command, name, ...options);
}
