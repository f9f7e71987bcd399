import { Fleet, type FleetPlay, playOf } from './fleet';
import { deployment } from './native';
import { condition, type Json, type JsonObject, type KubeObject, ownerOf, type Scene, time } from './scene';

const LABEL = 'rollouts-pod-template-hash';

/** Where a Rollout stands, as often as its weight. */
const STAGES = {
  ...{ healthy: 14, progressing: 16, pauseStep: 14, resumed: 3, analysis: 8, inconclusive: 5, pastSteps: 5 },
  ...{
    aborted: 7,
    aborting: 3,
    late: 6,
    invalid: 2,
    promoteFull: 4,
    paused: 4,
    restarting: 3,
    failedStep: 3,
  },
  ...{ unknownPhase: 4, noPhase: 3, noStatus: 2 },
};
type Stage = keyof typeof STAGES;

const STEPS: readonly JsonObject[] = [
  ...[
    { setWeight: 20 },
    { setWeight: 40 },
    { setWeight: 50 },
    { setWeight: 80 },
    { pause: {} },
    { pause: {} },
  ],
  ...[{ pause: { duration: '10m' } }, { pause: { duration: 30 } }, { setCanaryScale: { replicas: 1 } }],
  ...[{ setCanaryScale: { weight: 30 } }, { analysis: { templates: [{ templateName: 'error-rate' }] } }],
  ...[{ experiment: { templates: [{ name: 'baseline' }] } }, { setHeaderRoute: { name: 'beta', match: [] } }],
  ...[
    { plugin: { name: 'example/step' } },
    { setMirrorRoute: { name: 'mirror', percentage: 10 } },
    { warp: 9 },
  ],
];

export function argoRollout(scene: Scene): FleetPlay {
  const kind = { apiVersion: 'argoproj.io/v1alpha1', kind: 'Rollout' };
  const fleet = new Fleet(scene, { ...kind, source: 'ReplicaSet', hashLabel: LABEL });
  const isBlueGreen = scene.chance(35);
  const automatic = scene.pick([undefined, undefined, false, false, true]);
  const owner = scene.chance(12)
    ? deployment(scene, { name: 'template', replicas: scene.int(2) })
    : undefined;
  const hasTextGeneration = scene.chance(10);
  const preview = isBlueGreen ? scene.maybe(25, 1) : undefined;
  const routing = scene.maybe(35, {
    nginx: { stableIngress: fleet.name },
    maxTrafficWeight: scene.maybe(20, 1_000),
  });
  const uids = [scene.uid(), scene.uid()];
  let steps = stepsOf(scene);
  let stage: Stage = 'healthy';
  let index = 0;

  function enter(next: Stage): void {
    if (fleet.isLagging) return;
    stage =
      fleet.revisions.length === 1 && !['healthy', 'late', 'invalid', 'noStatus'].includes(next)
        ? 'progressing'
        : next;
    fleet.paused = stage === 'paused';
    if (stage === 'pauseStep') index = stepNumber(steps, 'pause', scene);
    else if (stage === 'analysis' || stage === 'inconclusive' || stage === 'failedStep')
      index = stepNumber(steps, scene.pick(['analysis', 'experiment', 'plugin']), scene);
    else index = stage === 'aborted' || stage === 'aborting' ? 0 : scene.int(Math.max(1, steps.length));
    if (stage === 'pastSteps' || stage === 'healthy') index = steps.length;
    if (stage === 'healthy' || stage === 'restarting') fleet.stable = fleet.target;
    else if (fleet.stable === fleet.target)
      fleet.stable = fleet.revisions.find((each) => each !== fleet.target) ?? fleet.target;
    const share = isBlueGreen ? fleet.replicas : Math.ceil((fleet.replicas * (20 + 15 * index)) / 100);
    const isStill = stage === 'pauseStep' || stage === 'healthy' || stage === 'analysis';
    const mood =
      isStill && scene.chance(85)
        ? 'ready'
        : stage === 'late'
          ? scene.pick(['broken', 'mixed'] as const)
          : undefined;
    fleet.place(stage === 'aborted' ? scene.int(2) : stage === 'healthy' ? fleet.replicas : share, mood);
  }
  enter(scene.weighted(STAGES));

  function canary(): JsonObject {
    return {
      ...{ steps: [...steps], maxSurge: '25%', maxUnavailable: 0, trafficRouting: routing },
      ...{ stableService: 'stable', canaryService: 'canary' },
    };
  }

  function render(): KubeObject[] {
    const { replicas, generation, template, name } = fleet;
    const reference = owner?.fleet;
    if (reference !== undefined)
      fleet.annotations = { 'rollout.argoproj.io/workload-generation': String(reference.observed) };
    else fleet.annotations = {};
    fleet.annotations['rollout.argoproj.io/revision'] = String(fleet.target.number);
    const blueGreen = {
      ...{ activeService: 'active', previewService: 'preview', previewReplicaCount: preview },
      ...{ autoPromotionEnabled: automatic, autoPromotionSeconds: automatic === true ? 120 : undefined },
    };
    const runs = relatedRuns(fleet, stage, isBlueGreen, index, uids);
    const rollout = fleet.render(
      {
        ...{ replicas, paused: fleet.paused || undefined, selector: { matchLabels: { app: name } } },
        ...{ minReadySeconds: fleet.minReadySeconds, revisionHistoryLimit: fleet.historyLimit },
        ...(reference === undefined
          ? { template }
          : { workloadRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: reference.name } }),
        strategy: isBlueGreen ? { blueGreen } : { canary: canary() },
        restartAt: stage === 'restarting' ? time(fleet.changedAt) : undefined,
      },
      stage === 'noStatus' ? {} : statusOf(fleet, stage, index, isBlueGreen, runs[0]?.metadata.name),
      scene.namespace.endsWith('4') ? [] : runs,
    );
    const [object] = rollout;
    if (hasTextGeneration && object?.kind === 'Rollout' && object['status'] !== undefined)
      (object['status'] as JsonObject)['observedGeneration'] = String(
        fleet.isLagging ? generation - 1 : generation,
      );
    return [...rollout, ...(owner?.render() ?? [])];
  }

  return playOf(fleet, render, {
    stage: [45, () => enter(scene.weighted(STAGES))],
    next: [12, () => enter(scene.pick(['pauseStep', 'progressing', 'healthy', 'resumed']))],
    canary: [14, () => (fleet.write(), fleet.release(scene.now - 500), enter('progressing'), (index = 0))],
    plan: [5, () => (fleet.write(), (steps = stepsOf(scene)))],
    template: [owner === undefined ? 0 : 8, () => owner?.change()],
  });
}

function stepsOf(scene: Scene): JsonObject[] {
  return Array.from({ length: scene.pick([0, 2, 3, 4, 5]) }, () => scene.pick(STEPS));
}

/** Gives the plan such a step where it has none. */
function stepNumber(steps: JsonObject[], kind: string, scene: Scene): number {
  const found = steps.findIndex((step) => step[kind] !== undefined);
  if (found >= 0) return found;
  const index = scene.int(steps.length + 1);
  const wanted = STEPS.filter((step) => step[kind] !== undefined);
  steps.splice(index, 0, scene.pick(wanted));
  return index;
}

function statusOf(fleet: Fleet, stage: Stage, index: number, isBlueGreen: boolean, run?: string): JsonObject {
  const { scene, target, stable, progressAt, observed, changedAt } = fleet;
  const { total, updated, ready, available } = fleet.counts();
  const isFirst = fleet.revisions.length === 1 && stage !== 'healthy';
  const isActive = stage === 'healthy' || stage === 'pastSteps' || stage === 'restarting';
  const reasons: Partial<Record<Stage, string>> = {
    pauseStep: isBlueGreen ? 'BlueGreenPause' : 'CanaryPauseStep',
    inconclusive: 'InconclusiveAnalysisRun',
  };
  const reason = reasons[stage];
  const [phase, message] = phaseOf(stage);
  const analysis = {
    name: run,
    status: stage === 'analysis' ? 'Running' : stage === 'inconclusive' ? 'Inconclusive' : 'Failed',
  };
  const named = run === undefined ? undefined : analysis;
  return {
    ...{ phase, message, observedGeneration: String(observed), replicas: total, updatedReplicas: updated },
    ...{ readyReplicas: ready, availableReplicas: available, currentPodHash: target.hash },
    stableRS: isFirst ? '' : stable.hash,
    currentStepIndex: isBlueGreen ? undefined : index,
    pauseConditions: reason === undefined ? undefined : [{ reason, startTime: time(progressAt) }],
    controllerPause: reason !== undefined || stage === 'resumed' || undefined,
    abort: stage === 'aborted' || stage === 'aborting' || undefined,
    abortedAt: stage === 'aborted' || stage === 'aborting' ? time(progressAt) : undefined,
    promoteFull: stage === 'promoteFull' || undefined,
    restartedAt:
      stage === 'restarting' ? undefined : scene.namespace.endsWith('5') ? time(changedAt) : undefined,
    workloadObservedGeneration: scene.namespace.endsWith('6') ? '1' : String(observed),
    blueGreen: isBlueGreen
      ? {
          activeSelector: isActive ? target.hash : stable.hash,
          ...{ previewSelector: target.hash, prePromotionAnalysisRunStatus: named },
        }
      : undefined,
    canary: isBlueGreen
      ? undefined
      : {
          weights: scene.namespace.endsWith('8')
            ? undefined
            : { canary: { weight: isActive ? 100 : 20 * index } },
          currentStepAnalysisRunStatus: named,
          stepPluginStatuses: pluginsOf(stage, index),
        },
    conditions: conditionsOf(fleet, stage),
  };
}

function pluginsOf(stage: Stage, index: number): Json[] | undefined {
  const phases: Partial<Record<Stage, string>> = {
    failedStep: 'Failed',
    analysis: 'Running',
    progressing: 'Successful',
  };
  const phase = phases[stage];
  if (phase === undefined) return undefined;
  return [{ index, name: 'example/step', phase, disabled: index % 3 === 2, operation: 'Run' }];
}

function phaseOf(stage: Stage): [phase?: string, message?: string] {
  switch (stage) {
    case 'healthy':
    case 'restarting':
      return ['Healthy'];
    case 'pauseStep':
      return ['Paused', 'CanaryPauseStep'];
    case 'inconclusive':
      return ['Paused', 'InconclusiveAnalysisRun'];
    case 'paused':
      return ['Paused', 'manually paused'];
    case 'aborted':
      return ['Degraded', 'RolloutAborted: Rollout aborted update: Metric "error-rate" assessed Failed'];
    case 'late':
      return ['Degraded', 'ProgressDeadlineExceeded: ReplicaSet has timed out progressing.'];
    case 'invalid':
    case 'failedStep':
      return ['Degraded', 'InvalidSpec: Rollout has an invalid step'];
    case 'unknownPhase':
      return ['Scheduled'];
    case 'noPhase':
    case 'noStatus':
      return [];
    default:
      return ['Progressing', 'more replicas need to be updated'];
  }
}

function conditionsOf({ scene, progressAt }: Fleet, stage: Stage): JsonObject[] | undefined {
  if (scene.namespace.endsWith('2')) return undefined;
  const progressing: Partial<Record<Stage, [string, string]>> = {
    healthy: ['True', 'NewReplicaSetAvailable'],
    late: ['False', 'ProgressDeadlineExceeded'],
    aborted: ['False', 'RolloutAborted'],
    pauseStep: ['Unknown', 'RolloutPaused'],
  };
  const [status, reason] = progressing[stage] ?? ['True', 'ReplicaSetUpdated'];
  const isHealthy = stage === 'healthy';
  return [
    condition('Progressing', status, progressAt, reason),
    condition(
      'Healthy',
      isHealthy ? 'True' : 'False',
      progressAt,
      isHealthy ? 'RolloutHealthy' : 'RolloutNotHealthy',
    ),
    ...(isHealthy ? [condition('Completed', 'True', progressAt, 'RolloutCompleted')] : []),
    ...(stage === 'invalid' ? [condition('InvalidSpec', 'True', progressAt, 'InvalidSpec', 'bad step')] : []),
  ];
}

/** The analysis that the status names. */
function relatedRuns(
  fleet: Fleet,
  stage: Stage,
  isBlueGreen: boolean,
  index: number,
  [uid = '']: readonly string[],
): KubeObject[] {
  const phases: Partial<Record<Stage, string>> = {
    ...{ analysis: 'Running', inconclusive: 'Inconclusive', aborted: 'Failed', failedStep: 'Error' },
  };
  const phase = phases[stage];
  if (phase === undefined) return [];
  const { scene, target, name, options, progressAt } = fleet;
  const value = String(scene.namespace.charCodeAt(4) - 40);
  const step = isBlueGreen ? undefined : String(index);
  return [
    {
      ...{ apiVersion: 'argoproj.io/v1alpha1', kind: 'AnalysisRun' },
      metadata: scene.meta(`${name}-${target.hash}-${index}`, {
        ...{
          uid,
          at: progressAt,
          labels: { 'step-index': step },
          ownerReferences: ownerOf({ ...options, name }, fleet.uid),
        },
      }),
      spec: { metrics: [{ name: 'error-rate', successCondition: 'result <= 1' }] },
      status: {
        phase,
        message: `metric error-rate: ${phase}`,
        metricResults: [{ name: 'error-rate', count: 3, failed: 2, measurements: [{ value }] }],
      },
    },
  ];
}
