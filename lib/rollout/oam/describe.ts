import { isPreparing, isWaiting, type OamContext } from '@/lib/rollout/oam/context';
import { applicationDeployments, appRollouts, rolloutTraits } from '@/lib/rollout/oam/resources';
import {
  sourceNameOf,
  formatStableRevision,
  targetNameOf,
  formatUpdatedRevision,
} from '@/lib/rollout/oam/revisions';
import { metricText } from '@/lib/rollout/oam/steps';
import { failureCauseOf, obstacleOf, toSentence, stallOf } from '@/lib/rollout/oam/waits';
import type { Wait } from '@/lib/api/rollouts';
import type { RolloutState, StepState } from '@/lib/api/rollout-values';
import { type DescribedState, stateWithoutWait } from '@/lib/rollout/described-state';
import { capitalize, formatCount, uncapitalize } from '@/lib/format/text';

/** Describes the state of the Rollout; `step` is the state of the current batch, `wait` what it waits for. */
export function describeRollout(
  context: OamContext,
  step: StepState | null,
  wait: Wait | null,
): DescribedState {
  const since = sinceOf(context);
  const stall = stallOf(context);
  if (stall === null) return { ...describeStage(context, step, wait), since };
  return {
    state: 'stalled',
    message: `No active controller: ${uncapitalize(stall)}`,
    waitsFor: { kind: 'controller', text: 'Waiting for an OAM Rollout controller.' },
    since,
  };
}

function describeStage(
  context: OamContext,
  step: StepState | null,
  wait: Wait | null,
): Omit<DescribedState, 'since'> {
  const { stage, rollout } = context;
  switch (stage) {
    case 'new':
      return stateWithoutWait('starting', 'Waiting for the controller.');
    case 'modified':
      return stateWithoutWait(
        'starting',
        `Changed: ${rollout.target ?? 'another size'} is requested; waiting for the controller.`,
      );
    case 'locatingTargetApp':
    case 'verifyingSpec':
    case 'initializing':
      return describePreparing(context);
    case 'rollingInBatches':
      return describeBatches(context, step, wait);
    case 'finalising':
      return withObstacle('completing', 'All batches are done; releasing the workloads.', context);
    case 'rolloutSucceed':
      return stateWithoutWait('completed', `All pods run ${formatUpdatedRevision(context)}.`);
    case 'rolloutFailing':
      return stateWithoutWait('failed', `Failing${formatFailureCause(context)} Releasing the workloads.`);
    case 'rolloutFailed':
      return stateWithoutWait(
        'failed',
        `Failed${atBatch(context)}${formatFailureCause(context)} Nothing was rolled back.`,
      );
    case 'rolloutAbandoning':
      return stateWithoutWait(
        'starting',
        `The target changed: the current batch is being completed, then the rollout starts again with ${rollout.target ?? 'the new target'}.`,
      );
    case 'RolloutDeletingState':
      return stateWithoutWait(
        revertsOnDeletion(context) ? 'rollingBack' : 'terminating',
        describeDeletion(context),
      );
    case 'unknown':
      return stateWithoutWait('unknown', `Unknown state: ${rollout.rolling}.`);
    default:
      return stage satisfies never;
  }
}

function describePreparing(context: OamContext): Omit<DescribedState, 'since'> {
  const sentences = {
    locatingTargetApp: 'Locating the target',
    verifyingSpec: 'Verifying sizes and batches',
    initializing: 'Claiming the workloads',
  } as const;
  const { stage } = context;
  if (!isPreparing(context)) return stateWithoutWait('starting', '');
  return withObstacle('starting', `${sentences[stage as keyof typeof sentences]}.`, context);
}

function describeBatches(
  context: OamContext,
  step: StepState | null,
  wait: Wait | null,
): Omit<DescribedState, 'since'> {
  const { rollout, index, batches } = context;
  const batchText = `batch ${index} of ${batches.length}`;
  if (rollout.plan.isPaused)
    return {
      state: 'paused',
      message: `Paused in ${batchText}: pods that are already requested still start.`,
      waitsFor: { kind: 'resume', text: 'Waiting to be resumed.' },
    };
  const does = describeBatchState(context, step);
  return {
    state: isWaiting(context) ? 'waiting' : 'progressing',
    message: `${capitalize(batchText)} ${does}.`,
    waitsFor: wait,
  };
}

function describeBatchState(context: OamContext, step: StepState | null): string {
  switch (step) {
    case 'starting':
      return 'is about to start';
    case 'upgrading':
      return 'is updating pods';
    case 'analysing':
      return 'has its pods and is being analyzed';
    case 'waiting':
      return 'is done and waiting for approval';
    case 'approved':
      return 'is done; the next one follows';
    case 'done':
      return 'is done';
    case 'failed':
      return 'failed its checks';
    default:
      return `is in ${context.rollout.batch === '' ? 'an unknown state' : `state ${context.rollout.batch}`}`;
  }
}

/** The effect of its deletion on the workloads: that depends on its controller. */
export function describeDeletion(context: OamContext): string {
  const { rollout, stage, index } = context;
  const isOver = rollout.status.position?.rolling === 'rolloutSucceed';
  if (stage !== 'RolloutDeletingState' && isOver) return 'The workloads do not change.';
  if (!revertsOnDeletion(context))
    return stage === 'RolloutDeletingState'
      ? 'Being deleted; the workloads do not change.'
      : index === 0
        ? 'The workloads do not change.'
        : 'The pods of both revisions stay.';
  return stage === 'RolloutDeletingState'
    ? 'Being deleted; reverting to the state before the first batch.'
    : 'Reverts to the state before the first batch (revertOnDelete).';
}

/** Of all controllers that existed, only Shiplog's does. */
function revertsOnDeletion({ rollout }: OamContext): boolean {
  return rollout.plan.revertOnDelete && rollout.isOurs && rollout.naming !== 'applicationRevision';
}

function withObstacle(
  state: RolloutState,
  message: string,
  context: OamContext,
): Omit<DescribedState, 'since'> {
  const obstacle = obstacleOf(context);
  if (obstacle === null) return stateWithoutWait(state, message);
  return {
    state,
    message: `${message} ${toSentence(obstacle)}`,
    waitsFor: { kind: 'workload', text: toSentence(obstacle) },
  };
}

/** " in batch 2 of 4" */
function atBatch({ rollout, index, batches }: OamContext): string {
  return rollout.status.upgradedReplicas > 0 ? ` in batch ${index} of ${batches.length}` : '';
}

/** ": metric error-rate = 7.4."; "." without a reason. */
function formatFailureCause({ rollout }: OamContext): string {
  const cause = failureCauseOf(rollout);
  return cause === null ? '.' : `: ${cause}.`;
}

function sinceOf(context: OamContext): string | null {
  const { stage, rollout } = context;
  const at = (type: string) =>
    rollout.conditions.find((condition) => condition.type === type)?.lastTransitionTime ?? null;
  switch (stage) {
    case 'new':
      return rollout.createdAt;
    case 'modified':
      return rollout.specWrittenAt;
    case 'RolloutDeletingState':
      return rollout.deletedAt;
    case 'rolloutSucceed':
      return at('RolloutSucceed') ?? rollout.statusWrittenAt;
    case 'rolloutFailing':
      return at('RolloutFailing') ?? rollout.statusWrittenAt;
    case 'rolloutFailed':
      // Nothing writes to it any more.
      return rollout.statusWrittenAt;
    case 'rollingInBatches':
      return isWaiting(context) ? rollout.statusWrittenAt : null;
    default:
      return null;
  }
}

/** The plan, in sentences. */
export function describePlan(context: OamContext): string[] {
  const { rollout, batches, extent } = context;
  const { plan, isInPlace } = rollout;
  const sentences: string[] = [];
  const isScaling = extent?.mode === 'scaling';
  if (isScaling)
    sentences.push(
      `${formatBatchCount(batches.length)} from ${extent.base} to ${formatCount(extent.target, 'pod')}, with the same pod template.`,
    );
  else if (extent !== null)
    sentences.push(`${formatCount(extent.target, 'pod')} in ${formatBatchCount(batches.length)}.`);
  if (!isInPlace && !isScaling)
    sentences.push(
      plan.strategy === 'IncreaseFirst'
        ? 'In each batch, new pods start before old pods stop (IncreaseFirst).'
        : 'In each batch, old pods stop before new pods start (DecreaseFirst).',
    );
  sentences.push(describePartition(context));
  if (plan.metrics.length > 0 || plan.webhooks.length > 0) sentences.push(describeChecks(context));
  if (rollout.status.position?.rolling !== 'rolloutSucceed' && rollout.deletedAt === null)
    sentences.push(`On deletion: ${uncapitalize(describeDeletion(context))}`);
  return sentences;
}

function formatBatchCount(batches: number): string {
  return batches === 1 ? '1 batch' : `${batches} batches`;
}

function describePartition({ rollout: { plan }, batches }: OamContext): string {
  const last = batches.length;
  const { partition } = plan;
  if (partition === undefined || partition >= last - 1) return 'No approval required.';
  if (partition < 0) return 'No batch is approved.';
  return partition === 0
    ? 'Batch 1 runs without approval.'
    : `Batches 1 to ${partition + 1} of ${last} run without approval.`;
}

function describeChecks({ rollout: { plan, isOurs } }: OamContext): string {
  const hooks = plan.webhooks.map(({ name, type }) => `${name} (${type})`);
  const metrics = plan.metrics.map(metricText);
  const parts = [
    hooks.length === 0 ? null : `Webhooks: ${hooks.join(', ')}.`,
    metrics.length === 0
      ? null
      : `Metrics: ${metrics.join(', ')}.${isOurs ? '' : ' The controllers of KubeVela ignore metrics.'}`,
  ];
  return parts.filter((part) => part !== null).join(' ');
}

/** What is unusual, in sentences. */
export function notesOf(context: OamContext): string[] {
  return [...notesOfSpec(context), ...notesOfStatus(context), ...notesOfWorkloads(context)];
}

const LEGACY_NOTES: Readonly<Record<string, string>> = {
  [rolloutTraits.id]: 'No version of KubeVela had a controller for RolloutTraits: this one has no effect.',
  [appRollouts.id]:
    'AppRollouts belong to KubeVela 1.0 and 1.1. KubeVela 1.2 removed their controller, so this may be outdated.',
  [applicationDeployments.id]:
    'ApplicationDeployments belong to KubeVela 0.2 and 0.3 and no longer have a controller.',
};

function notesOfSpec({ rollout, batches, index }: OamContext): string[] {
  const { plan, renderedBy } = rollout;
  const legacyNote = LEGACY_NOTES[rollout.resource];
  const notes: string[] = legacyNote === undefined ? [] : [legacyNote];
  if (renderedBy !== null)
    notes.push(`${renderedBy} renders this Rollout and reverts changes made here: change it there.`);
  if (rollout.hasTwoPartitions)
    notes.push(
      'batchPartition and lastBatchToRollout have different values. batchPartition counts; lastBatchToRollout is its former name.',
    );
  if (plan.numBatches !== undefined && plan.batches.length > 0 && plan.numBatches !== plan.batches.length)
    notes.push(
      `numBatches is ${plan.numBatches}, but ${plan.batches.length} batches are listed. KubeVela rejects that; the listed batches are shown.`,
    );
  if (!rollout.isOurs && plan.batches.length === 0 && rollout.naming !== 'applicationRevision')
    notes.push(
      'No batches are listed. KubeVela expands numBatches for AppRollouts only and fails a Rollout without batches.',
    );
  if (rollout.target === null) notes.push('The spec has no target, so there is nothing to roll out.');
  if (plan.partition !== undefined && plan.partition < index - 1 && batches.length > 0)
    notes.push(
      `The partition approves batches up to ${plan.partition + 1}, but batch ${index} has started. A KubeVela controller fails such a rollout.`,
    );
  if (plan.revertOnDelete && !rollout.isOurs)
    notes.push('revertOnDelete is set, but no KubeVela controller supports it.');
  return notes;
}

function notesOfStatus(context: OamContext): string[] {
  const { rollout, stage, batches, index } = context;
  const { status, rolling, batch } = rollout;
  const notes: string[] = [];
  if (rolling === 'verifying' || rolling === 'rolloutAbandoned')
    notes.push(`The state ${rolling} comes from a version before 1.0 or 1.1.`);
  const isLeftBehind = batch === 'batchReady' && (stage === 'finalising' || stage === 'rolloutSucceed');
  if (stage !== 'rollingInBatches' && batch !== '' && batch !== 'batchInitializing' && !isLeftBehind)
    notes.push(
      `The batch state ${batch} has no meaning in ${rolling === '' ? 'the current state' : `state ${rolling}`}; no controller writes both together.`,
    );
  if (stage === 'rollingInBatches' && context.batch === null)
    notes.push(
      `The batch state ${batch === '' ? 'is empty' : `${batch} is unknown`} while batches are in progress.`,
    );
  if (status.currentBatch >= batches.length && batches.length > 0)
    notes.push(
      `The status reports batch ${status.currentBatch + 1}, but the plan has only ${batches.length}.`,
    );
  if (!Number.isInteger(status.currentBatch) || status.currentBatch < 0)
    notes.push(`The status reports ${status.currentBatch} as the current batch, counted from 0.`);
  if (status.upgradedReadyReplicas > status.upgradedReplicas && rollout.workload.kind === 'StatefulSet')
    notes.push(
      'The status counts more ready pods than upgraded pods: for a StatefulSet, KubeVela includes those of the source.',
    );
  else if (status.upgradedReadyReplicas > status.upgradedReplicas)
    notes.push(
      `The status is inconsistent: ${status.upgradedReadyReplicas} ready of ${status.upgradedReplicas} upgraded pods.`,
    );
  if (stage === 'rolloutSucceed' && index > 0 && isShort(context))
    notes.push('The rollout succeeded, but the target has fewer pods than planned: it was changed since.');
  return notes;
}

function isShort({ target, extent }: OamContext): boolean {
  return target !== null && extent !== null && target.desired < extent.target;
}

function notesOfWorkloads(context: OamContext): string[] {
  const { rollout, former, sources, stage, index, pods } = context;
  const notes = former
    .filter(({ desired }) => desired > 0)
    .map(
      ({ workload: { name }, desired }) =>
        `${rollout.workload.kind} ${name} has ${formatCount(desired, 'pod')} and is not part of the current rollout.`,
    );
  const source = sourceNameOf(context);
  const isUnderWay = stage === 'rollingInBatches' || stage === 'initializing';
  if (
    isUnderWay &&
    !rollout.isInPlace &&
    rollout.workload.resource !== null &&
    source !== null &&
    sources.length === 0
  )
    notes.push(`The source ${rollout.workload.kind} ${source} does not exist.`);
  if (targetNameOf(rollout) !== null && targetNameOf(rollout) === (rollout.status.lastSource ?? null))
    notes.push('Source and target are the same: only the number of pods changes.');
  if (isUnderWay && index > 1 && pods.length > 0)
    notes.push('Pods are assigned to batches by creation order: OAM does not label them.');
  if (isUnderWay && rollout.isInPlace && formatStableRevision(context) === formatUpdatedRevision(context))
    notes.push('All pods already run the target.');
  return notes;
}
