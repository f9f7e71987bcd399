import { type Rollout, type RolloutStep } from '@/lib/rollout/rollout';
import { count } from '@/lib/workloads/words';

/** What a step brings, and how it ends: a sentence each. */
export function stepWords(rollout: Rollout, index: number): string[] {
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
    pauseWords(step, rollout),
  ];
}

function podsOf({ replicas: { planned, asked } }: RolloutStep, { replicas: { desired } }: Rollout): string {
  if (planned === null) return asked === null ? 'its pods' : `${asked} of the pods`;
  return desired === null ? count(planned, 'pod') : `${planned} of ${count(desired, 'pod')}`;
}

function pauseWords({ index, pause }: RolloutStep, rollout: Rollout): string {
  const after = index < rollout.step.total ? 'to the next step' : 'to the end';
  switch (pause?.kind) {
    case 'approval':
      return 'Then it waits for approval again.';
    case 'time':
      return pause.seconds === 0
        ? `Then it goes on ${after} by itself.`
        : `Then it waits ${count(pause.seconds, 'second')} and goes on ${after} by itself.`;
    case 'none':
    case undefined:
      return `Then it goes on ${after} by itself.`;
    default:
      return pause satisfies never;
  }
}

/** What comes after the last step. */
export function endOf(rollout: Rollout): string {
  return `It was the last step: the release is completed, and every pod of ${called(rollout)} gets the new revision.`;
}

/** The workload, with its kind. */
export function called({ workload: { kind, name } }: Rollout): string {
  return `${kind} ${name}`;
}
