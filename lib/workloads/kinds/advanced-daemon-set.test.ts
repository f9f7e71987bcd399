import { describe, expect, test } from 'vitest';
import type { JsonObject } from '@/lib/kube/json';
import type { KubeObject } from '@/lib/kube/object';
import { advancedDaemonSet } from '@/lib/workloads/kinds/advanced-daemon-set';
import {
  planScenarioControl,
  podOf,
  kruiseRevision,
  planScenarioRollback,
  type KruiseScenario,
  readScenario,
} from '@/lib/workloads/testing/kruise';
import { at, template } from '@/lib/workloads/testing/objects';

/** Its revisions carry their hash under another label, which is also what its pods name. */
function ofDaemon(number: number, image: string): KubeObject {
  const revision = kruiseRevision(number, image);
  const labels = { app: 'checkout', 'controller-revision-hash': `h${image}` };
  return { ...revision, metadata: { ...revision.metadata, labels } };
}

const podOn = (node: string, image: string) =>
  podOf(`shop-${node}`, image, { labels: { 'controller-revision-hash': `h${image}` } });
const scene = (parts: Partial<KruiseScenario> = {}): KruiseScenario => ({
  kind: advancedDaemonSet,
  revisions: [ofDaemon(1, '1'), ofDaemon(2, '2')],
  pods: [podOn('n1', '1'), podOn('n2', '1'), podOn('n3', '2')],
  status: status(1),
  ...parts,
});
const rolling = (members: JsonObject): JsonObject => ({
  updateStrategy: { type: 'RollingUpdate', rollingUpdate: members },
});
function status(updated: number, ready = 3): JsonObject {
  return {
    daemonSetHash: 'h2',
    desiredNumberScheduled: 3,
    updatedNumberScheduled: updated,
    numberReady: ready,
    numberAvailable: ready,
  };
}

describe('revisions', () => {
  test.each([{ daemonSetHash: 'h2' }, { updateRevision: 'h2' }, { updateRevision: 'shop-h2' }])(
    'the target is the revision that the status names: %j',
    (named) => {
      const { history } = readScenario(scene({ live: 'unknown', status: named }));
      expect(history.target?.name).toBe('shop-h2');
      expect(history.revisions.map(({ number, pods, live }) => [number, pods.total, live])).toEqual([
        [2, 1, true],
        [1, 2, true],
      ]);
    },
  );

  test('a revision that pods run is pruned only when nothing holds them on it', () => {
    const pruned = (spec: JsonObject) =>
      readScenario(scene({ spec: { ...spec, revisionHistoryLimit: 0 } })).history.revisions.map(
        ({ prunedNext }) => prunedNext,
      );
    expect(pruned(rolling({}))).toEqual([true, true]);
    expect(pruned(rolling({ partition: 1 }))).toEqual([false, false]);
  });
});

describe('the status', () => {
  const state = (parts: Partial<KruiseScenario>) => readScenario(scene(parts)).status;

  test.each([
    [{ partition: 2 }, 'held', 'partition 2: shop-n1 and shop-n2 stay on revision 1'],
    [{ partition: '50%' }, 'held', 'partition 50%: shop-n1 and shop-n2 stay on revision 1'],
    [
      { selector: { matchLabels: { canary: 'yes' } } },
      'held',
      'node selector of the update: shop-n1 and shop-n2 stay on revision 1',
    ],
    [{ partition: 1 }, 'rolling', '1 of 2 nodes updated'],
    [{ paused: true }, 'paused', '1 of 3 pods on revision 2'],
  ])('with %j', (members, expected, message) => {
    expect(state({ spec: rolling(members) })).toMatchObject({ state: expected, message });
  });

  test('complete, waiting, stuck, and nothing desired', () => {
    const all = [podOn('n1', '2'), podOn('n2', '2'), podOn('n3', '2')];
    expect(state({ status: status(3), pods: all })).toMatchObject({
      state: 'complete',
      message: '3 of 3 ready',
    });
    expect(state({ spec: { updateStrategy: { type: 'OnDelete' } } }).message).toBe(
      '2 pods to delete: shop-n1 and shop-n2',
    );
    const broken = podOf('shop-n3', '2', {
      labels: { 'controller-revision-hash': 'h2' },
      waiting: 'ImagePullBackOff',
    });
    expect(state({ status: status(1, 2), pods: [podOn('n1', '1'), broken] }).state).toBe('stuck');
    expect(state({ status: { daemonSetHash: 'h2' } }).message).toBe('no matching node');
  });

  test('kubectl-kruise has no line for it', () => {
    expect(state({}).kubectl).toEqual({
      text: 'error: no status viewer has been implemented for DaemonSet.apps.kruise.io',
      verdict: 'error',
    });
  });
});

test.each([
  [{}, 'RollingUpdate, unavailable 1'],
  [
    { rollingUpdateType: 'InPlaceIfPossible', partition: 2, maxUnavailable: '20%' },
    'RollingUpdate, partition 2, in place if possible, unavailable 20%',
  ],
  [
    { maxSurge: 1, paused: true, selector: {} },
    'RollingUpdate, surge 1, unavailable 1, selected nodes only, paused',
  ],
])('describes the strategy of %j', (members, words) => {
  expect(
    advancedDaemonSet.settings(readScenario(scene({ spec: rolling(members) })).input.workload).strategy,
  ).toBe(words);
});

describe('actions', () => {
  test('a rollback replaces the template, and warns of the nodes that keep their pods', () => {
    const done = planScenarioRollback(scene({ spec: rolling({ partition: 1 }) }));
    expect(done.written()).toMatchObject({ spec: { template: template('1') } });
    expect(done.codes('warning')).toEqual(['partition_holds']);
    expect(done.steps[0]).toBe('No pod changes.');
  });

  test('a rollback during a rollout is another rollout, since the kind has no stable revision', () => {
    const annotations = { 'rollouts.kruise.io/in-progressing': '{"rolloutName":"nodes"}' };
    const done = planScenarioRollback(scene({ spec: rolling({ partition: 32767 }), annotations }));
    expect(done.codes('warning')).toContain('continues_rollout');
    expect(done.steps[0]).toBe(
      'Rollout nodes starts a rollout of revision 1 with its first step, and updates the pods of each step.',
    );
  });

  test('pause, resume, partition and restart are written where the kind has them', () => {
    const rule = (members: JsonObject) => ({ spec: { updateStrategy: { rollingUpdate: members } } });
    expect(planScenarioControl(scene({ spec: rolling({ partition: 1 }) }), 'pause').written()).toMatchObject(
      rule({ partition: 1, paused: true }),
    );
    expect(planScenarioControl(scene({ spec: rolling({ paused: true }) }), 'resume').written()).toMatchObject(
      rule({ paused: false }),
    );
    const moved = planScenarioControl(scene({ spec: rolling({ partition: 2 }) }), 'partition', {
      partition: 0,
    });
    expect(moved.written()).toMatchObject(rule({ partition: 0 }));
    expect(moved.steps[0]).toContain(
      '2 pods (shop-n1 and shop-n2) are updated to revision 2, at most 1 node at a time.',
    );
    expect(planScenarioControl(scene(), 'restart').written()).toMatchObject({
      spec: { template: { metadata: { annotations: { 'kubectl.kubernetes.io/restartedAt': at(30) } } } },
    });
  });
});
