import { type ObservedGroup } from '@/sandbox/controllers/leader-worker-set/groups';
import { type GroupStrategy } from '@/sandbox/controllers/leader-worker-set/leader-worker-set';

/** The state of the StatefulSet of the leaders. */
export interface LeaderSetState {
  replicas: number;
  partition: number;
  /** Groups that were desired at the last write. */
  wanted: number;
}

export interface NextState {
  replicas: number;
  partition: number;
}

interface RolloutInput {
  wanted: number;
  strategy: GroupStrategy;
  groups: readonly ObservedGroup[];
  /** A new revision was recorded in this reconcile. */
  isNew: boolean;
}

/**
 * Partition and replicas of the StatefulSet of the leaders. Its partition is the progress of the rollout: it
 * decreases as groups become ready, and never below the user's partition.
 * https://github.com/kubernetes-sigs/lws/blob/main/pkg/controllers/leaderworkerset_controller.go (rollingUpdateParameters)
 */
export function nextState(state: LeaderSetState | undefined, step: RolloutInput): NextState {
  const { partition, replicas } = progress(state, step);
  return { partition: Math.max(partition, step.strategy.partition), replicas };
}

function progress(state: LeaderSetState | undefined, step: RolloutInput): NextState {
  const { wanted, isNew, strategy } = step;
  if (state === undefined) return { partition: 0, replicas: wanted };
  const { replicas, partition } = state;
  const start = Math.min(wanted, replicas);
  if (isNew) return { partition: start, replicas: replicas < wanted ? wanted : withSurge(step) };
  if (partition === 0 && replicas === wanted) return { partition: 0, replicas: wanted };
  if (replicas < wanted) return { partition, replicas: wanted };
  if (state.wanted !== wanted) {
    const burst = wanted + strategy.surge;
    return { partition: Math.min(partition, burst), replicas: withSurge(step) };
  }
  return { partition: Math.min(partition, pointer(state, step)), replicas: withSurge(step) };
}

/** The surge is scaled down as the last of the groups become ready. */
function withSurge({ wanted, strategy: { surge, unavailable }, groups }: RolloutInput): number {
  const done = groups.filter(({ index, ready, updated }) => index < wanted && ready && updated).length;
  const left = wanted - done;
  return left <= surge ? wanted + Math.max(0, left - unavailable) : wanted + surge;
}

function pointer({ replicas }: LeaderSetState, { wanted, strategy, groups }: RolloutInput): number {
  const byIndex = new Map(groups.map((group) => [group.index, group]));
  const isReady = (index: number) => byIndex.get(index)?.ready === true;
  const isUpdated = (index: number) => byIndex.get(index)?.updated === true;
  const step = strategy.unavailable + strategy.surge - (wanted + strategy.surge - replicas);
  let done = 0;
  while (done < replicas && isReady(replicas - 1 - done) && isUpdated(replicas - 1 - done)) done += 1;
  const lowest = Math.max(0, replicas - done - step);
  let partition = lowest;
  for (let index = 0; index < lowest; index += 1) if (!isReady(index)) partition += 1;
  for (let index = Math.min(partition, replicas - 1); index >= lowest; index -= 1) {
    if (isReady(index) && !isUpdated(index)) break;
    partition = index;
  }
  return partition;
}
