import { conditionTypeOf, withCondition } from '@/lib/oam/conditions';
import { type CanaryMetric, type Webhook } from '@/lib/oam/plan';
import { type Rollout, type RolloutStatus, type Run, type WorkloadKindName } from '@/lib/oam/rollout';
import { type Position, type RolloutEvent } from '@/lib/oam/states';
import { transit } from '@/lib/oam/transitions';
import { type RolledWorkload, type Write } from '@/lib/oam/workload';
import { type JsonObject } from '@/lib/kube/json';

/** Everything that a move is made from. */
export interface Sight {
  readonly rollout: Rollout;
  /** Undefined where there is none of that name. */
  readonly workload: (kind: WorkloadKindName, name: string) => RolledWorkload | undefined;
  /** Pod template of a ControllerRevision. */
  readonly revisionTemplate: (name: string) => JsonObject | undefined;
  /** The workload that the component revision of the target describes, where there is one. */
  readonly component: JsonObject | undefined;
  /** Milliseconds since the epoch. */
  readonly nowMs: number;
}

/** A question to somebody else. */
export type Check =
  | { readonly is: 'webhook'; readonly id: string; readonly webhook: Webhook; readonly phase: string }
  | { readonly is: 'metric'; readonly id: string; readonly metric: CanaryMetric };

/** `problem`: why there is no answer, or that it is a refusal. */
export type Answer =
  | { readonly is: 'agreed' }
  | { readonly is: 'refused'; readonly problem: string }
  | { readonly is: 'measured'; readonly value: number; readonly threshold: number };

export type Answers = ReadonlyMap<string, Answer>;

/** An event on the Rollout. */
export interface Notice {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}

/** What to do next, in this order: ask, and decide anew; write; write the status; then the finalizer. */
export interface Move {
  readonly asks: readonly Check[];
  readonly writes: readonly Write[];
  readonly status: RolloutStatus;
  readonly finalizer: 'keep' | 'add' | 'drop';
  readonly notices: readonly Notice[];
  /** `now`: there is more to do; `later`: in a while, since what is waited for may not tell; `change`: when something changes. */
  readonly again: 'now' | 'later' | 'change';
}

/** One move in the making. */
export class Turn {
  readonly sight: Sight;
  readonly #answers: Answers;
  status: RolloutStatus;
  finalizer: Move['finalizer'] = 'keep';
  again: Move['again'] = 'later';
  readonly #asks: Check[] = [];
  readonly #writes: Write[] = [];
  readonly #notices: Notice[] = [];

  constructor(sight: Sight, answers: Answers) {
    this.sight = sight;
    this.#answers = answers;
    this.status = sight.rollout.status;
  }

  get move(): Move {
    const { status, finalizer, again } = this;
    const asks = this.#asks;
    // Nothing is done on half the answers.
    if (asks.length > 0)
      return {
        asks,
        writes: [],
        status: this.sight.rollout.status,
        finalizer: 'keep',
        notices: [],
        again: 'now',
      };
    return { asks, writes: this.#writes, status, finalizer, notices: this.#notices, again };
  }

  get position(): Position {
    return this.status.position ?? { rolling: 'locatingTargetApp', batch: 'batchInitializing' };
  }

  /** Why the stage at hand was not passed before; undefined where nothing says so. */
  get obstacle(): string | undefined {
    const type = conditionTypeOf(this.position);
    const known = this.status.conditions.find((condition) => condition.type === type);
    return known?.status === 'False' && known.message !== '' ? known.message : undefined;
  }

  write(writes: readonly Write[]): void {
    this.#writes.push(...writes);
  }

  tell(reason: string, message: string, type: Notice['type'] = 'Normal'): void {
    this.#notices.push({ type, reason, message });
  }

  change(changes: Partial<RolloutStatus>): void {
    this.status = { ...this.status, ...changes };
  }

  changeRun(changes: Partial<Run>): void {
    const { run } = this.status;
    if (run !== undefined) this.change({ run: { ...run, ...changes } });
  }

  condition(type: string, status: 'True' | 'False', message: string): void {
    const now = new Date(this.sight.nowMs).toISOString().replace(/\.\d+Z$/, 'Z');
    this.change({ conditions: withCondition(this.status.conditions, { type, status, message }, now) });
  }

  /** The stage is not passed, and why. */
  wait(message: string): void {
    this.condition(conditionTypeOf(this.position), 'False', message);
  }

  /** The stage is passed. */
  pass(event: RolloutEvent): void {
    // That the target was found is no failure, though the two share a type.
    if (this.position.rolling !== 'locatingTargetApp')
      this.condition(conditionTypeOf(this.position), 'True', '');
    this.fire(event);
  }

  /** The stage can't be passed. */
  fail(message: string, event: RolloutEvent = 'RollingFailedEvent'): void {
    this.wait(message);
    this.tell('Rollout Failed', message, 'Warning');
    this.fire(event);
  }

  fire(event: RolloutEvent): void {
    const { position } = this;
    const transition = transit(position, event);
    if (transition === undefined)
      throw new Error(
        `the rollout state transition from \`${position.rolling}\` state  with \`${event}\` is invalid`,
      );
    this.change({ position: { rolling: transition.to, batch: transition.toBatch } });
    if (transition.effect === 'next batch') this.change({ currentBatch: this.status.currentBatch + 1 });
    if (transition.effect === 'reset') this.change(resetFrom(position, this.status));
    this.again = 'now';
  }

  /** The answers to all these questions; undefined as long as one is missing, which is then asked. */
  ask(checks: readonly Check[]): readonly Answer[] | undefined {
    const missing = checks.filter(({ id }) => !this.#answers.has(id));
    this.#asks.push(...missing);
    if (missing.length > 0) return undefined;
    return checks.flatMap(({ id }) => this.#answers.get(id) ?? []);
  }
}

/** What was before the first attempt stays known as long as no attempt has come to its end. */
function resetFrom({ rolling }: Position, status: RolloutStatus): Partial<RolloutStatus> {
  const { run, origin, rolloutOriginalSize } = status;
  const isOver = rolling === 'rolloutSucceed';
  return {
    rolloutOriginalSize: isOver || run?.mode === 'scaling' ? -1 : rolloutOriginalSize,
    rolloutTargetSize: -1,
    targetGeneration: '',
    lastAppliedPodTemplateIdentifier: '',
    currentBatch: 0,
    upgradedReplicas: 0,
    upgradedReadyReplicas: 0,
    lastTarget: undefined,
    origin: rolling === 'rolloutAbandoning' ? origin : undefined,
    run: run === undefined ? undefined : { ...run, sources: isOver ? [] : run.sources, isReverted: false },
  };
}
