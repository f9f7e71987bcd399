import { fill } from './fill';
import { Fleet, type FleetPlay, playOf } from './fleet';
import { deployment } from './native';
import { condition, type JsonObject, type KubeObject, type Scene, time } from './scene';
import tables from './tables.json' with { type: 'json' };

const LABEL = 'rollouts-pod-template-hash';

type Stage = keyof typeof tables.argo.weights;

/** What a stage shows; most are merely in progress. */
interface Shown {
  phase?: string;
  message?: string;
  progressing?: string[];
  run?: string;
  plugin?: string;
}

function shownIn(stage: Stage): Shown {
  const stages: Partial<Record<string, Shown>> = tables.argo.stages;
  return stages[stage] ?? tables.argo.stages.other;
}

export function argoRollout(scene: Scene): FleetPlay {
  const kind = { apiVersion: 'argoproj.io/v1alpha1', kind: 'Rollout' };
  const fleet = new Fleet(scene, { ...kind, source: 'ReplicaSet', hashLabel: LABEL });
  const isBlueGreen = scene.chance(35);
  const automatic = scene.pick([undefined, undefined, false, false, true]);
  const isElsewhere = scene.chance(12);
  const owner = isElsewhere ? deployment(scene, { name: 'template', replicas: scene.int(2) }) : undefined;
  const hasTextGeneration = scene.chance(10);
  const preview = isBlueGreen ? scene.maybe(25, 1) : undefined;
  const router = { nginx: { stableIngress: fleet.name }, maxTrafficWeight: scene.maybe(20, 1_000) };
  const routing = scene.maybe(35, router);
  const [uid] = [scene.uid(), scene.uid()];
  let steps = stepsOf(scene);
  let stage: Stage = 'healthy';
  let index = 0;

  function enter(next: Stage): void {
    if (fleet.isLagging) return;
    const isFirst =
      fleet.revisions.length === 1 && !['healthy', 'late', 'invalid', 'noStatus'].includes(next);
    stage = isFirst ? 'progressing' : next;
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
    const bad = () => (stage === 'late' ? scene.pick(['broken', 'mixed'] as const) : undefined);
    const mood = isStill && scene.chance(85) ? 'ready' : bad();
    fleet.place(stage === 'aborted' ? scene.int(2) : stage === 'healthy' ? fleet.replicas : share, mood);
  }
  enter(scene.weighted(tables.argo.weights));

  function render(): KubeObject[] {
    const { generation, template, observed } = fleet;
    const reference = owner?.fleet;
    const written = reference && String(reference.observed);
    fleet.annotations = { 'rollout.argoproj.io/workload-generation': written };
    fleet.annotations['rollout.argoproj.io/revision'] = String(fleet.target.number);
    const seconds = automatic === true ? 120 : undefined;
    const blueGreen = fill('Argo.blueGreen', { preview, automatic, seconds });
    const canary = fill('Argo.canary', { steps: [...steps], routing });
    const runs = relatedRuns(fleet, stage, isBlueGreen, index, uid);
    const spec = fill('Argo.spec', {
      fleet,
      template: reference === undefined ? template : undefined,
      workloadRef: reference && { apiVersion: 'apps/v1', kind: 'Deployment', name: reference.name },
      strategy: isBlueGreen ? { blueGreen } : { canary },
      restartAt: stage === 'restarting' ? time(fleet.changedAt) : undefined,
    });
    const all = statusOf(fleet, stage, index, isBlueGreen, runs[0]?.metadata.name);
    const status = stage === 'noStatus' ? {} : all;
    const seen = hasTextGeneration ? (fleet.isLagging ? generation - 1 : generation) : observed;
    if (stage !== 'noStatus' || hasTextGeneration) status['observedGeneration'] = String(seen);
    return [
      ...fleet.render(spec, status, scene.namespace.endsWith('4') ? [] : runs),
      ...(owner?.render() ?? []),
    ];
  }

  return playOf(fleet, render, {
    stage: [45, () => enter(scene.weighted(tables.argo.weights))],
    next: [12, () => enter(scene.pick(['pauseStep', 'progressing', 'healthy', 'resumed']))],
    canary: [14, () => (fleet.write(), fleet.release(scene.now - 500), enter('progressing'), (index = 0))],
    plan: [5, () => (fleet.write(), (steps = stepsOf(scene)))],
    template: [owner === undefined ? 0 : 8, () => owner?.change()],
  });
}

function stepsOf(scene: Scene): JsonObject[] {
  return Array.from({ length: scene.pick([0, 2, 3, 4, 5]) }, () => scene.pick<JsonObject>(tables.argo.steps));
}

/** Gives the plan such a step where it has none. */
function stepNumber(steps: JsonObject[], kind: string, scene: Scene): number {
  const found = steps.findIndex((step) => step[kind] !== undefined);
  if (found >= 0) return found;
  const index = scene.int(steps.length + 1);
  const wanted = (tables.argo.steps as JsonObject[]).filter((step) => step[kind] !== undefined);
  steps.splice(index, 0, scene.pick(wanted));
  return index;
}

function statusOf(fleet: Fleet, stage: Stage, index: number, isBlueGreen: boolean, run?: string): JsonObject {
  const { scene, target, stable, progressAt, changedAt } = fleet;
  const isFirst = fleet.revisions.length === 1 && stage !== 'healthy';
  const isActive = stage === 'healthy' || stage === 'pastSteps' || stage === 'restarting';
  const isAborted = stage === 'aborted' || stage === 'aborting';
  const { phase, message, plugin } = shownIn(stage);
  const paused = stage === 'pauseStep' ? (isBlueGreen ? 'BlueGreenPause' : message) : undefined;
  const reason = stage === 'inconclusive' ? message : paused;
  const weight = isActive ? 100 : 20 * index;
  const status = stage === 'analysis' ? 'Running' : stage === 'inconclusive' ? 'Inconclusive' : 'Failed';
  const named = run === undefined ? undefined : { name: run, status };
  const step = { index, name: 'example/step', phase: plugin, disabled: index % 3 === 2, operation: 'Run' };
  const active = { activeSelector: isActive ? target.hash : stable.hash, previewSelector: target.hash };
  const canary = {
    weights: scene.namespace.endsWith('8') ? undefined : { canary: { weight } },
    currentStepAnalysisRunStatus: named,
    stepPluginStatuses: plugin === undefined ? undefined : [step],
  };
  return fill('Argo.status', {
    fleet,
    counts: fleet.counts(),
    phase,
    message,
    observed: '',
    stable: isFirst ? '' : stable.hash,
    index: isBlueGreen ? undefined : index,
    pauses: reason === undefined ? undefined : [{ reason, startTime: time(progressAt) }],
    controllerPause: reason !== undefined || stage === 'resumed',
    isAborted,
    abortedAt: isAborted ? time(progressAt) : undefined,
    promoteFull: stage === 'promoteFull',
    restartedAt: stage !== 'restarting' && scene.namespace.endsWith('5') ? time(changedAt) : undefined,
    workloadObserved: scene.namespace.endsWith('6') ? '1' : String(fleet.observed),
    blueGreen: isBlueGreen ? { ...active, prePromotionAnalysisRunStatus: named } : undefined,
    canary: isBlueGreen ? undefined : canary,
    conditions: conditionsOf(fleet, stage),
  });
}

function conditionsOf({ scene, progressAt }: Fleet, stage: Stage): JsonObject[] | undefined {
  if (scene.namespace.endsWith('2')) return undefined;
  const [status = 'True', reason = 'ReplicaSetUpdated'] = shownIn(stage).progressing ?? [];
  const conditions = [condition('Progressing', status, progressAt, reason)];
  const isHealthy = stage === 'healthy';
  const word = isHealthy ? 'RolloutHealthy' : 'RolloutNotHealthy';
  conditions.push(condition('Healthy', isHealthy ? 'True' : 'False', progressAt, word));
  if (isHealthy) conditions.push(condition('Completed', 'True', progressAt, 'RolloutCompleted'));
  if (stage === 'invalid')
    conditions.push(condition('InvalidSpec', 'True', progressAt, 'InvalidSpec', 'bad step'));
  return conditions;
}

/** The analysis that the status names. */
function relatedRuns(
  fleet: Fleet,
  stage: Stage,
  isBlueGreen: boolean,
  index: number,
  uid: string,
): KubeObject[] {
  const { run: phase } = shownIn(stage);
  if (phase === undefined) return [];
  const { scene, target, name, progressAt } = fleet;
  const labels = { 'step-index': isBlueGreen ? undefined : String(index) };
  const ownerReferences = fleet.ownerOf();
  const metadata = scene.meta(`${name}-${target.hash}-${index}`, {
    uid,
    at: progressAt,
    labels,
    ownerReferences,
  });
  const value = String(scene.namespace.charCodeAt(4) - 40);
  return [fill('AnalysisRun', { metadata, phase, message: `metric error-rate: ${phase}`, value })];
}
