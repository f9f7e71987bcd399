import { isBatchReady, noteBatch, runBatch } from '@/sandbox/controllers/kruise/rollout/batch';
import { type Release } from '@/sandbox/controllers/kruise/rollout/release';
import { sizeOf, type KruiseStep, stepAfter } from '@/sandbox/controllers/kruise/shared/rollout-object';
import { type SubStatus } from '@/sandbox/controllers/kruise/rollout/sub-status';

/** The least time between two changes of traffic objects. */
const TRAFFIC_WAIT_MS = 3000;

/**
 * Takes a release one state further, if that is possible.
 * https://github.com/openkruise/rollouts/blob/master/pkg/controller/rollout/rollout_canary.go
 */
export async function runStep(release: Release, sub: SubStatus): Promise<void> {
  if (release.workload !== undefined) sub.podTemplateHash = release.workload.podTemplateHash;
  const step = release.step(sub.currentStepIndex);
  if (step === undefined) return;
  noteBatch(sub, release.batchRelease);
  if (jump(release, sub)) return;
  switch (sub.currentStepState) {
    case 'BeforeStepUpgrade':
      if (await prepareTraffic(release, step, sub)) {
        setMessage(release, sub, 'upgrade workload to new version');
        enter(release, sub, 'StepUpgrade');
      }
      return;
    case 'StepUpgrade':
      return upgrade(release, step, sub);
    case 'StepTrafficRouting':
      if (await changeTraffic(release, sub, () => release.traffic.route(step, sub)))
        enter(release, sub, 'StepMetricsAnalysis');
      return;
    case 'StepMetricsAnalysis':
      return enter(release, sub, 'StepPaused');
    case 'StepPaused':
      if (canContinue(release, step, sub)) enter(release, sub, 'StepReady');
      return;
    case 'StepReady':
      return continueRollout(release, sub);
    case 'Completed':
      release.progress('Finalising', 'Rollout has been completed and some closing work is being done');
      return;
    default:
      return enter(release, sub, 'BeforeStepUpgrade');
  }
}

/**
 * Changes traffic objects one after the other, with a wait after each. Returns whether there is nothing left
 * to change.
 */
export async function changeTraffic(
  release: Release,
  sub: SubStatus,
  change: () => Promise<boolean>,
  waitMs = waitOf(release),
): Promise<boolean> {
  if (!release.traffic.isRouted) return true;
  if (!release.hasWaited(sub, waitMs)) return false;
  if (!(await change())) return true;
  release.touch(sub);
  release.hasWaited(sub, waitMs);
  return false;
}

function waitOf({ plan }: Release): number {
  return Math.max(TRAFFIC_WAIT_MS, graceOf(plan.trafficRoutings?.[0]?.gracePeriodSeconds));
}

function graceOf(seconds = 3): number {
  return seconds * 1000;
}

/** A step without traffic reverts what earlier ones sent to the new version. */
function prepareTraffic(release: Release, step: KruiseStep, sub: SubStatus): Promise<boolean> {
  const { traffic, plan } = release;
  const isRouted = step.traffic !== undefined || (step.matches ?? []).length > 0;
  const change = async () =>
    isRouted
      ? traffic.restrictStable(sub)
      : (await traffic.restoreStable()) || (await traffic.routeToStable()) || traffic.removeService();
  return changeTraffic(release, sub, change, graceOf(plan.trafficRoutings?.[0]?.gracePeriodSeconds));
}

async function upgrade(release: Release, step: KruiseStep, sub: SubStatus): Promise<void> {
  const batchRelease = await runBatch(release, sub);
  if (batchRelease === undefined || !isBatchReady(batchRelease)) return;
  const replicas = release.workload?.replicas ?? 0;
  const isWhole = sizeOf(step.replicas, replicas) >= replicas;
  const skipsTraffic = release.style === 'Partition' && isWhole;
  enter(release, sub, skipsTraffic ? 'StepMetricsAnalysis' : 'StepTrafficRouting');
}

function canContinue(release: Release, step: KruiseStep, sub: SubStatus): boolean {
  const isLast = sub.currentStepIndex >= release.plan.steps.length;
  if (isLast && step.replicas === '100%' && release.style !== 'BlueGreen') return true;
  const { duration } = step.pause ?? {};
  if (duration === undefined) {
    setMessage(release, sub, 'you need manually confirm to enter the next step');
    return false;
  }
  setMessage(release, sub, `wait duration(${duration} seconds) to enter the next step`);
  return release.hasWaited(sub, duration * 1000);
}

function continueRollout(release: Release, sub: SubStatus): void {
  const { length } = release.plan.steps;
  if (sub.currentStepIndex >= length) {
    enter(release, sub, 'Completed');
    return;
  }
  sub.currentStepIndex += 1;
  sub.nextStepIndex = stepAfter(sub.currentStepIndex, length);
  enter(release, sub, 'BeforeStepUpgrade');
}

/** Follows a next step written by a user or another client; one that does not exist is corrected. */
function jump(release: Release, sub: SubStatus): boolean {
  const { length } = release.plan.steps;
  const regular = stepAfter(sub.currentStepIndex, length);
  if (sub.nextStepIndex === regular || sub.currentStepState === 'Completed') return false;
  const target = release.step(sub.nextStepIndex);
  if (target === undefined) {
    sub.nextStepIndex = regular;
    return true;
  }
  sub.currentStepIndex = sub.nextStepIndex;
  sub.nextStepIndex = stepAfter(sub.currentStepIndex, length);
  const isThere = sizeOf(target.replicas, release.workload?.replicas ?? 0) === sub.replicas;
  enter(release, sub, isThere ? 'StepTrafficRouting' : 'BeforeStepUpgrade');
  return true;
}

function enter(release: Release, sub: SubStatus, state: string): void {
  sub.currentStepState = state;
  release.touch(sub);
}

function setMessage(release: Release, sub: SubStatus, words: string): void {
  release.message = `Rollout is in step(${sub.currentStepIndex}/${release.plan.steps.length}), and ${words}`;
}
