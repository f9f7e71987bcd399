import { isBatchReady, noteBatch, runBatch } from '@/sandbox/controllers/kruise/rollout/batch';
import { type RolloutPass } from '@/sandbox/controllers/kruise/rollout/rollout-pass';
import { sizeOf, type CanaryStep, stepAfter } from '@/sandbox/controllers/kruise/shared/rollout-object';
import { type SubStatus } from '@/sandbox/controllers/kruise/rollout/sub-status';

/** The least time between two changes of traffic objects. */
const TRAFFIC_WAIT_MS = 3000;

/**
 * Takes a rollout one state further, if that is possible.
 * https://github.com/openkruise/rollouts/blob/master/pkg/controller/rollout/rollout_canary.go
 */
export async function runStep(pass: RolloutPass, sub: SubStatus): Promise<void> {
  if (pass.workload !== undefined) sub.podTemplateHash = pass.workload.podTemplateHash;
  const step = pass.step(sub.currentStepIndex);
  if (step === undefined) return;
  noteBatch(sub, pass.batchRelease);
  if (jump(pass, sub)) return;
  switch (sub.currentStepState) {
    case 'BeforeStepUpgrade':
      if (await prepareTraffic(pass, step, sub)) {
        setMessage(pass, sub, 'upgrade workload to new version');
        enter(pass, sub, 'StepUpgrade');
      }
      return;
    case 'StepUpgrade':
      return upgrade(pass, step, sub);
    case 'StepTrafficRouting':
      if (await changeTraffic(pass, sub, () => pass.traffic.route(step, sub)))
        enter(pass, sub, 'StepMetricsAnalysis');
      return;
    case 'StepMetricsAnalysis':
      return enter(pass, sub, 'StepPaused');
    case 'StepPaused':
      if (canContinue(pass, step, sub)) enter(pass, sub, 'StepReady');
      return;
    case 'StepReady':
      return continueRollout(pass, sub);
    case 'Completed':
      pass.progress('Finalising', 'Rollout has been completed and some closing work is being done');
      return;
    default:
      return enter(pass, sub, 'BeforeStepUpgrade');
  }
}

/**
 * Changes traffic objects one after the other, with a wait after each. Returns whether there is nothing left
 * to change.
 */
export async function changeTraffic(
  pass: RolloutPass,
  sub: SubStatus,
  change: () => Promise<boolean>,
  waitMs = waitOf(pass),
): Promise<boolean> {
  if (!pass.traffic.isRouted) return true;
  if (!pass.hasWaited(sub, waitMs)) return false;
  if (!(await change())) return true;
  pass.touch(sub);
  pass.hasWaited(sub, waitMs);
  return false;
}

function waitOf({ plan }: RolloutPass): number {
  return Math.max(TRAFFIC_WAIT_MS, graceOf(plan.trafficRoutings?.[0]?.gracePeriodSeconds));
}

function graceOf(seconds = 3): number {
  return seconds * 1000;
}

/** A step without traffic reverts what earlier ones sent to the new version. */
function prepareTraffic(pass: RolloutPass, step: CanaryStep, sub: SubStatus): Promise<boolean> {
  const { traffic, plan } = pass;
  const isRouted = step.traffic !== undefined || (step.matches ?? []).length > 0;
  const change = async () =>
    isRouted
      ? traffic.restrictStable(sub)
      : (await traffic.restoreStable()) || (await traffic.routeToStable()) || traffic.removeService();
  return changeTraffic(pass, sub, change, graceOf(plan.trafficRoutings?.[0]?.gracePeriodSeconds));
}

async function upgrade(pass: RolloutPass, step: CanaryStep, sub: SubStatus): Promise<void> {
  const batchRelease = await runBatch(pass, sub);
  if (batchRelease === undefined || !isBatchReady(batchRelease)) return;
  const replicas = pass.workload?.replicas ?? 0;
  const isWhole = sizeOf(step.replicas, replicas) >= replicas;
  const skipsTraffic = pass.style === 'Partition' && isWhole;
  enter(pass, sub, skipsTraffic ? 'StepMetricsAnalysis' : 'StepTrafficRouting');
}

function canContinue(pass: RolloutPass, step: CanaryStep, sub: SubStatus): boolean {
  const isLast = sub.currentStepIndex >= pass.plan.steps.length;
  if (isLast && step.replicas === '100%' && pass.style !== 'BlueGreen') return true;
  const { duration } = step.pause ?? {};
  if (duration === undefined) {
    setMessage(pass, sub, 'you need manually confirm to enter the next step');
    return false;
  }
  setMessage(pass, sub, `wait duration(${duration} seconds) to enter the next step`);
  return pass.hasWaited(sub, duration * 1000);
}

function continueRollout(pass: RolloutPass, sub: SubStatus): void {
  const { length } = pass.plan.steps;
  if (sub.currentStepIndex >= length) {
    enter(pass, sub, 'Completed');
    return;
  }
  sub.currentStepIndex += 1;
  sub.nextStepIndex = stepAfter(sub.currentStepIndex, length);
  enter(pass, sub, 'BeforeStepUpgrade');
}

/** Follows a next step written by a user or another client; one that does not exist is corrected. */
function jump(pass: RolloutPass, sub: SubStatus): boolean {
  const { length } = pass.plan.steps;
  const regular = stepAfter(sub.currentStepIndex, length);
  if (sub.nextStepIndex === regular || sub.currentStepState === 'Completed') return false;
  const target = pass.step(sub.nextStepIndex);
  if (target === undefined) {
    sub.nextStepIndex = regular;
    return true;
  }
  sub.currentStepIndex = sub.nextStepIndex;
  sub.nextStepIndex = stepAfter(sub.currentStepIndex, length);
  const isThere = sizeOf(target.replicas, pass.workload?.replicas ?? 0) === sub.replicas;
  enter(pass, sub, isThere ? 'StepTrafficRouting' : 'BeforeStepUpgrade');
  return true;
}

function enter(pass: RolloutPass, sub: SubStatus, state: string): void {
  sub.currentStepState = state;
  pass.touch(sub);
}

function setMessage(pass: RolloutPass, sub: SubStatus, words: string): void {
  pass.message = `Rollout is in step(${sub.currentStepIndex}/${pass.plan.steps.length}), and ${words}`;
}
