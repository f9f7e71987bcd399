import { unavailableOf } from '@/lib/oam/batches';
import { asked, done, type Handling, type Held, type Step, waiting } from '@/lib/oam/handling';
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
  release: ({ target }) => change(target, { claim: null }),
};

function roll({ target, goals }: Held, batch: number): Step {
  const writes = change(target, { replicas: goals[batch] ?? target.replicas });
  return writes.length > 0 ? asked(writes, `Submitted scale quest for batch ${batch}`) : done;
}

function check({ target, goals, extent, batches }: Held, batch: number): Step {
  const goal = goals[batch] ?? target.replicas;
  const { isObserved, readyReplicas, replicas } = target.pods;
  const missing = unavailableOf(batches[batch], extent);
  const isReady = extent.target < extent.base ? replicas <= goal : readyReplicas + missing >= goal;
  return isObserved && isReady ? done : waiting('the batch is not ready yet');
}
