import type { OamContext } from '@/lib/rollout/oam/context';
import { describeDeletion } from '@/lib/rollout/oam/stages';
import { applicationDeployments, appRollouts, rolloutTraits } from '@/lib/rollout/oam/resources';
import {
  sourceNameOf,
  formatStableRevision,
  targetNameOf,
  formatUpdatedRevision,
} from '@/lib/rollout/oam/revisions';
import { metricText } from '@/lib/rollout/oam/steps';
import { formatCount, uncapitalize } from '@/lib/format/text';

/** The plan, in sentences. */
export function describePlan(context: OamContext): string[] {
  const { rollout, batches, extent } = context;
  const { plan, isInPlace } = rollout;
  const sentences: string[] = [];
  const isScaling = extent?.mode === 'scaling';
  if (isScaling)
    sentences.push(
      `${formatBatches(batches.length)} from ${extent.base} to ${formatCount(extent.target, 'pod')}, with the same pod template.`,
    );
  else if (extent !== null)
    sentences.push(`${formatCount(extent.target, 'pod')} in ${formatBatches(batches.length)}.`);
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

function formatBatches(batches: number): string {
  return formatCount(batches, 'batch', 'batches');
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
