import type { RolloutItem } from '@/lib/api/rollouts';
import type { RolloutState } from '@/lib/api/rollout-values';
import {
  addedPods,
  hasStarted,
  podCountText,
  revisionTag,
  revisionText,
  rolloutAppearance,
  runsAlongsideStable,
  trafficText,
} from '@/components/rollouts/rollout-labels';
import { stepNoun } from '@/lib/rollout/style-text';

/** The opening sentence of a rollout's page: the state in a few words, then the details. */
export interface RolloutSentence {
  /** Colored: "Waiting for approval at step 2 of 5." */
  lead: string;
  rest: string;
}

/** States in which the status has the figures of existing pods; in others they are left over. */
const countable: ReadonlySet<RolloutState> = new Set([
  'starting',
  'progressing',
  'waiting',
  'paused',
  'stalled',
  'completed',
]);

/**
 * "Waiting for approval at step 2 of 5. 8 of 40 pods run revision 88, all ready, with 20% of the traffic. Step 3 takes
 * 12 more pods."
 */
export function describeRolloutState(rollout: RolloutItem): RolloutSentence {
  const { lead, rest } = leadOf(rollout);
  const parts = [rest, countable.has(rollout.state) ? describePods(rollout) : '', describeNextStep(rollout)];
  return { lead, rest: parts.filter((part) => part !== '').join(' ') };
}

/** The state in a word; for a failure the word that its sentence begins with ("Aborted"). */
export function rolloutStateLabel(rollout: RolloutItem): string {
  const { word } = rolloutAppearance[rollout.state];
  return rollout.state === 'failed' ? (/^\w+/.exec(rollout.message)?.[0] ?? word) : word;
}

function leadOf({ state, step, message, style }: RolloutItem): { lead: string; rest: string } {
  if (state === 'completed') return { lead: 'Completed.', rest: message };
  if (state === 'waiting')
    return {
      lead:
        step.total === 1
          ? `${rolloutAppearance.waiting.word}.`
          : `${rolloutAppearance.waiting.word} at ${stepNoun({ style })} ${step.index} of ${step.total}.`,
      rest: '',
    };
  const end = /[:.](?: |$)/.exec(message);
  if (end === null) return { lead: message, rest: '' };
  const rest = message.slice(end.index + 1).trim();
  return { lead: `${message.slice(0, end.index)}.`, rest: rest.charAt(0).toUpperCase() + rest.slice(1) };
}

function describePods(rollout: RolloutItem): string {
  const { updated, ready, desired } = rollout.replicas;
  if (updated === null || desired === null || !hasStarted(rollout)) return '';
  if (rollout.style === 'blueGreen' && rollout.state !== 'completed') return describeSides(rollout);
  const name = revisionText(rollout.revisions.updated);
  const revision = `${rollout.revisions.updated?.number == null ? '' : 'revision '}${name}`;
  if (updated === 0) return `0 of ${podCountText(desired)} ${desired === 1 ? 'runs' : 'run'} ${revision}.`;
  // What ran alongside them is removed once they serve.
  const many =
    runsAlongsideStable(rollout) && rollout.state !== 'completed'
      ? `${updated.toLocaleString('en')} canary ${updated === 1 ? 'pod' : 'pods'} (${revision}) and ${desired.toLocaleString('en')} stable ${desired === 1 ? 'pod' : 'pods'}`
      : `${updated.toLocaleString('en')} of ${podCountText(desired)} ${updated === 1 ? 'runs' : 'run'} ${revision}`;
  return `${many}${readyText(updated, ready)}${describeTraffic(rollout)}.`;
}

/** "Preview (rev 5): 3 pods, all ready, no traffic. Active (rev 4): 3 pods." */
function describeSides({ replicas, revisions, steps, step }: RolloutItem): string {
  const updated = replicas.updated ?? 0;
  const traffic = steps.find(({ index }) => index === step.index)?.traffic.actual ?? null;
  const served =
    traffic === null
      ? ''
      : traffic.kind === 'weight' && traffic.percent === 0
        ? ', no traffic'
        : `, ${trafficText(traffic)}${traffic.kind === 'weight' ? ' of traffic' : ''}`;
  const preview = `Preview (${revisionTag(revisions.updated)}): ${podCountText(updated)}${updated === 0 ? '' : readyText(updated, replicas.ready)}${served}.`;
  return `${preview} Active (${revisionTag(revisions.stable)}): ${podCountText(replicas.desired ?? 0)}.`;
}

function readyText(updated: number, ready: number | null): string {
  if (ready === null) return '';
  if (ready >= updated) return updated === 1 ? ', ready' : ', all ready';
  return ready === 0 ? ', none ready' : `, ${ready.toLocaleString('en')} ready`;
}

function describeTraffic(rollout: RolloutItem): string {
  const { steps, step } = rollout;
  const actual = steps.find(({ index }) => index === step.index)?.traffic.actual;
  if (actual == null) return '';
  const receiver = runsAlongsideStable(rollout) ? 'the canary' : 'it';
  return `; ${receiver} receives ${trafficText(actual)}${actual.kind === 'weight' ? ' of traffic' : ''}`;
}

function describeNextStep({ state, steps, step, style }: RolloutItem): string {
  if (state !== 'waiting' || steps.length === 1) return '';
  const index = step.next ?? step.index + 1;
  const next = steps.find((each) => each.index === index);
  const noun = stepNoun({ style });
  if (next === undefined) return `Final ${noun}.`;
  const added = addedPods(steps, next);
  if (added === null) return '';
  if (added > 0) return `Next: ${noun} ${index}, +${podCountText(added)}.`;
  const { planned } = next.traffic;
  return planned?.kind === 'weight'
    ? `Next: ${noun} ${index}, ${trafficText(planned)} of traffic.`
    : `Next: ${noun} ${index}.`;
}
