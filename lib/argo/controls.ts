import { argoRollouts } from '@/lib/argo/resource';
import { readArgo } from '@/lib/argo/reading';
import type { ControlInput, PlanResult } from '@/lib/workloads/kind';
import {
  kubectlCommand,
  mergePatchCommand,
  patchRight,
  patchWorkload,
  setTested,
  testUid,
} from '@/lib/workloads/patch';
import { type Finding, type JsonPatchOperation, type Plan, refuseIf } from '@/lib/workloads/plan';
import { checkDeleting, unlessRefused } from '@/lib/workloads/rollback-checks';
import { formatCount } from '@/lib/format/text';
import { formatRevision } from '@/lib/history/revision';

/** `kubectl argo rollouts pause`; tested on the object that the viewer saw. */
export function planPause(input: ControlInput): PlanResult {
  const { workload, history } = input;
  const { paused, desired } = readArgo(workload);
  return planControl(input, {
    action: 'pause',
    title: `Pause ${workload.name}`,
    refusals: refuseIf(paused, 'already_paused', 'The Rollout is already paused.'),
    operations: setTested('/spec/paused', workload.spec.paused, true),
    steps: [
      history.target === null
        ? 'No rollout starts until it is resumed.'
        : `A rollout in progress stops at its current state: ${history.target.pods.total} of ${formatCount(desired, 'pod')} on revision ${formatRevision(history.target)}.`,
    ],
    stays: ['Running pods and their share of traffic are not affected.'],
    kubectl: argoCommand(workload, 'pause'),
  });
}

/** The end of a pause by hand. */
export const RESUMPTION: readonly JsonPatchOperation[] = [
  { op: 'test', path: '/spec/paused', value: true },
  { op: 'replace', path: '/spec/paused', value: false },
];

export function planResume(input: ControlInput): PlanResult {
  const { workload } = input;
  const { plural, group } = argoRollouts;
  return planControl(input, {
    action: 'resume',
    title: `Resume ${workload.name}`,
    refusals: refuseIf(!readArgo(workload).paused, 'not_paused', 'The Rollout is not paused.'),
    operations: RESUMPTION,
    steps: ['A paused rollout continues at its current step; otherwise nothing changes.'],
    stays: ['A step that waits for promotion keeps waiting.'],
    kubectl: mergePatchCommand(workload.namespace, [`${plural}.${group}`, workload.name], {
      spec: { paused: false },
    }),
  });
}

/**
 * The controller deletes pods by age and creates them again; the template, and so the revision, stays the
 * same.
 */
export function planRestart(input: ControlInput): PlanResult {
  const { workload, now } = input;
  return planControl(input, {
    action: 'restart',
    ...describeRestart(workload, readArgo(workload).desired),
    refusals: refuseIf(
      workload.spec.restartAt === now,
      'already_restarted',
      'A restart was already requested in this second.',
      'Wait a moment, then check whether it has started.',
    ),
    operations: setTested('/spec/restartAt', workload.spec.restartAt, now),
  });
}

interface Control extends Pick<Plan, 'action' | 'title' | 'steps' | 'stays' | 'kubectl'> {
  refusals: readonly Finding[];
  operations: readonly JsonPatchOperation[];
}

function planControl(input: ControlInput, { refusals, operations, ...text }: Control): PlanResult {
  const { workload } = input;
  return unlessRefused([...checkDeleting(input), ...refusals], () => ({
    ...text,
    write: patchWorkload(argoRollouts, workload, [testUid(workload), ...operations]),
    needs: patchRight(argoRollouts, workload),
  }));
}

/** What a restart does, for the kind and the system. */
export function describeRestart(rollout: { namespace: string; name: string }, desired: number) {
  return {
    title: `Restart ${rollout.name}`,
    steps: [
      desired === 0
        ? 'The Rollout is scaled to 0: no pod restarts.'
        : 'Pods older than the restart are evicted a few at a time, as maxUnavailable allows, and recreated from the same revision.',
    ],
    stays: ['The template does not change: no revision is recorded and no steps run.'],
    kubectl: argoCommand(rollout, 'restart'),
  };
}

/** `kubectl argo rollouts promote NAME --full`: the name comes before the options. */
export function argoCommand(
  { namespace, name }: { namespace: string; name: string },
  ...args: readonly string[]
): string {
  const isOption = (text: string) => text.startsWith('--');
  const words = args.filter((text) => !isOption(text));
  return kubectlCommand(namespace, 'argo', 'rollouts', ...words, name, ...args.filter(isOption));
}
