import { largestBatch, unavailableOf } from '@/lib/oam/batches';
import {
  allOf,
  asked,
  changeEach,
  done,
  type Handling,
  type Held,
  shares,
  type Step,
  sum,
  waiting,
} from '@/lib/oam/handling';
import { change, type RolledWorkload } from '@/lib/oam/workload';

/** Deployments, one of which takes over the pods of the others. */
export const pair: Handling = {
  claim: (held) => changeEach(allOf(held), () => ({ claim: held.claim, isPaused: false })),
  roll: (held, batch, goal) =>
    held.rollout.plan.strategy === 'IncreaseFirst'
      ? increaseFirst(held, batch, goal)
      : decreaseFirst(held, batch, goal),
  check,
  ready: ({ target }) => target.pods.readyReplicas,
  planned,
  settle,
  release: (held) => changeEach(allOf(held), () => ({ claim: null })),
};

/** What the target had before stays. */
function planned({ run, goals }: Held, batch: number): number {
  return Math.max(run.startingReplicas, goals[batch] ?? 0);
}

function sharesAfter({ run, extent }: Held, targetPods: number): ReadonlyMap<string, number> {
  return shares(run.sources, extent.target - targetPods);
}

function increaseFirst(held: Held, batch: number, goal: number): Step {
  const up = change(held.target, { replicas: goal });
  if (up.length > 0)
    return asked(
      up,
      `Submitted the increase part of upgrade quests for batch ${batch}, target size = ${goal}`,
    );
  if (!isReady(held, batch, goal)) return waiting(notReady(held, batch));
  return decrease(held, batch, goal) ?? done;
}

function decreaseFirst(held: Held, batch: number, goal: number): Step {
  const down = decrease(held, batch, goal);
  if (down !== undefined) return down;
  if (!isDrained(held, goal)) return waiting(notReady(held, batch));
  const up = change(held.target, { replicas: goal });
  if (up.length > 0)
    return asked(
      up,
      `Submitted the increase part of upgrade quests for batch ${batch}, target size = ${goal}`,
    );
  // A pod at a time is one after the other, ready each; a whole batch is waited for once all of it was asked for.
  return goal < planned(held, batch) && !isReady(held, batch, goal) ? waiting(notReady(held, batch)) : done;
}

function decrease(held: Held, batch: number, goal: number): Step | undefined {
  const kept = sharesAfter(held, goal);
  const size = sum(held.sources, ({ name }) => kept.get(name) ?? 0);
  const down = changeEach(held.sources, ({ name }) => ({ replicas: kept.get(name) ?? 0 }));
  if (down.length === 0) return undefined;
  return asked(
    down,
    `Submitted the decrease part of upgrade quests for batch ${batch}, source size = ${size}`,
  );
}

function check(held: Held, batch: number): Step {
  const goal = planned(held, batch);
  return isReady(held, batch, goal) && isDrained(held, goal) ? done : waiting(notReady(held, batch));
}

function isReady({ target, batches, extent }: Held, batch: number, goal: number): boolean {
  const missing = unavailableOf(batches[batch], extent);
  return target.pods.isObserved && target.pods.readyReplicas + missing >= goal;
}

function isDrained(held: Held, goal: number): boolean {
  const kept = sharesAfter(held, goal);
  return held.sources.every(({ name, pods }) => pods.isObserved && pods.replicas <= (kept.get(name) ?? 0));
}

function notReady(held: Held, batch: number): string {
  const { target, sources, batches, extent } = held;
  const left = sum(sources, ({ pods }) => pods.replicas);
  const missing = unavailableOf(batches[batch], extent);
  const ready = target.pods.readyReplicas;
  return `the batch ${batch} is not ready yet with ${ready} target pods ready and ${left} source pods with ${missing} unavailable allowed`;
}

/** By pods that do not serve yet, or that others serve in the place of, so that the number of pods stays what it was. */
function settle(held: Held): Step {
  const { target, sources, run, extent, rollout } = held;
  const present = sum(sources, ({ replicas }) => replicas);
  const agreed = sharesAfter(held, target.replicas);
  const isWhole = present === sum(sources, ({ name }) => agreed.get(name) ?? 0);
  const least = Math.max(run.finishedReplicas, extent.target - present);
  const taken =
    rollout.plan.strategy === 'IncreaseFirst'
      ? change(target, { replicas: Math.min(target.replicas, least) })
      : changeEach(sources, ({ name, replicas }) => ({
          replicas: Math.max(replicas, agreed.get(name) ?? 0),
        }));
  const writes = isWhole ? [] : taken;
  if (writes.length > 0) return asked(writes, 'Took back the batch that was half done');
  return allOf(held).every(isShrunk) ? done : waiting('pods that are not wanted any more are still there');
}

/** Brings back what Deployments were, in portions of the largest batch, in the order that the strategy asks for. */
export function revertDeployments(held: Held): Step {
  const { origin, batches, extent, rollout } = held;
  const goalOf = ({ name }: RolledWorkload) => origin.find((entry) => entry.name === name)?.replicas ?? 0;
  const all = allOf(held);
  const goal = sum(all, goalOf);
  const present = sum(all, ({ replicas }) => replicas);
  const portion = Math.max(1, largestBatch(batches, extent));
  const fewer = all.filter((workload) => workload.replicas < goalOf(workload));
  const more = all.filter((workload) => workload.replicas > goalOf(workload));
  if (!all.every(isShrunk)) return waiting('pods that are not wanted any more are still there');
  // Pods that don't serve may go at any time.
  const serve = sum(more, ({ pods }) => pods.readyReplicas) > 0;
  const settled = all.filter((workload) => !more.includes(workload));
  const isWaiting = serve && !settled.every(isServing);
  const lower = (pods: number) => asked(spread(more, -pods, goalOf), 'Reverting: the target has fewer pods');
  const raise = (pods: number) => asked(spread(fewer, pods, goalOf), 'Reverting: the source has more pods');
  if (rollout.plan.strategy === 'IncreaseFirst') {
    if (present <= goal && fewer.length > 0) return raise(goal + portion - present);
    if (more.length > 0)
      return isWaiting ? waiting('the source is not ready yet') : lower(Math.max(1, present - goal));
  } else {
    if (present < goal && fewer.length > 0) return raise(goal - present);
    if (more.length > 0)
      return isWaiting ? waiting('the source is not ready yet') : lower(present - goal + portion);
  }
  const restored = changeEach(all, ({ name, isPaused }) => ({
    isPaused: origin.find((entry) => entry.name === name)?.isPaused ?? isPaused,
  }));
  return restored.length > 0 ? asked(restored, 'Reverted') : done;
}

/** Moves workloads towards their goals by so many pods in all. */
function spread(
  workloads: readonly RolledWorkload[],
  pods: number,
  goalOf: (workload: RolledWorkload) => number,
) {
  let left = Math.abs(pods);
  return workloads.flatMap((workload) => {
    const way = goalOf(workload) - workload.replicas;
    const part = Math.min(Math.abs(way), left);
    left -= part;
    return change(workload, { replicas: workload.replicas + Math.sign(way) * part });
  });
}

/** No more pods than asked for. */
function isShrunk({ pods, replicas }: RolledWorkload): boolean {
  return pods.isObserved && pods.replicas <= replicas;
}

function isServing({ pods, replicas }: RolledWorkload): boolean {
  return pods.isObserved && pods.readyReplicas >= replicas;
}
