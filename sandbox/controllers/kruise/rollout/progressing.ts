import { deleteBatches } from '@/sandbox/controllers/kruise/rollout/batch';
import { type Ending, finalise } from '@/sandbox/controllers/kruise/rollout/finalising';
import { rolloutIdOf, strategyHash } from '@/sandbox/controllers/kruise/rollout/identity';
import { type RolloutPass } from '@/sandbox/controllers/kruise/rollout/rollout-pass';
import {
  ROLLBACK_IN_BATCH,
  sizeOf,
  STABLE_REVISION,
  stepAfter,
} from '@/sandbox/controllers/kruise/shared/rollout-object';
import { changeTraffic, runStep } from '@/sandbox/controllers/kruise/rollout/steps';
import { type SubStatus } from '@/sandbox/controllers/kruise/rollout/sub-status';
import {
  hashOf,
  setsOf,
  stableSetOf,
  type RolloutWorkload,
} from '@/sandbox/controllers/kruise/shared/workload';
import { timeOf } from '@/sandbox/controllers/objects/time';

const INITIALIZING_MS = 3000;

/**
 * One move of a rollout in progress.
 * https://github.com/openkruise/rollouts/blob/master/pkg/controller/rollout/rollout_progressing.go
 */
export async function progress(pass: RolloutPass, workload: RolloutWorkload, sub: SubStatus): Promise<void> {
  switch (pass.condition('Progressing')?.reason) {
    case 'Initializing':
      return initialize(pass, workload, sub);
    case 'InRolling':
      return roll(pass, workload, sub);
    case 'Paused':
      if (pass.rollout.spec.strategy.paused !== true) pass.progress('InRolling', pass.message);
      return;
    case 'Finalising':
      return end(pass, 'success');
    case 'Cancelling':
      return end(pass, 'rollback');
    default:
      return;
  }
}

async function initialize(pass: RolloutPass, workload: RolloutWorkload, sub: SubStatus): Promise<void> {
  if (await noteStable(pass, workload)) return;
  const isFresh = sub.currentStepState === 'BeforeStepUpgrade' && sub.finalisingStep === '';
  if (!isFresh || sub.revision !== workload.revision) {
    pass.sub = newSub(pass, workload);
    return;
  }
  const begun = timeOf(pass.condition('Progressing')?.lastUpdateTime);
  if (!pass.hasPassed(begun, INITIALIZING_MS)) return;
  sub.podTemplateHash = workload.podTemplateHash;
  pass.touch(sub);
  pass.progress('InRolling', 'Rollout is in Progressing');
}

function newSub(pass: RolloutPass, workload: RolloutWorkload): SubStatus {
  return {
    observedWorkloadGeneration: workload.object.metadata.generation ?? 0,
    observedRolloutID: rolloutIdOf(workload),
    rolloutHash: strategyHash(pass.rollout.spec),
    stableRevision: workload.stableRevision,
    revision: workload.revision,
    podTemplateHash: '',
    replicas: 0,
    readyReplicas: 0,
    currentStepIndex: 1,
    nextStepIndex: stepAfter(1, pass.plan.steps.length),
    currentStepState: 'BeforeStepUpgrade',
    finalisingStep: '',
    message: '',
    lastUpdateTime: '',
  };
}

/** The version that runs when a rollout starts is stable; the write that started it may not have known it. */
async function noteStable(pass: RolloutPass, { object, resource }: RolloutWorkload): Promise<boolean> {
  if (pass.rollout.spec.workloadRef.kind !== 'Deployment') return false;
  const stable = hashOf(stableSetOf(setsOf(pass.manager, object)));
  if (stable === '' || object.metadata.labels?.[STABLE_REVISION] === stable) return false;
  await resource.merge(object, { metadata: { labels: { [STABLE_REVISION]: stable } } });
  return true;
}

async function roll(pass: RolloutPass, workload: RolloutWorkload, sub: SubStatus): Promise<void> {
  const { rollout } = pass;
  const inBatches = rollout.metadata.annotations?.[ROLLBACK_IN_BATCH] === 'true' && !pass.traffic.isRouted;
  const rollsInBatches = inBatches && rollout.spec.workloadRef.kind !== 'Deployment';
  if (workload.isInRollback && !rollsInBatches) return cancel(pass, workload, sub);
  if (rollout.spec.strategy.paused === true) {
    pass.progress('Paused', 'Rollout has been paused, you can resume it by kube-cli');
    return;
  }
  if (sub.revision !== workload.revision) {
    if (workload.isInRollback) return restart(pass, workload);
    return startOver(pass, workload, sub);
  }
  if (sub.rolloutHash !== strategyHash(rollout.spec)) return replan(pass, sub);
  return runStep(pass, sub);
}

function cancel(pass: RolloutPass, workload: RolloutWorkload, sub: SubStatus): void {
  pass.progress('Cancelling', 'The workload has been rolled back and the rollout process will be cancelled');
  sub.revision = workload.revision;
}

/** From the first step on, as if it had just started. */
function restart(pass: RolloutPass, workload: RolloutWorkload): void {
  pass.sub = newSub(pass, workload);
}

/** A third version replaces the second: the changes made for the second are reverted first. */
async function startOver(pass: RolloutPass, workload: RolloutWorkload, sub: SubStatus): Promise<void> {
  if (pass.style === 'BlueGreen') {
    pass.message =
      'new version releasing detected in the progress of blue-green release, please rollback first';
    return;
  }
  const { traffic } = pass;
  const takeBack = async () => (await traffic.routeToStable()) || traffic.removeService();
  if (!(await changeTraffic(pass, sub, takeBack)) || !(await deleteBatches(pass))) return;
  pass.sub = newSub(pass, workload);
  pass.progress('Initializing', 'Rollout is in Progressing');
}

/** Jumps to the first step of the new plan that is not smaller than the upgraded part. */
function replan(pass: RolloutPass, sub: SubStatus): void {
  const { plan, workload, rollout } = pass;
  const size = workload?.replicas ?? 0;
  const found = plan.steps.findIndex(({ replicas }) => sizeOf(replicas, size) >= sub.replicas);
  const index = found === -1 ? plan.steps.length : found + 1;
  sub.rolloutHash = strategyHash(rollout.spec);
  if (index !== sub.currentStepIndex) sub.currentStepState = 'BeforeStepUpgrade';
  sub.currentStepIndex = index;
  sub.nextStepIndex = stepAfter(index, plan.steps.length);
  pass.touch(sub);
}

async function end(pass: RolloutPass, ending: Ending): Promise<void> {
  if (!(await finalise(pass, ending))) return;
  const isSuccess = ending === 'success';
  const message = `Rollout progressing has been ${isSuccess ? 'completed' : 'cancelled'}`;
  pass.setCondition('Progressing', 'False', 'Completed', message);
  pass.setCondition('Succeeded', isSuccess ? 'True' : 'False', '');
  pass.message = message;
  pass.phase = 'Healthy';
}
