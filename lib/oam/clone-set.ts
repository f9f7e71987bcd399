import { unavailableOf } from '@/lib/oam/batches';
import {
  requested,
  done,
  type BatchStrategy,
  type RolloutAttempt,
  type StepResult,
  waiting,
  plannedPods,
} from '@/lib/oam/batch-strategy';
import { changeWorkload } from '@/lib/oam/rolled-workload';

/** A CloneSet, whose partition releases one batch after another. The CloneSet itself pauses its pods. */
export const cloneSetStrategy: BatchStrategy = {
  claim: ({ target, claim, run }) =>
    changeWorkload(target, {
      claim,
      // Held by the partition before any pod may move.
      partition: target.replicas - run.startingReplicas,
      isPaused: false,
    }),
  roll,
  check,
  ready: ({ target }) => target.pods.updatedReadyReplicas,
  planned: plannedPods,
  settle: () => done,
  release: ({ target }, isSuccess) =>
    changeWorkload(target, { claim: null, ...(!isSuccess && { isPaused: true }) }),
};

function roll(attempt: RolloutAttempt, batch: number, goal: number): StepResult {
  const { target, extent } = attempt;
  const writes = changeWorkload(target, { partition: extent.target - goal, isPaused: false });
  if (writes.length > 0) return requested(writes, `Submitted upgrade quest for batch ${batch}`);
  // With an interval, one pod after the other, each ready before the next; otherwise the batch is requested at
  // once and then waited for.
  return goal < plannedPods(attempt, batch) ? checkUpTo(attempt, batch, goal) : done;
}

function check(attempt: RolloutAttempt, batch: number): StepResult {
  return checkUpTo(attempt, batch, plannedPods(attempt, batch));
}

function checkUpTo(attempt: RolloutAttempt, batch: number, goal: number): StepResult {
  const { pods } = attempt.target;
  const missing = unavailableOf(attempt.batches[batch], attempt.extent);
  const isReady = pods.isObserved && pods.updatedReadyReplicas + missing >= goal;
  if (isReady) return done;
  return waiting(`the batch ${batch} is not ready yet with ${pods.updatedReadyReplicas} target pods ready`);
}

/** Restores a CloneSet. A larger partition alone reverts no pod, so the former template is written. */
export function revertCloneSet({ target, origin, revisionTemplate }: RolloutAttempt): StepResult {
  const original = origin.find(({ name }) => name === target.name);
  if (original === undefined) return done;
  const { pods } = target;
  const revision = original.revision ?? pods.updateRevision;
  const isBack = pods.isObserved && pods.updateRevision === revision && pods.updatedReplicas >= pods.replicas;
  if (isBack) {
    const { partition = null, isPaused, replicas, component: label = null } = original;
    const restoringWrites = changeWorkload(target, { partition, isPaused, replicas, revision: label });
    return restoringWrites.length > 0 ? requested(restoringWrites, 'Reverted') : done;
  }
  const template = revision === undefined ? undefined : revisionTemplate(revision);
  if (template === undefined) return waiting(`revision ${revision ?? '?'} to revert to no longer exists`);
  const writes =
    pods.updateRevision === revision
      ? changeWorkload(target, { partition: 0, isPaused: false })
      : changeWorkload(target, { template, partition: 0, isPaused: false });
  return writes.length > 0
    ? requested(writes, `Reverting to ${revision ?? '?'}`)
    : waiting(`not all pods run revision ${revision ?? '?'} yet`);
}
