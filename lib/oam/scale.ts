import { unavailableOf } from '@/lib/oam/batches';
import {
  workloadsOf,
  requested,
  changeWorkloads,
  done,
  type BatchStrategy,
  type RolloutAttempt,
  type StepResult,
  waiting,
} from '@/lib/oam/batch-strategy';
import { changeWorkload } from '@/lib/oam/rolled-workload';

/** One workload that scales up or down in batches, whatever its kind. */
export const scaleStrategy: BatchStrategy = {
  // A paused Deployment creates no pods of a new template; a CloneSet must keep its partition.
  claim: ({ target, claim }) =>
    changeWorkload(target, { claim, ...(target.kind === 'Deployment' && { isPaused: false }) }),
  roll,
  check,
  ready: ({ target }) => target.pods.readyReplicas,
  planned: ({ goals }, batch) => goals[batch] ?? 0,
  settle: () => done,
  release: (attempt) => changeWorkloads(workloadsOf(attempt), () => ({ claim: null })),
};

function roll(attempt: RolloutAttempt, batch: number, goal: number): StepResult {
  const writes = changeWorkload(attempt.target, { replicas: goal });
  if (writes.length > 0) return requested(writes, `Submitted scale quest for batch ${batch}`);
  // With an interval, one pod after the other; otherwise the batch is requested at once and then waited for.
  return goal === attempt.goals[batch] ? done : checkUpTo(attempt, batch, goal);
}

function check(attempt: RolloutAttempt, batch: number): StepResult {
  return checkUpTo(attempt, batch, attempt.goals[batch] ?? attempt.target.replicas);
}

function checkUpTo({ target, extent, batches }: RolloutAttempt, batch: number, goal: number): StepResult {
  const { isObserved, readyReplicas, replicas } = target.pods;
  const missing = unavailableOf(batches[batch], extent);
  const isReady = extent.target < extent.base ? replicas <= goal : readyReplicas + missing >= goal;
  return isObserved && isReady ? done : waiting('the batch is not ready yet');
}
