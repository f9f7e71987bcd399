import { batchesOf, type Extent, goalsOf, describePlanProblem } from '@/lib/oam/batches';
import {
  metricId,
  recordMeasurement,
  metricChecks,
  metricsOf,
  refusalOf,
  webhookChecks,
} from '@/lib/oam/checks';
import { workloadsOf, changeWorkloads, type RolloutAttempt } from '@/lib/oam/batch-strategy';
import { locateTarget } from '@/lib/oam/locate-target';
import { rangeText, type WebhookType } from '@/lib/oam/plan';
import { targetNameOf, type BatchPace, type ControlledRollout, type RolloutRun } from '@/lib/oam/rollout';
import { type BatchState, isTerminal, type RollingState } from '@/lib/oam/states';
import { templateHash } from '@/lib/oam/template-hash';
import { endingClaim, isFreeFor } from '@/lib/oam/rolled-workload';
import {
  type Answers,
  type ReconcileResult,
  type ReconcileInput,
  ReconcilePass,
} from '@/lib/oam/reconcile-pass';
import { batchStrategyOf, describeForeignClaim, kindRules, withOriginals } from '@/lib/oam/verify';

export const FINALIZER = 'finalizers.rollout.standard.oam.dev';

const PAUSED_CONDITION = 'BatchPaused';
const STATUS_NOT_PERSISTED =
  'the CustomResourceDefinition of Rollouts in this cluster drops status fields of this controller; apply the one from Shiplog’s deploy folder';

/**
 * The next step of a Rollout's controller, from the current state alone: the same state gives the same
 * result, and an interrupted reconcile is repeated. At most one transition of the state machine.
 */
export function reconcileRollout(input: ReconcileInput, answers: Answers = new Map()): ReconcileResult {
  const pass = new ReconcilePass(input, answers);
  const { metadata, status } = input.rollout;
  const hasFinalizer = metadata.finalizers?.includes(FINALIZER) === true;
  const isDeleting = metadata.deletionTimestamp !== undefined;
  if (!hasFinalizer) {
    pass.finalizer = isDeleting ? 'keep' : 'add';
    pass.requeue = isDeleting ? 'change' : 'now';
  } else if (status.position === undefined) {
    pass.updateStatus({ position: pass.position });
    pass.requeue = 'now';
  } else if (isDeleting && status.position.rolling !== 'RolloutDeletingState') {
    beginDeletion(pass);
  } else if (!isDeleting && isModified(input.rollout)) {
    beginAgain(pass);
  } else {
    stageHandlers[status.position.rolling](pass);
  }
  return pass.result;
}

/** Another target, or another size. */
export function isModified({ target, plan, status }: ControlledRollout): boolean {
  const { lastTarget, rolloutTargetSize, position } = status;
  if (position?.rolling === 'rolloutAbandoning') return false;
  const isRetargeted =
    lastTarget !== undefined && target !== undefined && targetNameOf(target) !== lastTarget;
  const isResized =
    plan.targetSize !== undefined && rolloutTargetSize !== -1 && plan.targetSize !== rolloutTargetSize;
  return isRetargeted || isResized;
}

function beginDeletion(pass: ReconcilePass): void {
  const { rolling } = pass.position;
  const { origin, run } = pass.status;
  const mustRevert =
    pass.input.rollout.plan.revertOnDelete &&
    rolling === 'rolloutFailed' &&
    origin !== undefined &&
    run?.isReverted === false;
  if (isTerminal(rolling) && !mustRevert) {
    pass.finalizer = 'drop';
    pass.requeue = 'change';
    return;
  }
  pass.wait('Rollout is being deleted');
  pass.fire('RollingDeletedEvent');
}

function beginAgain(pass: ReconcilePass): void {
  if (isTerminal(pass.position.rolling))
    pass.notify('Rollout Restarted', 'rollout target changed, restart the rollout');
  else pass.wait('Rollout Spec is modified');
  pass.fire('RollingModifiedEvent');
}

const stageHandlers: Readonly<Record<RollingState, (pass: ReconcilePass) => void>> = {
  locatingTargetApp: locateTarget,
  verifyingSpec: verify,
  initializing: initialize,
  rollingInBatches: roll,
  finalising: finalise,
  rolloutFailing: (pass) => releaseWorkloads(pass),
  rolloutAbandoning: abandon,
  RolloutDeletingState: revertAndRelease,
  rolloutSucceed: releaseLeftovers,
  rolloutFailed: releaseLeftovers,
};

const batchStageHandlers: Readonly<
  Record<BatchState, (pass: ReconcilePass, attempt: RolloutAttempt) => void>
> = {
  batchInitializing: beginBatch,
  batchInRolling: rollBatch,
  batchVerifying: verifyBatch,
  batchVerifyFailed: (pass) => pass.fail(pass.obstacle ?? 'the batch was not verified'),
  batchFinalizing: finishBatch,
  batchReady: approve,
};

/** A stalled former leader may have claimed something since. */
function releaseLeftovers(pass: ReconcilePass): void {
  pass.requeue = 'change';
  const attempt = findAttempt(pass, true);
  if (typeof attempt !== 'string') pass.write(changeWorkloads(workloadsOf(attempt), () => ({ claim: null })));
}

function verify(pass: ReconcilePass): void {
  const { rollout, workload } = pass.input;
  const { run, origin } = pass.status;
  if (run === undefined) return pass.fail(STATUS_NOT_PERSISTED);
  const target = workload(run.kind, run.target);
  if (target === undefined) return pass.wait(`${run.kind} ${run.target} not found`);
  const sources = run.sources.flatMap(({ name }) => workload(run.kind, name) ?? []);
  const verdict = kindRules[run.kind].verify({ rollout, claim: claimOf(rollout), target, sources });
  if (verdict.is !== 'fits')
    return verdict.is === 'waits' ? pass.wait(verdict.message) : pass.fail(verdict.message);
  const { mode, base, size, starting, original } = verdict;
  const problem = describePlanProblem(rollout.plan, { mode, base, target: size });
  if (problem !== undefined) return pass.fail(problem);
  const isRolling = mode === 'rolling';
  pass.updateRun({
    mode,
    base,
    sources: isRolling ? sources.map(({ name, replicas }) => ({ name, replicas })) : [],
    startingReplicas: starting,
    finishedReplicas: starting,
  });
  pass.updateStatus({
    rolloutTargetSize: size,
    rolloutOriginalSize: original,
    targetGeneration: templateHash(target.template),
    origin: withOriginals(origin ?? [], [target, ...sources]),
  });
  pass.notify(
    isRolling ? 'Rollout Verified' : 'Scale Verified',
    `Rollout spec and the ${run.kind} resource are verified`,
  );
  pass.passStage('RollingSpecVerifiedEvent');
}

function initialize(pass: ReconcilePass): void {
  const attempt = findOwnAttempt(pass);
  if (typeof attempt === 'string') return pass.fail(attempt);
  if (!webhooksAgree(pass, attempt, 'initialize-rollout')) return;
  pass.write(batchStrategyOf(attempt.run).claim(attempt));
  pass.notify('Rollout Initialized', 'Rollout resource are initialized');
  pass.passStage('RollingInitializedEvent');
}

function roll(pass: ReconcilePass): void {
  const attempt = findOwnAttempt(pass);
  if (typeof attempt === 'string') return pass.fail(attempt);
  const { plan } = pass.input.rollout;
  const wasPaused = pass.status.conditions.some(
    ({ type, status }) => type === PAUSED_CONDITION && status === 'True',
  );
  if (plan.isPaused) {
    pass.requeue = 'change';
    if (!wasPaused) pass.notify('Rollout paused', 'Rollout paused');
    return pass.setCondition(PAUSED_CONDITION, 'True', 'Rollout paused');
  }
  if (wasPaused) pass.setCondition(PAUSED_CONDITION, 'False', '');
  batchStageHandlers[pass.position.batch](pass, attempt);
}

function beginBatch(pass: ReconcilePass, attempt: RolloutAttempt): void {
  const { currentBatch } = pass.status;
  const { run } = attempt;
  const before =
    currentBatch === 0 ? run.startingReplicas : batchStrategyOf(run).planned(attempt, currentBatch - 1);
  if (before !== run.finishedReplicas) return pass.fail(describeChangedPlan(before, run.finishedReplicas));
  if (!webhooksAgree(pass, attempt, 'pre-batch-rollout')) return;
  const planned = batchStrategyOf(run).planned(attempt, currentBatch);
  pass.updateRun({ batchReplicas: planned, pace: nextPace(pass, attempt, before, planned) });
  pass.passStage('InitializedOneBatchEvent');
}

function rollBatch(pass: ReconcilePass, attempt: RolloutAttempt): void {
  const { currentBatch } = pass.status;
  const strategy = batchStrategyOf(attempt.run);
  const planned = strategy.planned(attempt, currentBatch);
  if (planned !== attempt.run.batchReplicas)
    return pass.fail(describeChangedPlan(planned, attempt.run.batchReplicas));
  const { pace } = attempt.run;
  const step = strategy.roll(attempt, currentBatch, pace?.replicas ?? planned);
  pass.write(step.writes);
  if (step.writes.length > 0) {
    pass.notify('Batch Rollout', step.message);
    pass.requeue = 'now';
    return;
  }
  if (!step.isDone) return pass.wait(step.message);
  if (pace !== undefined && pace.replicas !== planned) {
    const { instanceIntervalMs = 0 } = attempt.batches[currentBatch] ?? {};
    const { nowMs } = pass.input;
    const since = pace.since ?? new Date(nowMs).toISOString();
    pass.updateRun({ pace: { ...pace, since } });
    if (nowMs < Date.parse(since) + instanceIntervalMs)
      return pass.wait(`waiting for the interval before the next pod of batch ${currentBatch}`);
    // Recorded before it is requested, so that a controller that restarts in between keeps the interval.
    pass.updateRun({ pace: nextPace(pass, attempt, pace.replicas, planned) });
    pass.requeue = 'now';
    return;
  }
  pass.updateStatus({ upgradedReplicas: planned });
  pass.notify('Batch Rollout', `Finished submiting all upgrade quests for batch ${currentBatch}`);
  pass.passStage('RolloutOneBatchEvent');
}

/** One pod further, where the batch has an interval between pods. */
function nextPace(
  pass: ReconcilePass,
  { batches }: RolloutAttempt,
  from: number,
  to: number,
): BatchPace | undefined {
  const { instanceIntervalMs = 0 } = batches[pass.status.currentBatch] ?? {};
  if (instanceIntervalMs === 0) return undefined;
  return { replicas: from + Math.sign(to - from), since: undefined };
}

function verifyBatch(pass: ReconcilePass, attempt: RolloutAttempt): void {
  const { currentBatch } = pass.status;
  const strategy = batchStrategyOf(attempt.run);
  const planned = strategy.planned(attempt, currentBatch);
  if (planned !== attempt.run.batchReplicas)
    return pass.fail(describeChangedPlan(planned, attempt.run.batchReplicas));
  const step = strategy.check(attempt, currentBatch);
  pass.updateStatus({ upgradedReadyReplicas: strategy.ready(attempt) });
  if (!step.isDone) return pass.wait(step.message);
  const verdict = measureMetrics(pass, attempt);
  if (verdict === undefined) return;
  if (verdict.is === 'waits') return pass.wait(verdict.message);
  if (verdict.is === 'fails') {
    pass.notify('Batch Rollout', verdict.message, 'Warning');
    pass.wait(verdict.message);
    pass.fire('BatchRolloutFailedEvent');
    return pass.wait(verdict.message);
  }
  pass.notify('Batch Available', `Batch ${currentBatch} is available`);
  pass.passStage('OneBatchAvailableEvent');
}

type MetricResult = { readonly is: 'fits' } | { readonly is: 'waits' | 'fails'; readonly message: string };

function measureMetrics(pass: ReconcilePass, attempt: RolloutAttempt): MetricResult | undefined {
  const { plan } = pass.input.rollout;
  const metrics = metricsOf(plan, attempt.batches[pass.status.currentBatch]);
  const known = attempt.run.measures;
  const checks = metricChecks(metrics, known, pass.input.nowMs);
  const answers = pass.requestAnswers(checks);
  if (answers === undefined) return undefined;
  const takenAt = new Date(pass.input.nowMs).toISOString();
  const measures = new Map(known.map((entry) => [entry.name, entry]));
  let failed: string | undefined;
  let waits = 'waiting for the next measurement of a metric';
  checks.forEach((check, index) => {
    const answer = answers[index];
    if (check.is !== 'metric' || answer === undefined) return;
    const result = recordMeasurement(measures.get(check.id), check, answer, takenAt);
    measures.set(check.id, result);
    if (answer.is === 'refused') waits = answer.problem;
    if (answer.is !== 'measured' || result.hasPassed) return;
    waits = `metric ${check.metric.name} = ${answer.value} (limit ${rangeText(check.metric)}), failed ${formatFailures(result.failures)}`;
    if (result.failures >= answer.threshold) failed = waits;
  });
  pass.updateRun({ measures: [...measures.values()] });
  if (failed !== undefined) return { is: 'fails', message: failed };
  const areAllPassed = metrics.every(
    (metric, index) => measures.get(metricId(metric, index))?.hasPassed === true,
  );
  return areAllPassed ? { is: 'fits' } : { is: 'waits', message: waits };
}

function formatFailures(times: number): string {
  return times === 1 ? '1 check' : `${times} consecutive checks`;
}

function finishBatch(pass: ReconcilePass, attempt: RolloutAttempt): void {
  const { currentBatch } = pass.status;
  const { partition } = pass.input.rollout.plan;
  const strategy = batchStrategyOf(attempt.run);
  const planned = strategy.planned(attempt, currentBatch);
  if (planned !== attempt.run.batchReplicas)
    return pass.fail(describeChangedPlan(planned, attempt.run.batchReplicas));
  if (partition !== undefined && partition < currentBatch)
    return pass.fail('the current batch value in the status is greater than the batch partition');
  if (!webhooksAgree(pass, attempt, 'post-batch-rollout')) return;
  pass.updateRun({ finishedReplicas: planned, measures: [] });
  pass.notify('Batch Finalized', `Batch ${currentBatch} is finalized and ready to go`);
  const isLast = currentBatch === attempt.batches.length - 1;
  if (!isLast) return pass.passStage('FinishedOneBatchEvent');
  const ready = strategy.ready(attempt);
  pass.notify('All batches rolled out', `upgrade pod = ${planned}, total ready pod = ${ready}`);
  pass.passStage('AllBatchFinishedEvent');
}

function approve(pass: ReconcilePass, attempt: RolloutAttempt): void {
  const { currentBatch } = pass.status;
  const { partition } = pass.input.rollout.plan;
  const planned = batchStrategyOf(attempt.run).planned(attempt, currentBatch);
  if (planned !== attempt.run.finishedReplicas || currentBatch >= attempt.batches.length - 1)
    return pass.fail(describeChangedPlan(planned, attempt.run.finishedReplicas));
  if (partition === undefined || partition > currentBatch) return pass.passStage('BatchRolloutApprovedEvent');
  pass.requeue = 'change';
}

function finalise(pass: ReconcilePass): void {
  const attempt = findAttempt(pass);
  if (typeof attempt === 'string') {
    pass.notify('Rollout ', 'rollout target deleted, release the resources');
  } else {
    if (!webhooksAgree(pass, attempt, 'finalize-rollout')) return;
    pass.write(batchStrategyOf(attempt.run).release(attempt, true));
  }
  pass.updateStatus({ lastAppliedPodTemplateIdentifier: pass.status.targetGeneration });
  pass.notify('Rollout Finalized', 'Rollout resource are finalized, succeed := true');
  pass.passStage('RollingFinalizedEvent');
  pass.setCondition('RolloutSucceed', 'True', '');
}

function releaseWorkloads(pass: ReconcilePass): void {
  const attempt = findAttempt(pass, true);
  if (typeof attempt !== 'string') {
    if (!webhooksAgree(pass, attempt, 'finalize-rollout')) return;
    pass.write(batchStrategyOf(attempt.run).release(attempt, false));
  }
  pass.notify('Rollout Finalized', 'Rollout resource are finalized, succeed := false');
  pass.passStage('RollingFinalizedEvent');
}

function abandon(pass: ReconcilePass): void {
  const attempt = findAttempt(pass);
  // Before the first claim there is nothing to revert.
  if (typeof attempt !== 'string' && attempt.target.claim !== undefined) {
    if (fenceWorkloads(pass, attempt)) return;
    const step = batchStrategyOf(attempt.run).settle(attempt);
    pass.write(step.writes);
    if (!step.isDone) {
      pass.wait(step.message);
      pass.requeue = step.writes.length > 0 ? 'now' : 'later';
      return;
    }
  }
  pass.notify('Rollout Restarted', 'rollout target changed, restart the rollout');
  releaseWorkloads(pass);
}

/**
 * Writes to every claimed workload before anything is reverted: a stalled former leader that is about to
 * request more of it then gets a version conflict. Returns whether such a write was still needed.
 */
function fenceWorkloads(pass: ReconcilePass, attempt: RolloutAttempt): boolean {
  const writes = changeWorkloads(
    workloadsOf(attempt).filter(({ claim }) => claim === attempt.claim),
    () => ({ claim: endingClaim(attempt.claim) }),
  );
  pass.write(writes);
  if (writes.length > 0) pass.requeue = 'now';
  return writes.length > 0;
}

function revertAndRelease(pass: ReconcilePass): void {
  const attempt = findAttempt(pass, true);
  const { revertOnDelete } = pass.input.rollout.plan;
  const mustRevert = revertOnDelete && pass.status.run?.isReverted === false;
  if (typeof attempt !== 'string' && mustRevert) {
    if (fenceWorkloads(pass, attempt)) return;
    const step = kindRules[attempt.run.kind].revert(attempt);
    pass.write(step.writes);
    if (!step.isDone) {
      if (step.writes.length > 0) pass.notify('Rollout Reverting', step.message);
      pass.wait(step.message);
      pass.requeue = step.writes.length > 0 ? 'now' : 'later';
      return;
    }
    pass.updateRun({ isReverted: true });
    pass.notify('Rollout Reverted', 'the workloads are in the state from before the rollout');
  }
  if (typeof attempt !== 'string') {
    // A missing webhook must not block a deletion: its answer is not waited for twice.
    const checks = webhookChecks(attempt.rollout.plan, undefined, 'finalize-rollout', pass.position.rolling);
    if (pass.requestAnswers(checks) === undefined) return;
    pass.write(batchStrategyOf(attempt.run).release(attempt, pass.status.run?.isReverted === true));
  }
  pass.notify('Rollout Finalized', 'Rollout resource are finalized, succeed := false');
  pass.passStage('RollingFinalizedEvent');
  pass.finalizer = 'drop';
}

/** Whether the webhooks of a stage agree; reports what is waited for when they do not. */
function webhooksAgree(pass: ReconcilePass, attempt: RolloutAttempt, type: WebhookType): boolean {
  const { rolling, batch } = pass.position;
  const isInBatch = rolling === 'rollingInBatches';
  const own = isInBatch ? attempt.batches[pass.status.currentBatch] : undefined;
  const answers = pass.requestAnswers(
    webhookChecks(attempt.rollout.plan, own, type, isInBatch ? batch : rolling),
  );
  if (answers === undefined) return false;
  const refusal = refusalOf(answers);
  if (refusal === undefined) return true;
  const what = type === 'finalize-rollout' ? 'a post rollout webhook' : 'a webhook';
  pass.wait(`failed to invoke ${what}: ${refusal}`);
  return false;
}

/** Like `findAttempt`, with the reason where another claimant has one of the workloads. */
function findOwnAttempt(pass: ReconcilePass): RolloutAttempt | string {
  const { run } = pass.status;
  const { rollout, workload } = pass.input;
  const names = run === undefined ? [] : [run.target, ...run.sources.map(({ name }) => name)];
  const all = names.flatMap((name) => (run === undefined ? [] : (workload(run.kind, name) ?? [])));
  return describeForeignClaim(all, claimOf(rollout), run?.target) ?? findAttempt(pass);
}

/**
 * The attempt and its workloads except those of other claimants, or why there is none. With `all`, also those
 * of earlier attempts.
 */
function findAttempt(pass: ReconcilePass, all = false): RolloutAttempt | string {
  const { rollout, workload, revisionTemplate } = pass.input;
  const { run, origin, rolloutTargetSize } = pass.status;
  if (run === undefined || origin === undefined) return STATUS_NOT_PERSISTED;
  const names = [
    run.target,
    ...run.sources.map(({ name }) => name),
    ...(all ? origin.map(({ name }) => name) : []),
  ];
  const claim = claimOf(rollout);
  const workloads = [...new Set(names)]
    .flatMap((name) => workload(run.kind, name) ?? [])
    .filter((found) => isFreeFor(claim, found));
  const [target, ...sources] = workloads;
  if (target === undefined || (!all && target.name !== run.target))
    return `${run.kind} ${run.target} was deleted`;
  // Of an attempt that is not verified yet only the original state is known.
  const size =
    rolloutTargetSize >= 0 ? rolloutTargetSize : origin.reduce((pods, { replicas }) => pods + replicas, 0);
  const extent = extentOf(run, size);
  const problem =
    pass.position.rolling === 'rollingInBatches' ? describePlanProblem(rollout.plan, extent) : undefined;
  if (problem !== undefined) return problem;
  const batches = batchesOf(rollout.plan, extent);
  return {
    rollout,
    run,
    claim,
    target,
    sources,
    extent,
    batches,
    goals: goalsOf(batches, extent),
    origin,
    revisionTemplate,
  };
}

export function extentOf({ mode, base }: Pick<RolloutRun, 'mode' | 'base'>, target: number): Extent {
  return { mode, base, target };
}

function claimOf({ metadata }: ControlledRollout): string {
  return `${metadata.name}/${metadata.uid}`;
}

function describeChangedPlan(planned: number, was: number): string {
  return `the plan of batches that have started was changed: from ${was} to ${planned} pods`;
}
