import { largestBatch, unavailableOf } from '@/lib/oam/batches';
import {
  workloadsOf,
  requested,
  changeWorkloads,
  done,
  type BatchStrategy,
  type RolloutAttempt,
  sharesOf,
  type StepResult,
  sum,
  waiting,
  plannedPods,
} from '@/lib/oam/batch-strategy';
import { changeWorkload, type RolledWorkload } from '@/lib/oam/rolled-workload';

/** Deployments, one of which takes over the pods of the others. */
export const deploymentPairStrategy: BatchStrategy = {
  claim: (attempt) =>
    changeWorkloads(workloadsOf(attempt), () => ({ claim: attempt.claim, isPaused: false })),
  roll: (attempt, batch, goal) =>
    attempt.rollout.plan.strategy === 'IncreaseFirst'
      ? increaseFirst(attempt, batch, goal)
      : decreaseFirst(attempt, batch, goal),
  check,
  ready: ({ target }) => target.pods.readyReplicas,
  planned: plannedPods,
  settle: settlePair,
  release: (attempt) => changeWorkloads(workloadsOf(attempt), () => ({ claim: null })),
};

function sharesAfter({ run, extent }: RolloutAttempt, targetPods: number): ReadonlyMap<string, number> {
  return sharesOf(run.sources, extent.target - targetPods);
}

function increaseFirst(attempt: RolloutAttempt, batch: number, goal: number): StepResult {
  const increasing = changeWorkload(attempt.target, { replicas: goal });
  if (increasing.length > 0)
    return requested(
      increasing,
      `Submitted the increase part of upgrade quests for batch ${batch}, target size = ${goal}`,
    );
  if (!isReady(attempt, batch, goal)) return waiting(notReady(attempt, batch));
  return decrease(attempt, batch, goal) ?? done;
}

function decreaseFirst(attempt: RolloutAttempt, batch: number, goal: number): StepResult {
  const decreasing = decrease(attempt, batch, goal);
  if (decreasing !== undefined) return decreasing;
  if (!isDrained(attempt, goal)) return waiting(notReady(attempt, batch));
  const increasing = changeWorkload(attempt.target, { replicas: goal });
  if (increasing.length > 0)
    return requested(
      increasing,
      `Submitted the increase part of upgrade quests for batch ${batch}, target size = ${goal}`,
    );
  // With an interval, one pod after the other, each ready before the next; otherwise the batch is requested at
  // once and then waited for.
  return goal < plannedPods(attempt, batch) && !isReady(attempt, batch, goal)
    ? waiting(notReady(attempt, batch))
    : done;
}

function decrease(attempt: RolloutAttempt, batch: number, goal: number): StepResult | undefined {
  const kept = sharesAfter(attempt, goal);
  const size = sum(attempt.sources, ({ name }) => kept.get(name) ?? 0);
  const decreasing = changeWorkloads(attempt.sources, ({ name }) => ({ replicas: kept.get(name) ?? 0 }));
  if (decreasing.length === 0) return undefined;
  return requested(
    decreasing,
    `Submitted the decrease part of upgrade quests for batch ${batch}, source size = ${size}`,
  );
}

function check(attempt: RolloutAttempt, batch: number): StepResult {
  const goal = plannedPods(attempt, batch);
  return isReady(attempt, batch, goal) && isDrained(attempt, goal) ? done : waiting(notReady(attempt, batch));
}

function isReady({ target, batches, extent }: RolloutAttempt, batch: number, goal: number): boolean {
  const missing = unavailableOf(batches[batch], extent);
  return target.pods.isObserved && target.pods.readyReplicas + missing >= goal;
}

function isDrained(attempt: RolloutAttempt, goal: number): boolean {
  const kept = sharesAfter(attempt, goal);
  return attempt.sources.every(({ name, pods }) => pods.isObserved && pods.replicas <= (kept.get(name) ?? 0));
}

function notReady(attempt: RolloutAttempt, batch: number): string {
  const { target, sources, batches, extent } = attempt;
  const left = sum(sources, ({ pods }) => pods.replicas);
  const missing = unavailableOf(batches[batch], extent);
  const ready = target.pods.readyReplicas;
  return `the batch ${batch} is not ready yet with ${ready} target pods ready and ${left} source pods with ${missing} unavailable allowed`;
}

/**
 * By pods that do not serve yet, or that others have replaced, so that the number of serving pods stays the
 * same.
 */
function settlePair(attempt: RolloutAttempt): StepResult {
  const { target, sources, run, extent, rollout } = attempt;
  const current = sum(sources, ({ replicas }) => replicas);
  const agreedShares = sharesAfter(attempt, target.replicas);
  const isWhole = current === sum(sources, ({ name }) => agreedShares.get(name) ?? 0);
  const least = Math.max(run.finishedReplicas, extent.target - current);
  const revertingWrites =
    rollout.plan.strategy === 'IncreaseFirst'
      ? changeWorkload(target, { replicas: Math.min(target.replicas, least) })
      : changeWorkloads(sources, ({ name, replicas }) => ({
          replicas: Math.max(replicas, agreedShares.get(name) ?? 0),
        }));
  const writes = isWhole ? [] : revertingWrites;
  if (writes.length > 0) return requested(writes, 'Reverted the incomplete batch');
  return workloadsOf(attempt).every(isShrunk) ? done : waiting('waiting for surplus pods to terminate');
}

/** Restores Deployments, in portions of the largest batch, in the order of the strategy. */
export function revertDeployments(attempt: RolloutAttempt): StepResult {
  const { origin, batches, extent, rollout } = attempt;
  const goalOf = ({ name }: RolledWorkload) => origin.find((entry) => entry.name === name)?.replicas ?? 0;
  const all = workloadsOf(attempt);
  const goal = sum(all, goalOf);
  const current = sum(all, ({ replicas }) => replicas);
  const portion = Math.max(1, largestBatch(batches, extent));
  const fewer = all.filter((workload) => workload.replicas < goalOf(workload));
  const more = all.filter((workload) => workload.replicas > goalOf(workload));
  if (!all.every(isShrunk)) return waiting('waiting for surplus pods to terminate');
  // Pods that don't serve may end at any time.
  const serve = sum(more, ({ pods }) => pods.readyReplicas) > 0;
  const settled = all.filter((workload) => !more.includes(workload));
  const isWaiting = serve && !settled.every(isServing);
  const lower = (pods: number) =>
    requested(spread(more, -pods, goalOf), 'Reverting: the target has fewer pods');
  const raise = (pods: number) =>
    requested(spread(fewer, pods, goalOf), 'Reverting: the source has more pods');
  if (rollout.plan.strategy === 'IncreaseFirst') {
    if (current <= goal && fewer.length > 0) return raise(goal + portion - current);
    if (more.length > 0)
      return isWaiting ? waiting('the source is not ready yet') : lower(Math.max(1, current - goal));
  } else {
    if (current < goal && fewer.length > 0) return raise(goal - current);
    if (more.length > 0)
      return isWaiting ? waiting('the source is not ready yet') : lower(current - goal + portion);
  }
  const restored = changeWorkloads(all, ({ name, isPaused }) => ({
    isPaused: origin.find((entry) => entry.name === name)?.isPaused ?? isPaused,
  }));
  return restored.length > 0 ? requested(restored, 'Reverted') : done;
}

/** Moves workloads towards their goals by so many pods in total. */
function spread(
  workloads: readonly RolledWorkload[],
  pods: number,
  goalOf: (workload: RolledWorkload) => number,
) {
  let left = Math.abs(pods);
  return workloads.flatMap((workload) => {
    const difference = goalOf(workload) - workload.replicas;
    const share = Math.min(Math.abs(difference), left);
    left -= share;
    return changeWorkload(workload, { replicas: workload.replicas + Math.sign(difference) * share });
  });
}

/** No more pods than requested. */
function isShrunk({ pods, replicas }: RolledWorkload): boolean {
  return pods.isObserved && pods.replicas <= replicas;
}

function isServing({ pods, replicas }: RolledWorkload): boolean {
  return pods.isObserved && pods.readyReplicas >= replicas;
}
