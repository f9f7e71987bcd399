import { type ProgressiveRollout } from '@/lib/rollout/rollout';
import { type RolloutStep } from '@/lib/api/rollouts';
import { formatCount } from '@/lib/format/text';

/** What a step does, and how it ends: a sentence each. */
export function describeStep(rollout: ProgressiveRollout, index: number): string[] {
  const step = rollout.steps[index - 1];
  if (step === undefined) return [];
  const traffic = step.traffic.planned;
  const share =
    traffic === null
      ? ''
      : traffic.kind === 'weight'
        ? ` and ${traffic.percent}% of the traffic`
        : ' and the requests that match its rules';
  return [
    `Step ${index} of ${rollout.step.total} begins: the new revision gets ${podsOf(step, rollout)}${share}.`,
    describePause(step, rollout),
  ];
}

function podsOf(
  { replicas: { planned, asked } }: RolloutStep,
  { replicas: { desired } }: ProgressiveRollout,
): string {
  if (planned === null) return asked === null ? 'its pods' : `${asked} of the pods`;
  return desired === null ? formatCount(planned, 'pod') : `${planned} of ${formatCount(desired, 'pod')}`;
}

function describePause({ index, pause }: RolloutStep, rollout: ProgressiveRollout): string {
  const after = index < rollout.step.total ? 'to the next step' : 'to the end';
  switch (pause?.kind) {
    case 'approval':
      return 'Then it waits for approval again.';
    case 'time':
      return pause.seconds === 0
        ? `Then it goes on ${after} by itself.`
        : `Then it waits ${formatCount(pause.seconds, 'second')} and goes on ${after} by itself.`;
    case 'none':
    case undefined:
      return `Then it goes on ${after} by itself.`;
    default:
      return pause satisfies never;
  }
}

/** What follows the last step. */
export function describeEnd(rollout: ProgressiveRollout): string {
  return `It was the last step: the release is completed, and every pod of ${formatWorkload(rollout)} gets the new revision.`;
}

/** The workload, with its kind. */
export function formatWorkload({ workload: { kind, name } }: ProgressiveRollout): string {
  return `${kind} ${name}`;
}
