import { unavailableOf } from '@/lib/oam/batches';
import {
  allOf,
  asked,
  changeEach,
  done,
  type Handling,
  type Held,
  type Step,
  waiting,
} from '@/lib/oam/handling';
import { change } from '@/lib/oam/workload';

/** One workload that becomes larger or smaller in batches, whatever its kind. */
export const scale: Handling = {
  // A Deployment makes no pods of a new template while it is paused; a CloneSet is to keep what it holds back.
  claim: ({ target, claim }) =>
    change(target, { claim, ...(target.kind === 'Deployment' && { isPaused: false }) }),
  roll,
  check,
  ready: ({ target }) => target.pods.readyReplicas,
  planned: ({ goals }, batch) => goals[batch] ?? 0,
  settle: () => done,
  release: (held) => changeEach(allOf(held), () => ({ claim: null })),
};

function roll(held: Held, batch: number, goal: number): Step {
  const writes = change(held.target, { replicas: goal });
  if (writes.length > 0) return asked(writes, `Submitted scale quest for batch ${batch}`);
  // A pod at a time is one after the other; a whole batch is waited for once all of it was asked for.
  return goal === held.goals[batch] ? done : checkUpTo(held, batch, goal);
}

function check(held: Held, batch: number): Step {
  return checkUpTo(held, batch, held.goals[batch] ?? held.target.replicas);
}

function checkUpTo({ target, extent, batches }: Held, batch: number, goal: number): Step {
  const { isObserved, readyReplicas, replicas } = target.pods;
  const missing = unavailableOf(batches[batch], extent);
  const isReady = extent.target < extent.base ? replicas <= goal : readyReplicas + missing >= goal;
  return isObserved && isReady ? done : waiting('the batch is not ready yet');
}
