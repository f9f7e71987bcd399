import fc from 'fast-check';
import type { DecidedResult, RolloutSimulation } from '@/lib/oam/testing/rollout-simulation';
import type { JsonObject } from '@/lib/kube/json';

/** An event of a rollout, or around it. */
export type SimulatedAct =
  /** Of a controller that dies after so many effects. */
  | { do: 'move'; spare: number }
  /** A former leader has computed a reconcile, and executes it only when it wakes up. */
  | { do: 'stall' }
  | { do: 'wake'; spare: number }
  /** So many reconciles, with all their effects. */
  | { do: 'run'; turns: number }
  | { do: 'live'; which: number; ready: number; made: number }
  | { do: 'pause'; paused: boolean }
  | { do: 'partition'; to: number | null }
  | { do: 'target'; which: number }
  | { do: 'size'; to: number }
  | { do: 'plan'; plan: JsonObject }
  | { do: 'answer'; of: string; agrees: boolean }
  | { do: 'delete' };

const amount = fc.oneof(fc.integer({ min: 1, max: 5 }), fc.constantFrom('10%', '25%', '40%'));
const batch = fc.record({
  replicas: amount,
  maxUnavailable: fc.constantFrom(0, 0, 1, '10%'),
  instanceInterval: fc.constantFrom(0, 0, 0, 7),
});
const listed = fc
  .array(batch, { maxLength: 4 })
  .map((list) => ({ rolloutBatches: [...list, { replicas: '100%' }] }));
const batches: fc.Arbitrary<JsonObject> = fc.oneof(
  { weight: 4, arbitrary: listed },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 5 }).map((numBatches) => ({ numBatches })) },
);

const GATES = ['initialize-rollout', 'pre-batch-rollout', 'post-batch-rollout', 'finalize-rollout'];
const checks = fc.constantFrom<JsonObject>(
  {},
  {},
  { rolloutWebhooks: GATES.map((type) => ({ type, name: type, url: 'http://gate' })) },
  { canaryMetric: [{ name: 'errors', interval: '9s', metricsRange: { max: 0 } }] },
);

/** The complete plan of a rollout. */
export const plan: fc.Arbitrary<JsonObject> = fc
  .tuple(
    batches,
    checks,
    fc.constantFrom('IncreaseFirst', 'DecreaseFirst'),
    fc.boolean(),
    fc.option(fc.integer({ min: 0, max: 3 }), { nil: undefined }),
  )
  .map(([sizes, more, rolloutStrategy, revertOnDelete, batchPartition]) => ({
    ...sizes,
    ...more,
    rolloutStrategy,
    revertOnDelete,
    ...(batchPartition !== undefined && { batchPartition }),
  }));

const moves: fc.Arbitrary<SimulatedAct> = fc.record({
  do: fc.constant('move' as const),
  spare: fc.oneof(fc.constant(9), fc.integer({ min: 0, max: 3 })),
});
const podChanges: fc.Arbitrary<SimulatedAct> = fc.record({
  do: fc.constant('live' as const),
  which: fc.nat(2),
  ready: fc.nat(4),
  made: fc.nat(6),
});
const runs: fc.Arbitrary<SimulatedAct> = fc.record({ do: fc.constant('run' as const), turns: fc.nat(12) });
const stalls: fc.Arbitrary<SimulatedAct> = fc.oneof(
  fc.constant({ do: 'stall' as const }),
  fc.record({ do: fc.constant('wake' as const), spare: fc.integer({ min: 1, max: 4 }) }),
);
const pauses: fc.Arbitrary<SimulatedAct> = fc.record({
  do: fc.constant('pause' as const),
  paused: fc.boolean(),
});
const partitions: fc.Arbitrary<SimulatedAct> = fc.record({
  do: fc.constant('partition' as const),
  to: fc.option(fc.nat(4), { nil: null }),
});
const answers: fc.Arbitrary<SimulatedAct> = fc.record({
  do: fc.constant('answer' as const),
  of: fc.constantFrom(...GATES, 'errors'),
  agrees: fc.boolean(),
});
const targets: fc.Arbitrary<SimulatedAct> = fc.record({
  do: fc.constant('target' as const),
  which: fc.nat(2),
});
const deletions: fc.Arbitrary<SimulatedAct> = fc.constant({ do: 'delete' as const });

const weighted = (weight: number, arbitrary: fc.Arbitrary<SimulatedAct>) => ({ weight, arbitrary });
const always = [
  weighted(24, moves),
  weighted(16, podChanges),
  weighted(3, stalls),
  weighted(3, runs),
  weighted(2, pauses),
];

/** Every possible change of a rollout, also past the policy. */
export const anyActs = fc.array(
  fc.oneof(
    ...always,
    weighted(2, partitions),
    weighted(2, answers),
    weighted(1, targets),
    weighted(1, fc.record({ do: fc.constant('size' as const), to: fc.integer({ min: 4, max: 16 }) })),
    weighted(
      2,
      batches.map((change) => ({ do: 'plan' as const, plan: change })),
    ),
    weighted(1, deletions),
  ),
  { minLength: 20, maxLength: 160 },
);

/** Acts without disturbances. */
export const harmlessActs = fc.array(fc.oneof(...always, weighted(1, targets)), {
  minLength: 20,
  maxLength: 120,
});

/** Runs of reconciles, between which all pods of so many workloads advance. */
export function expandRuns(
  acts: readonly SimulatedAct[],
  workloads: readonly number[],
): Exclude<SimulatedAct, { do: 'run' }>[] {
  return acts.flatMap((act) => {
    if (act.do !== 'run') return [act];
    const podChanges = workloads.map((which) => ({ do: 'live' as const, which, ready: 99, made: 99 }));
    return Array.from({ length: act.turns }, () => [
      { do: 'move' as const, spare: 99 },
      ...podChanges,
    ]).flat();
  });
}

/** Performs the acts that are the same for every kind. */
export class ActPerformer {
  readonly #simulation: RolloutSimulation;
  #stalled: DecidedResult | undefined;

  constructor(simulation: RolloutSimulation) {
    this.#simulation = simulation;
  }

  perform(act: Exclude<SimulatedAct, { do: 'live' | 'target' | 'run' }>): void {
    const simulation = this.#simulation;
    switch (act.do) {
      case 'move':
        return simulation.reconcile(act.spare);
      case 'stall':
        this.#stalled = simulation.decide();
        return;
      case 'wake':
        if (this.#stalled !== undefined) simulation.apply(this.#stalled, act.spare);
        this.#stalled = undefined;
        return;
      case 'pause':
        return simulation.editPlan({ paused: act.paused });
      case 'partition':
        return simulation.editPlan({ batchPartition: act.to });
      case 'size':
        return simulation.editPlan({ targetSize: act.to });
      case 'plan':
        return simulation.editPlan({ rolloutBatches: null, numBatches: null, ...act.plan });
      case 'answer':
        return this.#answer(act.of, act.agrees);
      case 'delete':
        return simulation.delete();
      default:
        return act satisfies never;
    }
  }

  /** From here on no check blocks it. */
  removeObstacles(): void {
    for (const name of [...GATES, 'errors']) this.#answer(name, true);
    this.#simulation.editPlan({ paused: false, batchPartition: null });
  }

  #answer(name: string, agrees: boolean): void {
    const refused = { is: 'refused', problem: 'no' } as const;
    const value = { is: 'measured', value: agrees ? 0 : 1, threshold: 2 } as const;
    if (name === 'errors') this.#simulation.answers.set(name, value);
    else this.#simulation.answers.set(name, agrees ? { is: 'agreed' } : refused);
  }
}
