import { isPreparing, isWaiting, type Situation } from '@/lib/rollout/oam/situation';
import { applicationDeployments, appRollouts, rolloutTraits } from '@/lib/rollout/oam/resources';
import { sourceNameOf, stableWord, targetNameOf, updatedWord } from '@/lib/rollout/oam/revisions';
import { obstacleOf, sentence, stallOf } from '@/lib/rollout/oam/waits';
import { type RolloutState, type StepState, type Wait } from '@/lib/rollout/rollout';
import { type Said } from '@/lib/rollout/said';
import { capitalised, count } from '@/lib/workloads/words';

/** Says where the Rollout stands; `step` is the state of the batch at hand, `wait` what that one waits for. */
export function say(situation: Situation, step: StepState | null, wait: Wait | null): Said {
  const since = sinceOf(situation);
  const stall = stallOf(situation);
  if (stall === null) return { ...sayStage(situation, step, wait), since };
  return {
    state: 'stalled',
    message: `Seems unmanaged: ${stall.charAt(0).toLowerCase()}${stall.slice(1)}`,
    waitsFor: { kind: 'controller', text: 'A controller of OAM rollouts has to run.' },
    since,
  };
}

function sayStage(situation: Situation, step: StepState | null, wait: Wait | null): Omit<Said, 'since'> {
  const { stage, rollout } = situation;
  switch (stage) {
    case 'new':
      return plain('starting', 'A controller has yet to take up this Rollout.');
    case 'modified':
      return plain(
        'starting',
        `Changed: ${rollout.target ?? 'another size'} is asked for, and the controller has yet to read that.`,
      );
    case 'locatingTargetApp':
    case 'verifyingSpec':
    case 'initializing':
      return sayPreparing(situation);
    case 'rollingInBatches':
      return sayBatches(situation, step, wait);
    case 'finalising':
      return held('completing', 'All batches are done; the workloads are being let go.', situation);
    case 'rolloutSucceed':
      return plain('completed', `${capitalised(updatedWord(situation))} has taken over.`);
    case 'rolloutFailing':
      return plain('failed', `Failing${causeOf(situation)} The workloads are being let go as they are.`);
    case 'rolloutFailed':
      return plain(
        'failed',
        `Failed${atBatch(situation)}${causeOf(situation)} The workloads are as they were left.`,
      );
    case 'rolloutAbandoning':
      return plain(
        'starting',
        `The target was changed midway: what is half done is being settled, then it begins again with ${rollout.target ?? 'the new target'}.`,
      );
    case 'RolloutDeletingState':
      return plain(bringsBack(situation) ? 'rollingBack' : 'terminating', sayDeletion(situation));
    case 'unknown':
      return plain('unknown', `In the state ${rollout.rolling}, which Shiplog does not know.`);
    default:
      return stage satisfies never;
  }
}

function sayPreparing(situation: Situation): Omit<Said, 'since'> {
  const words = {
    locatingTargetApp: 'The target is being looked for',
    verifyingSpec: 'Sizes and batches are being checked',
    initializing: 'The workloads are being claimed',
  } as const;
  const { stage } = situation;
  if (!isPreparing(situation)) return plain('starting', '');
  return held('starting', `${words[stage as keyof typeof words]}.`, situation);
}

function sayBatches(situation: Situation, step: StepState | null, wait: Wait | null): Omit<Said, 'since'> {
  const { rollout, index, batches } = situation;
  const which = `batch ${index} of ${batches.length}`;
  if (rollout.plan.isPaused)
    return {
      state: 'paused',
      message: `Paused in ${which}: what has been asked for comes about, and nothing further is asked for.`,
      waitsFor: { kind: 'resume', text: 'Somebody has to resume the Rollout.' },
    };
  const does = doing(situation, step);
  return {
    state: isWaiting(situation) ? 'waiting' : 'progressing',
    message: `${capitalised(which)} ${does}.`,
    waitsFor: wait,
  };
}

function doing(situation: Situation, step: StepState | null): string {
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
      return `is in the state ${situation.rollout.batch === '' ? 'that nobody named' : situation.rollout.batch}`;
  }
}

/** What deleting it does, or did, to the workloads: that depends on who works on it. */
export function sayDeletion(situation: Situation): string {
  const { rollout, stage, index } = situation;
  const isOver = rollout.status.position?.rolling === 'rolloutSucceed';
  if (stage !== 'RolloutDeletingState' && isOver) return 'The workloads stay as they are.';
  if (!bringsBack(situation))
    return stage === 'RolloutDeletingState'
      ? 'Being deleted; the workloads stay as they are.'
      : index === 0
        ? 'The workloads stay as they are.'
        : 'The workloads stay as they are, with pods of both.';
  return stage === 'RolloutDeletingState'
    ? 'Being deleted; what was there before the first batch is being brought back.'
    : 'What was there before the first batch is brought back.';
}

/** Of all controllers that there were, only Shiplog's does. */
function bringsBack({ rollout }: Situation): boolean {
  return rollout.plan.revertOnDelete && rollout.isOurs && rollout.naming !== 'applicationRevision';
}

function held(state: RolloutState, message: string, situation: Situation): Omit<Said, 'since'> {
  const obstacle = obstacleOf(situation);
  if (obstacle === null) return plain(state, message);
  return {
    state,
    message: `${message} ${sentence(obstacle)}`,
    waitsFor: { kind: 'workload', text: sentence(obstacle) },
  };
}

/** " in batch 2 of 4" */
function atBatch({ rollout, index, batches }: Situation): string {
  return rollout.status.upgradedReplicas > 0 ? ` in batch ${index} of ${batches.length}` : '';
}

/**
 * Why it failed: that is in the condition of the stage that could not be passed, and conditions of earlier rollouts are never
 * cleared, so the one that changed last is taken. That a batch failed is told by the check that it did not pass.
 */
function causeOf({ rollout }: Situation): string {
  const said = rollout.conditions
    .filter(({ status, message, type }) => status === 'False' && message !== null && type !== 'BatchPaused')
    .toSorted((a, b) => Date.parse(b.lastTransitionTime ?? '') - Date.parse(a.lastTransitionTime ?? '') || 0);
  const check = said.find(({ type }) => type === 'BatchVerifying');
  const cause = (said[0]?.type === 'BatchRolloutFailed' ? (check ?? said[0]) : said[0])?.message ?? null;
  return cause === null ? '.' : `: ${cause.trim().replace(/\.$/, '')}.`;
}

function plain(state: RolloutState, message: string): Omit<Said, 'since'> {
  return { state, message, waitsFor: null };
}

function sinceOf(situation: Situation): string | null {
  const { stage, rollout } = situation;
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
      return isWaiting(situation) ? rollout.statusWrittenAt : null;
    default:
      return null;
  }
}

/** The plan, in sentences. */
export function planWords(situation: Situation): string[] {
  const { rollout, batches, extent } = situation;
  const { plan, isInPlace } = rollout;
  const words: string[] = [];
  const isScaling = extent?.mode === 'scaling';
  if (isScaling)
    words.push(
      `${batchCount(batches.length)} from ${extent.base} to ${count(extent.target, 'pod')}, without another template.`,
    );
  else if (extent !== null) words.push(`${count(extent.target, 'pod')} in ${batchCount(batches.length)}.`);
  if (!isInPlace && !isScaling)
    words.push(
      plan.strategy === 'IncreaseFirst'
        ? 'In each batch the new pods come before the old ones go (IncreaseFirst).'
        : 'In each batch the old pods go before the new ones come (DecreaseFirst).',
    );
  words.push(sayPartition(situation));
  if (plan.metrics.length > 0 || plan.webhooks.length > 0) words.push(sayChecks(situation));
  if (rollout.status.position?.rolling !== 'rolloutSucceed' && rollout.deletedAt === null)
    words.push(`When it is deleted: ${lower(sayDeletion(situation))}`);
  return words;
}

function batchCount(batches: number): string {
  return batches === 1 ? '1 batch' : `${batches} batches`;
}

function sayPartition({ rollout: { plan }, batches }: Situation): string {
  const last = batches.length;
  const { partition } = plan;
  if (partition === undefined || partition >= last - 1) return 'All batches may run.';
  if (partition < 0) return 'No batch may run.';
  return partition === 0
    ? 'Batch 1 may run, the others wait for approval.'
    : `Batches 1 to ${partition + 1} of ${last} may run, the others wait for approval.`;
}

function sayChecks({ rollout: { plan, isOurs } }: Situation): string {
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

/** What is odd, in sentences. */
export function notesOf(situation: Situation): string[] {
  return [...notesOfSpec(situation), ...notesOfStatus(situation), ...notesOfWorkloads(situation)];
}

const FORERUNNERS: Readonly<Record<string, string>> = {
  [rolloutTraits.id]: 'No version of KubeVela had a controller for RolloutTraits: nothing comes of this one.',
  [appRollouts.id]:
    'AppRollouts are of KubeVela 1.0 and 1.1; their controller was taken out with v1.2, so what stands here may be as it was left.',
  [applicationDeployments.id]:
    'ApplicationDeployments are of KubeVela 0.2 and 0.3, which no controller works on any more.',
};

function notesOfSpec({ rollout, batches, index }: Situation): string[] {
  const { plan, renderedBy } = rollout;
  const forerunner = FORERUNNERS[rollout.resource];
  const notes: string[] = forerunner === undefined ? [] : [forerunner];
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

function notesOfStatus(situation: Situation): string[] {
  const { rollout, stage, batches, index } = situation;
  const { status, rolling, batch } = rollout;
  const notes: string[] = [];
  if (rolling === 'verifying' || rolling === 'rolloutAbandoned')
    notes.push(`The state ${rolling} is what versions before 1.0 and 1.1 wrote.`);
  const isLeftBehind = batch === 'batchReady' && (stage === 'finalising' || stage === 'rolloutSucceed');
  if (stage !== 'rollingInBatches' && batch !== '' && batch !== 'batchInitializing' && !isLeftBehind)
    notes.push(
      `The batch state ${batch} means nothing in the state ${rolling === '' ? 'that the Rollout is in' : rolling}; no controller writes the two together.`,
    );
  if (stage === 'rollingInBatches' && situation.batch === null)
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
  if (stage === 'rolloutSucceed' && index > 0 && isShort(situation))
    notes.push(
      'The rollout succeeded, and the target has fewer pods than it was to have. Something has changed it since.',
    );
  return notes;
}

function isShort({ target, extent }: Situation): boolean {
  return target !== null && extent !== null && target.desired < extent.target;
}

function notesOfWorkloads(situation: Situation): string[] {
  const { rollout, former, sources, stage, index, pods } = situation;
  const notes = former
    .filter(({ desired }) => desired > 0)
    .map(
      ({ workload: { name }, desired }) =>
        `${rollout.workload.kind} ${name} has ${count(desired, 'pod')} and is not part of the current rollout.`,
    );
  const source = sourceNameOf(situation);
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
  if (isUnderWay && rollout.isInPlace && stableWord(situation) === updatedWord(situation))
    notes.push('Every pod runs the target already.');
  return notes;
}
