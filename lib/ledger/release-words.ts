import { type RecordedReleaseItem, type StepItem } from '@/lib/api/records';
import { styleWord } from '@/lib/rollout/style-word';

const results: Readonly<Record<NonNullable<RecordedReleaseItem['result']>, string>> = {
  completed: 'every step was gone through',
  rolledBack: 'taken back on the way',
  superseded: 'another version took its place',
  failed: 'failed',
  disabled: 'cut short: it was disabled, which brings the rest at once',
  deleted: 'cut short: what stepped it was deleted, which brings the rest at once',
  unknown: 'not seen',
};

/** `canary, rel-1`: how it was stepped, and the id that the system gave it. */
export function releaseKind({ style, id }: Pick<RecordedReleaseItem, 'style' | 'id'>): string {
  return id === null ? styleWord(style) : `${styleWord(style)}, ${id}`;
}

export function resultText({ result }: Pick<RecordedReleaseItem, 'result'>): string {
  return result === null ? 'under way' : results[result];
}

/** `from step 1 to step 3` */
export function jumpText({ from, to }: RecordedReleaseItem['jumps'][number]): string {
  return from === to ? `step ${from} again` : `from step ${from} to step ${to}`;
}

/** `20% of the traffic, then an approval`; null where the plan says neither. */
export function planText(
  release: RecordedReleaseItem | null,
  { index }: Pick<StepItem, 'index'>,
): string | null {
  const step = release?.plan.find((planned) => planned.index === index);
  if (step === undefined) return null;
  const parts = [trafficText(step.traffic), pauseText(step.pause)].filter((part) => part !== null);
  return parts.length === 0 ? null : parts.join(', then ');
}

type Plan = RecordedReleaseItem['plan'][number];

function trafficText(traffic: Plan['traffic']): string | null {
  if (traffic === null) return null;
  return traffic.kind === 'weight'
    ? `${traffic.percent}% of the traffic`
    : `requests with ${traffic.rules.join(' or ')}`;
}

function pauseText(pause: Plan['pause']): string | null {
  if (pause === null || pause.kind === 'none') return null;
  return pause.kind === 'approval' ? 'an approval' : `${pause.seconds} s`;
}
