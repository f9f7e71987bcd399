import { type RolloutItem } from '@/lib/api/rollouts';
import { type RolloutState } from '@/lib/rollout/rollout';
import {
  addedPods,
  hasBegun,
  podsWord,
  revisionWord,
  rolloutFaces,
  standsBeside,
  trafficWord,
} from '@/components/rollouts/rollout-words';
import { stepNoun } from '@/lib/rollout/style-word';
import { capitalised } from '@/lib/workloads/words';

/** What the page of a release opens with: the state in a few words, and what there is to know beside it. */
export interface ReleaseSentence {
  /** Colored: "Waiting for approval at step 2 of 5." */
  lead: string;
  rest: string;
}

/** Those in which the figures of the status are of the pods that there are; in others they are left over. */
const countable: ReadonlySet<RolloutState> = new Set([
  'starting',
  'progressing',
  'waiting',
  'paused',
  'stalled',
  'completed',
]);

/** "Waiting for approval at step 2 of 5. 8 of 40 pods run revision 88, all ready, with 20% of the traffic. Step 3 takes 12 more pods." */
export function sayRelease(rollout: RolloutItem): ReleaseSentence {
  const { lead, rest } = leadOf(rollout);
  const parts = [rest, countable.has(rollout.state) ? sayPods(rollout) : '', sayNext(rollout)];
  return { lead, rest: parts.filter((part) => part !== '').join(' ') };
}

/** The state in a word; of what failed, the one that its sentence begins with ("Aborted"). */
export function stateWord(rollout: RolloutItem): string {
  const { word } = rolloutFaces[rollout.state];
  return rollout.state === 'failed' ? (/^\w+/.exec(rollout.message)?.[0] ?? word) : word;
}

function leadOf({ state, step, message, style }: RolloutItem): { lead: string; rest: string } {
  if (state === 'completed') return { lead: 'Completed.', rest: message };
  if (state === 'waiting')
    return {
      lead: `${rolloutFaces.waiting.word} at ${stepNoun({ style })} ${step.index} of ${step.total}.`,
      rest: '',
    };
  const end = /[:.](?: |$)/.exec(message);
  if (end === null) return { lead: message, rest: '' };
  const rest = message.slice(end.index + 1).trim();
  return { lead: `${message.slice(0, end.index)}.`, rest: rest.charAt(0).toUpperCase() + rest.slice(1) };
}

function sayPods(rollout: RolloutItem): string {
  const { updated, ready, desired } = rollout.replicas;
  if (updated === null || desired === null || !hasBegun(rollout)) return '';
  const name = revisionWord(rollout.revisions.updated);
  const revision = `${rollout.revisions.updated?.number == null ? '' : 'revision '}${name}`;
  if (updated === 0) return `None of ${podsWord(desired)} runs ${revision} yet.`;
  // What stood beside them goes once they serve.
  const many =
    standsBeside(rollout) && rollout.state !== 'completed'
      ? `${podsWord(updated)} ${updated === 1 ? 'runs' : 'run'} ${revision} beside ${desired.toLocaleString('en')} of the stable one`
      : `${updated.toLocaleString('en')} of ${podsWord(desired)} ${updated === 1 ? 'runs' : 'run'} ${revision}`;
  return `${many}${sayReady(updated, ready)}${sayTraffic(rollout)}.`;
}

function sayReady(updated: number, ready: number | null): string {
  if (ready === null) return '';
  if (ready >= updated) return updated === 1 ? ', ready' : ', all ready';
  return ready === 0 ? ', none ready' : `, ${ready.toLocaleString('en')} ready`;
}

function sayTraffic({ steps, step }: RolloutItem): string {
  const actual = steps.find(({ index }) => index === step.index)?.traffic.actual;
  if (actual == null) return '';
  return actual.kind === 'weight'
    ? `, with ${actual.percent === 0 ? 'none' : trafficWord(actual)} of the traffic`
    : `, with the ${trafficWord(actual)}`;
}

function sayNext({ state, steps, step, style }: RolloutItem): string {
  if (state !== 'waiting') return '';
  const index = step.next ?? step.index + 1;
  const next = steps.find((each) => each.index === index);
  const noun = stepNoun({ style });
  if (next === undefined) return `It is the last ${noun}.`;
  const added = addedPods(steps, next);
  if (added === null) return '';
  if (added > 0) return `${capitalised(noun)} ${index} takes ${added.toLocaleString('en')} more.`;
  const { planned } = next.traffic;
  return planned?.kind === 'weight'
    ? `${capitalised(noun)} ${index} gives it ${trafficWord(planned)} of the traffic.`
    : `${capitalised(noun)} ${index} brings no more.`;
}
