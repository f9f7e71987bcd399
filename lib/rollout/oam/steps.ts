import { type Amount, type Batch, type CanaryMetric, rangeText } from '@/lib/oam/plan';
import { comparePodNames, podRow, shapeStep, type StepPods } from '@/lib/rollout/common-shape';
import { isRolling, isWaiting, type OamContext, startingPods } from '@/lib/rollout/oam/context';
import { failureCauseOf, obstacleOf, toSentence } from '@/lib/rollout/oam/reported';
import { boundCounts, NO_COUNTS, placeStep } from '@/lib/engine/steps';
import { describeMissingPods } from '@/lib/engine/waits';
import type { RolloutPod, RolloutStep, Wait } from '@/lib/api/rollouts';
import type { PodSummary } from '@/lib/history/pod';
import type { StepPause } from '@/lib/api/rollout-fields';
import type { StepState } from '@/lib/api/rollout-values';
import { formatList } from '@/lib/format/text';

/** The batches as steps, one for one. Their planned sizes are computed as the controllers do. */
export function listBatches(context: OamContext, pods: StepPods): RolloutStep[] {
  const { batches, goals, rollout } = context;
  return batches.map((batch, offset) => {
    const index = offset + 1;
    const state = stateOf(context, index);
    const planned = goals[offset] ?? null;
    const isCurrent = index === context.index && context.stage === 'rollingInBatches';
    return {
      ...shapeStep(index, state, pods),
      does: state === 'failed' ? failureText(context, batch) : checksOf(context, batch),
      since: isCurrent && state === 'waiting' ? rollout.statusWrittenAt : null,
      replicas: {
        planned,
        requested: formatReplicas(batch, index === batches.length),
        ...countsOf(context, state, planned),
      },
      pause: pauseOf(context, index),
      waitsFor: isCurrent && !context.isPaused ? waitOfStep(context, state, planned) : null,
    };
  });
}

/** What was measured, or why else the batch failed. */
function failureText(context: OamContext, batch: Batch): string | null {
  const cause = failureCauseOf(context.rollout);
  return cause === null ? checksOf(context, batch) : toSentence(cause).slice(0, -1);
}

function stateOf(context: OamContext, index: number): StepState {
  const { stage, rollout } = context;
  switch (stage) {
    case 'rolloutSucceed':
    case 'finalising':
      return 'done';
    case 'rollingInBatches':
      return placeStep(index, context.index, runningState(context));
    case 'rolloutFailing':
    case 'rolloutFailed': {
      // A rollout that failed before its first batch has not changed its counter.
      const hasBegun = rollout.status.upgradedReplicas > 0 || context.index > 1;
      return hasBegun ? placeStep(index, context.index, 'failed') : 'planned';
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

function runningState(context: OamContext): StepState {
  const { batch, pods, goals, index, batches } = context;
  switch (batch) {
    case 'batchInitializing':
      return 'starting';
    case 'batchInRolling':
      return 'upgrading';
    case 'batchVerifying': {
      const planned = goals[index - 1];
      return planned != null && countReady(pods) >= planned && hasMetrics(context)
        ? 'analysing'
        : 'upgrading';
    }
    case 'batchVerifyFailed':
      return 'failed';
    case 'batchFinalizing':
      return 'analysing';
    case 'batchReady':
      if (isWaiting(context)) return 'waiting';
      return index < batches.length ? 'approved' : 'done';
    case null:
      return 'unknown';
    default:
      return batch satisfies never;
  }
}

function hasMetrics({ rollout, batches, index }: OamContext): boolean {
  return rollout.isOurs && (rollout.plan.metrics.length > 0 || (batches[index - 1]?.metrics.length ?? 0) > 0);
}

/** Of the current batch as reported; of completed ones, at most as many as they requested. */
function countsOf(
  { pods, target, rollout }: OamContext,
  state: StepState,
  planned: number | null,
): Pick<RolloutStep['replicas'], 'updated' | 'ready'> {
  if (state === 'planned' || state === 'unknown' || state === 'skipped') return NO_COUNTS;
  const { upgradedReplicas, upgradedReadyReplicas } = rollout.status;
  const counts =
    target === null
      ? { updated: upgradedReplicas, ready: upgradedReadyReplicas }
      : { updated: pods.length, ready: countReady(pods) };
  return boundCounts(counts, state === 'done' ? planned : null);
}

function countReady(pods: OamContext['pods']): number {
  return pods.filter(({ ready }) => ready).length;
}

/** What the current batch waits for; null where nothing blocks it. */
function waitOfStep(context: OamContext, state: StepState, planned: number | null): Wait | null {
  const { pods, index, batches, rollout, extent } = context;
  const obstacle = obstacleOf(context);
  const names = [...rollout.plan.metrics, ...(batches[index - 1]?.metrics ?? [])].map(({ name }) => name);
  switch (state) {
    case 'waiting':
      return { kind: 'approval', text: `Waiting for approval of batch ${index}.` };
    case 'starting':
    case 'analysing':
      if (obstacle !== null) return { kind: 'analysis', text: toSentence(obstacle) };
      return state === 'starting' || names.length === 0
        ? null
        : { kind: 'analysis', text: `Analysis running: ${formatList(names)}.` };
    case 'upgrading': {
      if (planned === null || (extent !== null && extent.target < extent.base)) return null;
      const text = 'Waiting for pods of the source to terminate.';
      return (
        describeMissingPods(countReady(pods), planned, 'the target', 'ready') ?? {
          kind: 'pods',
          text,
          missing: null,
        }
      );
    }
    default:
      return null;
  }
}

/** The last batch includes all remaining pods, whatever its share. */
function formatReplicas({ replicas }: Batch, isLast: boolean): string | null {
  if (replicas === undefined) return isLast ? 'remaining' : null;
  return formatAmount(replicas);
}

function formatAmount(amount: Amount): string {
  return typeof amount === 'number' ? String(amount) : amount.slice(0, 20);
}

function pauseOf({ rollout, batches }: OamContext, index: number): StepPause {
  const { partition } = rollout.plan;
  const waits = partition !== undefined && index > partition && index < batches.length;
  return waits ? { kind: 'approval' } : { kind: 'none' };
}

/** "Webhooks: gate; analysis: error-rate ≤ 1"; null where it only moves pods. */
function checksOf({ rollout: { plan } }: OamContext, batch: Batch): string | null {
  const webhooks = [...plan.webhooks, ...batch.webhooks].filter(
    ({ type }) => type === 'pre-batch-rollout' || type === 'post-batch-rollout',
  );
  const metrics = [...plan.metrics, ...batch.metrics];
  const parts = [
    webhooks.length === 0 ? null : `Webhooks: ${formatList([...new Set(webhooks.map(({ name }) => name))])}`,
    metrics.length === 0 ? null : `Analysis: ${formatList([...new Set(metrics.map(metricText))])}`,
  ].filter((part) => part !== null);
  return parts.length === 0 ? null : parts.join('; ');
}

/** "error-rate ≤ 1" */
export function metricText(metric: CanaryMetric): string {
  const isLimited = metric.min !== undefined || metric.max !== undefined;
  return isLimited ? `${metric.name} ${rangeText(metric)}` : metric.name;
}

/**
 * The pods of each batch. No label names the batch of a pod: a batch is assumed to have added the pods
 * created after those of the previous batches, and for a StatefulSet those with the highest ordinals. Pods
 * from before the first batch belong to none.
 */
export function findOamPods(context: OamContext): StepPods {
  const { goals, index, extent, updated } = context;
  const rows = orderOf(context).map((pod) => podRow(pod, updated));
  const bySteps = new Map<number, readonly RolloutPod[]>();
  const isShown = isRolling(context) || isCutShort(context) || context.stage === 'finalising';
  const shrinks = extent !== null && extent.target < extent.base;
  if (!isShown || extent === null || shrinks) return { bySteps, unassigned: rows };
  const first = startingPods(context);
  let from = first;
  for (const [offset, goal] of goals.slice(0, index).entries()) {
    const to = Math.max(from, goal ?? from);
    bySteps.set(offset + 1, rows.slice(from, to));
    from = to;
  }
  return { bySteps, unassigned: [...rows.slice(0, first), ...rows.slice(from)] };
}

function isCutShort({ stage }: OamContext): boolean {
  return stage === 'rolloutFailing' || stage === 'rolloutFailed';
}

function orderOf({ pods, rollout }: OamContext): PodSummary[] {
  if (rollout.workload.kind === 'StatefulSet')
    return pods.toSorted((a, b) => ordinalOf(b) - ordinalOf(a) || comparePodNames(a, b));
  return pods.toSorted((a, b) =>
    a.createdAt === b.createdAt ? comparePodNames(a, b) : a.createdAt < b.createdAt ? -1 : 1,
  );
}

function ordinalOf({ name }: PodSummary): number {
  const digits = /-(\d{1,9})$/.exec(name)?.[1];
  return digits === undefined ? -1 : Number(digits);
}
