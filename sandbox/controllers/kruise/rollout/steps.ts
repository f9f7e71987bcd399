import { advance, type Stage, type Step } from '@/sandbox/engine/stepped-rollout';
import { abandon, upgrade, writeBatchRelease } from '@/sandbox/controllers/kruise/rollout/batch';
import { end } from '@/sandbox/controllers/kruise/rollout/finalising';
import {
  type CanaryStep,
  rollsBackInBatches,
  sizeOf,
  STABLE_REVISION,
} from '@/sandbox/controllers/kruise/rollout/rollout-object';
import type { RolloutPass, StepProgress } from '@/sandbox/controllers/kruise/rollout/rollout-pass';
import {
  changeTraffic,
  makeChange,
  routingOf,
  TRAFFIC_WAIT_MS,
  type WantedTraffic,
} from '@/sandbox/controllers/kruise/rollout/traffic';
import { findSets, hashOf, type RolloutWorkload } from '@/sandbox/controllers/kruise/rollout/workload';
import { isReady } from '@/sandbox/controllers/objects/pod';
import { timeOf } from '@/sandbox/controllers/objects/time';

const INITIALIZING_MS = 3000;
const WITHOUT_CANARY: WantedTraffic = { stable: null, percent: null, canary: null };

type Move = (pass: RolloutPass, workload: RolloutWorkload, progress: StepProgress) => unknown;

/**
 * One move of a rollout in progress, by the reason of its condition.
 * https://github.com/openkruise/rollouts/blob/master/pkg/controller/rollout/rollout_progressing.go
 */
export const MOVES: Readonly<Record<string, Move>> = {
  Initializing: initialize,
  InRolling: roll,
  Paused: (pass) => {
    if (pass.rollout.spec.strategy.paused !== true) pass.setProgressing('InRolling', pass.message);
  },
  Finalising: (pass) => end(pass, 'success'),
  Cancelling: (pass) => end(pass, 'rollback'),
};

async function initialize(
  pass: RolloutPass,
  workload: RolloutWorkload,
  progress: StepProgress,
): Promise<void> {
  if (await labelStable(pass, workload)) return;
  const isFresh = progress.currentStepState === 'BeforeStepUpgrade' && progress.finalisingStep === '';
  if (!isFresh || progress.canaryRevision !== workload.revision) {
    pass.startProgress(workload);
    return;
  }
  if (!pass.hasWaited(pass.condition('Progressing')?.lastUpdateTime, INITIALIZING_MS)) return;
  pass.enter(progress, { podTemplateHash: workload.podTemplateHash });
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
  if (workload.isInRollback && !rollsBackInBatches(rollout)) {
    const message = 'The workload has been rolled back and the rollout process will be cancelled';
    pass.setProgressing('Cancelling', message);
    progress.canaryRevision = workload.revision;
  } else if (rollout.spec.strategy.paused === true)
    pass.setProgressing('Paused', 'Rollout has been paused, you can resume it by kube-cli');
  else if (progress.canaryRevision === workload.revision) await runStep(pass, workload, progress);
  else if (!workload.isInRollback) await startOver(pass, workload, progress);
  else {
    pass.startProgress(workload);
    const kept = workload.updatedPods.length;
    if (pass.progress !== undefined) await writeBatchRelease(pass, workload, pass.progress, { kept });
  }
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
  if (stage === undefined) return enterStep(pass, progress, step);
  await writeBatchRelease(pass, workload, progress);
  progress.canaryReplicas = workload.updatedPods.length;
  progress.canaryReadyReplicas = workload.updatedPods.filter(isReady).length;
  const steps = stepsOf(pass, workload);
  const seen = {
    now: pass.manager.now(),
    pausedAt: timeOf(progress.lastUpdateTime),
    isSized: await upgrade(pass, workload, progress),
    isRouted: stage !== 'traffic' || (await route(pass, progress, step)),
    analysis: 'passed' as const,
    isResumed: state === 'StepReady',
  };
  const next = advance(steps, { step: index - 1, stage }, seen);
  if (next.kind === 'moves') {
    const currentStepIndex = Math.min(next.to.step + 1, steps.length);
    const nextStepIndex = pass.indexAfter(currentStepIndex);
    pass.enter(progress, { currentStepIndex, nextStepIndex, currentStepState: STATES[next.to.stage] });
    return;
  }
  const { duration } = step.pause ?? {};
  const wait = duration === undefined ? 'you need manually confirm' : `wait duration(${duration} seconds)`;
  if (stage === 'pause') say(pass, index, `${wait} to enter the next step`);
  if (next.kind === 'waits' && next.forMs !== undefined) pass.requeue(next.forMs);
}

/** A step without traffic reverts what earlier ones sent to the new version. */
async function enterStep(pass: RolloutPass, progress: StepProgress, { traffic }: CanaryStep): Promise<void> {
  const isFirst = routingOf(pass) !== undefined && pass.batchRelease === undefined;
  if (isFirst && !pass.hasWaited(progress.lastUpdateTime, TRAFFIC_WAIT_MS)) return;
  const wanted = traffic === undefined ? WITHOUT_CANARY : { stable: progress.stableRevision };
  if (await makeChange(pass, wanted)) {
    pass.requeue(0);
    return;
  }
  say(pass, progress.currentStepIndex, 'upgrade workload to new version');
  pass.enter(progress, { currentStepState: 'StepUpgrade' });
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

function route(pass: RolloutPass, progress: StepProgress, { traffic }: CanaryStep): Promise<boolean> {
  if (traffic === undefined) return Promise.resolve(true);
  const { stableRevision: stable, podTemplateHash: canary } = progress;
  return changeTraffic(pass, progress, { stable, canary, percent: Number.parseFloat(traffic) });
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
  const isThere = sizeOf(target.replicas, replicas) === progress.canaryReplicas;
  const state = isThere ? 'StepTrafficRouting' : 'BeforeStepUpgrade';
  pass.enter(progress, {
    currentStepIndex: to,
    nextStepIndex: pass.indexAfter(to),
    currentStepState: state,
  });
  return true;
}

function say(pass: RolloutPass, index: number, words: string): void {
  pass.message = `Rollout is in step(${index}/${pass.plan.steps.length}), and ${words}`;
}
