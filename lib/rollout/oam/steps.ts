import { type Amount, type Batch } from '@/lib/oam/plan';
import { type BatchPods } from '@/lib/rollout/oam/pods';
import { isWaiting, type Situation } from '@/lib/rollout/oam/situation';
import { waitOfStep } from '@/lib/rollout/oam/waits';
import { type RolloutStep, type StepPause, type StepState } from '@/lib/rollout/rollout';
import { listed } from '@/lib/workloads/words';

/** The batches as steps, one for one. What they are planned to come to is reckoned as the controllers do. */
export function stepsOf(situation: Situation, { byBatch }: BatchPods): RolloutStep[] {
  const { batches, goals, rollout } = situation;
  return batches.map((batch, offset) => {
    const index = offset + 1;
    const state = stateOf(situation, index);
    const planned = goals[offset] ?? null;
    const isCurrent = index === situation.index && situation.stage === 'rollingInBatches';
    return {
      index,
      state,
      does: checksOf(situation, batch),
      since: isCurrent && state === 'waiting' ? rollout.statusWrittenAt : null,
      replicas: {
        planned,
        asked: askedOf(batch, index === batches.length),
        ...countsOf(situation, state, planned),
      },
      traffic: { planned: null, actual: null, evidence: null },
      pause: pauseOf(situation, index),
      startedAt: null,
      readyAt: null,
      waitsFor: isCurrent && !rollout.plan.isPaused ? waitOfStep(situation, state, planned) : null,
      pods: byBatch.get(index) ?? [],
    };
  });
}

function stateOf(situation: Situation, index: number): StepState {
  const { stage, rollout } = situation;
  switch (stage) {
    case 'rolloutSucceed':
    case 'finalising':
      return 'done';
    case 'rollingInBatches':
      if (index === situation.index) return runningState(situation);
      return index < situation.index ? 'done' : 'planned';
    case 'rolloutFailing':
    case 'rolloutFailed': {
      // A rollout that failed before its first batch has left its counter alone.
      const hasBegun = rollout.status.upgradedReplicas > 0 || situation.index > 1;
      if (!hasBegun || index > situation.index) return 'planned';
      return index === situation.index ? 'failed' : 'done';
    }
    case 'rolloutAbandoning':
    case 'RolloutDeletingState':
      return index <= Math.trunc(rollout.status.currentBatch) + 1 && rollout.status.upgradedReplicas > 0
        ? 'abandoned'
        : 'planned';
    case 'unknown':
      return 'unknown';
    default:
      return 'planned';
  }
}

function runningState(situation: Situation): StepState {
  const { batch, pods, goals, index, batches } = situation;
  switch (batch) {
    case 'batchInitializing':
      return 'starting';
    case 'batchInRolling':
      return 'upgrading';
    case 'batchVerifying': {
      const ready = pods.filter((pod) => pod.ready).length;
      const planned = goals[index - 1];
      return planned != null && ready >= planned && hasMetrics(situation) ? 'analysing' : 'upgrading';
    }
    case 'batchVerifyFailed':
      return 'failed';
    case 'batchFinalizing':
      return 'analysing';
    case 'batchReady':
      if (isWaiting(situation)) return 'waiting';
      return index < batches.length ? 'approved' : 'done';
    case null:
      return 'unknown';
    default:
      return batch satisfies never;
  }
}

function hasMetrics({ rollout, batches, index }: Situation): boolean {
  return rollout.isOurs && (rollout.plan.metrics.length > 0 || (batches[index - 1]?.metrics.length ?? 0) > 0);
}

/** Of the batch at hand as it is; of those before, as much of that as they asked for. */
function countsOf(
  { pods, target, rollout }: Situation,
  state: StepState,
  planned: number | null,
): Pick<RolloutStep['replicas'], 'updated' | 'ready'> {
  if (state === 'planned' || state === 'unknown' || state === 'skipped')
    return { updated: null, ready: null };
  const updated = target === null ? rollout.status.upgradedReplicas : pods.length;
  const ready =
    target === null ? rollout.status.upgradedReadyReplicas : pods.filter((pod) => pod.ready).length;
  const bound = (amount: number) =>
    state === 'done' && planned !== null ? Math.min(amount, planned) : amount;
  return { updated: bound(updated), ready: bound(ready) };
}

/** The last batch takes whatever is left, whatever share it asks for. */
function askedOf({ replicas }: Batch, isLast: boolean): string | null {
  if (replicas === undefined) return isLast ? 'the rest' : null;
  return textOf(replicas);
}

export function textOf(amount: Amount): string {
  return typeof amount === 'number' ? String(amount) : amount.slice(0, 20);
}

function pauseOf({ rollout, batches }: Situation, index: number): StepPause {
  const { partition } = rollout.plan;
  const waits = partition !== undefined && index > partition && index < batches.length;
  return waits ? { kind: 'approval' } : { kind: 'none' };
}

/** "asks webhook gate before and after, and measures error-rate"; null where it only moves pods. */
function checksOf({ rollout: { plan } }: Situation, batch: Batch): string | null {
  const webhooks = [...plan.webhooks, ...batch.webhooks].filter(
    ({ type }) => type === 'pre-batch-rollout' || type === 'post-batch-rollout',
  );
  const metrics = [...plan.metrics, ...batch.metrics];
  const parts = [
    webhooks.length === 0 ? null : `asks ${listed([...new Set(webhooks.map(({ name }) => name))])}`,
    metrics.length === 0 ? null : `measures ${listed([...new Set(metrics.map(({ name }) => name))])}`,
  ].filter((part) => part !== null);
  return parts.length === 0 ? null : parts.join(' and ');
}
