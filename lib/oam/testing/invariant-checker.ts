import { expect } from 'vitest';
import { isModified } from '@/lib/oam/reconcile';
import type { ControlledRollout } from '@/lib/oam/rollout';
import { isTerminal, type Position, type RollingState } from '@/lib/oam/states';
import type { RolloutSimulation } from '@/lib/oam/testing/rollout-simulation';
import { expectedBatchesOf } from '@/lib/oam/testing/expected-batches';
import { transitions } from '@/lib/oam/transitions';

/** What the laws require of workloads of any kind. All numbers are pods. */
export interface CheckedScenario {
  readonly simulation: RolloutSimulation;
  /** Requested pods of the target; with `scaling` in total. */
  asked(rollout: ControlledRollout): number;
  /** Requested pods of all sources. */
  others(rollout: ControlledRollout): number;
  ready(rollout: ControlledRollout): number;
  /** Called when a batch completes; what it saves must not change. */
  saveBaseline(): void;
  /** Checks that the saved state is unchanged. */
  checkBaseline(): void;
  clearBaseline(): void;
}

interface Attempt {
  readonly isRolling: boolean;
  readonly starting: number;
  readonly sources: number;
  readonly size: number;
  /** The goal of the current batch. */
  goal: number;
  missing: number;
  /** Between two pods of the current batch. */
  intervalMs: number;
  /** When the number of pods last changed. */
  changed: { asked: number; at: number };
  readonly finished: number[];
  hasBegun: boolean;
}

/** States in which claimed workloads are as the last batch left them. */
const CLAIMED_STATES: readonly RollingState[] = [
  'rollingInBatches',
  'finalising',
  'rolloutFailing',
  'rolloutAbandoning',
  'rolloutFailed',
  'rolloutSucceed',
  'RolloutDeletingState',
];

/** Observes a rollout from its start, and knows its expected batches by the plan alone. */
export class InvariantChecker {
  readonly #scenario: CheckedScenario;
  #position: Position | undefined;
  #batch = 0;
  #attempt: Attempt | undefined;
  /** Whether some attempt has ended. */
  hasEnded = false;

  constructor(scenario: CheckedScenario) {
    this.#scenario = scenario;
  }

  observe(): void {
    const rollout = this.#scenario.simulation.parsed;
    const { position, currentBatch } = rollout?.status ?? {};
    if (rollout === undefined || position === undefined || currentBatch === undefined) return;
    this.#follow(rollout, position, currentBatch);
    const isUndone = rollout.status.run?.isReverted === true;
    const reverts = isUndone || (position.rolling === 'RolloutDeletingState' && rollout.plan.revertOnDelete);
    if (this.#attempt !== undefined && CLAIMED_STATES.includes(position.rolling) && !reverts)
      this.#checkCounts(rollout, position, this.#attempt);
  }

  #follow(rollout: ControlledRollout, position: Position, batch: number): void {
    const before = this.#position;
    this.#position = position;
    const was = this.#batch;
    this.#batch = batch;
    if (before === undefined || (before.rolling === position.rolling && before.batch === position.batch))
      return;
    const taken = transitions.find(
      ({ from, fromBatch, to, toBatch }) =>
        from === before.rolling &&
        (fromBatch ?? before.batch) === before.batch &&
        to === position.rolling &&
        toBatch === position.batch,
    );
    expect(taken, `${JSON.stringify(before)} → ${JSON.stringify(position)}`).toBeDefined();
    const next = taken?.effect === 'reset' ? 0 : was + (taken?.effect === 'next batch' ? 1 : 0);
    expect(batch, 'no batch is skipped').toBe(next);
    if (taken?.effect === 'next batch')
      expect(rollout.plan.partition ?? Infinity, 'no batch runs unapproved').toBeGreaterThan(was);
    if (before.rolling === 'rolloutSucceed' || before.rolling === 'rolloutFailed') this.hasEnded = true;
    this.#beginAttempt(rollout, position, before);
  }

  #beginAttempt(rollout: ControlledRollout, { rolling, batch }: Position, before: Position): void {
    const scenario = this.#scenario;
    const { status, plan } = rollout;
    if (rolling === 'initializing') {
      const isRolling = status.run?.mode === 'rolling';
      const starting = scenario.asked(rollout);
      const sources = isRolling ? scenario.others(rollout) : 0;
      const size = status.rolloutTargetSize;
      const changed = { asked: starting, at: -Infinity };
      const attempt = { isRolling, starting, sources, size, goal: starting, missing: 0, intervalMs: 0 };
      this.#attempt = { ...attempt, changed, finished: [], hasBegun: false };
    }
    if (rolling === 'locatingTargetApp') {
      this.#attempt = undefined;
      scenario.clearBaseline();
    }
    const attempt = this.#attempt;
    if (attempt === undefined) return;
    const { goals, missing } = expectedBatchesOf(
      plan,
      attempt.isRolling ? 0 : attempt.starting,
      attempt.size,
    );
    if (before.rolling === 'initializing' && rolling === 'rollingInBatches') attempt.hasBegun = true;
    if (rolling === 'rollingInBatches' && batch === 'batchInRolling') {
      expect(attempt.finished.length, 'the batch is the next one').toBe(this.#batch);
      const goal = goals[this.#batch] ?? 0;
      attempt.changed = { asked: scenario.asked(rollout), at: -Infinity };
      attempt.intervalMs = plan.batches[this.#batch]?.instanceIntervalMs ?? 0;
      attempt.goal = attempt.isRolling ? Math.max(attempt.starting, goal) : goal;
    }
    if (before.batch === 'batchVerifying' && batch === 'batchFinalizing') {
      attempt.missing = missing[this.#batch] ?? 0;
      const grows = attempt.isRolling || attempt.goal > attempt.starting;
      if (grows)
        expect(scenario.ready(rollout), 'a batch is ready').toBeGreaterThanOrEqual(
          attempt.goal - attempt.missing,
        );
    }
    if (before.batch === 'batchFinalizing' && (batch === 'batchReady' || rolling === 'finalising')) {
      if (rolling === 'finalising' || rolling === 'rollingInBatches') this.#finish(rollout, attempt);
    }
    if (rolling === 'finalising')
      expect(attempt.finished.length, 'all batches were rolled').toBe(goals.length);
  }

  #finish(rollout: ControlledRollout, attempt: Attempt): void {
    expect(this.#scenario.asked(rollout), 'a batch is whole when it is finished').toBe(attempt.goal);
    attempt.finished.push(attempt.goal);
    if (attempt.isRolling) {
      const left = Math.max(0, Math.min(attempt.sources, attempt.size - attempt.goal));
      expect(this.#scenario.others(rollout), 'and has taken the place of as many').toBe(left);
      this.#scenario.saveBaseline();
    }
  }

  #checkCounts(rollout: ControlledRollout, { rolling, batch }: Position, attempt: Attempt): void {
    if (!attempt.hasBegun) return;
    const { finished, starting, sources, size, isRolling } = attempt;
    const last = finished.at(-1) ?? starting;
    const isUnderWay =
      rolling !== 'rollingInBatches' ||
      batch === 'batchInRolling' ||
      batch === 'batchVerifying' ||
      batch === 'batchFinalizing' ||
      batch === 'batchVerifyFailed';
    const goal = isUnderWay ? attempt.goal : last;
    const asked = this.#scenario.asked(rollout);
    const statusText = JSON.stringify(this.#scenario.simulation.rollout?.status);
    expect(asked, `a finished batch stays ${statusText}`).toBeGreaterThanOrEqual(Math.min(last, goal));
    expect(asked, `none runs ahead ${statusText}`).toBeLessThanOrEqual(Math.max(last, goal));
    this.#scenario.checkBaseline();
    // Without the interval, the rest of a current batch is requested at once.
    if (rollout.plan.batches[this.#batch]?.instanceIntervalMs !== attempt.intervalMs) attempt.intervalMs = 0;
    const { intervalMs, changed } = attempt;
    if (intervalMs > 0 && rolling === 'rollingInBatches' && asked !== changed.asked) {
      const at = this.#scenario.simulation.nowMs;
      expect(Math.abs(asked - changed.asked), 'one pod after the other').toBe(1);
      expect(at - changed.at, 'after the interval').toBeGreaterThanOrEqual(intervalMs);
      attempt.changed = { asked, at };
    }
    if (!isRolling) return;
    const others = this.#scenario.others(rollout);
    const remaining = (pods: number) => Math.max(0, Math.min(sources, size - pods));
    // A failed attempt may leave more pods than desired, until the first batch completes.
    const most = finished.length === 0 ? sources : remaining(last);
    expect(others, `what was replaced does not come back ${statusText}`).toBeLessThanOrEqual(most);
    expect(others, `nothing is replaced too soon ${statusText}`).toBeGreaterThanOrEqual(remaining(goal));
  }
}

/** No work remains, unless the spec changes. */
export function isOver({ parsed }: RolloutSimulation): boolean {
  const rolling = parsed?.status.position?.rolling;
  return parsed !== undefined && rolling !== undefined && isTerminal(rolling) && !isModified(parsed);
}

/** Ended, or paused with nothing that precedes a pause. */
export function isAtRest({ parsed }: RolloutSimulation): boolean {
  const { position } = parsed?.status ?? {};
  if (parsed === undefined || position === undefined || isModified(parsed)) return false;
  if (parsed.metadata.deletionTimestamp !== undefined) return false;
  return isTerminal(position.rolling) || (position.rolling === 'rollingInBatches' && parsed.plan.isPaused);
}
