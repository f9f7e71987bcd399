import { isPreparing, isWaiting, type OamContext } from '@/lib/rollout/oam/context';
import { applicationDeployments, appRollouts, rolloutTraits } from '@/lib/rollout/oam/resources';
import {
  sourceNameOf,
  formatStableRevision,
  targetNameOf,
  formatUpdatedRevision,
} from '@/lib/rollout/oam/revisions';
import { obstacleOf, toSentence, stallOf } from '@/lib/rollout/oam/waits';
import { type Wait } from '@/lib/api/rollouts';
import { type RolloutState, type StepState } from '@/lib/api/rollout-values';
import { type DescribedState, stateWithoutWait } from '@/lib/rollout/described-state';
import { capitalize, formatCount } from '@/lib/format/text';

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
    message: `Seems unmanaged: ${stall.charAt(0).toLowerCase()}${stall.slice(1)}`,
    waitsFor: { kind: 'controller', text: 'A controller of OAM rollouts has to run.' },
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
      return stateWithoutWait('starting', 'A controller has yet to take up this Rollout.');
    case 'modified':
      return stateWithoutWait(
        'starting',
        `Changed: ${rollout.target ?? 'another size'} is asked for, and the controller has yet to read that.`,
      );
    case 'locatingTargetApp':
    case 'verifyingSpec':
    case 'initializing':
      return describePreparing(context);
    case 'rollingInBatches':
      return describeBatches(context, step, wait);
    case 'finalising':
      return withObstacle('completing', 'All batches are done; the workloads are being let go.', context);
    case 'rolloutSucceed':
      return stateWithoutWait('completed', `${capitalize(formatUpdatedRevision(context))} has taken over.`);
    case 'rolloutFailing':
      return stateWithoutWait(
        'failed',
        `Failing${formatFailureCause(context)} The workloads are being let go as they are.`,
      );
    case 'rolloutFailed':
      return stateWithoutWait(
        'failed',
        `Failed${atBatch(context)}${formatFailureCause(context)} The workloads are as they were left.`,
      );
    case 'rolloutAbandoning':
      return stateWithoutWait(
        'starting',
        `The target was changed midway: what is half done is being settled, then it begins again with ${rollout.target ?? 'the new target'}.`,
      );
    case 'RolloutDeletingState':
      return stateWithoutWait(
        revertsOnDeletion(context) ? 'rollingBack' : 'terminating',
        describeDeletion(context),
      );
    case 'unknown':
      return stateWithoutWait('unknown', `In the state ${rollout.rolling}, which Shiplog does not know.`);
    default:
      return stage satisfies never;
  }
}

function describePreparing(context: OamContext): Omit<DescribedState, 'since'> {
  const sentences = {
    locatingTargetApp: 'The target is being looked for',
    verifyingSpec: 'Sizes and batches are being checked',
    initializing: 'The workloads are being claimed',
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
      message: `Paused in ${batchText}: what has been asked for comes about, and nothing further is asked for.`,
      waitsFor: { kind: 'resume', text: 'Somebody has to resume the Rollout.' },
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
      return 'is about to begin';
    case 'upgrading':
      return 'brings its pods';
    case 'analysing':
      return 'has its pods and is being judged';
    case 'waiting':
      return 'is done and waits for approval';
    case 'approved':
      return 'is done; the next one follows';
    case 'done':
      return 'is done';
    case 'failed':
      return 'did not pass';
    default:
      return `is in the state ${context.rollout.batch === '' ? 'that nobody named' : context.rollout.batch}`;
  }
}

/** The effect of its deletion on the workloads: that depends on its controller. */
export function describeDeletion(context: OamContext): string {
  const { rollout, stage, index } = context;
  const isOver = rollout.status.position?.rolling === 'rolloutSucceed';
  if (stage !== 'RolloutDeletingState' && isOver) return 'The workloads stay as they are.';
  if (!revertsOnDeletion(context))
    return stage === 'RolloutDeletingState'
      ? 'Being deleted; the workloads stay as they are.'
      : index === 0
        ? 'The workloads stay as they are.'
        : 'The workloads stay as they are, with pods of both.';
  return stage === 'RolloutDeletingState'
    ? 'Being deleted; what was there before the first batch is being brought back.'
    : 'What was there before the first batch is brought back.';
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

/**
 * Why it failed: the condition of the stage that failed has the reason, and conditions of earlier rollouts
 * are never cleared, so the last changed one is used. For a failed batch, its failed check has the reason.
 */
function formatFailureCause({ rollout }: OamContext): string {
  const failures = rollout.conditions
    .filter(({ status, message, type }) => status === 'False' && message !== null && type !== 'BatchPaused')
    .toSorted((a, b) => Date.parse(b.lastTransitionTime ?? '') - Date.parse(a.lastTransitionTime ?? '') || 0);
  const check = failures.find(({ type }) => type === 'BatchVerifying');
  const cause =
    (failures[0]?.type === 'BatchRolloutFailed' ? (check ?? failures[0]) : failures[0])?.message ?? null;
  return cause === null ? '.' : `: ${cause.trim().replace(/\.$/, '')}.`;
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
      `${formatBatchCount(batches.length)} from ${extent.base} to ${formatCount(extent.target, 'pod')}, without another template.`,
    );
  else if (extent !== null)
    sentences.push(`${formatCount(extent.target, 'pod')} in ${formatBatchCount(batches.length)}.`);
  if (!isInPlace && !isScaling)
    sentences.push(
      plan.strategy === 'IncreaseFirst'
        ? 'In each batch the new pods come before the old ones go (IncreaseFirst).'
        : 'In each batch the old pods go before the new ones come (DecreaseFirst).',
    );
  sentences.push(describePartition(context));
  if (plan.metrics.length > 0 || plan.webhooks.length > 0) sentences.push(describeChecks(context));
  if (rollout.status.position?.rolling !== 'rolloutSucceed' && rollout.deletedAt === null)
    sentences.push(`When it is deleted: ${lower(describeDeletion(context))}`);
  return sentences;
}

function formatBatchCount(batches: number): string {
  return batches === 1 ? '1 batch' : `${batches} batches`;
}

function describePartition({ rollout: { plan }, batches }: OamContext): string {
  const last = batches.length;
  const { partition } = plan;
  if (partition === undefined || partition >= last - 1) return 'All batches may run.';
  if (partition < 0) return 'No batch may run.';
  return partition === 0
    ? 'Batch 1 may run, the others wait for approval.'
    : `Batches 1 to ${partition + 1} of ${last} may run, the others wait for approval.`;
}

function describeChecks({ rollout: { plan, isOurs } }: OamContext): string {
  const hooks = plan.webhooks.map(({ name, type }) => `${name} (${type})`);
  const metrics = plan.metrics.map(({ name, min, max }) => `${name}${rangeOf(min, max)}`);
  const parts = [
    hooks.length === 0 ? null : `Webhooks: ${hooks.join(', ')}.`,
    metrics.length === 0
      ? null
      : `Metrics: ${metrics.join(', ')}.${isOurs ? '' : ' No controller of KubeVela looks at metrics.'}`,
  ];
  return parts.filter((part) => part !== null).join(' ');
}

function rangeOf(min: number | undefined, max: number | undefined): string {
  if (min !== undefined && max !== undefined) return ` (${min} to ${max})`;
  if (min !== undefined) return ` (at least ${min})`;
  return max === undefined ? '' : ` (at most ${max})`;
}

function lower(text: string): string {
  return `${text.charAt(0).toLowerCase()}${text.slice(1)}`;
}

/** What is unusual, in sentences. */
export function notesOf(context: OamContext): string[] {
  return [...notesOfSpec(context), ...notesOfStatus(context), ...notesOfWorkloads(context)];
}

const LEGACY_NOTES: Readonly<Record<string, string>> = {
  [rolloutTraits.id]: 'No version of KubeVela had a controller for RolloutTraits: nothing comes of this one.',
  [appRollouts.id]:
    'AppRollouts are of KubeVela 1.0 and 1.1; their controller was taken out with v1.2, so what stands here may be as it was left.',
  [applicationDeployments.id]:
    'ApplicationDeployments are of KubeVela 0.2 and 0.3, which no controller works on any more.',
};

function notesOfSpec({ rollout, batches, index }: OamContext): string[] {
  const { plan, renderedBy } = rollout;
  const legacyNote = LEGACY_NOTES[rollout.resource];
  const notes: string[] = legacyNote === undefined ? [] : [legacyNote];
  if (renderedBy !== null)
    notes.push(`${renderedBy} renders this Rollout and takes back what is changed here: change it there.`);
  if (rollout.hasTwoPartitions)
    notes.push(
      'The plan has batchPartition and lastBatchToRollout with different values: batchPartition counts, the other is the name that it had before.',
    );
  if (plan.numBatches !== undefined && plan.batches.length > 0 && plan.numBatches !== plan.batches.length)
    notes.push(
      `numBatches is ${plan.numBatches}, and ${plan.batches.length} batches are listed. KubeVela refuses that; what is listed is shown.`,
    );
  if (!rollout.isOurs && plan.batches.length === 0 && rollout.naming !== 'applicationRevision')
    notes.push(
      'No batches are listed. KubeVela expands a number of batches for AppRollouts alone, and fails a Rollout without any.',
    );
  if (rollout.target === null) notes.push('The spec names no target, so there is nothing to roll out.');
  if (plan.partition !== undefined && plan.partition < index - 1 && batches.length > 0)
    notes.push(
      `The partition lets ${plan.partition + 1} of the batches run, and batch ${index} has begun. A controller of KubeVela fails the rollout over that.`,
    );
  if (plan.revertOnDelete && !rollout.isOurs)
    notes.push('revertOnDelete is set, and no controller that was ever released acts on it.');
  return notes;
}

function notesOfStatus(context: OamContext): string[] {
  const { rollout, stage, batches, index } = context;
  const { status, rolling, batch } = rollout;
  const notes: string[] = [];
  if (rolling === 'verifying' || rolling === 'rolloutAbandoned')
    notes.push(`The state ${rolling} is what versions before 1.0 and 1.1 wrote.`);
  const isLeftBehind = batch === 'batchReady' && (stage === 'finalising' || stage === 'rolloutSucceed');
  if (stage !== 'rollingInBatches' && batch !== '' && batch !== 'batchInitializing' && !isLeftBehind)
    notes.push(
      `The batch state ${batch} means nothing in the state ${rolling === '' ? 'that the Rollout is in' : rolling}; no controller writes the two together.`,
    );
  if (stage === 'rollingInBatches' && context.batch === null)
    notes.push(
      `The batch state ${batch === '' ? 'is empty' : batch}, which no version has while batches go on.`,
    );
  if (status.currentBatch >= batches.length && batches.length > 0)
    notes.push(`The status is at batch ${status.currentBatch + 1}, and the plan has ${batches.length}.`);
  if (!Number.isInteger(status.currentBatch) || status.currentBatch < 0)
    notes.push(`The status says that the current batch is ${status.currentBatch}, counted from 0.`);
  if (status.upgradedReadyReplicas > status.upgradedReplicas && rollout.workload.kind === 'StatefulSet')
    notes.push(
      'More pods are counted as ready than as upgraded: of a StatefulSet KubeVela counts those of the source too.',
    );
  else if (status.upgradedReadyReplicas > status.upgradedReplicas)
    notes.push(
      `The status counts ${status.upgradedReadyReplicas} ready of ${status.upgradedReplicas} upgraded pods, which can’t be.`,
    );
  if (stage === 'rolloutSucceed' && index > 0 && isShort(context))
    notes.push(
      'The rollout succeeded, and the target has fewer pods than it was to have. Something has changed it since.',
    );
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
    notes.push(`${rollout.workload.kind} ${source}, which pods are to come from, is not there.`);
  if (targetNameOf(rollout) !== null && targetNameOf(rollout) === (rollout.status.lastSource ?? null))
    notes.push('Source and target are the same, so only the number of pods changes.');
  if (isUnderWay && index > 1 && pods.length > 0)
    notes.push(
      'Nothing marks which batch brought a pod: it is estimated from the order in which they were made.',
    );
  if (isUnderWay && rollout.isInPlace && formatStableRevision(context) === formatUpdatedRevision(context))
    notes.push('Every pod runs the target already.');
  return notes;
}
