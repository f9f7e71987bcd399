import type { RecordedProgressiveRolloutItem, StepItem } from '@/lib/api/records';
import { formatDuration } from '@/lib/format/duration';
import { styleLabel } from '@/lib/rollout/style-text';

const resultTexts: Readonly<Record<NonNullable<RecordedProgressiveRolloutItem['result']>, string>> = {
  completed: 'Completed all steps',
  rolledBack: 'Rolled back',
  undone: 'Reverted by the owner of the workload',
  superseded: 'Superseded',
  noPods: 'No pods ran',
  failed: 'Failed',
  disabled: 'Ended early: the Rollout was disabled',
  deleted: 'Ended early: the Rollout was deleted',
  unknown: 'Not observed',
};

/** `Canary, rel-1`: its style, and the system's id for it. */
export function styleText({ style, id }: Pick<RecordedProgressiveRolloutItem, 'style' | 'id'>): string {
  return id === null ? styleLabel(style) : `${styleLabel(style)}, ${id}`;
}

export function resultText({ result }: Pick<RecordedProgressiveRolloutItem, 'result'>): string {
  return result === null ? 'In progress' : resultTexts[result];
}

/** `Step 1 to step 3` */
export function jumpText({ from, to }: RecordedProgressiveRolloutItem['jumps'][number]): string {
  return from === to ? `Step ${from} again` : `Step ${from} to step ${to}`;
}

/** `20% of traffic, then approval`; null where the plan has neither. */
export function planText(
  rollout: RecordedProgressiveRolloutItem | null,
  { index }: Pick<StepItem, 'index'>,
): string | null {
  const step = rollout?.plan.find((planned) => planned.index === index);
  if (step === undefined) return null;
  const parts = [trafficText(step.traffic), pauseText(step.pause)].filter((part) => part !== null);
  return parts.length === 0 ? null : parts.join(', then ');
}

type Plan = RecordedProgressiveRolloutItem['plan'][number];

function trafficText(traffic: Plan['traffic']): string | null {
  if (traffic === null) return null;
  return traffic.kind === 'weight'
    ? `${traffic.percent}% of traffic`
    : `requests with ${traffic.rules.join(' or ')}`;
}

function pauseText(pause: Plan['pause']): string | null {
  if (pause === null || pause.kind === 'none') return null;
  return pause.kind === 'approval' ? 'approval' : `a pause of ${formatDuration(pause.seconds * 1000)}`;
}
