/** A ReplicaSet in numbers of pods: the desired ones, and those of them that are available. */
export interface SetSize {
  wanted: number;
  available: number;
}

export interface CanarySizes {
  fresh: number;
  stable: number;
}

export interface CanaryInput {
  replicas: number;
  /** Percent of the pods that are to be new. */
  weight: number;
  surge: number;
  unavailable: number;
  fresh: SetSize;
  /** Undefined without a stable one, so that the new one grows to all pods whatever the weight. */
  stable: SetSize | undefined;
  others: readonly SetSize[];
}

/**
 * How a step divides the pods: as close to the weight as whole pods allow, with one pod more where that is
 * allowed and closer. Neither side gets zero unless the weight is 0 or 100.
 * https://argo-rollouts.readthedocs.io/en/stable/features/canary/#mimicking-rolling-update
 */
export function divide(replicas: number, weight: number, surge: number): CanarySizes {
  if (replicas === 0) return { fresh: 0, stable: 0 };
  const isMixed = weight > 0 && weight < 100;
  const totals = surge > 0 && isMixed ? [replicas, replicas + 1] : [replicas];
  const choices = totals.flatMap((total) => {
    const exact = (total * weight) / 100;
    return [Math.ceil(exact), Math.floor(exact)].map((fresh) => ({ fresh, total }));
  });
  const allowed = choices.filter(({ fresh, total }) => !isMixed || (fresh > 0 && fresh < total));
  const distance = ({ fresh, total }: { fresh: number; total: number }) =>
    Math.abs(weight - (fresh * 100) / total);
  const [best = { fresh: Math.ceil((replicas * weight) / 100), total: replicas }] = allowed.toSorted(
    (a, b) => distance(a) - distance(b),
  );
  return { fresh: best.fresh, stable: best.total - best.fresh };
}

/**
 * The next desired sizes of the two ReplicaSets: up as far as the surge allows, stable pods first; else down
 * as far as enough pods stay available, and not while older ReplicaSets still have pods.
 * https://github.com/argoproj/argo-rollouts/blob/master/utils/replicaset/canary.go (CalculateReplicaCountsForBasicCanary)
 */
export function nextSizes(input: CanaryInput): CanarySizes {
  const { replicas, unavailable, fresh, stable, others } = input;
  const goal = goalOf(input);
  const next = { fresh: fresh.wanted, stable: stable?.wanted ?? 0 };
  const older = sum(others, ({ wanted }) => wanted);
  const most = Math.max(replicas + input.surge, goal.fresh + goal.stable);
  let room = Math.max(0, most - next.fresh - next.stable - older);
  for (const side of ['stable', 'fresh'] as const) {
    const added = Math.min(room, Math.max(0, goal[side] - next[side]));
    next[side] += added;
    room -= added;
  }
  if (older > 0) return next;
  // Pods that are deleted anyway need not be available.
  const isGrowing = goal.fresh >= fresh.wanted;
  let spare =
    servingOf(fresh, !isGrowing) +
    (stable === undefined ? 0 : servingOf(stable, isGrowing)) -
    (replicas - unavailable);
  for (const side of ['fresh', 'stable'] as const) {
    const taken = Math.min(Math.max(0, spare), Math.max(0, next[side] - goal[side]));
    next[side] -= taken;
    spare -= taken;
  }
  return next;
}

/** The sizes at which the step is done. */
export function goalOf({ replicas, weight, surge, stable }: CanaryInput): CanarySizes {
  return stable === undefined ? { fresh: replicas, stable: 0 } : divide(replicas, weight, surge);
}

function servingOf({ wanted, available }: SetSize, ignoreAvailability: boolean): number {
  return ignoreAvailability ? wanted : Math.min(wanted, available);
}

function sum<T>(items: readonly T[], valueOf: (item: T) => number): number {
  return items.reduce((total, item) => total + valueOf(item), 0);
}
