import {
  podCountText,
  revisionText,
  runsAlongsideStable,
  trafficText,
} from '@/components/rollouts/rollout-labels';
import { rolloutStateLabel } from '@/components/rollouts/rollout-sentence';
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
    ? `${updated.toLocaleString('en')} new, ${desired.toLocaleString('en')} stable`
    : `${updated.toLocaleString('en')} of ${desired.toLocaleString('en')}`;
  return ready === null || ready >= updated ? many : `${many}, ${ready.toLocaleString('en')} ready`;
}

export function formatTransition({ revisions: { stable, updated }, state }: RolloutItem): string {
  if (state === 'idle' || state === 'disabled') return '';
  if (updated === null || stable === null) return updated === null ? '' : revisionText(updated);
  const [from, to] = [revisionText(stable), revisionText(updated)];
  // The stable side can be another workload, whose name says nothing beside a number.
  if (stable.number === null && updated.number !== null) return to;
  return from === to ? to : `${from}\u00a0→\u00a0${to}`;
}

/** Why it does not progress, or its traffic; and what it changes. Approval is in the state. */
export function noteOf({ waitsFor, revisions, steps, step, state, message }: RolloutItem): string {
  const actual = steps.find(({ index }) => index === step.index)?.traffic.actual ?? null;
  const traffic = isOpenRollout(state) && actual !== null ? `${trafficText(actual)} of traffic` : null;
  const isGrave = state === 'failed' || state === 'stalled' || state === 'missing';
  const reason = isGrave ? message : waitsFor === null || state === 'waiting' ? null : waitsFor.text;
  const parts = [reason, traffic, revisions.summary].filter((part) => part !== null && part !== '');
  return parts.length === 0 ? message : parts.join(' · ').replaceAll('. ·', ' ·');
}
