import { conditionTypeOf, withCondition } from '@/lib/oam/conditions';
import type { CanaryMetric, Webhook } from '@/lib/oam/plan';
import type { ControlledRollout, OamRolloutStatus, RolloutRun, WorkloadKindName } from '@/lib/oam/rollout';
import type { Position, OamEvent } from '@/lib/oam/states';
import { findTransition } from '@/lib/oam/transitions';
import type { RolledWorkload, WorkloadWrite } from '@/lib/oam/rolled-workload';
import type { JsonObject } from '@/lib/kube/json';

/** Everything that a reconcile depends on. */
export interface ReconcileInput {
  readonly rollout: ControlledRollout;
  /** Undefined where no workload has that name. */
  readonly workload: (kind: WorkloadKindName, name: string) => RolledWorkload | undefined;
  /** Pod template of a ControllerRevision. */
  readonly revisionTemplate: (name: string) => JsonObject | undefined;
  /** The workload that the component revision of the target describes, where there is one. */
  readonly component: JsonObject | undefined;
  /** Milliseconds since the epoch. */
  readonly nowMs: number;
}

/** A check by an external service. */
export type Check =
  | { readonly is: 'webhook'; readonly id: string; readonly webhook: Webhook; readonly phase: string }
  | { readonly is: 'metric'; readonly id: string; readonly metric: CanaryMetric };

/** `problem`: why there is no answer, or why it disagrees. */
export type CheckAnswer =
  | { readonly is: 'agreed' }
  | { readonly is: 'refused'; readonly problem: string }
  | { readonly is: 'measured'; readonly value: number; readonly threshold: number };

export type Answers = ReadonlyMap<string, CheckAnswer>;

/** An event on the Rollout. */
export interface RolloutNotice {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}

/**
 * What to do next, in this order: run the checks, and decide again; write; write the status; then the
 * finalizer.
 */
export interface ReconcileResult {
  readonly pendingChecks: readonly Check[];
  readonly writes: readonly WorkloadWrite[];
  readonly status: OamRolloutStatus;
  readonly finalizer: 'keep' | 'add' | 'drop';
  readonly notices: readonly RolloutNotice[];
  /**
   * `now`: there is more to do; `later`: after a delay, since nothing reports what is waited for; `change`:
   * when something changes.
   */
  readonly requeue: 'now' | 'later' | 'change';
}

/** One reconcile while it is computed. */
export class ReconcilePass {
  readonly input: ReconcileInput;
  readonly #answers: Answers;
  status: OamRolloutStatus;
  finalizer: ReconcileResult['finalizer'] = 'keep';
  requeue: ReconcileResult['requeue'] = 'later';
  readonly #pendingChecks: Check[] = [];
  readonly #writes: WorkloadWrite[] = [];
  readonly #notices: RolloutNotice[] = [];

  constructor(input: ReconcileInput, answers: Answers) {
    this.input = input;
    this.#answers = answers;
    this.status = input.rollout.status;
  }

  get result(): ReconcileResult {
    const { status, finalizer, requeue } = this;
    const pendingChecks = this.#pendingChecks;
    // Nothing is done before all answers are known.
    if (pendingChecks.length > 0)
      return {
        pendingChecks,
        writes: [],
        status: this.input.rollout.status,
        finalizer: 'keep',
        notices: [],
        requeue: 'now',
      };
    return { pendingChecks, writes: this.#writes, status, finalizer, notices: this.#notices, requeue };
  }

  get position(): Position {
    return this.status.position ?? { rolling: 'locatingTargetApp', batch: 'batchInitializing' };
  }

  /** Why the current stage failed before; undefined where no reason is known. */
  get obstacle(): string | undefined {
    const type = conditionTypeOf(this.position);
    const known = this.status.conditions.find((condition) => condition.type === type);
    return known?.status === 'False' && known.message !== '' ? known.message : undefined;
  }

  write(writes: readonly WorkloadWrite[]): void {
    this.#writes.push(...writes);
  }

  notify(reason: string, message: string, type: RolloutNotice['type'] = 'Normal'): void {
    this.#notices.push({ type, reason, message });
  }

  updateStatus(changes: Partial<OamRolloutStatus>): void {
    this.status = { ...this.status, ...changes };
  }

  updateRun(changes: Partial<RolloutRun>): void {
    const { run } = this.status;
    if (run !== undefined) this.updateStatus({ run: { ...run, ...changes } });
  }

  setCondition(type: string, status: 'True' | 'False', message: string): void {
    const now = new Date(this.input.nowMs).toISOString().replace(/\.\d+Z$/, 'Z');
    this.updateStatus({ conditions: withCondition(this.status.conditions, { type, status, message }, now) });
  }

  /** The stage has failed so far, with the reason. */
  wait(message: string): void {
    this.setCondition(conditionTypeOf(this.position), 'False', message);
  }

  /** The stage succeeded. */
  passStage(event: OamEvent): void {
    // A found target is no failure, though the two share a type.
    if (this.position.rolling !== 'locatingTargetApp')
      this.setCondition(conditionTypeOf(this.position), 'True', '');
    this.fire(event);
  }

  /** The stage has failed. */
  fail(message: string, event: OamEvent = 'RollingFailedEvent'): void {
    this.wait(message);
    this.notify('Rollout Failed', message, 'Warning');
    this.fire(event);
  }

  fire(event: OamEvent): void {
    const { position } = this;
    const transition = findTransition(position, event);
    if (transition === undefined)
      throw new Error(
        `the rollout state transition from \`${position.rolling}\` state  with \`${event}\` is invalid`,
      );
    this.updateStatus({ position: { rolling: transition.to, batch: transition.toBatch } });
    if (transition.effect === 'next batch') this.updateStatus({ currentBatch: this.status.currentBatch + 1 });
    if (transition.effect === 'reset') this.updateStatus(resetFrom(position, this.status));
    this.requeue = 'now';
  }

  /** The answers to all these checks; undefined while one is missing, which then becomes pending. */
  requestAnswers(checks: readonly Check[]): readonly CheckAnswer[] | undefined {
    const missing = checks.filter(({ id }) => !this.#answers.has(id));
    this.#pendingChecks.push(...missing);
    if (missing.length > 0) return undefined;
    return checks.flatMap(({ id }) => this.#answers.get(id) ?? []);
  }
}

/** The state before the first attempt is recorded until an attempt has ended. */
function resetFrom({ rolling }: Position, status: OamRolloutStatus): Partial<OamRolloutStatus> {
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
