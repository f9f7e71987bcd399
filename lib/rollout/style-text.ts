import type { RolloutStyle, StepState } from '@/lib/api/rollout-values';

const styleTexts: Readonly<Record<RolloutStyle, string>> = {
  canary: 'Canary',
  partition: 'Partition',
  blueGreen: 'Blue-green',
  batch: 'Batches',
  unknown: 'Unknown strategy',
};

/** `Canary`, `Blue-green`. */
export function styleLabel(style: RolloutStyle): string {
  return styleTexts[style];
}

/** The name of one of its steps. */
export function stepNoun({ style }: { style: RolloutStyle }): 'step' | 'batch' {
  return style === 'batch' ? 'batch' : 'step';
}

/** What a step does now, after its name: "Step 2 of 3 is waiting for approval". */
export const stepStateTexts: Readonly<Record<StepState, string>> = {
  planned: 'is pending',
  starting: 'is starting',
  upgrading: 'is updating pods',
  routing: 'is routing traffic',
  analysing: 'is being analyzed',
  waiting: 'is waiting for approval',
  pausing: 'is in a timed pause',
  approved: 'is done; the controller continues',
  done: 'is done',
  skipped: 'was skipped',
  abandoned: 'was abandoned',
  failed: 'has failed',
  unknown: 'is in an unknown state',
};
