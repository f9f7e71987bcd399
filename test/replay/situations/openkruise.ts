import { type FleetPlay } from './fleet';
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

const GROUP = 'rollouts.kruise.io';
const KINDS = [
  deployment,
  deployment,
  deployment,
  cloneSet,
  cloneSet,
  statefulSet,
  advancedStatefulSet,
  daemonSet,
  advancedDaemonSet,
];

/** Stages of a Rollout: its phase, the reason of Progressing, and whether its last release succeeded. */
const STAGES = {
  initial: [3, 'Initial'],
  untouched: [2, undefined],
  idle: [4, 'Healthy'],
  starting: [5, 'Progressing', 'Initializing'],
  inStep: [42, 'Progressing', 'InRolling'],
  paused: [5, 'Progressing', 'Paused'],
  cancelling: [6, 'Progressing', 'Cancelling'],
  finalising: [6, 'Progressing', 'Finalising'],
  completed: [8, 'Healthy', 'Completed', 'True'],
  rolledBack: [5, 'Healthy', 'Completed', 'False'],
  disabling: [3, 'Disabling', 'InRolling'],
  disabled: [5, 'Disabled', 'Completed', 'True'],
  terminating: [7, 'Terminating', 'InRolling'],
  missing: [3, 'Initial'],
  odd: [2, 'Sleeping'],
} as const satisfies Record<
  string,
  readonly [weight: number, phase?: string, reason?: string, succeeded?: string]
>;
type Stage = keyof typeof STAGES;
const WEIGHTS = Object.fromEntries(
  Object.entries(STAGES).map(([stage, [weight]]) => [stage, weight]),
) as Record<Stage, number>;

/** A record of an earlier release, or the pending one of this. */
interface Story {
  uid: string;
  id: string;
  phase: string;
  pods: string[];
}

const STEP_STATES = {
  ...{
    BeforeStepUpgrade: 5,
    StepUpgrade: 30,
    StepTrafficRouting: 10,
    StepMetricsAnalysis: 6,
    StepPaused: 35,
  },
  ...{ StepReady: 8, Completed: 4, Dreaming: 2 },
};
const FINALISING = [
  'FinalisingStepRouteTrafficToNew',
  'RestoreStableService',
  'ResumeWorkload',
  'ReleaseWorkloadControl',
  'WaitEndless',
  '',
];

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
    phase: scene.pick(['', 'completed', 'completed', 'completed', 'pending', 'dreaming']),
    pods: scene.pick([[], ['web-1'], ['web-1', 'web-2']]),
  }));
  const canary = isExtra
    ? deployment(scene, {
        name: `${fleet.name}-${scene.hash(5)}`,
        replicas: 1,
        revisions: 1,
        template: fleet.template,
      })
    : undefined;
  let steps = stepsOf(scene);
  let [generation, observed] = [2, 2];
  let stage: Stage = 'idle';
  let stepState = 'StepUpgrade';
  let index = 1;
  let since = fleet.changedAt;
  let id = '1';

  function enter(next: Stage, step = 1 + scene.int(steps.length + (scene.chance(4) ? 2 : 0))): void {
    [stage, index] = [next, step];
    stepState = scene.weighted(STEP_STATES);
    if (next === 'starting' && scene.chance(50)) stepState = 'Completed';
    since = scene.ago(scene.age());
    const isOver = next === 'completed' || next === 'disabled';
    const isBack = next === 'rolledBack' || next === 'cancelling';
    const isOn = ['starting', 'inStep', 'paused', 'cancelling', 'finalising', 'terminating'].includes(next);
    const planned = amountOf(steps[Math.min(step, steps.length) - 1]?.['replicas'], fleet.replicas);
    const before =
      stepState === 'BeforeStepUpgrade' || stepState === 'StepUpgrade' ? scene.int(planned + 1) : planned;
    const isStill = stepState === 'StepPaused' || stepState === 'StepReady' || next === 'completed';
    if (fleet.stable === fleet.target && isOn)
      fleet.stable = fleet.revisions.find((each) => each !== fleet.target) ?? fleet.target;
    if (isOver) fleet.stable = fleet.target;
    const updated = isOver
      ? fleet.replicas
      : isBack || isExtra
        ? scene.int(2)
        : style === 'blueGreen'
          ? fleet.replicas
          : before;
    fleet.place(updated, isStill && scene.chance(80) ? 'ready' : undefined);
    canary?.fleet.scaleTo(isOn ? planned : 0);
    const isKept = scene.chance(90);
    fleet.annotations =
      isOn && isKept ? { [`${GROUP}/in-progressing`]: JSON.stringify({ rolloutName: 'shop' }) } : {};
    fleet.extraLabels = { [`${GROUP}/workload-type`]: isOver ? 'deployment' : undefined };
    fleet.paused = isOn && isDeployment && style === 'canary';
    fleet.partition = isOn && !isDeployment ? fleet.replicas - planned : undefined;
  }
  enter(scene.weighted(WEIGHTS));

  function render(): KubeObject[] {
    const { target, options, name } = fleet;
    fleet.podLabels = ({ revision, ordinal }) => ({
      [`${GROUP}/rollout-id`]: revision === target.hash && ordinal % 5 < 4 ? id : undefined,
      [`${GROUP}/rollout-batch-id`]:
        revision === target.hash && ordinal % 5 < 4 ? String(Math.min(index, 1 + (ordinal % 3))) : undefined,
    });
    const reference = {
      apiVersion: options.apiVersion,
      kind: options.kind,
      name: stage === 'missing' ? 'gone' : name,
    };
    const routings = hasRoutes ? [{ service: name, ingress: { name } }] : undefined;
    const plan = {
      steps: isAlpha ? steps.map(asAlpha) : [...steps],
      trafficRoutings: routings,
      enableExtraWorkloadForCanary: isExtra || undefined,
    };
    const paused = stage === 'paused' || undefined;
    const progress = progressOf();
    const rollout: KubeObject = {
      ...{ apiVersion: `${GROUP}/${isAlpha ? 'v1alpha1' : 'v1beta1'}`, kind: 'Rollout' },
      metadata: scene.meta('shop', {
        ...{ uid, at: createdAt, generation, annotations },
        deletionTimestamp: stage === 'terminating' ? time(since) : undefined,
        finalizers: [`${GROUP}/rollout`],
        managedFields: [
          { manager: 'kubectl', operation: 'Update', time: time(since), fieldsV1: { 'f:spec': {} } },
        ],
      }),
      spec: {
        ...(isAlpha ? { objectRef: { workloadRef: reference } } : { workloadRef: reference }),
        disabled: stage === 'disabling' || (stage === 'disabled' && id !== '3') || undefined,
        strategy: { paused, [style]: plan },
      },
      status: stage === 'untouched' ? undefined : progress,
    };
    const isOn = ['inStep', 'paused', 'cancelling', 'finalising'].includes(stage);
    return [
      ...(stage === 'missing' ? [] : workload.render()),
      ...(canary === undefined || canary.fleet.replicas === 0 ? [] : canary.render()),
      ...[rollout, ...(isOn && !scene.namespace.endsWith('5') ? [batchRelease()] : [])],
      ...stories.map(historyOf),
      ...(annotations[`${GROUP}/trafficrouting`] === undefined ? [] : [trafficRouting()]),
    ];
  }

  function progressOf(): JsonObject {
    const [, phase, reason, succeeded]: readonly [number, string?, string?, string?] = STAGES[stage];
    const { updated, updatedReady } = canary === undefined ? fleet.counts() : canary.fleet.counts();
    const prefix = style === 'blueGreen' ? 'updated' : 'canary';
    const isIdle = stage === 'initial' || stage === 'missing' || (stage === 'idle' && id === '1');
    const isDone = stage === 'completed' || stage === 'idle' || stage === 'finalising';
    const status = {
      ...{ observedRolloutID: id, stableRevision: fleet.stable.hash, podTemplateHash: fleet.target.hash },
      [`${prefix}Revision`]: fleet.target.hash,
      ...{ [`${prefix}Replicas`]: updated, [`${prefix}ReadyReplicas`]: updatedReady },
      currentStepIndex: isDone ? steps.length : index,
      nextStepIndex: isDone ? -1 : index + 1,
      currentStepState: isDone ? 'Completed' : stepState,
      finalisingStep:
        stage === 'finalising' || stage === 'cancelling'
          ? FINALISING[(index + updated) % FINALISING.length]
          : undefined,
      ...{ lastUpdateTime: time(since), message: stepState },
    };
    const conditions: Json[] = [];
    if (reason !== undefined) conditions.push(condition('Progressing', 'True', since, reason, reason));
    if (succeeded !== undefined) conditions.push(condition('Succeeded', succeeded, since));
    return {
      ...{ phase, observedGeneration: observed, message: phase, conditions },
      [`${style}Status`]: isIdle ? undefined : status,
    };
  }

  function batchRelease(): KubeObject {
    const owner = scene.namespace.endsWith('8') ? scene.namespace : uid;
    const { updated, updatedReady } = fleet.counts();
    return {
      ...{ apiVersion: `${GROUP}/v1beta1`, kind: 'BatchRelease' },
      metadata: scene.meta('shop', {
        ...{ uid: batchUid, at: since },
        ownerReferences: ownerOf({ apiVersion: `${GROUP}/v1beta1`, kind: 'Rollout', name: 'shop' }, owner),
      }),
      spec: { releasePlan: { rolloutID: id } },
      status: {
        ...{ phase: 'Progressing', observedRolloutID: id, observedWorkloadReplicas: fleet.replicas },
        canaryStatus: {
          ...{ currentBatch: index - 1, currentBatchState: 'Ready', batchReadyTime: time(since) },
          ...{
            batchState: stepState === 'StepUpgrade' ? 'Upgrading' : 'Ready',
            updatedReplicas: updated,
            updatedReadyReplicas: updatedReady,
          },
        },
      },
    };
  }

  function trafficRouting(): KubeObject {
    return {
      ...{ apiVersion: `${GROUP}/v1alpha1`, kind: 'TrafficRouting' },
      metadata: scene.meta('shared', { uid: routingUid, at: createdAt }),
      spec: { objectRef: [{ service: fleet.name, ingress: { name: 'edge' } }] },
      status: { phase: stage === 'inStep' ? 'Progressing' : 'Healthy', message: 'traffic' },
    };
  }

  /** What the controller writes about a release; everything but its labels comes at the end. */
  function historyOf({ uid: ofRecord, id: ofRelease, phase, pods }: Story): KubeObject {
    const { stable, options, name, replicas } = fleet;
    const [rolloutName, rolloutID] = ['shop', ofRelease];
    const plan = { canary: { steps: [...steps] } };
    const template = {
      apiVersion: options.apiVersion,
      kind: options.kind,
      name,
      data: { replicas, template: stable.template },
    };
    return {
      apiVersion: `${GROUP}/v1alpha1`,
      kind: 'RolloutHistory',
      metadata: scene.meta(`shop-${ofRecord.slice(0, 5)}`, {
        uid: ofRecord,
        at: createdAt,
        labels: { [`${GROUP}/rollout-name`]: rolloutName, [`${GROUP}/rollout-id`]: ofRelease },
      }),
      spec:
        phase === ''
          ? {}
          : {
              rollout: { name: rolloutName, rolloutID, data: { strategy: plan } },
              workload: template,
              service: { name },
            },
      status:
        phase === ''
          ? {}
          : {
              phase,
              canarySteps: pods.map((pod, index) => ({
                canaryStepIndex: index + 1,
                pods: [{ name: pod, ip: '10.0.0.1' }],
              })),
            },
    };
  }

  function change(): void {
    const name = scene.weighted(CHANGES);
    if (name === 'stage') enter(scene.weighted(WEIGHTS));
    else if (name === 'next')
      enter(
        stage === 'inStep' && index >= steps.length ? 'finalising' : 'inStep',
        Math.min(index + 1, steps.length),
      );
    else if (name === 'approve') [stepState, since] = ['StepReady', scene.now - 1_000];
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

const CHANGES = { stage: 25, next: 20, approve: 7, release: 12, plan: 6, workload: 30 };

function stepsOf(scene: Scene): JsonObject[] {
  const amounts = scene.pick([
    ['20%', '50%', '100%'],
    [1, 2, 3],
    ['50%', '100%'],
    [1, '100%'],
    ['10%', 'some', '100%'],
    ['100%'],
  ]);
  return amounts.map((replicas) => ({
    replicas,
    traffic: scene.pick([undefined, '20%', '50%', '100%', 'lots']),
    matches: scene.maybe(10, [{ headers: [{ type: 'Exact', name: 'beta', value: '1' }] }]),
    pause: scene.pick([undefined, {}, {}, {}, { duration: 60 }, { duration: 600 }, { duration: 0 }]),
  }));
}

function asAlpha({ traffic, replicas, ...step }: JsonObject): JsonObject {
  const weight =
    typeof traffic === 'string' && traffic.endsWith('%') ? Number.parseInt(traffic, 10) : undefined;
  return { ...step, weight, replicas: weight === undefined ? replicas : undefined };
}

function amountOf(amount: Json | undefined, total: number): number {
  const share =
    typeof amount === 'string'
      ? Math.ceil((total * (Number.parseInt(amount, 10) || 0)) / 100)
      : Number(amount ?? 0);
  return Math.min(total, share);
}
