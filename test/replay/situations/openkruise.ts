import { fill } from './fill';
import type { FleetPlay } from './fleet';
import { advancedDaemonSet, advancedStatefulSet, cloneSet } from './kruise';
import { daemonSet, deployment, statefulSet } from './native';
import {
  condition,
  type Json,
  type JsonObject,
  type KubeObject,
  ownerOf,
  type Play,
  type Scene,
  time,
} from './scene';
import tables from './tables.json' with { type: 'json' };

const GROUP = 'rollouts.kruise.io';
const NATIVE = [deployment, deployment, deployment, cloneSet, cloneSet, statefulSet];
const KINDS = [...NATIVE, advancedStatefulSet, daemonSet, advancedDaemonSet];
type Stage = keyof typeof tables.kruise.weights;

/** A record of an earlier release, or the pending one of this. */
interface Story {
  uid: string;
  id: string;
  phase: string;
  pods: string[];
}

export function kruiseRollout(scene: Scene): Play {
  const workload: FleetPlay = scene.pick(KINDS)(scene, { revisions: scene.pick([1, 2, 2, 3, 3, 4]) });
  const { fleet } = workload;
  const isDeployment = fleet.options.kind === 'Deployment';
  const isAlpha = scene.chance(10);
  const style = !isAlpha && scene.chance(isDeployment ? 30 : 8) ? 'blueGreen' : 'canary';
  const isExtra = style === 'canary' && isDeployment && scene.chance(50);
  const uids = Array.from({ length: 3 }, () => scene.uid());
  const [uid = '', batchUid = '', routingUid = ''] = uids;
  const hasRoutes = scene.chance(60);
  const annotations: JsonObject = {
    [`${GROUP}/rollback-in-batch`]: scene.maybe(10, 'true'),
    [`${GROUP}/trafficrouting`]: scene.maybe(10, 'shared'),
    [`${GROUP}/rolling-style`]: isAlpha ? scene.pick([undefined, 'partition', 'canary']) : undefined,
  };
  const createdAt = scene.ago(800_000);
  const stories = Array.from({ length: scene.pick([0, 0, 1, 2]) }, (): Story => ({
    uid: scene.uid(),
    id: scene.pick(['1', '1', '2', '']),
    phase: scene.pick(tables.kruise.phases),
    pods: scene.pick([[], ['web-1'], ['web-1', 'web-2']]),
  }));
  const one = { replicas: 1, revisions: 1, template: fleet.template };
  const canary = isExtra ? deployment(scene, { ...one, name: `${fleet.name}-${scene.hash(5)}` }) : undefined;
  let steps = stepsOf(scene);
  let [generation, observed] = [2, 2];
  let stage: Stage = 'idle';
  let stepState = 'StepUpgrade';
  let index = 1;
  let since = fleet.changedAt;
  let id = '1';

  function enter(next: Stage, step = 1 + scene.int(steps.length + (scene.chance(4) ? 2 : 0))): void {
    [stage, index] = [next, step];
    stepState = scene.weighted(tables.kruise.stepStates);
    if (next === 'starting' && scene.chance(50)) stepState = 'Completed';
    since = scene.ago(scene.age());
    const isOver = next === 'completed' || next === 'disabled';
    const isBack = next === 'rolledBack' || next === 'cancelling';
    const isOn = ['starting', 'inStep', 'paused', 'cancelling', 'finalising', 'terminating'].includes(next);
    const planned = amountOf(steps[Math.min(step, steps.length) - 1]?.['replicas'], fleet.replicas);
    const before = stepState.endsWith('StepUpgrade') ? scene.int(planned + 1) : planned;
    const isStill = stepState === 'StepPaused' || stepState === 'StepReady' || next === 'completed';
    if (fleet.stable === fleet.target && isOn)
      fleet.stable = fleet.revisions.find((each) => each !== fleet.target) ?? fleet.target;
    if (isOver) fleet.stable = fleet.target;
    const begun = style === 'blueGreen' ? fleet.replicas : before;
    const updated = isBack || isExtra ? () => scene.int(2) : () => begun;
    fleet.place(isOver ? fleet.replicas : updated(), isStill && scene.chance(80) ? 'ready' : undefined);
    canary?.fleet.scaleTo(isOn ? planned : 0);
    const isKept = scene.chance(90);
    fleet.annotations = {
      [`${GROUP}/in-progressing`]: isOn && isKept ? '{"rolloutName":"shop"}' : undefined,
    };
    fleet.extraLabels = { [`${GROUP}/workload-type`]: isOver ? 'deployment' : undefined };
    fleet.paused = isOn && isDeployment && style === 'canary';
    fleet.partition = isOn && !isDeployment ? fleet.replicas - planned : undefined;
  }
  enter(scene.weighted(tables.kruise.weights));

  function render(): KubeObject[] {
    const { target, options, name } = fleet;
    fleet.podLabels = ({ revision, ordinal }) => {
      const isNew = revision === target.hash && ordinal % 5 < 4;
      const batch = String(Math.min(index, 1 + (ordinal % 3)));
      return isNew ? { [`${GROUP}/rollout-id`]: id, [`${GROUP}/rollout-batch-id`]: batch } : {};
    };
    const { apiVersion, kind } = options;
    const reference = { apiVersion, kind, name: stage === 'missing' ? 'gone' : name };
    const routings = hasRoutes ? [{ service: name, ingress: { name } }] : undefined;
    const plan = fill('Kruise.plan', { steps: isAlpha ? steps.map(asAlpha) : [...steps], routings, isExtra });
    const written = {
      manager: 'kubectl',
      operation: 'Update',
      time: time(since),
      fieldsV1: { 'f:spec': {} },
    };
    const metadata = scene.meta('shop', {
      uid,
      at: createdAt,
      generation,
      annotations,
      deletionTimestamp: stage === 'terminating' ? time(since) : undefined,
      finalizers: [`${GROUP}/rollout`],
      managedFields: [written],
    });
    const rollout = fill<KubeObject>('Kruise.Rollout', {
      apiVersion: `${GROUP}/${isAlpha ? 'v1alpha1' : 'v1beta1'}`,
      metadata,
      objectRef: isAlpha ? { workloadRef: reference } : undefined,
      workloadRef: isAlpha ? undefined : reference,
      disabled: stage === 'disabling' || (stage === 'disabled' && id !== '3'),
      paused: stage === 'paused',
      [style]: plan,
      status: stage === 'untouched' ? undefined : statusOf(),
    });
    const isOn = ['inStep', 'paused', 'cancelling', 'finalising'].includes(stage);
    const objects = stage === 'missing' ? [] : workload.render();
    if (canary !== undefined && canary.fleet.replicas > 0) objects.push(...canary.render());
    objects.push(rollout);
    if (isOn && !scene.namespace.endsWith('5')) objects.push(batchRelease());
    objects.push(...stories.map(historyOf));
    if (annotations[`${GROUP}/trafficrouting`] !== undefined) objects.push(trafficRouting());
    return objects;
  }

  function statusOf(): JsonObject {
    const [phase, reason, succeeded] = tables.kruise.stages[stage];
    const counts = { hash: fleet.target.hash, ...(canary ?? workload).fleet.counts() };
    const isIdle = stage === 'initial' || stage === 'missing' || (stage === 'idle' && id === '1');
    const isDone = stage === 'completed' || stage === 'idle' || stage === 'finalising';
    const { finalising } = tables.kruise;
    const isCleaning = stage === 'finalising' || stage === 'cancelling';
    const progress = fill('Kruise.progress', {
      fleet,
      id,
      [style === 'blueGreen' ? 'updated' : 'canary']: counts,
      index: isDone ? steps.length : index,
      next: isDone ? -1 : index + 1,
      state: isDone ? 'Completed' : stepState,
      finalising: isCleaning ? finalising[(index + counts.updated) % finalising.length] : undefined,
      since: time(since),
      message: stepState,
    });
    const conditions: Json[] = [];
    if (reason !== undefined) conditions.push(condition('Progressing', 'True', since, reason, reason));
    if (succeeded !== undefined) conditions.push(condition('Succeeded', succeeded, since));
    const status = { phase, observedGeneration: observed, message: phase, conditions };
    return { ...status, [`${style}Status`]: isIdle ? undefined : progress };
  }

  function batchRelease(): KubeObject {
    const owner = { apiVersion: `${GROUP}/v1beta1`, kind: 'Rollout', name: 'shop' };
    const ownerReferences = ownerOf(owner, scene.namespace.endsWith('8') ? scene.namespace : uid);
    return fill('Kruise.BatchRelease', {
      metadata: scene.meta('shop', { uid: batchUid, at: since, ownerReferences }),
      fleet,
      id,
      counts: fleet.counts(),
      batch: index - 1,
      since: time(since),
      state: stepState === 'StepUpgrade' ? 'Upgrading' : 'Ready',
    });
  }

  function trafficRouting(): KubeObject {
    const metadata = scene.meta('shared', { uid: routingUid, at: createdAt });
    const phase = stage === 'inStep' ? 'Progressing' : 'Healthy';
    return fill('Kruise.TrafficRouting', { metadata, fleet, phase });
  }

  /** What the controller writes about a release; everything but its labels comes at the end. */
  function historyOf({ uid: ofRecord, id: ofRelease, phase, pods }: Story): KubeObject {
    const labels = { [`${GROUP}/rollout-name`]: 'shop', [`${GROUP}/rollout-id`]: ofRelease };
    const metadata = scene.meta(`shop-${ofRecord.slice(0, 5)}`, { uid: ofRecord, at: createdAt, labels });
    if (phase === '') return fill('Kruise.RolloutHistory', { metadata, spec: {}, status: {} });
    const spec = fill('Kruise.RolloutHistory.spec', { fleet, id: ofRelease, steps: [...steps] });
    const podsOf = (name: string) => [{ name, ip: '10.0.0.1' }];
    const canarySteps = pods.map((pod, at) => ({ canaryStepIndex: at + 1, pods: podsOf(pod) }));
    return fill('Kruise.RolloutHistory', { metadata, spec, status: { phase, canarySteps } });
  }

  function change(): void {
    const name = scene.weighted(tables.kruise.changes);
    if (name === 'stage') enter(scene.weighted(tables.kruise.weights));
    else if (name === 'next') {
      const isLast = stage === 'inStep' && index >= steps.length;
      enter(isLast ? 'finalising' : 'inStep', Math.min(index + 1, steps.length));
    } else if (name === 'approve') [stepState, since] = ['StepReady', scene.now - 1_000];
    else if (name === 'release') {
      fleet.write();
      fleet.release(scene.now - 500);
      id = String(Number(id) + 1);
      enter(scene.pick(['starting', 'inStep', 'cancelling']), 1);
    } else if (name === 'plan') [steps, generation] = [stepsOf(scene), generation + 1];
    else workload.change();
    if (scene.chance(90)) observed = generation;
  }

  return { change, render };
}

function stepsOf(scene: Scene): JsonObject[] {
  const amounts: (number | string)[] = scene.pick<(number | string)[]>(tables.kruise.amounts);
  return amounts.map((replicas) => ({
    replicas,
    traffic: scene.pick([undefined, '20%', '50%', '100%', 'lots']),
    matches: scene.maybe(10, [{ headers: [{ type: 'Exact', name: 'beta', value: '1' }] }]),
    pause: scene.pick([undefined, {}, {}, {}, { duration: 60 }, { duration: 600 }, { duration: 0 }]),
  }));
}

function asAlpha({ traffic, replicas, ...step }: JsonObject): JsonObject {
  const weight = percentIn(traffic);
  return { ...step, weight, replicas: weight === undefined ? replicas : undefined };
}

function amountOf(amount: Json | undefined, total: number): number {
  const share = Math.ceil((total * (percentIn(amount) ?? 0)) / 100);
  return Math.min(total, typeof amount === 'number' ? amount : share);
}

function percentIn(text: Json | undefined): number | undefined {
  const percent = typeof text === 'string' ? Number.parseInt(text, 10) : NaN;
  return Number.isNaN(percent) ? undefined : percent;
}
