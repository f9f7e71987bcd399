import { type ProgressiveRollout } from '@/lib/rollout/rollout';
import { type RolloutStep } from '@/lib/api/rollouts';
import { formatDuration } from '@/lib/format/duration';
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
        ? ` and ${traffic.percent}% of traffic`
        : ' and the requests that match its rules';
  return [
    `Step ${index} of ${rollout.step.total} starts: the new revision gets ${podsOf(step, rollout)}${share}.`,
    describePause(step, rollout),
  ];
}

function podsOf(
  { replicas: { planned, requested } }: RolloutStep,
  { replicas: { desired } }: ProgressiveRollout,
): string {
  if (planned === null) return requested === null ? 'its pods' : `${requested} of the pods`;
  return desired === null ? formatCount(planned, 'pod') : `${planned} of ${formatCount(desired, 'pod')}`;
}

function describePause({ index, pause }: RolloutStep, rollout: ProgressiveRollout): string {
  const next = index < rollout.step.total ? `step ${index + 1} starts` : 'the rollout completes';
  switch (pause?.kind) {
    case 'approval':
      return 'It then waits for approval again.';
    case 'time':
      return pause.seconds === 0
        ? `Then ${next} automatically.`
        : `After a pause of ${formatDuration(pause.seconds * 1_000)}, ${next} automatically.`;
    case 'none':
    case undefined:
      return `Then ${next} automatically.`;
    default:
      return pause satisfies never;
  }
}

/** What follows the last step. */
export function describeEnd(rollout: ProgressiveRollout): string {
  return `This is the last step: the rollout completes, and all pods of ${formatWorkload(rollout)} get the new revision.`;
}

/** The workload, with its kind. */
export function formatWorkload({ workload: { kind, name } }: ProgressiveRollout): string {
  return `${kind} ${name}`;
}
