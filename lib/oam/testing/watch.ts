import { expect } from 'vitest';
import { isModified } from '@/lib/oam/next-move';
import { type Rollout } from '@/lib/oam/rollout';
import { isTerminal, type Position, type RollingState } from '@/lib/oam/states';
import { type Play } from '@/lib/oam/testing/play';
import { promiseOf } from '@/lib/oam/testing/promise';
import { transitions } from '@/lib/oam/transitions';

/** What the laws ask of workloads, whichever kind they are of. All numbers are pods. */
export interface Scene {
  readonly play: Play;
  /** Asked for of the target; with `scaling` in all. */
  asked(rollout: Rollout): number;
  /** Asked for of everything that the target replaces. */
  others(rollout: Rollout): number;
  ready(rollout: Rollout): number;
  /** Called when a batch is finished; what it remembers must stay. */
  remember(): void;
  /** Checks that what was remembered is as it was. */
  recall(): void;
  forget(): void;
}

interface Attempt {
  readonly isRolling: boolean;
  readonly starting: number;
  readonly sources: number;
  readonly size: number;
  /** What the batch under way leads to. */
  goal: number;
  missing: number;
  /** Between two pods of the batch under way. */
  intervalMs: number;
  /** When the number of pods was another for the last time. */
  changed: { asked: number; at: number };
  readonly finished: number[];
  hasBegun: boolean;
}

/** States in which what was claimed is as the last batch has left it. */
const KEPT: readonly RollingState[] = [
  'rollingInBatches',
  'finalising',
  'rolloutFailing',
  'rolloutAbandoning',
  'rolloutFailed',
  'rolloutSucceed',
  'RolloutDeletingState',
];

/** Follows a rollout from its beginning, and knows what it has promised by the plan alone. */
export class Watch {
  readonly #scene: Scene;
  #position: Position | undefined;
  #batch = 0;
  #attempt: Attempt | undefined;
  /** Whether some attempt has come to its end. */
  hasEnded = false;

  constructor(scene: Scene) {
    this.#scene = scene;
  }

  look(): void {
    const rollout = this.#scene.play.parsed;
    const { position, currentBatch } = rollout?.status ?? {};
    if (rollout === undefined || position === undefined || currentBatch === undefined) return;
    this.#follow(rollout, position, currentBatch);
    const isUndone = rollout.status.run?.isReverted === true;
    const reverts = isUndone || (position.rolling === 'RolloutDeletingState' && rollout.plan.revertOnDelete);
    if (this.#attempt !== undefined && KEPT.includes(position.rolling) && !reverts)
      this.#hold(rollout, position, this.#attempt);
  }

  #follow(rollout: Rollout, position: Position, batch: number): void {
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
    this.#take(rollout, position, before);
  }

  #take(rollout: Rollout, { rolling, batch }: Position, before: Position): void {
    const scene = this.#scene;
    const { status, plan } = rollout;
    if (rolling === 'initializing') {
      const isRolling = status.run?.mode === 'rolling';
      const starting = scene.asked(rollout);
      const sources = isRolling ? scene.others(rollout) : 0;
      const size = status.rolloutTargetSize;
      const changed = { asked: starting, at: -Infinity };
      const attempt = { isRolling, starting, sources, size, goal: starting, missing: 0, intervalMs: 0 };
      this.#attempt = { ...attempt, changed, finished: [], hasBegun: false };
    }
    if (rolling === 'locatingTargetApp') {
      this.#attempt = undefined;
      scene.forget();
    }
    const attempt = this.#attempt;
    if (attempt === undefined) return;
    const { goals, missing } = promiseOf(plan, attempt.isRolling ? 0 : attempt.starting, attempt.size);
    if (before.rolling === 'initializing' && rolling === 'rollingInBatches') attempt.hasBegun = true;
    if (rolling === 'rollingInBatches' && batch === 'batchInRolling') {
      expect(attempt.finished.length, 'the batch is the next one').toBe(this.#batch);
      const goal = goals[this.#batch] ?? 0;
      attempt.changed = { asked: scene.asked(rollout), at: -Infinity };
      attempt.intervalMs = plan.batches[this.#batch]?.instanceIntervalMs ?? 0;
      attempt.goal = attempt.isRolling ? Math.max(attempt.starting, goal) : goal;
    }
    if (before.batch === 'batchVerifying' && batch === 'batchFinalizing') {
      attempt.missing = missing[this.#batch] ?? 0;
      const grows = attempt.isRolling || attempt.goal > attempt.starting;
      if (grows)
        expect(scene.ready(rollout), 'a batch is ready').toBeGreaterThanOrEqual(
          attempt.goal - attempt.missing,
        );
    }
    if (before.batch === 'batchFinalizing' && (batch === 'batchReady' || rolling === 'finalising')) {
      if (rolling === 'finalising' || rolling === 'rollingInBatches') this.#finish(rollout, attempt);
    }
    if (rolling === 'finalising')
      expect(attempt.finished.length, 'all batches were rolled').toBe(goals.length);
  }

  #finish(rollout: Rollout, attempt: Attempt): void {
    expect(this.#scene.asked(rollout), 'a batch is whole when it is finished').toBe(attempt.goal);
    attempt.finished.push(attempt.goal);
    if (attempt.isRolling) {
      const left = Math.max(0, Math.min(attempt.sources, attempt.size - attempt.goal));
      expect(this.#scene.others(rollout), 'and has taken the place of as many').toBe(left);
      this.#scene.remember();
    }
  }

  #hold(rollout: Rollout, { rolling, batch }: Position, attempt: Attempt): void {
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
    const asked = this.#scene.asked(rollout);
    const told = JSON.stringify(this.#scene.play.rollout?.status);
    expect(asked, `a finished batch stays ${told}`).toBeGreaterThanOrEqual(Math.min(last, goal));
    expect(asked, `none runs ahead ${told}`).toBeLessThanOrEqual(Math.max(last, goal));
    this.#scene.recall();
    // Whoever takes the interval out of a batch under way has the rest of it come at once.
    if (rollout.plan.batches[this.#batch]?.instanceIntervalMs !== attempt.intervalMs) attempt.intervalMs = 0;
    const { intervalMs, changed } = attempt;
    if (intervalMs > 0 && rolling === 'rollingInBatches' && asked !== changed.asked) {
      const at = this.#scene.play.nowMs;
      expect(Math.abs(asked - changed.asked), 'one pod after the other').toBe(1);
      expect(at - changed.at, 'after the interval').toBeGreaterThanOrEqual(intervalMs);
      attempt.changed = { asked, at };
    }
    if (!isRolling) return;
    const others = this.#scene.others(rollout);
    const kept = (pods: number) => Math.max(0, Math.min(sources, size - pods));
    // What an attempt has left that failed may be more than is wanted, until the first batch is through.
    const most = finished.length === 0 ? sources : kept(last);
    expect(others, `what was replaced does not come back ${told}`).toBeLessThanOrEqual(most);
    expect(others, `nothing is replaced too soon ${told}`).toBeGreaterThanOrEqual(kept(goal));
  }
}

/** Nothing is left to be done, as long as nobody asks for something else. */
export function isOver({ parsed }: Play): boolean {
  const rolling = parsed?.status.position?.rolling;
  return parsed !== undefined && rolling !== undefined && isTerminal(rolling) && !isModified(parsed);
}

/** Over, or paused with nothing that goes before a pause. */
export function isAtRest({ parsed }: Play): boolean {
  const { position } = parsed?.status ?? {};
  if (parsed === undefined || position === undefined || isModified(parsed)) return false;
  if (parsed.metadata.deletionTimestamp !== undefined) return false;
  return isTerminal(position.rolling) || (position.rolling === 'rollingInBatches' && parsed.plan.isPaused);
}
