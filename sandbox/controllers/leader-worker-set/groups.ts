import { type ControllerManager } from '@/sandbox/controllers/engine/controller-manager';
import {
  type GroupCondition,
  type LeaderWorkerSet,
  NAME,
  readStrategy,
  recordEvent,
  WORKER_INDEX,
} from '@/sandbox/controllers/leader-worker-set/leader-worker-set';
import { type LeaderProgress } from '@/sandbox/controllers/leader-worker-set/stateful-sets';
import { timeText } from '@/sandbox/controllers/objects/time';
import { type StatefulSet } from '@/sandbox/controllers/objects/workloads';

/** A group whose leader exists, and the StatefulSet of its workers. */
export interface Group {
  readonly index: number;
  readonly isUpdated: boolean;
  readonly isReady: boolean;
}

/** Of the desired groups. */
export function countDone({ spec }: LeaderWorkerSet, groups: readonly Group[]): number {
  return groups.filter(({ index, isReady, isUpdated }) => index < spec.replicas && isReady && isUpdated)
    .length;
}

/**
 * How far the leaders are to be updated. The partition of their StatefulSet decreases as groups become ready, and never
 * below that of the LeaderWorkerSet.
 * https://github.com/kubernetes-sigs/lws/blob/main/pkg/controllers/leaderworkerset_controller.go (rollingUpdateParameters)
 */
export function advance(
  set: LeaderWorkerSet,
  before: StatefulSet | undefined,
  groups: readonly Group[],
  isNew: boolean,
): LeaderProgress {
  const wanted = set.spec.replicas;
  const { partition: lowest, unavailable, surge } = readStrategy(set);
  if (before === undefined) return { partition: lowest, replicas: wanted };
  const { replicas } = before.spec;
  const partition = partitionOf(before);
  const left = wanted - countDone(set, groups);
  // The surge is given back as the last groups become ready.
  const size = wanted + (left <= surge ? Math.max(0, left - unavailable) : surge);
  if (isNew) return { partition: Math.min(wanted, replicas), replicas: Math.max(wanted, size) };
  if (replicas < wanted || (partition === lowest && replicas === wanted))
    return { partition: Math.max(partition, lowest), replicas: wanted };
  const next = findPartition(
    groups,
    Math.min(replicas, wanted + surge),
    unavailable + Math.max(0, replicas - wanted),
  );
  return { partition: Math.max(lowest, Math.min(partition, next)), replicas: size };
}

/** So many groups below those that are done may be updated at once; groups that are not ready count. */
function findPartition(groups: readonly Group[], replicas: number, step: number): number {
  const isReady = new Set(groups.filter((group) => group.isReady).map(({ index }) => index));
  const isUpdated = new Set(groups.filter((group) => group.isUpdated).map(({ index }) => index));
  let first = replicas;
  while (first > 0 && isReady.has(first - 1) && isUpdated.has(first - 1)) first -= 1;
  const lowest = Math.max(0, first - step);
  const down = Array.from({ length: lowest }, (_, index) => index).filter((index) => !isReady.has(index));
  let partition = lowest + down.length;
  while (partition > lowest && (!isReady.has(partition - 1) || isUpdated.has(partition - 1))) partition -= 1;
  return partition;
}

export function partitionOf({ spec }: StatefulSet): number {
  return spec.updateStrategy.rollingUpdate?.partition ?? 0;
}

const CONDITIONS = {
  UpdateInProgress: { reason: 'GroupsUpdating', message: 'Rolling Upgrade is in progress' },
  Progressing: { reason: 'GroupsProgressing', message: 'Replicas are progressing' },
  Available: { reason: 'AllGroupsReady', message: 'All replicas are ready' },
};

/** https://github.com/kubernetes-sigs/lws/blob/main/pkg/controllers/leaderworkerset_controller.go (updateConditions) */
export function reportStatus(
  manager: ControllerManager,
  set: LeaderWorkerSet,
  leaders: StatefulSet,
  groups: readonly Group[],
) {
  const { replicas } = set.spec;
  const { partition } = readStrategy(set);
  const wanted = groups.filter(({ index }) => index < replicas);
  const isOutdated = wanted.some(({ index, isUpdated }) => index >= partition && !isUpdated);
  const isAvailable = !isOutdated && wanted.filter(({ isReady }) => isReady).length === replicas;
  const readyReplicas = groups.filter(({ isReady }) => isReady).length;
  const before = set.status.conditions ?? [];
  const conditions = Object.entries(CONDITIONS).flatMap(([type, { reason, message }]): GroupCondition[] => {
    const known = before.find((condition) => condition.type === type);
    const isActive = type === 'Progressing' || isOutdated || known?.status === 'True';
    const status = (type === 'Available' ? isAvailable : !isAvailable && isActive) ? 'True' : 'False';
    if (known?.status === status || (known === undefined && status === 'False')) return known ? [known] : [];
    if (status === 'True')
      recordEvent(
        manager,
        set,
        reason,
        `${message}, with ${readyReplicas} groups ready of total ${replicas} groups`,
      );
    const lastTransitionTime = timeText(manager.now());
    const observedGeneration = set.metadata.generation ?? 0;
    return [{ type, status, reason, message, lastTransitionTime, observedGeneration }];
  });
  return {
    observedGeneration: set.metadata.generation ?? 0,
    replicas: leaders.status.replicas ?? 0,
    readyReplicas,
    updatedReplicas: groups.filter(({ isUpdated }) => isUpdated).length,
    hpaPodSelector: `${NAME}=${set.metadata.name},${WORKER_INDEX}=0`,
    conditions,
  };
}
