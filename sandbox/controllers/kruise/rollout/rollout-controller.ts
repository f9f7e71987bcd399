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
import { RolloutPass } from '@/sandbox/controllers/kruise/rollout/rollout-pass';
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
  const pass = new RolloutPass({ manager, work, key, kinds, rollouts, rollout, workload });
  if (isDeleting(rollout)) return terminate(pass);
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
  await move(pass);
  await pass.save();
}

async function move(pass: RolloutPass): Promise<void> {
  const { rollout, workload } = pass;
  if (rollout.spec.disabled === true) return disable(pass);
  if (pass.phase === 'Disabled' || pass.phase === 'Disabling' || pass.phase === '') pass.phase = 'Initial';
  if (workload === undefined) {
    pass.phase = 'Initial';
    pass.message = 'Workload Not Found';
    pass.sub = undefined;
    for (const type of ['Progressing', 'Succeeded']) pass.dropCondition(type);
    return;
  }
  if (!workload.isObserved) return;
  const { sub } = pass;
  if (sub !== undefined && sub.revision === workload.revision) {
    sub.observedRolloutID = rolloutIdOf(workload);
    sub.observedWorkloadGeneration = workload.object.metadata.generation ?? 0;
  }
  if (pass.phase === 'Initial') {
    pass.phase = 'Healthy';
    pass.message = 'rollout is healthy';
    return;
  }
  if (pass.phase === 'Healthy') return begin(pass, workload);
  if (pass.phase === 'Progressing' && sub !== undefined) return progress(pass, workload, sub);
}

function begin(pass: RolloutPass, workload: RolloutWorkload): void {
  if (workload.isInProgress && pass.sub !== undefined) {
    pass.phase = 'Progressing';
    pass.dropCondition('Succeeded');
    pass.setCondition('Progressing', 'True', 'Initializing', 'Rollout is in Progressing');
    return;
  }
  if (pass.sub !== undefined) return;
  // Nothing has been rolled out yet; the status is written as if everything had.
  pass.message = 'workload deployment is completed';
  pass.sub = {
    observedWorkloadGeneration: workload.object.metadata.generation ?? 0,
    observedRolloutID: rolloutIdOf(workload),
    rolloutHash: strategyHash(pass.rollout.spec),
    stableRevision: workload.stableRevision,
    revision: workload.revision,
    podTemplateHash: workload.podTemplateHash,
    replicas: 0,
    readyReplicas: 0,
    currentStepIndex: pass.plan.steps.length,
    nextStepIndex: -1,
    currentStepState: 'Completed',
    finalisingStep: '',
    message: '',
    lastUpdateTime: '',
  };
  pass.touch(pass.sub);
}

async function disable(pass: RolloutPass): Promise<void> {
  if (pass.phase === 'Disabled') return;
  if (pass.phase === 'Progressing') {
    pass.phase = 'Disabling';
    pass.message = 'Disabling rollout, release resources';
    if (pass.sub !== undefined) pass.sub.finalisingStep = '';
    return;
  }
  if (pass.phase === 'Disabling' && !(await finalise(pass, 'success'))) return;
  pass.phase = 'Disabled';
  pass.message = 'Rollout is disabled';
}

/** A partial rollout is completed before the Rollout is deleted. */
async function terminate(pass: RolloutPass): Promise<void> {
  const { rollout } = pass;
  const wasUnderWay = pass.phase === 'Progressing' || pass.phase === 'Disabling';
  if (wasUnderWay && pass.sub !== undefined) pass.sub.finalisingStep = '';
  if (pass.phase !== 'Terminating') {
    pass.phase = 'Terminating';
    pass.setCondition('Terminating', 'True', 'InTerminating', 'Rollout is in terminating');
    return pass.save();
  }
  if (pass.condition('Terminating')?.reason !== 'Completed') {
    if (await finalise(pass, 'success'))
      pass.setCondition('Terminating', 'False', 'Completed', 'Rollout has been terminated');
    return pass.save();
  }
  const finalizers = (rollout.metadata.finalizers ?? []).filter(
    (finalizer) => finalizer !== ROLLOUT_FINALIZER,
  );
  await pass.kinds.rollouts.resource?.as('kruise-manager').merge(rollout, { metadata: { finalizers } });
}

async function markType(workload: RolloutWorkload | undefined): Promise<void> {
  if (workload === undefined || workload.object.metadata.labels?.[WORKLOAD_TYPE] !== undefined) return;
  const type = workload.object.kind.toLowerCase();
  await workload.resource.merge(workload.object, { metadata: { labels: { [WORKLOAD_TYPE]: type } } });
}
