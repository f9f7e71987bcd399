import { keyOf, type ObjectKey } from '@/server/cluster/reflector-store';
import { type Worklist } from '@/server/controllers/engine/work-queue';
import { type ControllerManager } from '@/sandbox/controllers/engine/controller-manager';
import { finalise } from '@/sandbox/controllers/kruise/rollout/finalising';
import { rolloutIdOf, strategyHash } from '@/sandbox/controllers/kruise/rollout/identity';
import {
  followKruise,
  type KruiseKinds,
  onWorkloadChange,
  workloadsOf,
} from '@/sandbox/controllers/kruise/shared/kruise-kinds';
import { progress } from '@/sandbox/controllers/kruise/rollout/progressing';
import { Release } from '@/sandbox/controllers/kruise/rollout/release';
import {
  CANARY_DEPLOYMENT,
  inBeta,
  ROLLOUT_FINALIZER,
  STRATEGY_HASH,
  WORKLOAD_TYPE,
} from '@/sandbox/controllers/kruise/shared/rollout-object';
import { type RolloutWorkload, workloadOf } from '@/sandbox/controllers/kruise/shared/workload';
import { isDeleting } from '@/sandbox/controllers/objects/pod';

const REQUEUE_MS = 5000;

/**
 * Simulates the Rollout controller of OpenKruise, wherever Rollouts are served.
 * https://github.com/openkruise/rollouts/blob/master/pkg/controller/rollout/rollout_controller.go
 */
export function runRollouts(manager: ControllerManager): void {
  const kinds = followKruise(manager);
  const work = manager.register((key) => syncRollout(manager, kinds, work, key));
  kinds.rollouts.onChange(({ object }) => {
    if (object !== undefined) work.add(keyOf(object));
  });
  kinds.batchReleases.onChange(({ object, before }) => {
    const state = object ?? before;
    if (state !== undefined) work.add(keyOf(state));
  });
  onWorkloadChange(manager, kinds, ({ kind, metadata }) => {
    const name = metadata.labels?.[CANARY_DEPLOYMENT] ?? metadata.name;
    for (const rollout of kinds.rollouts.resource?.store.inNamespace(metadata.namespace) ?? []) {
      const { workloadRef } = inBeta(rollout).spec;
      if (workloadRef.kind === kind && workloadRef.name === name) work.add(keyOf(rollout));
    }
  });
}

async function syncRollout(
  manager: ControllerManager,
  kinds: KruiseKinds,
  work: Worklist,
  key: ObjectKey,
): Promise<void> {
  const rollouts = kinds.rollouts.resource?.as('kruise-manager');
  const stored = rollouts?.store.get(key);
  if (rollouts === undefined || stored === undefined) return;
  const rollout = inBeta(stored);
  // After a start the other kinds may not be loaded yet, and must not count as missing until they are.
  const isKnown = workloadsOf(manager, kinds, rollout.spec.workloadRef) !== undefined;
  if (!isKnown || kinds.batchReleases.resource === undefined) {
    work.addAfter(key, REQUEUE_MS);
    return;
  }
  const workload = workloadOf(manager, kinds, rollout);
  const release = new Release({ manager, work, key, kinds, rollouts, rollout, workload });
  if (isDeleting(rollout)) return terminate(release);
  const { finalizers = [], annotations = {} } = rollout.metadata;
  const hash = strategyHash(rollout.spec);
  if (!finalizers.includes(ROLLOUT_FINALIZER) || annotations[STRATEGY_HASH] !== hash) {
    const kept = finalizers.filter((finalizer) => finalizer !== ROLLOUT_FINALIZER);
    const metadata = {
      finalizers: [...kept, ROLLOUT_FINALIZER],
      annotations: { [STRATEGY_HASH]: hash },
    };
    await rollouts.merge(rollout, { metadata });
    return;
  }
  await markType(workload);
  await move(release);
  await release.save();
}

async function move(release: Release): Promise<void> {
  const { rollout, workload } = release;
  if (rollout.spec.disabled === true) return disable(release);
  if (release.phase === 'Disabled' || release.phase === 'Disabling' || release.phase === '')
    release.phase = 'Initial';
  if (workload === undefined) {
    release.phase = 'Initial';
    release.message = 'Workload Not Found';
    release.sub = undefined;
    for (const type of ['Progressing', 'Succeeded']) release.dropCondition(type);
    return;
  }
  if (!workload.isObserved) return;
  const { sub } = release;
  if (sub !== undefined && sub.revision === workload.revision) {
    sub.observedRolloutID = rolloutIdOf(workload);
    sub.observedWorkloadGeneration = workload.object.metadata.generation ?? 0;
  }
  if (release.phase === 'Initial') {
    release.phase = 'Healthy';
    release.message = 'rollout is healthy';
    return;
  }
  if (release.phase === 'Healthy') return begin(release, workload);
  if (release.phase === 'Progressing' && sub !== undefined) return progress(release, workload, sub);
}

function begin(release: Release, workload: RolloutWorkload): void {
  if (workload.isInProgress && release.sub !== undefined) {
    release.phase = 'Progressing';
    release.dropCondition('Succeeded');
    release.setCondition('Progressing', 'True', 'Initializing', 'Rollout is in Progressing');
    return;
  }
  if (release.sub !== undefined) return;
  // Nothing has been released yet; the status is written as if everything had.
  release.message = 'workload deployment is completed';
  release.sub = {
    observedWorkloadGeneration: workload.object.metadata.generation ?? 0,
    observedRolloutID: rolloutIdOf(workload),
    rolloutHash: strategyHash(release.rollout.spec),
    stableRevision: workload.stableRevision,
    revision: workload.revision,
    podTemplateHash: workload.podTemplateHash,
    replicas: 0,
    readyReplicas: 0,
    currentStepIndex: release.plan.steps.length,
    nextStepIndex: -1,
    currentStepState: 'Completed',
    finalisingStep: '',
    message: '',
    lastUpdateTime: '',
  };
  release.touch(release.sub);
}

async function disable(release: Release): Promise<void> {
  if (release.phase === 'Disabled') return;
  if (release.phase === 'Progressing') {
    release.phase = 'Disabling';
    release.message = 'Disabling rollout, release resources';
    if (release.sub !== undefined) release.sub.finalisingStep = '';
    return;
  }
  if (release.phase === 'Disabling' && !(await finalise(release, 'success'))) return;
  release.phase = 'Disabled';
  release.message = 'Rollout is disabled';
}

/** A partial release is completed before the Rollout is deleted. */
async function terminate(release: Release): Promise<void> {
  const { rollout } = release;
  const wasUnderWay = release.phase === 'Progressing' || release.phase === 'Disabling';
  if (wasUnderWay && release.sub !== undefined) release.sub.finalisingStep = '';
  if (release.phase !== 'Terminating') {
    release.phase = 'Terminating';
    release.setCondition('Terminating', 'True', 'InTerminating', 'Rollout is in terminating');
    return release.save();
  }
  if (release.condition('Terminating')?.reason !== 'Completed') {
    if (await finalise(release, 'success'))
      release.setCondition('Terminating', 'False', 'Completed', 'Rollout has been terminated');
    return release.save();
  }
  const finalizers = (rollout.metadata.finalizers ?? []).filter(
    (finalizer) => finalizer !== ROLLOUT_FINALIZER,
  );
  await release.kinds.rollouts.resource?.as('kruise-manager').merge(rollout, { metadata: { finalizers } });
}

async function markType(workload: RolloutWorkload | undefined): Promise<void> {
  if (workload === undefined || workload.object.metadata.labels?.[WORKLOAD_TYPE] !== undefined) return;
  const type = workload.object.kind.toLowerCase();
  await workload.resource.merge(workload.object, { metadata: { labels: { [WORKLOAD_TYPE]: type } } });
}
