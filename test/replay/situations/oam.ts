import { fill } from './fill';
import type { FleetPlay } from './fleet';
import { cloneSet } from './kruise';
import { deployment, statefulSet } from './native';
import { condition, type JsonObject, type KubeObject, type Play, type Scene, time } from './scene';
import tables from './tables.json' with { type: 'json' };

/** A rollout of any generation of OAM: those of before are still stored in clusters. */
export function oamRollout(scene: Scene): Play {
  const kind = scene.weighted(tables.oam.kinds);
  return kind === 'AppDeployment' ? appDeployment(scene) : playRollout(scene, kind);
}

function playRollout(scene: Scene, kind: keyof typeof tables.oam.names): Play {
  const [apiVersion, specNames = '', statusNames = ''] = tables.oam.names[kind];
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
    [rolling, index, batch] = [next, step, scene.weighted(tables.oam.batch)];
    since = scene.ago(scene.age());
    const goal = batches.slice(0, index + 1).reduce((sum, each) => sum + each, 0);
    const isDone = rolling === 'rolloutSucceed' || rolling === 'finalising';
    const begun = rolling === 'rollingInBatches' ? () => goal : () => scene.int(2);
    const done = isDone ? replicas : begun();
    const mood = batch === 'batchReady' && scene.chance(80) ? ('ready' as const) : undefined;
    if (isInPlace) {
      fleet.partition = replicas - Math.min(done, replicas);
      const moved = batch === 'batchInRolling' ? scene.int(done + 1) : done;
      fleet.place(moved, rolling === 'rolloutSucceed' ? 'ready' : mood);
    } else {
      fleet.replicas = Math.min(replicas, done);
      fleet.place(fleet.replicas, mood);
      source?.fleet.scaleTo(Math.max(0, replicas - done));
    }
  }
  enter(scene.weighted(tables.oam.rolling));
  partition = scene.pick([undefined, 0, index, index, index + 1, batches.length]);

  function render(): KubeObject[] {
    const { options, name } = fleet;
    const reference = { apiVersion: options.apiVersion, kind: options.kind };
    const names = {
      [`target${specNames}`]: targetName,
      [`source${specNames}`]: source?.fleet.name ?? fleet.stable.name,
      componentName: isInPlace ? name : 'cart',
      componentList: kind === 'AppRollout' ? ['cart'] : undefined,
    };
    const references = {
      targetRef: { ...reference, name: targetName },
      sourceRef: source && [{ ...reference, name: source.fleet.name }],
    };
    const written = (manager: string, ms: number) => {
      return { manager, operation: 'Update', time: time(ms), fieldsV1: { [`f:${manager}`]: {} } };
    };
    const isDeleting = rolling === 'RolloutDeletingState';
    const rendered = isRendered ? 'cart' : undefined;
    const metadata = scene.meta('cart-rollout', {
      uid,
      at,
      generation,
      managedFields: [written('spec', writtenAt), written('status', since)],
      labels: { 'shiplog.dev/controller': isOurs ? 'shiplog' : undefined, 'app.oam.dev/name': rendered },
      deletionTimestamp: isDeleting ? time(since) : undefined,
      finalizers: isDeleting ? ['rollout.oam.dev/finalizer'] : undefined,
    });
    const rolloutPlan = fill('Oam.plan', {
      size: targetSize,
      batches,
      amounts: scene.namespace.endsWith('3') ? undefined : batches.map((amount) => ({ replicas: amount })),
      partition,
      paused,
      last: scene.namespace.endsWith('77') ? 1 : undefined,
      metric: scene.namespace.endsWith('1') ? fill('Oam.metric', {}) : undefined,
    });
    const revertOnDelete = /[3-8]$/.test(scene.namespace) || undefined;
    const spec = { ...(isReferring ? references : names), revertOnDelete, rolloutPlan };
    const status = rolling === 'none' ? undefined : statusOf();
    const rollout = fill<KubeObject>('Oam.rollout', { apiVersion, kind, metadata, spec, status });
    const isMissing = scene.namespace.endsWith('58');
    return [rollout, ...(isMissing ? [] : target.render()), ...(source?.render() ?? [])];
  }

  function statusOf(): JsonObject {
    const counts = fleet.counts();
    const isFailing = rolling === 'rolloutFailing' || rolling === 'rolloutFailed';
    const isBad = isFailing || batch === 'batchVerifyFailed' || scene.namespace.endsWith('9');
    const { failures, conditions }: { failures: string[]; conditions: Record<string, string> } = tables.oam;
    const message = isBad ? failures[(index + replicas) % failures.length] : undefined;
    const type = conditions[rolling] ?? 'RolloutSpecVerifying';
    const sources = source === undefined ? [] : [{ name: source.fleet.name, replicas }];
    const size = rolling === 'verifyingSpec' ? -1 : replicas;
    return {
      ...fill('Oam.status', { rolling, batch, index, replicas, size, counts }),
      [`lastTarget${statusNames}`]: lastTarget,
      [`LastSource${statusNames}`]: source?.fleet.name,
      run: isOurs ? fill('Oam.run', { fleet, counts, goal: batches[index] ?? 0, sources }) : undefined,
      conditions: [condition(type, isBad ? 'False' : 'True', since, isBad ? 'CheckFailed' : 'Done', message)],
    };
  }

  const changes: Record<string, () => void> = {
    stage: () => enter(scene.weighted(tables.oam.rolling)),
    next: () => {
      const isLast = index + 1 >= batches.length;
      enter(isLast ? 'finalising' : 'rollingInBatches', Math.min(index + 1, batches.length - 1));
    },
    approve: () => ([partition, writtenAt, batch] = [index + 1, scene.now - 1_000, 'batchReady']),
    pause: () => ([paused, writtenAt] = [!paused, scene.now - 1_000]),
    plan: () => {
      batches = batchesOf(scene, replicas);
      generation += 1;
      writtenAt = scene.ago(scene.age());
    },
    retarget: () => ([targetName, writtenAt] = ['cart-v3', scene.ago(scene.age())]),
    resize: () => ([targetSize, writtenAt] = [replicas + 1, scene.ago(scene.age())]),
    workload: () => target.change(),
  };
  return { change: () => changes[scene.weighted(tables.oam.changes)]?.(), render };
}

/** Pods of each batch; some plans do not add up. */
function batchesOf(scene: Scene, replicas: number): number[] {
  const count = 1 + scene.int(4);
  const share = Math.max(1, Math.floor(replicas / count));
  return Array.from({ length: count }, (_, index) =>
    index < count - 1 || scene.chance(10) ? share : Math.max(1, replicas - share * index),
  );
}

/** Revisions of an application side by side, in several clusters. */
function appDeployment(scene: Scene): Play {
  const uid = scene.uid();
  const at = scene.ago(600_000);
  let phase = scene.pick(tables.oam.placed);
  let deletedAt: number | undefined;
  let counts = [scene.int(4), scene.int(6)];
  const clusters = [scene.maybe(60, { name: 'eu' }), scene.maybe(30, { labels: { zone: 'us' } })];
  const traffic = scene.maybe(60, fill('AppDeployment.traffic', {}));
  function render(): KubeObject[] {
    const metadata = scene.meta('shop', { uid, at, generation: 1, deletionTimestamp: time(deletedAt) });
    const revisions = counts.map((replicas, index) => ({
      revisionName: `shop-v${index + 1}`,
      placement: [{ clusterSelector: clusters[index], distribution: { replicas } }],
    }));
    const placement = counts.map((replicas, index) => ({
      revisionName: `shop-v${index + 1}`,
      clusters: [{ clusterName: 'eu', replicas }],
    }));
    return [fill('AppDeployment', { metadata, revisions, traffic, phase, placement })];
  }
  function change(): void {
    phase = scene.pick(tables.oam.placed);
    counts = [scene.int(4), scene.int(6)];
    if (scene.chance(8)) deletedAt = scene.ago(9);
  }
  return { change, render };
}
