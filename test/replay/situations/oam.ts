import { type FleetPlay } from './fleet';
import { cloneSet } from './kruise';
import { deployment, statefulSet } from './native';
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

const ROLLING = {
  ...{ locatingTargetApp: 4, verifyingSpec: 6, initializing: 6, rollingInBatches: 46, finalising: 6 },
  ...{
    rolloutSucceed: 13,
    rolloutFailing: 5,
    rolloutFailed: 8,
    rolloutAbandoning: 4,
    RolloutDeletingState: 8,
  },
  ...{ none: 5, rolloutDreaming: 2 },
};
const BATCH = {
  ...{
    batchInitializing: 10,
    batchInRolling: 28,
    batchVerifying: 16,
    batchVerifyFailed: 8,
    batchFinalizing: 8,
  },
  ...{ batchReady: 32, batchDreaming: 2 },
};
const FAILURES = [
  'metric error-rate is out of range',
  'the webhook check answers 500',
  'the target is controlled by another object',
];

/** The generations of Rollouts of OAM, by their kinds: what names target and source in spec and status. */
const GENERATIONS = {
  Rollout: ['standard.oam.dev/v1alpha1', 'RevisionName', 'Revision'],
  RolloutTrait: ['standard.oam.dev/v1alpha1', 'RevisionName', 'Revision'],
  AppRollout: ['core.oam.dev/v1beta1', 'AppRevisionName', 'AppRevision'],
  ApplicationDeployment: ['core.oam.dev/v1alpha2', 'ApplicationName', 'ApplicationName'],
} as const;

const SHARES = { Rollout: 62, RolloutTrait: 8, AppRollout: 8, ApplicationDeployment: 8, AppDeployment: 14 };

/** A rollout of any generation of OAM: those of before are still stored in clusters. */
export function oamRollout(scene: Scene): Play {
  const kind = scene.weighted(SHARES);
  return kind === 'AppDeployment' ? appDeployment(scene) : playRollout(scene, kind);
}

function playRollout(scene: Scene, kind: keyof typeof GENERATIONS): Play {
  const [apiVersion, specNames, statusNames] = GENERATIONS[kind];
  const isReferring = kind === 'RolloutTrait' || (kind === 'Rollout' && scene.chance(65));
  // A CloneSet is rolled in place; of Deployments one is drained for the other.
  const isInPlace = scene.chance(45);
  const replicas = 1 + scene.int(6);
  const target: FleetPlay = isInPlace
    ? (scene.chance(80) ? cloneSet : statefulSet)(scene, { replicas, revisions: scene.pick([1, 2, 2, 3, 4]) })
    : deployment(scene, { name: 'cart-v2', replicas: scene.int(replicas + 1) });
  const source = isInPlace
    ? undefined
    : deployment(scene, { name: 'cart-v1', replicas: replicas - scene.int(replicas + 1) });
  const { fleet } = target;
  const uid = scene.uid();
  const at = scene.ago(700_000);
  const isOurs = scene.chance(50);
  const isRendered = scene.chance(15);
  let targetName = isReferring || !isInPlace ? fleet.name : fleet.target.name;
  const lastTarget = targetName;
  let batches = batchesOf(scene, replicas);
  let rolling: string = 'none';
  let batch = '';
  let [index, generation] = [0, 2];
  let partition: number | undefined;
  let since = fleet.changedAt;
  let writtenAt = since;
  let paused = false;
  let targetSize: number | undefined = replicas;

  function enter(next: string, step = scene.int(batches.length + (scene.chance(4) ? 2 : 0))): void {
    [rolling, index, batch] = [next, step, scene.weighted(BATCH)];
    since = scene.ago(scene.age());
    const goal = batches.slice(0, index + 1).reduce((sum, each) => sum + each, 0);
    const done =
      rolling === 'rolloutSucceed' || rolling === 'finalising'
        ? replicas
        : rolling === 'rollingInBatches'
          ? goal
          : scene.int(2);
    const mood = batch === 'batchReady' && scene.chance(80) ? ('ready' as const) : undefined;
    if (isInPlace) {
      fleet.partition = replicas - Math.min(done, replicas);
      fleet.place(
        batch === 'batchInRolling' ? scene.int(done + 1) : done,
        rolling === 'rolloutSucceed' ? 'ready' : mood,
      );
    } else {
      fleet.replicas = Math.min(replicas, done);
      fleet.place(fleet.replicas, mood);
      source?.fleet.scaleTo(Math.max(0, replicas - done));
    }
  }
  enter(scene.weighted(ROLLING));
  partition = scene.pick([undefined, 0, index, index, index + 1, batches.length]);

  function render(): KubeObject[] {
    const { options, name } = fleet;
    const reference = { apiVersion: options.apiVersion, kind: options.kind };
    const rolloutBatches = scene.namespace.endsWith('3')
      ? undefined
      : batches.map((amount) => ({ replicas: amount }));
    const names = {
      [`target${specNames}`]: targetName,
      [`source${specNames}`]: source?.fleet.name ?? fleet.stable.name,
      ...{
        componentName: isInPlace ? name : 'cart',
        componentList: kind === 'AppRollout' ? ['cart'] : undefined,
      },
    };
    const references = {
      targetRef: { ...reference, name: targetName },
      sourceRef: source === undefined ? undefined : [{ ...reference, name: source.fleet.name }],
    };
    const fields = (member: string, at: number) => ({
      manager: member,
      operation: 'Update',
      time: time(at),
      fieldsV1: { [`f:${member}`]: {} },
    });
    const isDeleting = rolling === 'RolloutDeletingState';
    const rollout: KubeObject = {
      ...{ apiVersion, kind },
      metadata: scene.meta('cart-rollout', {
        ...{ uid, at, generation, managedFields: [fields('spec', writtenAt), fields('status', since)] },
        labels: {
          'shiplog.dev/controller': isOurs ? 'shiplog' : undefined,
          'app.oam.dev/name': isRendered ? 'cart' : undefined,
        },
        deletionTimestamp: isDeleting ? time(since) : undefined,
        finalizers: isDeleting ? ['rollout.oam.dev/finalizer'] : undefined,
      }),
      spec: {
        ...(isReferring ? references : names),
        revertOnDelete: /[3-8]$/.test(scene.namespace) || undefined,
        rolloutPlan: {
          ...{ targetSize, numBatches: batches.length, rolloutBatches, batchPartition: partition },
          ...{
            paused: paused || undefined,
            lastBatchToRollout: scene.namespace.endsWith('77') ? 1 : undefined,
          },
          canaryMetric: scene.namespace.endsWith('1') ? [{ name: 'error-rate', interval: '1m' }] : undefined,
        },
      },
      status: rolling === 'none' ? undefined : statusOf(),
    };
    const isMissing = scene.namespace.endsWith('58');
    return [rollout, ...(isMissing ? [] : target.render()), ...(source?.render() ?? [])];
  }

  function statusOf(): JsonObject {
    const { updated, updatedReady } = fleet.counts();
    const isBad =
      ['rolloutFailing', 'rolloutFailed'].includes(rolling) ||
      batch === 'batchVerifyFailed' ||
      scene.namespace.endsWith('9');
    const message = isBad ? FAILURES[(index + replicas) % FAILURES.length] : undefined;
    const type =
      rolling === 'rollingInBatches'
        ? 'BatchVerifying'
        : rolling === 'initializing'
          ? 'RolloutInitializing'
          : 'RolloutSpecVerifying';
    const run = {
      ...{ kind: fleet.options.kind, target: fleet.name, mode: 'rolling', base: 0, startingReplicas: 0 },
      ...{ finishedReplicas: updated, batchReplicas: batches[index] ?? 0, measures: [], isReverted: false },
      sources: source === undefined ? [] : [{ name: source.fleet.name, replicas }],
    };
    return {
      ...{
        rollingState: rolling,
        batchRollingState: batch,
        currentBatch: index,
        rolloutOriginalSize: replicas,
      },
      rolloutTargetSize: rolling === 'verifyingSpec' ? -1 : replicas,
      ...{ upgradedReplicas: updated, upgradedReadyReplicas: updatedReady },
      [statusNames === 'ApplicationName' ? 'lastTargetApplicationName' : `lastTarget${statusNames}`]:
        lastTarget,
      [statusNames === 'ApplicationName' ? 'LastSourceApplicationName' : `LastSource${statusNames}`]:
        source?.fleet.name,
      run: isOurs ? run : undefined,
      conditions: [condition(type, isBad ? 'False' : 'True', since, isBad ? 'CheckFailed' : 'Done', message)],
    };
  }

  const changes: Record<string, () => void> = {
    stage: () => enter(scene.weighted(ROLLING)),
    next: () =>
      enter(
        index + 1 >= batches.length ? 'finalising' : 'rollingInBatches',
        Math.min(index + 1, batches.length - 1),
      ),
    approve: () => ([partition, writtenAt, batch] = [index + 1, scene.now - 1_000, 'batchReady']),
    pause: () => ([paused, writtenAt] = [!paused, scene.now - 1_000]),
    plan: () =>
      ([batches, generation, writtenAt] = [
        batchesOf(scene, replicas),
        generation + 1,
        scene.ago(scene.age()),
      ]),
    retarget: () => ([targetName, writtenAt] = ['cart-v3', scene.ago(scene.age())]),
    resize: () => ([targetSize, writtenAt] = [replicas + 1, scene.ago(scene.age())]),
    workload: () => target.change(),
  };
  const weights = {
    stage: 26,
    next: 22,
    approve: 10,
    pause: 6,
    plan: 5,
    retarget: 4,
    resize: 4,
    workload: 20,
  };
  return { change: () => changes[scene.weighted(weights)]?.(), render };
}

/** Pods of each batch; some plans do not add up. */
function batchesOf(scene: Scene, replicas: number): number[] {
  const count = 1 + scene.int(4);
  const share = Math.max(1, Math.floor(replicas / count));
  return Array.from({ length: count }, (_, index) =>
    index < count - 1 || scene.chance(10) ? share : Math.max(1, replicas - share * index),
  );
}

const PLACED = ['Rolling', 'Rolling', 'Completed', 'Completed', 'Failed', '', 'Paused'];

/** Revisions of an application side by side, in several clusters. */
function appDeployment(scene: Scene): Play {
  const uid = scene.uid();
  const at = scene.ago(600_000);
  let phase = scene.pick(PLACED);
  let deletedAt: number | undefined;
  let counts = [scene.int(4), scene.int(6)];
  const clusters = [scene.maybe(60, { name: 'eu' }), scene.maybe(30, { labels: { zone: 'us' } })];
  const weighted = scene.maybe(60, [
    { revisionName: 'shop-v2', componentName: 'web', weight: 20 },
    { revisionName: 'shop-v1' },
  ]);
  function render(): KubeObject[] {
    const entries = counts.map((replicas, index) => ({
      revision: `shop-v${index + 1}`,
      replicas,
      cluster: clusters[index],
    }));
    const appRevisions = entries.map(({ revision, replicas, cluster }) => ({
      revisionName: revision,
      placement: [{ clusterSelector: cluster, distribution: { replicas } }],
    }));
    const placement = entries.map(({ revision, replicas }) => ({
      revisionName: revision,
      clusters: [{ clusterName: 'eu', replicas }],
    }));
    const metadata = scene.meta('shop', { uid, at, generation: 1, deletionTimestamp: time(deletedAt) });
    const traffic =
      weighted === undefined
        ? undefined
        : { hosts: ['shop.example.com'], http: [{ weightedTargets: weighted }] };
    const spec = { appRevisions, traffic };
    return [
      {
        apiVersion: 'core.oam.dev/v1beta1',
        kind: 'AppDeployment',
        metadata,
        spec,
        status: { phase: phase || undefined, placement },
      },
    ];
  }
  function change(): void {
    phase = scene.pick(PLACED);
    counts = [scene.int(4), scene.int(6)];
    if (scene.chance(8)) deletedAt = scene.ago(9);
  }
  return { change, render };
}

const PHASES = {
  ...{
    running: 26,
    runningWorkflow: 18,
    workflowSuspending: 10,
    workflowTerminated: 5,
    workflowFailed: 8,
    unhealthy: 12,
  },
  ...{ starting: 2, rendering: 5, generatingPolicy: 3, deleting: 2, '': 3, dreaming: 2 },
};

/** An Application of KubeVela with its revisions, and what it has deployed. */
export function application(scene: Scene): Play {
  const child = (scene.chance(75) ? deployment : statefulSet)(scene);
  const { fleet } = child;
  const identity = { apiVersion: 'core.oam.dev/v1beta1', kind: 'Application', name: 'shop' };
  const uid = scene.uid();
  const at = scene.ago(2_000_000);
  const published = scene.maybe(20, 'v1');
  const oddity = scene.weighted({
    none: 84,
    packed: 4,
    noStatus: 3,
    otherNamespace: 3,
    noHash: 3,
    sameHash: 3,
  });
  let phase = scene.weighted(PHASES);
  let since = scene.ago(scene.age());
  let [generation, observed] = [4, 4];
  let deletedAt: number | undefined;

  const specOf = (template: JsonObject): JsonObject => ({
    components: [{ name: 'web', type: 'webservice', properties: template['spec'] ?? {} }],
    policies: scene.namespace.endsWith('2')
      ? [{ type: 'garbage-collect', properties: { applicationRevisionLimit: 2 } }]
      : undefined,
    workflow: scene.namespace.endsWith('4') ? { steps: [{ name: 'deploy', type: 'deploy' }] } : undefined,
  });

  function render(): KubeObject[] {
    const { target } = fleet;
    const nameOf = (number: number) => `shop-v${number}`;
    fleet.extraLabels = {
      ...{
        'app.oam.dev/name': 'shop',
        'app.oam.dev/component': 'web',
        'app.oam.dev/appRevision': nameOf(target.number),
      },
      'app.oam.dev/namespace': oddity === 'otherNamespace' ? 'elsewhere' : undefined,
    };
    fleet.podLabels = ({ revision }) => ({
      'app.oam.dev/appRevision': nameOf(fleet.revisions.find(({ hash }) => hash === revision)?.number ?? 0),
    });
    const revisions = fleet.revisions.map((revision): KubeObject => {
      const { number, hash, template, written = revision.at } = revision;
      const isOver = revision !== target || phase === 'running';
      const workflow = {
        startTime: time(written),
        endTime: isOver ? time(written + 60_000) : undefined,
        finished: isOver,
        suspend: phase === 'workflowSuspending',
      };
      const body = { application: { spec: specOf(template) } };
      return {
        ...{ apiVersion: identity.apiVersion, kind: 'ApplicationRevision' },
        metadata: scene.meta(nameOf(number), {
          ...{
            uid: `${uid.slice(0, -12)}${revision.uid.slice(-12)}`,
            at: revision.at,
            ownerReferences: ownerOf(identity, uid),
          },
          labels: {
            'app.oam.dev/app-revision-hash':
              oddity === 'noHash' ? undefined : oddity === 'sameHash' ? 'same' : hash,
          },
          annotations: { 'app.oam.dev/publishVersion': published },
        }),
        spec: oddity === 'packed' ? { compression: { type: 'zstd', data: 'KLUv/QBYAAA=' } } : body,
        status: { succeeded: revision !== target || phase === 'running', workflow },
      };
    });
    const step = {
      name: 'deploy',
      phase: stepPhase(phase),
      message: phase === 'workflowFailed' ? 'cannot apply' : undefined,
    };
    const isHealthy = phase === 'running' || (phase !== 'unhealthy' && fleet.isComplete);
    const object: KubeObject = {
      ...identity,
      metadata: scene.meta('shop', {
        ...{
          uid,
          at,
          generation,
          deletionTimestamp: time(deletedAt),
          annotations: { 'app.oam.dev/publishVersion': published },
        },
      }),
      spec: specOf(fleet.template),
      status:
        oddity === 'noStatus'
          ? undefined
          : {
              ...{ status: phase || undefined, observedGeneration: observed },
              latestRevision: {
                name: nameOf(target.number),
                revision: target.number,
                revisionHash: target.hash,
              },
              services: [
                {
                  name: 'web',
                  healthy: isHealthy,
                  message: isHealthy ? undefined : `Ready:${fleet.counts().ready}/${fleet.replicas}`,
                },
              ],
              workflow: {
                startTime: time(since),
                endTime: phase === 'running' ? time(since + 5_000) : undefined,
                steps: [step],
              },
            },
    };
    return [object, ...revisions, ...child.render()];
  }

  function change(): void {
    if (scene.chance(60)) child.change();
    if (scene.chance(55)) [phase, since] = [scene.weighted(PHASES), scene.ago(scene.age())];
    generation += scene.int(2);
    if (scene.chance(85)) observed = generation;
    if (scene.chance(2)) deletedAt = scene.ago(30);
  }
  return { change, render };
}

function stepPhase(phase: string): Json {
  const phases: Record<string, string> = {
    runningWorkflow: 'running',
    workflowSuspending: 'suspending',
    workflowFailed: 'failed',
  };
  return phases[phase] ?? 'succeeded';
}
