import { clsx } from 'clsx';
import { stepAppearance } from '@/components/rollouts/rollout-labels';
import type { RolloutItem } from '@/lib/api/rollouts';
import type { StepState } from '@/lib/api/rollout-values';

/** Above this number the steps become a single bar in proportion. */
const DOTS_MAX = 12;

/**
 * The steps in one line of a list: a segment for each, as wide as what it adds, full when completed, colored at the
 * current step. The accessible name has the same in words.
 */
export function StepDots({ rollout: { steps, step } }: { rollout: Pick<RolloutItem, 'steps' | 'step'> }) {
  const description = describeSteps({ steps, step });
  return (
    <span
      role="img"
      aria-label={description}
      title={description}
      className="inline-flex h-2.5 w-full max-w-[168px] items-stretch gap-[2px]"
    >
      {steps.length > DOTS_MAX ? (
        <i className="flex flex-1 overflow-hidden rounded-[2px] bg-rev-past">
          <i className="bg-complete-fill" style={{ width: `${(100 * step.index) / step.total}%` }} />
        </i>
      ) : (
        steps.map(({ index, state }) => (
          <i key={index} className={clsx('min-w-[6px] flex-1 rounded-[2px]', dotClass(state))} />
        ))
      )}
    </span>
  );
}

/** "Step 2 of 5: 1 done, 2 waiting, 3 pending, …" */
function describeSteps({ steps, step }: Pick<RolloutItem, 'steps' | 'step'>): string {
  if (steps.length === 0) return 'No steps';
  const stateTexts = steps.map(({ index, state }) => `${index} ${stepAppearance[state].word.toLowerCase()}`);
  return `Step ${step.index} of ${step.total}: ${stateTexts.join(', ')}`;
}

function dotClass(state: StepState): string {
  switch (state) {
    case 'planned':
      return 'bg-rev-past';
    case 'starting':
    case 'upgrading':
    case 'routing':
    case 'analysing':
      return 'bg-rev-target';
    case 'waiting':
    case 'pausing':
      return 'bg-held';
    case 'approved':
    case 'done':
      return 'bg-complete-fill';
    case 'skipped':
      return 'inset-ring inset-ring-control';
    case 'abandoned':
      return 'bg-back-fill';
    case 'failed':
      return 'bg-stuck-fill';
    case 'unknown':
      return 'inset-ring inset-ring-unknown';
    default:
      return state satisfies never;
  }
}
