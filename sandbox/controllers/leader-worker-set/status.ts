import { NAME, WORKER_INDEX } from '@/lib/workloads/leader-worker-set/metadata';
import { type ObservedGroup } from '@/sandbox/controllers/leader-worker-set/groups';
import {
  type LeaderWorkerSet,
  type LeaderWorkerSetStatus,
  strategyOf,
} from '@/sandbox/controllers/leader-worker-set/leader-worker-set';
import { timeText } from '@/sandbox/controllers/objects/time';
import { type Condition, type StatefulSet } from '@/sandbox/controllers/objects/workloads';

const CONDITIONS = {
  UpdateInProgress: { reason: 'GroupsUpdating', message: 'Rolling Upgrade is in progress' },
  Progressing: { reason: 'GroupsProgressing', message: 'Replicas are progressing' },
  Available: { reason: 'AllGroupsReady', message: 'All replicas are ready' },
} as const;
type ConditionType = keyof typeof CONDITIONS;

export interface AssessedStatus {
  status: LeaderWorkerSetStatus;
  /** Conditions that have become true, each with its event message. */
  news: { reason: string; message: string }[];
  /** Every group is updated and ready, and none is held. */
  isDone: boolean;
}

/** https://github.com/kubernetes-sigs/lws/blob/main/pkg/controllers/leaderworkerset_controller.go (updateConditions) */
export function assessStatus(
  set: LeaderWorkerSet,
  leaders: StatefulSet | undefined,
  groups: readonly ObservedGroup[],
  now: number,
): AssessedStatus {
  const { replicas } = set.spec;
  const { partition } = strategyOf(set);
  const { name, generation = 0 } = set.metadata;
  const wanted = groups.filter(({ index }) => index < replicas);
  const rolled = wanted.filter(({ index }) => index >= partition);
  const isWhole = ({ ready, updated }: ObservedGroup) => ready && updated;
  const ready = groups.filter((group) => group.ready).length;
  const types = conditionsNow();
  const conditions = types.reduce(
    (list, type) => withCondition(list, type, generation, timeText(now)),
    set.status.conditions ?? [],
  );
  const before = set.status.conditions ?? [];
  const news = types
    .filter((type) => !isTrue(before, type))
    .map((type) => ({
      reason: CONDITIONS[type].reason,
      message: `${CONDITIONS[type].message}, with ${ready} groups ready of total ${replicas} groups`,
    }));
  return {
    news,
    isDone: partition === 0 && wanted.filter(isWhole).length === replicas,
    status: {
      observedGeneration: generation,
      replicas: leaders?.status.replicas ?? 0,
      readyReplicas: ready,
      updatedReplicas: groups.filter(({ updated }) => updated).length,
      hpaPodSelector: `${NAME}=${name},${WORKER_INDEX}=0`,
      conditions,
    },
  };

  function conditionsNow(): ConditionType[] {
    if (rolled.filter(({ updated }) => updated).length < rolled.length)
      return ['UpdateInProgress', 'Progressing'];
    const areAllReady = wanted.filter((group) => group.ready).length === replicas;
    return areAllReady && rolled.every(isWhole) ? ['Available'] : ['Progressing'];
  }
}

type Conditions = NonNullable<LeaderWorkerSetStatus['conditions']>;

/** Only `Available` excludes the others, and one that is no longer true keeps its message. */
function withCondition(list: Conditions, type: ConditionType, generation: number, at: string): Conditions {
  const excluded = (other: string) => (type === 'Available') !== (other === 'Available');
  const kept = list.map((condition) =>
    condition.type !== type && condition.status === 'True' && excluded(condition.type)
      ? { ...condition, status: 'False', lastTransitionTime: at, observedGeneration: generation }
      : condition,
  );
  const known = kept.find((condition) => condition.type === type);
  if (known?.status === 'True') return kept;
  const own = {
    type,
    status: 'True',
    ...CONDITIONS[type],
    lastTransitionTime: at,
    observedGeneration: generation,
  };
  return known === undefined ? [...kept, own] : kept.map((each) => (each === known ? own : each));
}

function isTrue(conditions: readonly Condition[], type: string): boolean {
  return conditions.some((condition) => condition.type === type && condition.status === 'True');
}
