import type { KubeObject } from '@/lib/kube/object';
import { keyOf, type ObjectKey } from '@/server/cluster/reflector-store';
import type { Worklist } from '@/server/controllers/engine/work-queue';
import type { ControllerManager } from '@/sandbox/controllers/runtime/controller-manager';
import type { ObjectChange } from '@/sandbox/controllers/runtime/informer';
import { finalise } from '@/sandbox/controllers/kruise/rollout/finalising';
import { WORKLOAD_TYPE } from '@/sandbox/controllers/kruise/rollout/rollout-object';
import { RolloutPass } from '@/sandbox/controllers/kruise/rollout/rollout-pass';
import { MOVES } from '@/sandbox/controllers/kruise/rollout/steps';
import {
  findWorkload,
  followKruise,
  type KruiseKinds,
  rolloutIdOf,
  type RolloutWorkload,
  workloadsOf,
} from '@/sandbox/controllers/kruise/rollout/workload';
import { isDeleting } from '@/sandbox/controllers/objects/pod';

const FINALIZER = 'rollouts.kruise.io/rollout';
const REQUEUE_MS = 5000;

/**
 * Plays the controllers of OpenKruise that update a workload in steps, wherever Rollouts are served: one of
 * ours does what upstream a Rollout, a BatchRelease and the controllers of two kinds do together.
 * https://github.com/openkruise/rollouts/tree/master/pkg/controller
 */
export function runRollouts(manager: ControllerManager): void {
  const kinds: KruiseKinds = followKruise(manager, ({ kind, metadata }) => {
    for (const rollout of kinds.rollouts.resource?.store.inNamespace(metadata.namespace) ?? []) {
      const { workloadRef } = rollout.spec;
      const isWorkload = workloadRef.kind === kind && workloadRef.name === metadata.name;
      const phase = rollout.status?.phase;
      // Its pods, ReplicaSets and canary matter only to a rollout in progress.
      if (isWorkload || (phase !== 'Healthy' && phase !== 'Disabled')) work.add(keyOf(rollout));
    }
  });
  const work = manager.register((key) => reconcile(manager, kinds, work, key));
  const add = ({ object, before }: ObjectChange<KubeObject>) => {
    const state = object ?? before;
    if (state !== undefined) work.add(keyOf(state));
  };
  kinds.rollouts.onChange(add);
  // Of the same name.
  kinds.batchReleases.onChange(add);
}

async function reconcile(
  manager: ControllerManager,
  kinds: KruiseKinds,
  work: Worklist,
  key: ObjectKey,
): Promise<void> {
  const rollouts = kinds.rollouts.resource?.as('kruise-manager');
  const stored = rollouts?.store.get(key);
  if (rollouts === undefined || stored === undefined) return;
  const rollout = { ...stored, status: stored.status ?? {} };
  const workloads = workloadsOf(kinds, rollout.spec.workloadRef);
  const batchReleases = kinds.batchReleases.resource?.as('kruise-manager');
  // After a start the other kinds may not be loaded yet, and must not count as missing until they are.
  if (workloads === undefined || batchReleases === undefined) {
    work.addAfter(key, REQUEUE_MS);
    return;
  }
  const workload = findWorkload(manager, workloads, rollout);
  const pass = new RolloutPass({ manager, work, key, rollouts, batchReleases, rollout, workload });
  const { finalizers = [] } = rollout.metadata;
  if (isDeleting(rollout)) {
    if (await terminate(pass)) {
      const rest = finalizers.filter((finalizer) => finalizer !== FINALIZER);
      await rollouts.merge(rollout, { metadata: { finalizers: rest } });
    }
    return;
  }
  if (!finalizers.includes(FINALIZER)) {
    await rollouts.merge(rollout, { metadata: { finalizers: [...finalizers, FINALIZER] } });
    return;
  }
  if (workload !== undefined && workload.object.metadata.labels?.[WORKLOAD_TYPE] === undefined) {
    const labels = { [WORKLOAD_TYPE]: workload.object.kind.toLowerCase() };
    await workload.resource.merge(workload.object, { metadata: { labels } });
  }
  await step(pass);
  await pass.save();
}

async function step(pass: RolloutPass): Promise<void> {
  const { rollout, workload, progress } = pass;
  if (rollout.spec.disabled === true) return disable(pass);
  if (['', 'Disabled', 'Disabling'].includes(pass.phase)) pass.phase = 'Initial';
  if (workload === undefined) return reset(pass);
  if (!workload.isObserved) return;
  if (progress !== undefined && progress.canaryRevision === workload.revision)
    progress.observedRolloutID = rolloutIdOf(workload);
  if (pass.phase === 'Initial') {
    pass.phase = 'Healthy';
    pass.message = 'rollout is healthy';
  } else if (pass.phase === 'Healthy') begin(pass, workload);
  else if (progress !== undefined)
    await MOVES[pass.condition('Progressing')?.reason ?? '']?.(pass, workload, progress);
}

function reset(pass: RolloutPass): void {
  pass.phase = 'Initial';
  pass.message = 'Workload Not Found';
  pass.progress = undefined;
  for (const type of ['Progressing', 'Succeeded']) pass.dropCondition(type);
}

function begin(pass: RolloutPass, workload: RolloutWorkload): void {
  if (pass.progress === undefined) {
    pass.message = 'workload deployment is completed';
    pass.startProgress(workload, true);
    return;
  }
  if (!workload.isInProgress) return;
  pass.phase = 'Progressing';
  pass.dropCondition('Succeeded');
  pass.setCondition('Progressing', 'True', 'Initializing');
}

async function disable(pass: RolloutPass): Promise<void> {
  if (pass.phase === 'Disabled') return;
  if (pass.phase === 'Progressing') {
    pass.phase = 'Disabling';
    if (pass.progress !== undefined) pass.progress.finalisingStep = '';
    return;
  }
  if (pass.phase === 'Disabling' && !(await finalise(pass, 'cut'))) return;
  pass.phase = 'Disabled';
  pass.message = 'Rollout is disabled';
}

/** A partial rollout is completed before the Rollout is deleted. Returns whether nothing is left to do. */
async function terminate(pass: RolloutPass): Promise<boolean> {
  const wasUnderWay = pass.phase === 'Progressing' || pass.phase === 'Disabling';
  if (wasUnderWay && pass.progress !== undefined) pass.progress.finalisingStep = '';
  if (pass.phase !== 'Terminating') {
    pass.phase = 'Terminating';
    pass.setCondition('Terminating', 'True', 'InTerminating');
  } else if (await finalise(pass, 'cut')) return true;
  await pass.save();
  return false;
}
