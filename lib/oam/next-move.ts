import { batchesOf, type Extent, goalsOf, problemOfPlan } from '@/lib/oam/batches';
import { idOf, measured, metricChecks, metricsOf, refusalOf, webhookChecks } from '@/lib/oam/checks';
import { allOf, changeEach, type Held } from '@/lib/oam/handling';
import { locate } from '@/lib/oam/locate';
import { type WebhookType } from '@/lib/oam/plan';
import { nameOfTarget, type Pace, type Rollout, type Run } from '@/lib/oam/rollout';
import { type BatchState, isTerminal, type RollingState } from '@/lib/oam/states';
import { templateHash } from '@/lib/oam/template-hash';
import { endingClaim, isFreeFor } from '@/lib/oam/workload';
import { type Answers, type Move, type Sight, Turn } from '@/lib/oam/turn';
import { handlingOf, heldByOthers, kindRules, withNewcomers } from '@/lib/oam/verify';

export const FINALIZER = 'finalizers.rollout.standard.oam.dev';

const PAUSED = 'BatchPaused';
const UNKEPT =
  'the definition of Rollouts in this cluster does not keep what this controller writes into the status; apply the one that comes with it';

/**
 * What the controller of a Rollout does next, from what is there now alone: the same world gives the same move, and a
 * move that was cut short is made again. One step of the machine at most.
 */
export function nextMove(sight: Sight, answers: Answers = new Map()): Move {
  const turn = new Turn(sight, answers);
  const { metadata, status } = sight.rollout;
  const isHeld = metadata.finalizers?.includes(FINALIZER) === true;
  const isDeleting = metadata.deletionTimestamp !== undefined;
  if (!isHeld) {
    turn.finalizer = isDeleting ? 'keep' : 'add';
    turn.again = isDeleting ? 'change' : 'now';
  } else if (status.position === undefined) {
    turn.change({ position: turn.position });
    turn.again = 'now';
  } else if (isDeleting && status.position.rolling !== 'RolloutDeletingState') {
    remove(turn);
  } else if (!isDeleting && isModified(sight.rollout)) {
    restart(turn);
  } else {
    stages[status.position.rolling](turn);
  }
  return turn.move;
}

/** Another target, or another size. */
export function isModified({ target, plan, status }: Rollout): boolean {
  const { lastTarget, rolloutTargetSize, position } = status;
  if (position?.rolling === 'rolloutAbandoning') return false;
  const isRetargeted =
    lastTarget !== undefined && target !== undefined && nameOfTarget(target) !== lastTarget;
  const isResized =
    plan.targetSize !== undefined && rolloutTargetSize !== -1 && plan.targetSize !== rolloutTargetSize;
  return isRetargeted || isResized;
}

function remove(turn: Turn): void {
  const { rolling } = turn.position;
  const { origin, run } = turn.status;
  const mustRevert =
    turn.sight.rollout.plan.revertOnDelete &&
    rolling === 'rolloutFailed' &&
    origin !== undefined &&
    run?.isReverted === false;
  if (isTerminal(rolling) && !mustRevert) {
    turn.finalizer = 'drop';
    turn.again = 'change';
    return;
  }
  turn.wait('Rollout is being deleted');
  turn.fire('RollingDeletedEvent');
}

function restart(turn: Turn): void {
  if (isTerminal(turn.position.rolling))
    turn.tell('Rollout Restarted', 'rollout target changed, restart the rollout');
  else turn.wait('Rollout Spec is modified');
  turn.fire('RollingModifiedEvent');
}

const stages: Readonly<Record<RollingState, (turn: Turn) => void>> = {
  locatingTargetApp: locate,
  verifyingSpec: verify,
  initializing: initialize,
  rollingInBatches: roll,
  finalising: finalise,
  rolloutFailing: (turn) => letGo(turn),
  rolloutAbandoning: abandon,
  RolloutDeletingState: undo,
  rolloutSucceed: rest,
  rolloutFailed: rest,
};

const batchStages: Readonly<Record<BatchState, (turn: Turn, held: Held) => void>> = {
  batchInitializing: beginBatch,
  batchInRolling: rollBatch,
  batchVerifying: verifyBatch,
  batchVerifyFailed: (turn) => turn.fail(turn.obstacle ?? 'the batch was not verified'),
  batchFinalizing: finishBatch,
  batchReady: approve,
};

/** Who stalled while it led may have claimed something since. */
function rest(turn: Turn): void {
  turn.again = 'change';
  const held = hold(turn, true);
  if (typeof held !== 'string') turn.write(changeEach(allOf(held), () => ({ claim: null })));
}

function verify(turn: Turn): void {
  const { rollout, workload } = turn.sight;
  const { run, origin } = turn.status;
  if (run === undefined) return turn.fail(UNKEPT);
  const target = workload(run.kind, run.target);
  if (target === undefined) return turn.wait(`the ${run.kind} ${run.target} is not there`);
  const sources = run.sources.flatMap(({ name }) => workload(run.kind, name) ?? []);
  const verdict = kindRules[run.kind].verify({ rollout, claim: claimOf(rollout), target, sources });
  if (verdict.is !== 'fits')
    return verdict.is === 'waits' ? turn.wait(verdict.message) : turn.fail(verdict.message);
  const { mode, base, size, starting, original } = verdict;
  const problem = problemOfPlan(rollout.plan, { mode, base, target: size });
  if (problem !== undefined) return turn.fail(problem);
  const isRolling = mode === 'rolling';
  turn.changeRun({
    mode,
    base,
    sources: isRolling ? sources.map(({ name, replicas }) => ({ name, replicas })) : [],
    startingReplicas: starting,
    finishedReplicas: starting,
  });
  turn.change({
    rolloutTargetSize: size,
    rolloutOriginalSize: original,
    targetGeneration: templateHash(target.template),
    origin: withNewcomers(origin ?? [], [target, ...sources]),
  });
  turn.tell(
    isRolling ? 'Rollout Verified' : 'Scale Verified',
    `Rollout spec and the ${run.kind} resource are verified`,
  );
  turn.pass('RollingSpecVerifiedEvent');
}

function initialize(turn: Turn): void {
  const held = holdOwn(turn);
  if (typeof held === 'string') return turn.fail(held);
  if (!agreed(turn, held, 'initialize-rollout')) return;
  turn.write(handlingOf(held.run).claim(held));
  turn.tell('Rollout Initialized', 'Rollout resource are initialized');
  turn.pass('RollingInitializedEvent');
}

function roll(turn: Turn): void {
  const held = holdOwn(turn);
  if (typeof held === 'string') return turn.fail(held);
  const { plan } = turn.sight.rollout;
  const wasPaused = turn.status.conditions.some(({ type, status }) => type === PAUSED && status === 'True');
  if (plan.isPaused) {
    turn.again = 'change';
    if (!wasPaused) turn.tell('Rollout paused', 'Rollout paused');
    return turn.condition(PAUSED, 'True', 'Rollout paused');
  }
  if (wasPaused) turn.condition(PAUSED, 'False', '');
  batchStages[turn.position.batch](turn, held);
}

function beginBatch(turn: Turn, held: Held): void {
  const { currentBatch } = turn.status;
  const { run } = held;
  const before = currentBatch === 0 ? run.startingReplicas : handlingOf(run).planned(held, currentBatch - 1);
  if (before !== run.finishedReplicas) return turn.fail(changedAfterwards(before, run.finishedReplicas));
  if (!agreed(turn, held, 'pre-batch-rollout')) return;
  const planned = handlingOf(run).planned(held, currentBatch);
  turn.changeRun({ batchReplicas: planned, pace: nextPace(turn, held, before, planned) });
  turn.pass('InitializedOneBatchEvent');
}

function rollBatch(turn: Turn, held: Held): void {
  const { currentBatch } = turn.status;
  const handling = handlingOf(held.run);
  const planned = handling.planned(held, currentBatch);
  if (planned !== held.run.batchReplicas)
    return turn.fail(changedAfterwards(planned, held.run.batchReplicas));
  const { pace } = held.run;
  const step = handling.roll(held, currentBatch, pace?.replicas ?? planned);
  turn.write(step.writes);
  if (step.writes.length > 0) {
    turn.tell('Batch Rollout', step.message);
    turn.again = 'now';
    return;
  }
  if (!step.isDone) return turn.wait(step.message);
  if (pace !== undefined && pace.replicas !== planned) {
    const { instanceIntervalMs = 0 } = held.batches[currentBatch] ?? {};
    const { nowMs } = turn.sight;
    const since = pace.since ?? new Date(nowMs).toISOString();
    turn.changeRun({ pace: { ...pace, since } });
    if (nowMs < Date.parse(since) + instanceIntervalMs)
      return turn.wait(`the next pod of batch ${currentBatch} follows after its interval`);
    // Kept before it is asked for, so that a controller that dies in between leaves nobody to hurry.
    turn.changeRun({ pace: nextPace(turn, held, pace.replicas, planned) });
    turn.again = 'now';
    return;
  }
  turn.change({ upgradedReplicas: planned });
  turn.tell('Batch Rollout', `Finished submiting all upgrade quests for batch ${currentBatch}`);
  turn.pass('RolloutOneBatchEvent');
}

/** One pod further, where the batch has an interval between pods. */
function nextPace(turn: Turn, { batches }: Held, from: number, to: number): Pace | undefined {
  const { instanceIntervalMs = 0 } = batches[turn.status.currentBatch] ?? {};
  if (instanceIntervalMs === 0) return undefined;
  return { replicas: from + Math.sign(to - from), since: undefined };
}

function verifyBatch(turn: Turn, held: Held): void {
  const { currentBatch } = turn.status;
  const handling = handlingOf(held.run);
  const planned = handling.planned(held, currentBatch);
  if (planned !== held.run.batchReplicas)
    return turn.fail(changedAfterwards(planned, held.run.batchReplicas));
  const step = handling.check(held, currentBatch);
  turn.change({ upgradedReadyReplicas: handling.ready(held) });
  if (!step.isDone) return turn.wait(step.message);
  const verdict = measure(turn, held);
  if (verdict === undefined) return;
  if (verdict.is === 'waits') return turn.wait(verdict.message);
  if (verdict.is === 'fails') {
    turn.tell('Batch Rollout', verdict.message, 'Warning');
    turn.wait(verdict.message);
    turn.fire('BatchRolloutFailedEvent');
    return turn.wait(verdict.message);
  }
  turn.tell('Batch Available', `Batch ${currentBatch} is available`);
  turn.pass('OneBatchAvailableEvent');
}

type Verdict = { readonly is: 'fits' } | { readonly is: 'waits' | 'fails'; readonly message: string };

function measure(turn: Turn, held: Held): Verdict | undefined {
  const { plan } = turn.sight.rollout;
  const metrics = metricsOf(plan, held.batches[turn.status.currentBatch]);
  const known = held.run.measures;
  const checks = metricChecks(metrics, known, turn.sight.nowMs);
  const answers = turn.ask(checks);
  if (answers === undefined) return undefined;
  const takenAt = new Date(turn.sight.nowMs).toISOString();
  const measures = new Map(known.map((entry) => [entry.name, entry]));
  let failed: string | undefined;
  let waits = 'a metric is measured again after its interval';
  checks.forEach((check, index) => {
    const answer = answers[index];
    if (check.is !== 'metric' || answer === undefined) return;
    const result = measured(measures.get(check.id), check, answer, takenAt);
    measures.set(check.id, result);
    if (answer.is === 'refused') waits = answer.problem;
    if (answer.is !== 'measured' || result.hasPassed) return;
    waits = `the metric ${check.metric.name} is ${answer.value}, out of its range ${timesInARow(result.failures)}`;
    if (result.failures >= answer.threshold) failed = waits;
  });
  turn.changeRun({ measures: [...measures.values()] });
  if (failed !== undefined) return { is: 'fails', message: failed };
  const areAllPassed = metrics.every(
    (metric, index) => measures.get(idOf(metric, index))?.hasPassed === true,
  );
  return areAllPassed ? { is: 'fits' } : { is: 'waits', message: waits };
}

function timesInARow(times: number): string {
  return times === 1 ? 'once' : times === 2 ? 'twice in a row' : `${times} times in a row`;
}

function finishBatch(turn: Turn, held: Held): void {
  const { currentBatch } = turn.status;
  const { partition } = turn.sight.rollout.plan;
  const handling = handlingOf(held.run);
  const planned = handling.planned(held, currentBatch);
  if (planned !== held.run.batchReplicas)
    return turn.fail(changedAfterwards(planned, held.run.batchReplicas));
  if (partition !== undefined && partition < currentBatch)
    return turn.fail('the current batch value in the status is greater than the batch partition');
  if (!agreed(turn, held, 'post-batch-rollout')) return;
  turn.changeRun({ finishedReplicas: planned, measures: [] });
  turn.tell('Batch Finalized', `Batch ${currentBatch} is finalized and ready to go`);
  const isLast = currentBatch === held.batches.length - 1;
  if (!isLast) return turn.pass('FinishedOneBatchEvent');
  const ready = handling.ready(held);
  turn.tell('All batches rolled out', `upgrade pod = ${planned}, total ready pod = ${ready}`);
  turn.pass('AllBatchFinishedEvent');
}

function approve(turn: Turn, held: Held): void {
  const { currentBatch } = turn.status;
  const { partition } = turn.sight.rollout.plan;
  const planned = handlingOf(held.run).planned(held, currentBatch);
  if (planned !== held.run.finishedReplicas || currentBatch >= held.batches.length - 1)
    return turn.fail(changedAfterwards(planned, held.run.finishedReplicas));
  if (partition === undefined || partition > currentBatch) return turn.pass('BatchRolloutApprovedEvent');
  turn.again = 'change';
}

function finalise(turn: Turn): void {
  const held = hold(turn);
  if (typeof held === 'string') {
    turn.tell('Rollout ', 'rollout target deleted, release the resources');
  } else {
    if (!agreed(turn, held, 'finalize-rollout')) return;
    turn.write(handlingOf(held.run).release(held, true));
  }
  turn.change({ lastAppliedPodTemplateIdentifier: turn.status.targetGeneration });
  turn.tell('Rollout Finalized', 'Rollout resource are finalized, succeed := true');
  turn.pass('RollingFinalizedEvent');
  turn.condition('RolloutSucceed', 'True', '');
}

function letGo(turn: Turn): void {
  const held = hold(turn, true);
  if (typeof held !== 'string') {
    if (!agreed(turn, held, 'finalize-rollout')) return;
    turn.write(handlingOf(held.run).release(held, false));
  }
  turn.tell('Rollout Finalized', 'Rollout resource are finalized, succeed := false');
  turn.pass('RollingFinalizedEvent');
}

function abandon(turn: Turn): void {
  const held = hold(turn);
  // Before anything was claimed there is nothing to take back.
  if (typeof held !== 'string' && held.target.claim !== undefined) {
    if (fenceOff(turn, held)) return;
    const step = handlingOf(held.run).settle(held);
    turn.write(step.writes);
    if (!step.isDone) {
      turn.wait(step.message);
      turn.again = step.writes.length > 0 ? 'now' : 'later';
      return;
    }
  }
  turn.tell('Rollout Restarted', 'rollout target changed, restart the rollout');
  letGo(turn);
}

/**
 * Writes to everything that was claimed before anything is taken back: who stalled while it led, and is about to ask
 * for more of what is taken back, then meets another version. Whether that was still to be done.
 */
function fenceOff(turn: Turn, held: Held): boolean {
  const writes = changeEach(
    allOf(held).filter(({ claim }) => claim === held.claim),
    () => ({ claim: endingClaim(held.claim) }),
  );
  turn.write(writes);
  if (writes.length > 0) turn.again = 'now';
  return writes.length > 0;
}

function undo(turn: Turn): void {
  const held = hold(turn, true);
  const { revertOnDelete } = turn.sight.rollout.plan;
  const mustRevert = revertOnDelete && turn.status.run?.isReverted === false;
  if (typeof held !== 'string' && mustRevert) {
    if (fenceOff(turn, held)) return;
    const step = kindRules[held.run.kind].revert(held);
    turn.write(step.writes);
    if (!step.isDone) {
      if (step.writes.length > 0) turn.tell('Rollout Reverting', step.message);
      turn.wait(step.message);
      turn.again = step.writes.length > 0 ? 'now' : 'later';
      return;
    }
    turn.changeRun({ isReverted: true });
    turn.tell('Rollout Reverted', 'the workloads are as they were before the rollout');
  }
  if (typeof held !== 'string') {
    // Whoever has gone away must not hold up a deletion: the answer is not waited for twice.
    const checks = webhookChecks(held.rollout.plan, undefined, 'finalize-rollout', turn.position.rolling);
    if (turn.ask(checks) === undefined) return;
    turn.write(handlingOf(held.run).release(held, turn.status.run?.isReverted === true));
  }
  turn.tell('Rollout Finalized', 'Rollout resource are finalized, succeed := false');
  turn.pass('RollingFinalizedEvent');
  turn.finalizer = 'drop';
}

/** Whether the webhooks of a stage agree; says what is waited for when they do not. */
function agreed(turn: Turn, held: Held, type: WebhookType): boolean {
  const { rolling, batch } = turn.position;
  const isInBatch = rolling === 'rollingInBatches';
  const own = isInBatch ? held.batches[turn.status.currentBatch] : undefined;
  const answers = turn.ask(webhookChecks(held.rollout.plan, own, type, isInBatch ? batch : rolling));
  if (answers === undefined) return false;
  const refusal = refusalOf(answers);
  if (refusal === undefined) return true;
  const what = type === 'finalize-rollout' ? 'a post rollout webhook' : 'a webhook';
  turn.wait(`failed to invoke ${what}: ${refusal}`);
  return false;
}

/** As `hold`, and why not where somebody else holds a part of it. */
function holdOwn(turn: Turn): Held | string {
  const { run } = turn.status;
  const { rollout, workload } = turn.sight;
  const names = run === undefined ? [] : [run.target, ...run.sources.map(({ name }) => name)];
  const all = names.flatMap((name) => (run === undefined ? [] : (workload(run.kind, name) ?? [])));
  return heldByOthers(all, claimOf(rollout), run?.target) ?? hold(turn);
}

/**
 * The attempt and its workloads but for those that somebody else holds, or why there is none. With `all`, those too
 * that only earlier attempts were about.
 */
function hold(turn: Turn, all = false): Held | string {
  const { rollout, workload, revisionTemplate } = turn.sight;
  const { run, origin, rolloutTargetSize } = turn.status;
  if (run === undefined || origin === undefined) return UNKEPT;
  const names = [
    run.target,
    ...run.sources.map(({ name }) => name),
    ...(all ? origin.map(({ name }) => name) : []),
  ];
  const claim = claimOf(rollout);
  const there = [...new Set(names)]
    .flatMap((name) => workload(run.kind, name) ?? [])
    .filter((found) => isFreeFor(claim, found));
  const [target, ...sources] = there;
  if (target === undefined || (!all && target.name !== run.target))
    return `the ${run.kind} ${run.target} is gone`;
  // Of an attempt that has not been verified yet nothing is known but what was there before.
  const size =
    rolloutTargetSize >= 0 ? rolloutTargetSize : origin.reduce((pods, { replicas }) => pods + replicas, 0);
  const extent = extentOf(run, size);
  const problem =
    turn.position.rolling === 'rollingInBatches' ? problemOfPlan(rollout.plan, extent) : undefined;
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

export function extentOf({ mode, base }: Pick<Run, 'mode' | 'base'>, target: number): Extent {
  return { mode, base, target };
}

function claimOf({ metadata }: Rollout): string {
  return `${metadata.name}/${metadata.uid}`;
}

function changedAfterwards(planned: number, was: number): string {
  return `the plan of batches that have begun was changed: they come to ${planned} pods now, and came to ${was}`;
}
