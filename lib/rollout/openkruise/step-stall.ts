import type { KruiseContext } from '@/lib/rollout/openkruise/context';
import { currentIndex, desiredOf, plannedReplicas, stepState } from '@/lib/rollout/openkruise/steps';
import { STALL_AFTER_MS } from '@/lib/rollout/openkruise/waits';
import type { PodSummary } from '@/lib/history/pod';

/**
 * What a running controller would have done by now, and since when that is overdue: it passes states without
 * a wait within a second, and observes within seconds that all pods of a step are ready. Null while it has
 * something to wait for.
 */
function overdueOf(context: KruiseContext): { text: string; sinceMs: number } | null {
  const { stage, progress, rollout, observedMs } = context;
  if (stage !== 'inStep' || progress === null || observedMs === null) return null;
  const index = currentIndex(context);
  if (stepState(context, index) === 'approved')
    return { text: `Step ${index} is done, but the controller has not reacted.`, sinceMs: observedMs };
  if (progress.stepState !== 'StepUpgrade') return null;
  const step = rollout.steps[index - 1];
  const planned = step === undefined ? null : plannedReplicas(step, desiredOf(context));
  const ready = newPods(context).filter((pod) => pod.ready);
  if (planned === null || planned === 0 || ready.length < planned) return null;
  const readyMs = Math.max(...ready.map(({ readyAt }) => timeOf(readyAt)));
  return {
    text: `All pods of step ${index} are ready, but the controller has not reacted.`,
    sinceMs: Math.max(observedMs, readyMs),
  };
}

/** Why the controller appears to be missing during a step; null where it shows activity. */
export function stepStallOf(context: KruiseContext): string | null {
  const overdue = overdueOf(context);
  return overdue !== null && context.nowMs - overdue.sinceMs > STALL_AFTER_MS ? overdue.text : null;
}

/** When the step becomes overdue, in milliseconds since the epoch; Infinity where nothing is due. */
export function stepStalledFromMs(context: KruiseContext): number {
  const overdue = overdueOf(context);
  const fromMs = overdue === null ? Infinity : overdue.sinceMs + STALL_AFTER_MS + 1;
  return fromMs > context.nowMs ? fromMs : Infinity;
}

function newPods({ style, facts, auxiliaries }: KruiseContext): PodSummary[] {
  if (style === 'canary') return auxiliaries.flatMap(({ pods }) => pods.filter(isNotDeleted));
  return (facts?.pods ?? []).filter(
    (pod) => isNotDeleted(pod) && facts?.history.revisionOfPod.get(pod.uid)?.target === true,
  );
}

function isNotDeleted({ deletedAt }: PodSummary): boolean {
  return deletedAt === null;
}

/** Infinity where it is unknown: then nothing is due. */
function timeOf(time: string | null): number {
  const ms = Date.parse(time ?? '');
  return Number.isNaN(ms) ? Infinity : ms;
}
