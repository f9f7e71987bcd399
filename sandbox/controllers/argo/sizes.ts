import { sumOf } from '@/sandbox/controllers/objects/amounts';

/** A ReplicaSet in numbers of pods. */
export interface Side {
  /** Desired now. */
  readonly size: number;
  readonly available: number;
  /** Desired at the end of the step. */
  readonly goal: number;
}

/**
 * How a step divides the pods: as close to the weight as whole pods allow, with one pod more where that is
 * allowed and closer. Neither side gets zero unless the weight is 0 or 100.
 * https://argo-rollouts.readthedocs.io/en/stable/features/canary/#mimicking-rolling-update
 */
export function divide(replicas: number, weight: number, surge: number): { fresh: number; stable: number } {
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
 * The next sizes on the way to the goals: up as long as there are no more than `most` pods, and down as long
 * as `least` stay available; pods that are not available are deleted in any case.
 */
export function nextSizes(sides: readonly Side[], most: number, least: number): number[] {
  const serving = ({ size, available }: Side) => Math.min(size, available);
  let room = most - sumOf(sides, ({ size }) => size);
  let spare = sumOf(sides, serving) - least;
  return sides.map((side) => {
    const { size, goal } = side;
    if (size < goal) {
      const added = Math.min(goal - size, Math.max(0, room));
      room -= added;
      return size + added;
    }
    const broken = size - serving(side);
    const taken = Math.min(size - goal, broken + Math.max(0, spare));
    spare -= Math.max(0, taken - broken);
    return size - taken;
  });
}
