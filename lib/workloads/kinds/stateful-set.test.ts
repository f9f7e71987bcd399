import { describe, expect, test } from 'vitest';
import type { JsonObject } from '@/lib/kube/json';
import type { KubeObject } from '@/lib/kube/object';
import { daemonSet } from '@/lib/workloads/kinds/daemon-set';
import { statefulSet } from '@/lib/workloads/kinds/stateful-set';
import {
  at,
  controllerRevision,
  historyInputOf,
  object,
  type Parts,
  pod,
  type PodParts,
  template,
} from '@/lib/workloads/testing/objects';

const LABEL = 'controller-revision-hash';

interface Scene extends Parts {
  image?: string;
  spec?: JsonObject;
  status?: JsonObject;
}

function workload({ image = '2', spec, status, ...parts }: Scene = {}): KubeObject {
  return object(
    'StatefulSet',
    { uid: 'uid-workload', owner: null, ...parts },
    {
      spec: { replicas: 3, template: template(image), ...spec },
      status: { observedGeneration: 1, ...status },
    },
  );
}

const read = (scene: Scene, sources: KubeObject[], pods: KubeObject[] = []) =>
  statefulSet.history(historyInputOf(statefulSet, workload(scene), sources, pods));

const onRevision = (index: number, image: string, parts: PodParts = {}) =>
  pod(`checkout-${index}`, { image, labels: { [LABEL]: `checkout-${image}` }, ...parts });

const two = [controllerRevision(1, '1'), controllerRevision(2, '2', { created: 5 })];

describe('the target', () => {
  test('is what the status names once the spec is observed', () => {
    expect(read({ status: { updateRevision: 'checkout-1' } }, two).target?.number).toBe(1);
  });

  test('is found by the template before that: equal bytes first, else the newest if it means the same', () => {
    const stale = { generation: 2, status: { updateRevision: 'checkout-1' } };
    expect(read(stale, two).target?.number).toBe(2);
    expect(read(stale, [...two, controllerRevision(4, '2', { name: 'copy' })]).target?.name).toBe('copy');
    const twin = controllerRevision(3, '2', {
      name: 'twin',
      template: { ...template('2'), metadata: { labels: { app: 'checkout' }, creationTimestamp: null } },
    });
    expect(read(stale, [...two, twin]).target?.name).toBe('checkout-2');
    expect(read(stale, [two[0] as KubeObject, twin]).target?.name).toBe('twin');
    expect(read(stale, [twin, controllerRevision(4, '1')]).target).toBeNull();
  });
});

test('upgrade duplicates are grouped: the younger names the older as its duplicate', () => {
  const body = template('2');
  const twin = controllerRevision(1, '2', {
    name: 'before-1-34',
    template: { ...body, metadata: { labels: { app: 'checkout' }, creationTimestamp: null } },
  });
  const history = read({}, [twin, controllerRevision(2, '2', { name: 'since-1-34', created: 9 })]);
  expect(history.revisions.map(({ name, duplicateOf }) => [name, duplicateOf])).toEqual([
    ['since-1-34', 'uid-before-1-34'],
    ['before-1-34', null],
  ]);
});

describe('live', () => {
  test('includes what the status counts and what any pod runs', () => {
    const status = { currentRevision: 'checkout-1', updateRevision: 'checkout-1' };
    const history = read(
      { status },
      [...two, controllerRevision(3, '3')],
      [onRevision(0, '1'), onRevision(1, '2'), onRevision(2, '2', { deleted: at(9) })],
    );
    expect(
      history.revisions.map(({ number, live, serving, current, target }) => [
        number,
        live,
        serving,
        current,
        target,
      ]),
    ).toEqual([
      [3, false, false, false, false],
      [2, true, true, false, false],
      [1, true, true, true, true],
    ]);
  });

  test('ignores a pod that another set controls, and a label that no revision has', () => {
    const history = read({}, two, [
      onRevision(0, '1', { owner: 'uid-other' }),
      pod('checkout-1', { labels: { [LABEL]: 'checkout-gone' } }),
    ]);
    expect(history.revisions.map(({ pods }) => pods.total)).toEqual([0, 0]);
    expect(history.warnings).toEqual(['checkout-1 runs a revision that Kubernetes has pruned.']);
  });
});

test('one label key holds a name for a StatefulSet and a hash for a DaemonSet; equal names in one namespace never mix', () => {
  const setRevision = controllerRevision(1, '1', {
    owner: 'uid-workload',
    name: 'checkout-abc',
    uid: 'uid-s',
  });
  const daemonRevision = controllerRevision(1, '1', {
    owner: 'uid-daemon',
    name: 'checkout-abc',
    uid: 'uid-d',
    labels: { [LABEL]: 'abc' },
  });
  const setPod = pod('checkout-0', { labels: { [LABEL]: 'checkout-abc' } });
  const daemonPod = pod('checkout-x', { owner: 'uid-daemon', labels: { [LABEL]: 'abc' } });
  const sources = [setRevision, daemonRevision];
  const pods = [setPod, daemonPod];
  const set = statefulSet.history(historyInputOf(statefulSet, workload({ image: '1' }), sources, pods));
  const daemon = daemonSet.history(
    historyInputOf(
      daemonSet,
      object('DaemonSet', { uid: 'uid-daemon', owner: null }, { spec: { template: template('1') } }),
      sources,
      pods,
    ),
  );
  expect(set.revisions.map(({ id, pods: { total } }) => [id, total])).toEqual([['uid-s', 1]]);
  expect(daemon.revisions.map(({ id, pods: { total } }) => [id, total])).toEqual([['uid-d', 1]]);
});

describe('numbers that moved', () => {
  const written = (minute: number) => ({
    managedFields: [
      {
        manager: 'kube-controller-manager',
        operation: 'Update',
        time: at(minute),
        fieldsV1: { 'f:data': {}, 'f:revision': {} },
      },
    ],
  });
  /** 1:A 2:B 3:C, then back to A. */
  const back = [
    controllerRevision(4, 'A', { created: 0, ...written(40) }),
    controllerRevision(2, 'B', { created: 20, ...written(20) }),
    controllerRevision(3, 'C', { created: 30, ...written(30) }),
  ];

  test('a reused older revision is last in order, and active since its number was written', () => {
    const history = read({ status: { updateRevision: 'checkout-A' } }, back);
    expect(history.revisions.map(({ name }) => name)).toEqual(['checkout-A', 'checkout-C', 'checkout-B']);
    expect(history.target).toMatchObject({
      number: 4,
      reactivated: true,
      activations: [{ from: at(40), to: null, open: true }],
    });
    expect(history.target?.explain()).toMatch(
      /^An earlier revision, renumbered to 4 by a rollback at 2026-08-01 12:40:00 UTC\./,
    );
    expect(history.revisions[1]?.activations).toMatchObject([{ from: at(30), to: at(40), open: false }]);
    expect(history.gaps).toEqual([1]);
  });

  test('without managed fields the time is unknown, and bounded', () => {
    const [a, ...others] = back;
    const history = read({ image: 'A' }, [
      { ...(a as KubeObject), metadata: { ...(a as KubeObject).metadata, managedFields: [] } },
      ...others,
    ]);
    expect(history.target?.activations).toMatchObject([
      { from: null, fromNotBefore: at(30), fromNotAfter: null },
    ]);
    expect(history.target?.explain()).toContain('at an unknown time');
  });

  test('a number written long after the creation is no first activation', () => {
    const history = read({}, [controllerRevision(4, '2', { created: 0, ...written(40) })]);
    expect(history.target?.activations).toMatchObject([
      { from: null, fromNotBefore: at(0), fromNotAfter: at(40) },
    ]);
    expect(history.target?.explain()).toContain('probably reused');
  });
});

test('a cause is compared with the one recorded before it, not with that of the previous number', () => {
  const caused = (number: number, image: string, created: number, cause: string) =>
    controllerRevision(number, image, { created, annotations: { 'kubernetes.io/change-cause': cause } });
  const history = read({}, [caused(4, 'A', 0, 'x'), caused(2, 'B', 1, 'x'), caused(3, 'C', 2, 'y')]);
  expect(history.revisions.map(({ number, causeInheritedFrom }) => [number, causeInheritedFrom])).toEqual([
    [4, null],
    [3, null],
    [2, 4],
  ]);
});

test('kubectl’s previous is the second to last by number, whatever runs', () => {
  const history = read({ status: { updateRevision: 'checkout-1' } }, [...two, controllerRevision(5, '5')]);
  expect(statefulSet.previous(history)?.number).toBe(2);
  expect(statefulSet.previous(read({}, two.slice(0, 1)))).toBeNull();
});

describe('what the limit prunes once one more revision is complete', () => {
  const five = ['1', '2', '3', '4', '5'].map((image) => controllerRevision(Number(image), image));
  const pruned = (spec: JsonObject, pods: KubeObject[] = []) =>
    read(
      {
        image: '5',
        spec: { revisionHistoryLimit: 2, ...spec },
        status: { currentRevision: 'checkout-1', updateRevision: 'checkout-5' },
      },
      five,
      pods,
    )
      .revisions.filter(({ prunedNext }) => prunedNext)
      .map(({ number }) => number);

  test('all but the newest of the limit, since a complete rolling update leaves none live', () => {
    expect(pruned({}, [onRevision(0, '1')])).toEqual([3, 2, 1]);
  });

  test('what the partition or OnDelete holds is not counted', () => {
    const rolling = { updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 1 } } };
    expect(pruned(rolling, [onRevision(0, '1'), onRevision(1, '2')])).toEqual([3, 2]);
    expect(
      pruned({ updateStrategy: { type: 'OnDelete' } }, [onRevision(0, '1'), onRevision(1, '2')]),
    ).toEqual([3]);
  });

  test('nothing with a negative limit', () => expect(pruned({ revisionHistoryLimit: -1 })).toEqual([]));
});

test.each([
  [{}, 'RollingUpdate, ordered'],
  [{ podManagementPolicy: 'Parallel', updateStrategy: { type: 'OnDelete' } }, 'OnDelete, parallel'],
  [
    { updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 2, maxUnavailable: '30%' } } },
    'RollingUpdate, partition 2, unavailable 30%, ordered',
  ],
])('the strategy of %j reads %s', (spec, words) => {
  expect(statefulSet.settings(historyInputOf(statefulSet, workload({ spec }), []).workload).strategy).toBe(
    words,
  );
});
