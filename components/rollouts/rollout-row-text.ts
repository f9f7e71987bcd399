import {
  podCountText,
  revisionText,
  runsAlongsideStable,
  trafficText,
} from '@/components/rollouts/rollout-labels';
import { rolloutStateLabel } from '@/components/rollouts/release-sentence';
import { type RolloutItem } from '@/lib/api/rollouts';
import { stepNoun } from '@/lib/rollout/style-text';
import { isOpenRollout } from '@/lib/api/rollout-values';

/** "Waiting for approval at step 2 of 5", "In progress, step 1 of 3", "Completed". */
export function describeState(rollout: RolloutItem): string {
  const { state, step, style } = rollout;
  const word = rolloutStateLabel(rollout);
  if (step.index === 0 || step.total === 0) return word;
  const where = `${stepNoun({ style })} ${step.index} of ${step.total}`;
  if (step.state === 'pausing' && state === 'progressing') return `Timed pause at ${where}`;
  switch (state) {
    case 'waiting':
      return `${word} at ${where}`;
    case 'progressing':
    case 'paused':
    case 'stalled':
    case 'failed':
      return `${word}, ${where}`;
    case 'rolledBack':
    case 'rollingBack':
      return `${word} at ${where}`;
    default:
      return word;
  }
}

export function podsText(rollout: RolloutItem): string {
  const { desired, updated, ready } = rollout.replicas;
  if (desired === null) return '';
  if (updated === null || rollout.state === 'disabled') return podCountText(desired);
  const many = runsAlongsideStable(rollout)
    ? `${updated.toLocaleString('en')} + ${desired.toLocaleString('en')}`
    : `${updated.toLocaleString('en')} of ${desired.toLocaleString('en')}`;
  return ready === null || ready >= updated ? many : `${many}, ${ready.toLocaleString('en')} ready`;
}

export function formatTransition({ revisions: { stable, updated }, state }: RolloutItem): string {
  if (state === 'idle' || state === 'disabled') return '';
  if (updated === null || stable === null) return updated === null ? '' : revisionText(updated);
  const [from, to] = [revisionText(stable), revisionText(updated)];
  return from === to ? to : `${from}→${to}`;
}

/** What it waits for; otherwise its traffic and what it changes. */
export function noteOf(rollout: RolloutItem): string {
  const { waitsFor, revisions, steps, step, state, message } = rollout;
  const actual = steps.find(({ index }) => index === step.index)?.traffic.actual ?? null;
  const traffic = isOpenRollout(state) && actual !== null ? `${trafficText(actual)} of the traffic` : null;
  const wait = waitsFor?.text ?? null;
  const change = revisions.summary;
  const parts = [wait, traffic, change].filter((part) => part !== null && part !== '');
  return parts.length === 0 ? message : parts.join(' · ').replaceAll('. ·', ' ·');
}
