import { advance, type Stage, type Step } from '@/sandbox/engine/stepped-rollout';
import { abandon, release, upgrade, writeBatchRelease } from '@/sandbox/controllers/kruise/rollout/batch';
import {
  IN_PROGRESSING,
  rollsBackInBatches,
  sizeOf,
  STABLE_REVISION,
} from '@/sandbox/controllers/kruise/rollout/rollout-object';
import { type RolloutPass, type StepProgress } from '@/sandbox/controllers/kruise/rollout/rollout-pass';
import { type WantedTraffic } from '@/sandbox/controllers/kruise/rollout/traffic';
import { findSets, hashOf, type RolloutWorkload } from '@/sandbox/controllers/kruise/rollout/workload';
import { isReady } from '@/sandbox/controllers/objects/pod';
import { timeOf } from '@/sandbox/controllers/objects/time';

const INITIALIZING_MS = 3000;
/** The least time between two changes of traffic objects. */
const TRAFFIC_WAIT_MS = 3000;
const WITHOUT_CANARY: WantedTraffic = { stable: null, percent: null, canary: null };

/**
 * One move of a rollout in progress.
 * https://github.com/openkruise/rollouts/blob/master/pkg/controller/rollout/rollout_progressing.go
 */
export async function move(
  pass: RolloutPass,
  workload: RolloutWorkload,
  progress: StepProgress,
): Promise<void> {
  switch (pass.condition('Progressing')?.reason) {
    case 'Initializing':
      return initialize(pass, workload, progress);
    case 'InRolling':
      return roll(pass, workload, progress);
    case 'Paused':
      if (pass.rollout.spec.strategy.paused !== true) pass.setProgressing('InRolling', pass.message);
      return;
    case 'Finalising':
      return end(pass, 'success');
    case 'Cancelling':
      return end(pass, 'rollback');
    default:
  }
}

async function initialize(
  pass: RolloutPass,
  workload: RolloutWorkload,
  progress: StepProgress,
): Promise<void> {
  if (await labelStable(pass, workload)) return;
  const isFresh = progress.currentStepState === 'BeforeStepUpgrade' && progress.finalisingStep === '';
  if (!isFresh || progress.revision !== workload.revision) {
    pass.startProgress(workload);
    return;
  }
  const begun = timeOf(pass.condition('Progressing')?.lastUpdateTime);
  if (!pass.hasPassed(begun, INITIALIZING_MS)) return;
  progress.podTemplateHash = workload.podTemplateHash;
  pass.enter(progress, {});
  pass.setProgressing('InRolling', 'Rollout is in Progressing');
}

/** The version that runs when a rollout starts is stable; the write that started it may not have known it. */
async function labelStable(
  { manager }: RolloutPass,
  { object, resource }: RolloutWorkload,
): Promise<boolean> {
  if (object.kind !== 'Deployment') return false;
  const stable = hashOf(findSets(manager, object).find((set) => set.spec.replicas > 0));
  if (stable === '' || object.metadata.labels?.[STABLE_REVISION] === stable) return false;
  await resource.merge(object, { metadata: { labels: { [STABLE_REVISION]: stable } } });
  return true;
}

async function roll(pass: RolloutPass, workload: RolloutWorkload, progress: StepProgress): Promise<void> {
  const { rollout } = pass;
  const inBatches = rollsBackInBatches(rollout);
  if (workload.isInRollback && !inBatches) {
    const message = 'The workload has been rolled back and the rollout process will be cancelled';
    pass.setProgressing('Cancelling', message);
    progress.revision = workload.revision;
    return;
  }
  if (rollout.spec.strategy.paused === true) {
    pass.setProgressing('Paused', 'Rollout has been paused, you can resume it by kube-cli');
    return;
  }
  if (progress.revision === workload.revision) return runStep(pass, workload, progress);
  if (!workload.isInRollback) return startOver(pass, workload, progress);
  pass.startProgress(workload);
  if (pass.progress !== undefined)
    await writeBatchRelease(pass, workload, pass.progress, 'Progressing', workload.updatedPods.length);
}

/** A third version replaces the second: the changes made for the second are reverted first. */
async function startOver(
  pass: RolloutPass,
  workload: RolloutWorkload,
  progress: StepProgress,
): Promise<void> {
  if (pass.style === 'BlueGreen') {
    pass.message =
      'new version releasing detected in the progress of blue-green release, please rollback first';
    return;
  }
  if (!(await changeTraffic(pass, progress, { percent: null, canary: null })) || !(await abandon(pass)))
    return;
  pass.startProgress(workload);
  pass.setProgressing('Initializing', 'Rollout is in Progressing');
}

/** The states in which something is waited for; any other one is before them. */
const STAGES: Readonly<Record<string, Stage>> = {
  StepUpgrade: 'size',
  StepTrafficRouting: 'traffic',
  StepPaused: 'pause',
  StepReady: 'pause',
};
const STATES: Readonly<Record<Stage | 'done', string>> = {
  size: 'BeforeStepUpgrade',
  traffic: 'StepTrafficRouting',
  analysis: 'StepMetricsAnalysis',
  pause: 'StepPaused',
  done: 'Completed',
};

/**
 * Takes a rollout one state further, if that is possible.
 * https://github.com/openkruise/rollouts/blob/master/pkg/controller/rollout/rollout_canary.go
 */
async function runStep(pass: RolloutPass, workload: RolloutWorkload, progress: StepProgress): Promise<void> {
  const { currentStepIndex: index, currentStepState: state } = progress;
  const step = pass.plan.steps[index - 1];
  progress.podTemplateHash = workload.podTemplateHash;
  if (step === undefined || jump(pass, workload, progress)) return;
  if (state === 'Completed') {
    pass.setProgressing('Finalising', 'Rollout has been completed and some closing work is being done');
    return;
  }
  const stage = STAGES[state];
  const { traffic } = step;
  if (stage === undefined) {
    // A step without traffic reverts what earlier ones sent to the new version.
    const wanted = traffic === undefined ? WITHOUT_CANARY : { stable: progress.stableRevision };
    const isFirst = pass.traffic.routing !== undefined && pass.batchRelease === undefined;
    if (isFirst && !pass.hasWaited(progress, TRAFFIC_WAIT_MS)) return;
    if (await pass.traffic.change(wanted)) {
      pass.requeue(0);
      return;
    }
    say(pass, progress, 'upgrade workload to new version');
    pass.enter(progress, { currentStepState: 'StepUpgrade' });
    return;
  }
  await writeBatchRelease(pass, workload, progress, 'Progressing');
  progress.replicas = workload.updatedPods.length;
  progress.readyReplicas = workload.updatedPods.filter(isReady).length;
  const isSized = await upgrade(pass, workload, progress);
  const isRouted = stage !== 'traffic' || (await route(pass, progress, traffic));
  const steps = stepsOf(pass, workload);
  const next = advance(
    steps,
    { step: index - 1, stage },
    {
      now: pass.manager.now(),
      pausedAt: timeOf(progress.lastUpdateTime),
      isSized,
      isRouted,
      analysis: 'passed',
      isResumed: state === 'StepReady',
    },
  );
  if (next.kind === 'moves') {
    const currentStepIndex = Math.min(next.to.step + 1, steps.length);
    const nextStepIndex = pass.indexAfter(currentStepIndex);
    pass.enter(progress, { currentStepIndex, nextStepIndex, currentStepState: STATES[next.to.stage] });
    return;
  }
  if (stage === 'pause') {
    const { duration } = step.pause ?? {};
    const wait = `wait duration(${duration} seconds) to enter the next step`;
    say(pass, progress, duration === undefined ? 'you need manually confirm to enter the next step' : wait);
  }
  if (next.kind === 'waits' && next.forMs !== undefined) pass.requeue(next.forMs);
}

/** The last step waits only where it leaves pods to be updated, or both versions run. */
function stepsOf({ plan, style }: RolloutPass, { replicas: all }: RolloutWorkload): Step[] {
  return plan.steps.map(({ replicas, pause }, offset) => {
    const stages: Stage[] = ['size'];
    if (style !== 'Partition' || sizeOf(replicas, all) < all) stages.push('traffic');
    const isLast = offset === plan.steps.length - 1;
    if (!isLast || replicas !== '100%' || style === 'BlueGreen') stages.push('pause');
    const pauseMs = pause?.duration === undefined ? undefined : pause.duration * 1000;
    return { stages, pauseMs };
  });
}

function route(pass: RolloutPass, progress: StepProgress, traffic: string | undefined): Promise<boolean> {
  if (traffic === undefined) return Promise.resolve(true);
  const { stableRevision: stable, podTemplateHash: canary } = progress;
  return changeTraffic(pass, progress, { stable, canary, percent: Number.parseFloat(traffic) });
}

/**
 * Changes traffic objects one after the other, with a wait before and after each. Returns whether there is
 * nothing left to change.
 */
async function changeTraffic(
  pass: RolloutPass,
  progress: StepProgress,
  wanted: WantedTraffic,
): Promise<boolean> {
  const { routing } = pass.traffic;
  if (routing === undefined) return true;
  const waitMs = Math.max(TRAFFIC_WAIT_MS, (routing.gracePeriodSeconds ?? 0) * 1000);
  if (!pass.hasWaited(progress, waitMs)) return false;
  if (!(await pass.traffic.change(wanted))) return true;
  pass.enter(progress, {});
  pass.requeue(waitMs);
  return false;
}

/** Follows a next step written by a user or another client; one that does not exist is corrected. */
function jump(pass: RolloutPass, { replicas }: RolloutWorkload, progress: StepProgress): boolean {
  const { nextStepIndex: to, currentStepIndex, currentStepState } = progress;
  const regular = pass.indexAfter(currentStepIndex);
  if (to === regular || currentStepState === 'Completed') return false;
  const target = pass.plan.steps[to - 1];
  if (target === undefined) {
    progress.nextStepIndex = regular;
    return true;
  }
  const isThere = sizeOf(target.replicas, replicas) === progress.replicas;
  pass.enter(progress, {
    currentStepIndex: to,
    nextStepIndex: pass.indexAfter(to),
    currentStepState: isThere ? 'StepTrafficRouting' : 'BeforeStepUpgrade',
  });
  return true;
}

function say(pass: RolloutPass, { currentStepIndex }: StepProgress, words: string): void {
  pass.message = `Rollout is in step(${currentStepIndex}/${pass.plan.steps.length}), and ${words}`;
}

/** `cut`: disabled or deleted midway, which updates the rest without a wait. */
export type Ending = 'success' | 'rollback' | 'cut';

const TRAFFIC_STEPS: Readonly<Record<string, WantedTraffic>> = {
  FinalisingStepRouteTrafficToNew: { percent: 100 },
  FinalisingStepRouteTrafficToStable: { percent: null },
  RestoreStableService: { stable: null },
  RemoveCanaryService: { canary: null },
};

/** https://github.com/openkruise/rollouts/blob/master/pkg/controller/rollout/rollout_canary.go and rollout_bluegreen.go */
const ORDERS = {
  forward:
    'RestoreStableService FinalisingStepRouteTrafficToStable RemoveCanaryService ResumeWorkload ReleaseWorkloadControl',
  back: 'FinalisingStepRouteTrafficToStable ResumeWorkload ReleaseWorkloadControl RestoreStableService RemoveCanaryService',
  blueGreenForward:
    'FinalisingStepRouteTrafficToNew RestoreStableService ResumeWorkload FinalisingStepRouteTrafficToStable RemoveCanaryService ReleaseWorkloadControl',
  blueGreenBack:
    'FinalisingStepRouteTrafficToStable ResumeWorkload RestoreStableService RemoveCanaryService ReleaseWorkloadControl',
};

/** Finalizes a rollout one step further, if that is possible. Returns whether it is finalized. */
export async function finalise(pass: RolloutPass, ending: Ending): Promise<boolean> {
  const { progress, workload, style } = pass;
  if (workload?.isInProgress === true)
    await workload.resource.merge(workload.object, { metadata: { annotations: { [IN_PROGRESSING]: null } } });
  if (progress === undefined || progress.finalisingStep === 'END') return true;
  const isBack = ending === 'rollback';
  const canary = isBack ? ORDERS.back : ORDERS.forward;
  const blueGreen = isBack ? ORDERS.blueGreenBack : ORDERS.blueGreenForward;
  const order = [...(style === 'BlueGreen' ? blueGreen : canary).split(' '), 'END'];
  const index = order.indexOf(progress.finalisingStep);
  if (index !== -1 && !(await close(pass, progress, ending))) return false;
  pass.enter(progress, { finalisingStep: order[index + 1] ?? 'END' });
  return progress.finalisingStep === 'END';
}

function close(pass: RolloutPass, progress: StepProgress, ending: Ending): Promise<boolean> {
  const wanted = TRAFFIC_STEPS[progress.finalisingStep];
  if (wanted !== undefined) return changeTraffic(pass, progress, wanted);
  const isRelease = progress.finalisingStep === 'ResumeWorkload';
  return isRelease ? release(pass, progress, ending === 'success') : abandon(pass);
}

async function end(pass: RolloutPass, ending: 'success' | 'rollback'): Promise<void> {
  if (!(await finalise(pass, ending))) return;
  const isSuccess = ending === 'success';
  const message = `Rollout progressing has been ${isSuccess ? 'completed' : 'cancelled'}`;
  pass.setCondition('Progressing', 'False', 'Completed', message);
  pass.setCondition('Succeeded', isSuccess ? 'True' : 'False', '');
  pass.message = message;
  pass.phase = 'Healthy';
}
