import { beforeAll, expect, test } from 'vitest';
import type { JsonObject } from '@/lib/kube/json';
import type { KubeObject } from '@/lib/kube/object';
import { numberAt, objectsAt, textAt } from '@/lib/kube/read';
import { ARGO, FLAGGER } from '@/sandbox/seed/fleet/argo-and-flagger';
import { KRUISE } from '@/sandbox/seed/fleet/kruise';
import { KUBEVELA, OAM } from '@/sandbox/seed/fleet/oam-and-kubevela';
import { playedObjects } from '@/sandbox/seed/testing/saved-objects';

const END = Date.parse('2026-11-20T12:00:00Z');
const ROLLOUT = 'rollouts.kruise.io/rollout-';

let objects: KubeObject[];

beforeAll(async () => {
  objects = await playedObjects([...KRUISE, ...ARGO, ...FLAGGER, ...OAM, ...KUBEVELA], END);
}, 120_000);

const of = (kind: string, group = '') =>
  objects.filter((object) => object.kind === kind && object.apiVersion.startsWith(group));
const find = (kind: string, name: string, group = '') =>
  of(kind, group).find(({ metadata }) => metadata.name === name);
const statusOf = (...place: Parameters<typeof find>) => find(...place)?.status;
const ready = (name: string) => numberAt(statusOf('Deployment', name), 'readyReplicas') ?? 0;
const tagOf = ({ spec }: KubeObject) => {
  const [container] = objectsAt(spec, 'template', 'spec', 'containers');
  return textAt(container, 'image')?.split(':')[1] ?? '';
};

test.each([
  ['product-page', 'canaryStatus', 1, 'StepPaused'],
  ['autocomplete', 'blueGreenStatus', 1, 'StepPaused'],
  ['wallet', 'canaryStatus', 3, 'Completed'],
  ['gift-cards', 'canaryStatus', 2, 'Completed'],
  ['statements', 'canaryStatus', 2, 'Completed'],
])('the rollout of %s by OpenKruise is in its expected state', (name, member, step, state) => {
  expect(statusOf('Rollout', name, 'rollouts.kruise.io/')).toMatchObject({
    [member]: { currentStepIndex: step, currentStepState: state },
    phase: state === 'Completed' ? 'Healthy' : 'Progressing',
  });
});

test('a fifth of the requests goes to the canary that waits for approval', () => {
  const canary = find('Ingress', 'product-page-canary');
  expect(canary?.metadata.annotations?.['nginx.ingress.kubernetes.io/canary-weight']).toBe('20');
  expect(objects.some(({ metadata }) => metadata.labels?.[`${ROLLOUT}batch-id`] === '1')).toBe(true);
});

test.each([
  ['CloneSet', 'image-tagger', { updatedReplicas: 3, replicas: 6 }],
  ['StatefulSet', 'vector-store', { updatedReplicas: 1, replicas: 4 }],
  ['DaemonSet', 'flow-exporter', { updatedNumberScheduled: 2, desiredNumberScheduled: 5 }],
] as const)('the %s %s is held by its partition', (kind, name, counts) => {
  expect(statusOf(kind, name, 'apps.kruise.io/')).toMatchObject(counts);
});

test('a month of records exists, complete ones and every way in which they break', () => {
  const told = of('RolloutHistory').map(({ metadata, status }) => ({
    rollout: metadata.labels?.[`${ROLLOUT}name`] ?? '',
    id: metadata.labels?.[`${ROLLOUT}id`] ?? '',
    phase: textAt(status, 'phase') ?? 'pending',
    pods: objectsAt(status, 'canarySteps').map((step) => objectsAt(step, 'pods').length),
  }));
  const by = (rollout: string, phase: string) =>
    told.filter((record) => record.rollout === rollout && record.phase === phase);

  expect(told.length).toBeGreaterThanOrEqual(20);
  expect(by('wallet', 'completed').map(({ pods }) => pods)).toEqual(Array(4).fill([1, 2, 3]));
  expect(by('wallet', 'pending').some(({ id }) => id.startsWith('rollback-'))).toBe(true);
  expect(by('product-page', 'completed').every(({ pods }) => pods.every((count) => count === 0))).toBe(true);
  expect(by('gift-cards', 'pending')).toHaveLength(4);
  expect(told.some(({ rollout }) => rollout === 'autocomplete')).toBe(false);
  const ids = by('statements', 'completed').map(({ id }) => id);
  expect(ids.sort()).toEqual(['statements-2', 'statements-4', 'statements-4', 'statements-5']);
  expect(by('statements', 'updated')).toHaveLength(1);
  expect(by('statements-try', 'completed')).toHaveLength(1);
  expect(find('Rollout', 'statements-try')).toBeUndefined();
});

/** Number, tag, size and change cause of the revisions of an Argo Rollout. */
function revisionsOf(name: string): string[] {
  const note = ({ metadata }: KubeObject, key: string) => metadata.annotations?.[key] ?? '';
  const number = (set: KubeObject) => Number(note(set, 'rollout.argoproj.io/revision'));
  return of('ReplicaSet')
    .filter(({ metadata }) => metadata.name.startsWith(`${name}-`))
    .toSorted((a, b) => number(a) - number(b))
    .map((set) => {
      const [cause] = note(set, 'kubernetes.io/change-cause').split(':');
      return `${number(set)} ${tagOf(set)}*${numberAt(set.spec, 'replicas')} ${cause}`;
    });
}

test('an Argo canary waits at its first step after a month, with one rolled back attempt', () => {
  const state = { phase: 'Paused', message: 'CanaryPauseStep', currentStepIndex: 1 };
  expect(statusOf('Rollout', 'price-engine')).toMatchObject(state);
  expect(revisionsOf('price-engine')).toEqual([
    '1 7.0.0*0 Price engine 7.0.0',
    '2 7.1.0*0 Price engine 7.1.0',
    '4 7.3.0*0 Price engine 7.3.0',
    // The kubectl plugin leaves the change cause of what it rolls back.
    '5 7.2.0*0 Price engine 7.3.0',
    '6 7.3.1*4 Price engine 7.3.1',
    '7 7.4.0*1 Price engine 7.4.0',
  ]);
  const phases = of('AnalysisRun').map(({ status }) => textAt(status, 'phase'));
  expect(new Set(phases)).toEqual(new Set(['Successful']));
});

test('an Argo blue-green waits for its promotion, with all new pods next to the old ones', () => {
  expect(statusOf('Rollout', 'payouts')).toMatchObject({ phase: 'Paused', message: 'BlueGreenPause' });
  const sizes = revisionsOf('payouts').map((line) => line.split(' ')[1]);
  expect(sizes).toEqual(['2.1.0*0', '2.2.0*0', '2.3.0*0', '2.3.1*3', '2.4.0*3']);
});

test('a rollout of Flagger waits for an approval that only its webhook can give', () => {
  expect(textAt(statusOf('Canary', 'spellcheck'), 'phase')).toBe('WaitingPromotion');
  expect(
    of('Deployment')
      .filter(({ metadata }) => metadata.name === 'spellcheck-primary')
      .map(tagOf),
  ).toEqual(['1.5.0']);
});

test('an OAM rollout waits after the second of four batches, and the previous one completed', () => {
  expect(statusOf('Rollout', 'loyalty')).toMatchObject({
    rollingState: 'rollingInBatches',
    batchRollingState: 'batchReady',
    currentBatch: 1,
    upgradedReadyReplicas: 2,
  });
  expect(['loyalty-v2', 'loyalty-v3', 'loyalty-v4'].map(ready)).toEqual([0, 2, 2]);
});

test('one has failed its metric in the first batch, and does not touch its pods', () => {
  const status = statusOf('Rollout', 'ranker');
  expect(status).toMatchObject({ rollingState: 'rolloutFailed', currentBatch: 0 });
  const why = objectsAt(status, 'conditions').find(({ type }) => type === 'BatchRolloutFailed');
  expect(textAt(why, 'message')).toContain('error-rate = 7.4 (limit ≤ 1)');
  expect(statusOf('CloneSet', 'ranker')).toMatchObject({ updatedReadyReplicas: 2, readyReplicas: 6 });
});

test('one was deleted and has restored the previous version, as its events show', () => {
  expect(find('Rollout', 'wishlist')).toBeUndefined();
  expect(['wishlist-blue', 'wishlist-green'].map(ready)).toEqual([4, 0]);
  const told = (of('Event') as object[] as JsonObject[])
    .filter((event) => textAt(event, 'involvedObject', 'name') === 'wishlist')
    .map(({ reason }) => reason);
  expect(told).toContain('Rollout Reverted');
});

test('an Application has revisions of both compressions, and is held by its publishVersion', () => {
  const revisions = of('ApplicationRevision')
    .toSorted((a, b) => (a.metadata.creationTimestamp < b.metadata.creationTimestamp ? -1 : 1))
    .map(({ metadata: { name, annotations }, spec }) =>
      [name, textAt(spec, 'compression', 'type'), annotations?.['app.oam.dev/publishVersion']].join(' '),
    );
  expect(revisions).toEqual([
    'campaigns-v1 gzip ',
    'campaigns-v2 gzip ',
    'campaigns-v3 gzip ',
    'campaigns-v4 zstd autumn-sale',
    'campaigns-v5 zstd autumn-sale-preview',
    'campaigns-v6 zstd autumn-sale-again',
    'campaigns-v7 zstd winter',
  ]);
  const state = { status: 'running', latestRevision: { name: 'campaigns-v7' } };
  expect(statusOf('Application', 'campaigns')).toMatchObject(state);
  expect(ready('campaigns-api')).toBe(3);
});
