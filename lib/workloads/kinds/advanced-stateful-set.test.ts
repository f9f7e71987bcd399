import { describe, expect, test } from 'vitest';
import type { JsonObject } from '@/lib/kube/json';
import { advancedStatefulSet } from '@/lib/workloads/kinds/advanced-stateful-set';
import {
  planScenarioControl,
  podOf,
  kruiseRevision,
  planScenarioRollback,
  type KruiseScenario,
  readScenario,
} from '@/lib/workloads/testing/kruise';
import { at, type PodParts, template } from '@/lib/workloads/testing/objects';

const scene = (parts: Partial<KruiseScenario> = {}): KruiseScenario => ({
  kind: advancedStatefulSet,
  version: 'v1beta1',
  ...parts,
});
const rolling = (members: JsonObject, more: JsonObject = {}): JsonObject => ({
  replicas: 3,
  updateStrategy: { type: 'RollingUpdate', rollingUpdate: members },
  ...more,
});
const status = (updated: number, ready = 3): JsonObject => ({
  currentRevision: 'shop-h1',
  updateRevision: 'shop-h2',
  replicas: 3,
  readyReplicas: ready,
  availableReplicas: ready,
  updatedReplicas: updated,
});
const pods = (...images: string[]) => images.map((image, ordinal) => podOf(`shop-${ordinal}`, image));
const parallel = { podManagementPolicy: 'Parallel' };
const unordered = (partition: number) => rolling({ partition, unorderedUpdate: {} }, parallel);

describe('a partition', () => {
  test('holds the pods with lower ordinals, and names them', () => {
    const { status: seen } = readScenario(
      scene({ spec: rolling({ partition: 2 }), status: status(1), pods: pods('1', '1', '2') }),
    );
    expect(seen).toMatchObject({
      state: 'held',
      message: 'partition 2: shop-0 and shop-1 stay on revision 1',
      pods: { updated: 1, desired: 3 },
    });
  });

  test('is a number of pods where updates have no order', () => {
    const seen = readScenario(scene({ spec: unordered(2), status: status(1), pods: pods('1', '2', '1') }));
    expect(seen.status.message).toBe('partition 2: shop-0 and shop-2 stay on revision 1');
    expect(advancedStatefulSet.settings(seen.input.workload).partition).toEqual({
      keeps: 'number',
      value: 2,
    });
    const ordered = readScenario(scene({ spec: rolling({ partition: 2 }) }));
    expect(advancedStatefulSet.settings(ordered.input.workload).partition).toEqual({
      keeps: 'ordinals',
      value: 2,
    });
  });

  test('does not count ordinals that the set skips', () => {
    const spec = rolling({ partition: 3 }, { reserveOrdinals: [0, 2] });
    const named = ['shop-1', 'shop-3', 'shop-4'];
    const images = ['1', '2', '2'];
    const own = named.map((name, index) => podOf(name, images[index] ?? ''));
    expect(readScenario(scene({ spec, status: status(2), pods: own })).status).toMatchObject({
      state: 'held',
      message: 'partition 3: shop-1 stays on revision 1',
    });
    expect(readScenario(scene({ spec, status: status(1), pods: own })).status.state).toBe('rolling');
  });

  test('above the number of pods, as a Rollout writes it, holds all of them', () => {
    const seen = readScenario(
      scene({ spec: rolling({ partition: 32767 }), status: status(0), pods: pods('1', '1', '1') }),
    );
    expect(seen.status).toMatchObject({ state: 'held', pods: { updated: 0 } });
  });

  test('moves in the meaning of the kind', () => {
    const parts = scene({ spec: rolling({ partition: 2 }), status: status(1), pods: pods('1', '1', '2') });
    const moved = planScenarioControl(parts, 'partition', { partition: 1 });
    expect(moved.written()).toMatchObject({ spec: { updateStrategy: { rollingUpdate: { partition: 1 } } } });
    expect(moved.steps).toEqual([
      '1 pod (shop-1) is updated to revision 2, highest ordinal first, each after the previous one is ready.',
    ]);
    expect(
      planScenarioControl({ ...parts, spec: unordered(2) }, 'partition', { partition: 1 }).steps,
    ).toEqual(['1 pod is updated to revision 2, at most 1 at a time.']);
    expect(
      planScenarioControl({ ...parts, spec: { replicas: 3 } }, 'partition', { partition: 1 }).written(),
    ).toMatchObject({
      spec: { updateStrategy: { rollingUpdate: { partition: 1 } } },
    });
  });

  test('prevents pruning of the revisions that its pods run', () => {
    const revisions = ['1', '2', '3'].map((image) => kruiseRevision(Number(image), image));
    const parts = {
      revisions,
      live: '3',
      status: { ...status(0), currentRevision: 'shop-h2', updateRevision: 'shop-h3' },
      pods: pods('1', '3', '3'),
    };
    const pruned = (spec: JsonObject) =>
      readScenario(scene({ ...parts, spec: { ...spec, revisionHistoryLimit: 0 } }))
        .history.revisions.filter(({ prunedNext }) => prunedNext)
        .map(({ number }) => number);
    expect(pruned(rolling({ partition: 1 }))).toEqual([3]);
    expect(pruned(rolling({}))).toEqual([3, 2, 1]);
    expect(pruned(rolling({ paused: true }))).toEqual([]);
  });
});

describe('the status', () => {
  const state = (parts: Partial<KruiseScenario>) => readScenario(scene(parts)).status;
  const broken: PodParts = { waiting: 'CrashLoopBackOff', restarts: 5, exitCode: 1 };

  test('is stuck when an ordered update waits for a pod of another revision', () => {
    const own = [podOf('shop-0', '2'), podOf('shop-1', '1', broken), podOf('shop-2', '1')];
    const parts = { spec: rolling({}), status: status(1, 2), pods: own };
    expect(state(parts)).toMatchObject({
      state: 'stuck',
      message: 'shop-1 blocks the update: app exits with code 1, restarted 5 times',
    });
    expect(
      planScenarioControl(scene(parts), 'deletePod', { pod: { name: 'shop-1', uid: 'uid-shop-1' } }).codes(
        'refusal',
      ),
    ).toEqual([]);
    expect(
      planScenarioControl(scene(parts), 'deletePod', { pod: { name: 'shop-2', uid: 'uid-shop-2' } }).codes(
        'refusal',
      ),
    ).toEqual(['not_blocking']);
    expect(state({ ...parts, spec: rolling({}, parallel) }).state).toBe('rolling');
  });

  test('complete, paused, waiting and unknown', () => {
    expect(state({ spec: rolling({}), status: status(3), pods: pods('2', '2', '2') }).state).toBe('complete');
    expect(state({ spec: rolling({ paused: true }), status: status(1) }).state).toBe('paused');
    const onDelete = { replicas: 3, updateStrategy: { type: 'OnDelete' } };
    expect(state({ spec: onDelete, status: status(1), pods: pods('1', '2', '2') }).state).toBe('waiting');
    expect(state({ spec: rolling({}), status: status(3), generation: 3 }).state).toBe('unknown');
  });

  test.each([
    [
      rolling({ partition: 1 }),
      status(1),
      'Waiting for partitioned roll out to finish:1 out of 2 new pods has been updated...',
    ],
    [rolling({}), status(1, 2), 'Waiting for 1 pods to be ready...'],
    [
      rolling({}),
      { ...status(3), observedGeneration: 0 },
      'Waiting for Advanced StatefulSet spec update to be observed...',
    ],
    [rolling({}), status(3), 'Advanced StatefulSet rolling update complete 3 pods at revision shop-h2...'],
  ])('kubectl-kruise of %j', (spec, counted, text) => {
    expect(state({ spec, status: counted }).kubectl.text).toBe(text);
  });
});

test.each([
  [
    rolling({ partition: 2, podUpdatePolicy: 'InPlaceIfPossible' }),
    'RollingUpdate, partition 2, in place if possible, ordered',
  ],
  [
    rolling({ maxUnavailable: '30%', paused: true }, parallel),
    'RollingUpdate, unavailable 30%, parallel, paused',
  ],
  [unordered(1), 'RollingUpdate, partition 1, unordered'],
  [{ updateStrategy: { type: 'OnDelete' } }, 'OnDelete, ordered'],
])('describes the strategy of %j', (spec, words) => {
  expect(advancedStatefulSet.settings(readScenario(scene({ spec })).input.workload).strategy).toBe(words);
});

describe('a rollback', () => {
  test.each(['v1beta1', 'v1alpha1'])('writes the template alone, in %s', (version) => {
    const done = planScenarioRollback(
      scene({ version, spec: rolling({}), status: status(3), pods: pods('2', '2', '2') }),
    );
    expect(done.planned.plan?.write).toMatchObject({
      path: `/apis/apps.kruise.io/${version}/namespaces/shop/statefulsets/shop`,
      patch: [
        { op: 'test', path: '/metadata/uid' },
        { op: 'test', path: '/spec/template', value: template('2') },
        { op: 'replace', path: '/spec/template', value: template('1') },
      ],
    });
    expect(done.steps[0]).toBe(
      '3 pods (shop-2, shop-1 and shop-0) are replaced by pods of revision 1, highest ordinal first, each after the previous one is ready.',
    );
    expect(done.planned.plan?.stays).toContain(
      'Volume claim templates, claims and their data are not rolled back.',
    );
  });

  test('replaces every pod from the partition up, and names those below', () => {
    const held = planScenarioRollback(
      scene({ spec: rolling({ partition: 1 }), status: status(3), pods: pods('2', '1', '2') }),
    );
    expect(held.message('partition_holds')).toContain(
      'Partition 1 holds shop-0: it is not rolled back to revision 1.',
    );
    expect(held.steps[0]).toContain(
      '1 pod (shop-2) is replaced by a pod of revision 1, highest ordinal first, each after the previous one is ready.',
    );
  });

  test('warns beforehand of a rollback that nothing can carry out', () => {
    const claims = template('1', {
      spec: {
        containers: [{ name: 'app', image: 'checkout:1', volumeMounts: [{ name: 'data', mountPath: '/d' }] }],
      },
    });
    const revisions = [kruiseRevision(1, '1', { template: claims }), kruiseRevision(2, '2')];
    expect(planScenarioRollback(scene({ spec: rolling({}), revisions })).codes('refusal')).toEqual([
      'missing_claim_template',
    ]);
    const only = rolling(
      { podUpdatePolicy: 'InPlaceOnly' },
      { volumeClaimTemplates: [{ metadata: { name: 'data' } }] },
    );
    expect(planScenarioRollback(scene({ spec: only, revisions })).codes('refusal')).toEqual([
      'in_place_only',
    ]);
  });
});

test('a restart is written as kubectl writes it, since kubectl-kruise has none', () => {
  const done = planScenarioControl(scene({ spec: rolling({}), status: status(3) }), 'restart');
  expect(done.written()).toMatchObject({
    spec: { template: { metadata: { annotations: { 'kubectl.kubernetes.io/restartedAt': at(30) } } } },
  });
  expect(done.planned.plan?.kubectl).toContain('patch statefulsets.apps.kruise.io/shop');
});
