import { deleteBatches } from '@/sandbox/controllers/kruise/rollout/batch';
import { type Ending, finalise } from '@/sandbox/controllers/kruise/rollout/finalising';
import { rolloutIdOf, strategyHash } from '@/sandbox/controllers/kruise/rollout/identity';
import { type Release } from '@/sandbox/controllers/kruise/rollout/release';
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
 * One move of a release in progress.
 * https://github.com/openkruise/rollouts/blob/master/pkg/controller/rollout/rollout_progressing.go
 */
export async function progress(release: Release, workload: RolloutWorkload, sub: SubStatus): Promise<void> {
  switch (release.condition('Progressing')?.reason) {
    case 'Initializing':
      return initialize(release, workload, sub);
    case 'InRolling':
      return roll(release, workload, sub);
    case 'Paused':
      if (release.rollout.spec.strategy.paused !== true) release.progress('InRolling', release.message);
      return;
    case 'Finalising':
      return end(release, 'success');
    case 'Cancelling':
      return end(release, 'rollback');
    default:
      return;
  }
}

async function initialize(release: Release, workload: RolloutWorkload, sub: SubStatus): Promise<void> {
  if (await noteStable(release, workload)) return;
  const isFresh = sub.currentStepState === 'BeforeStepUpgrade' && sub.finalisingStep === '';
  if (!isFresh || sub.revision !== workload.revision) {
    release.sub = newSub(release, workload);
    return;
  }
  const begun = timeOf(release.condition('Progressing')?.lastUpdateTime);
  if (!release.hasPassed(begun, INITIALIZING_MS)) return;
  sub.podTemplateHash = workload.podTemplateHash;
  release.touch(sub);
  release.progress('InRolling', 'Rollout is in Progressing');
}

function newSub(release: Release, workload: RolloutWorkload): SubStatus {
  return {
    observedWorkloadGeneration: workload.object.metadata.generation ?? 0,
    observedRolloutID: rolloutIdOf(workload),
    rolloutHash: strategyHash(release.rollout.spec),
    stableRevision: workload.stableRevision,
    revision: workload.revision,
    podTemplateHash: '',
    replicas: 0,
    readyReplicas: 0,
    currentStepIndex: 1,
    nextStepIndex: stepAfter(1, release.plan.steps.length),
    currentStepState: 'BeforeStepUpgrade',
    finalisingStep: '',
    message: '',
    lastUpdateTime: '',
  };
}

/** The version that runs when a release starts is stable; the write that started it may not have known it. */
async function noteStable(release: Release, { object, resource }: RolloutWorkload): Promise<boolean> {
  if (release.rollout.spec.workloadRef.kind !== 'Deployment') return false;
  const stable = hashOf(stableSetOf(setsOf(release.manager, object)));
  if (stable === '' || object.metadata.labels?.[STABLE_REVISION] === stable) return false;
  await resource.merge(object, { metadata: { labels: { [STABLE_REVISION]: stable } } });
  return true;
}

async function roll(release: Release, workload: RolloutWorkload, sub: SubStatus): Promise<void> {
  const { rollout } = release;
  const inBatches = rollout.metadata.annotations?.[ROLLBACK_IN_BATCH] === 'true' && !release.traffic.isRouted;
  const rollsInBatches = inBatches && rollout.spec.workloadRef.kind !== 'Deployment';
  if (workload.isInRollback && !rollsInBatches) return cancel(release, workload, sub);
  if (rollout.spec.strategy.paused === true) {
    release.progress('Paused', 'Rollout has been paused, you can resume it by kube-cli');
    return;
  }
  if (sub.revision !== workload.revision) {
    if (workload.isInRollback) return restart(release, workload);
    return releaseAnother(release, workload, sub);
  }
  if (sub.rolloutHash !== strategyHash(rollout.spec)) return replan(release, sub);
  return runStep(release, sub);
}

function cancel(release: Release, workload: RolloutWorkload, sub: SubStatus): void {
  release.progress(
    'Cancelling',
    'The workload has been rolled back and the rollout process will be cancelled',
  );
  sub.revision = workload.revision;
}

/** From the first step on, as if it had just started. */
function restart(release: Release, workload: RolloutWorkload): void {
  release.sub = newSub(release, workload);
}

/** A third version replaces the second: the changes made for the second are reverted first. */
async function releaseAnother(release: Release, workload: RolloutWorkload, sub: SubStatus): Promise<void> {
  if (release.style === 'BlueGreen') {
    release.message =
      'new version releasing detected in the progress of blue-green release, please rollback first';
    return;
  }
  const { traffic } = release;
  const takeBack = async () => (await traffic.routeToStable()) || traffic.removeService();
  if (!(await changeTraffic(release, sub, takeBack)) || !(await deleteBatches(release))) return;
  release.sub = newSub(release, workload);
  release.progress('Initializing', 'Rollout is in Progressing');
}

/** Jumps to the first step of the new plan that is not smaller than the upgraded part. */
function replan(release: Release, sub: SubStatus): void {
  const { plan, workload, rollout } = release;
  const size = workload?.replicas ?? 0;
  const found = plan.steps.findIndex(({ replicas }) => sizeOf(replicas, size) >= sub.replicas);
  const index = found === -1 ? plan.steps.length : found + 1;
  sub.rolloutHash = strategyHash(rollout.spec);
  if (index !== sub.currentStepIndex) sub.currentStepState = 'BeforeStepUpgrade';
  sub.currentStepIndex = index;
  sub.nextStepIndex = stepAfter(index, plan.steps.length);
  release.touch(sub);
}

async function end(release: Release, ending: Ending): Promise<void> {
  if (!(await finalise(release, ending))) return;
  const isSuccess = ending === 'success';
  const message = `Rollout progressing has been ${isSuccess ? 'completed' : 'cancelled'}`;
  release.setCondition('Progressing', 'False', 'Completed', message);
  release.setCondition('Succeeded', isSuccess ? 'True' : 'False', '');
  release.message = message;
  release.phase = 'Healthy';
}
