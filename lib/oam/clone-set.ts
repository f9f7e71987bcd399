import { unavailableOf } from '@/lib/oam/batches';
import { asked, done, type Handling, type Held, type Step, waiting } from '@/lib/oam/handling';
import { change } from '@/lib/oam/workload';

/** A CloneSet, of which the partition lets through a batch after another. Who pauses its pods is the CloneSet itself. */
export const cloneSetHandling: Handling = {
  claim: ({ target, claim, run }) =>
    change(target, {
      claim,
      // Held back before anything may move.
      partition: target.replicas - run.startingReplicas,
      isPaused: false,
    }),
  roll,
  check,
  ready: ({ target }) => target.pods.updatedReadyReplicas,
  planned,
  settle: () => done,
  release: ({ target }, isSuccess) => change(target, { claim: null, ...(!isSuccess && { isPaused: true }) }),
};

function planned({ run, goals }: Held, batch: number): number {
  return Math.max(run.startingReplicas, goals[batch] ?? 0);
}

function roll(held: Held, batch: number, goal: number): Step {
  const { target, extent } = held;
  const writes = change(target, { partition: extent.target - goal, isPaused: false });
  if (writes.length > 0) return asked(writes, `Submitted upgrade quest for batch ${batch}`);
  // A pod at a time is one after the other, ready each; a whole batch is waited for once all of it was asked for.
  return goal < planned(held, batch) ? checkUpTo(held, batch, goal) : done;
}

function check(held: Held, batch: number): Step {
  return checkUpTo(held, batch, planned(held, batch));
}

function checkUpTo(held: Held, batch: number, goal: number): Step {
  const { pods } = held.target;
  const missing = unavailableOf(held.batches[batch], held.extent);
  const isReady = pods.isObserved && pods.updatedReadyReplicas + missing >= goal;
  if (isReady) return done;
  return waiting(`the batch ${batch} is not ready yet with ${pods.updatedReadyReplicas} target pods ready`);
}

/** Brings back what a CloneSet was. A larger partition alone takes no pod back, so the template is what it was. */
export function revertCloneSet({ target, origin, revisionTemplate }: Held): Step {
  const before = origin.find(({ name }) => name === target.name);
  if (before === undefined) return done;
  const { pods } = target;
  const revision = before.revision ?? pods.updateRevision;
  const isBack = pods.isObserved && pods.updateRevision === revision && pods.updatedReplicas >= pods.replicas;
  if (isBack) {
    const { partition = null, isPaused, replicas, component: label = null } = before;
    const restored = change(target, { partition, isPaused, replicas, revision: label });
    return restored.length > 0 ? asked(restored, 'Reverted') : done;
  }
  const template = revision === undefined ? undefined : revisionTemplate(revision);
  if (template === undefined) return waiting(`the revision ${revision ?? '?'} to go back to is gone`);
  const writes =
    pods.updateRevision === revision
      ? change(target, { partition: 0, isPaused: false })
      : change(target, { template, partition: 0, isPaused: false });
  return writes.length > 0
    ? asked(writes, `Reverting to ${revision ?? '?'}`)
    : waiting(`not all pods are back at ${revision ?? '?'}`);
}
