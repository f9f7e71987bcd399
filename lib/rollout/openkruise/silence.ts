import { type Situation } from '@/lib/rollout/openkruise/situation';
import { currentIndex, desiredOf, plannedReplicas, stepState } from '@/lib/rollout/openkruise/steps';
import { PATIENCE_MS } from '@/lib/rollout/openkruise/waits';
import { type PodSummary } from '@/lib/workloads/pod';

/**
 * What a controller that is alive would have done by now, and since when it has not: it passes through states that wait for
 * nothing within a second, and sees within seconds that all pods of a step are ready. Null while it has something to wait for.
 */
function dueOf(situation: Situation): { text: string; sinceMs: number } | null {
  const { stage, progress, rollout, seenMs } = situation;
  if (stage !== 'inStep' || progress === null || seenMs === null) return null;
  const index = currentIndex(situation);
  if (stepState(situation, index) === 'approved')
    return { text: `Step ${index} is done, and no controller has gone on.`, sinceMs: seenMs };
  if (progress.stepState !== 'StepUpgrade') return null;
  const step = rollout.steps[index - 1];
  const planned = step === undefined ? null : plannedReplicas(step, desiredOf(situation));
  const ready = newPods(situation).filter((pod) => pod.ready);
  if (planned === null || planned === 0 || ready.length < planned) return null;
  const readyMs = Math.max(...ready.map(({ readyAt }) => timeOf(readyAt)));
  return {
    text: `All pods of step ${index} are ready, and no controller has seen that.`,
    sinceMs: Math.max(seenMs, readyMs),
  };
}

/** Why the controller seems to be gone in the middle of a step; null where it shows signs of life. */
export function silenceOf(situation: Situation): string | null {
  const due = dueOf(situation);
  return due !== null && situation.nowMs - due.sinceMs > PATIENCE_MS ? due.text : null;
}

/** When it will be called silent, in milliseconds since the epoch; Infinity where nothing is due. */
export function silentFrom(situation: Situation): number {
  const due = dueOf(situation);
  const fromMs = due === null ? Infinity : due.sinceMs + PATIENCE_MS + 1;
  return fromMs > situation.nowMs ? fromMs : Infinity;
}

function newPods({ style, facts, auxiliaries }: Situation): PodSummary[] {
  if (style === 'canary') return auxiliaries.flatMap(({ pods }) => pods.filter(isHere));
  return (facts?.pods ?? []).filter(
    (pod) => isHere(pod) && facts?.history.revisionOfPod.get(pod.uid)?.target === true,
  );
}

function isHere({ deletedAt }: PodSummary): boolean {
  return deletedAt === null;
}

/** Infinity where nothing tells: then nothing is due. */
function timeOf(time: string | null): number {
  const ms = Date.parse(time ?? '');
  return Number.isNaN(ms) ? Infinity : ms;
}
