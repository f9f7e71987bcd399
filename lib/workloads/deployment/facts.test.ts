import { deriveStatus } from '@/lib/messages/workload-status';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '@/lib/kube/json';
import type { KubeObject } from '@/lib/kube/object';
import { deployment } from '@/lib/workloads/kinds/deployment';
import type { WorkloadStatus } from '@/lib/engine/status';
import {
  at,
  historyInputOf,
  object,
  pod,
  type PodParts,
  replicaSet,
  template,
} from '@/lib/workloads/testing/objects';

interface Scene {
  replicas?: number;
  /** updated, total, ready, available */
  counts?: [number, number, number, number];
  conditions?: JsonObject[];
  spec?: JsonObject;
  generation?: number;
  deleted?: string;
  /** Last write of the spec, and the time of the evaluation. */
  edited?: string;
  now?: string;
  sources?: KubeObject[];
  pods?: KubeObject[];
}

const progressing = (reason: string, status = 'True') => ({
  type: 'Progressing',
  status,
  reason,
  lastUpdateTime: at(10),
  lastTransitionTime: at(8),
});

function statusOf(scene: Scene): WorkloadStatus {
  const replicas = scene.replicas ?? 12;
  const [updated, total, ready, available] = scene.counts ?? [replicas, replicas, replicas, replicas];
  const workload = object(
    'Deployment',
    {
      uid: 'uid-workload',
      owner: null,
      generation: scene.generation ?? 1,
      ...(scene.deleted === undefined ? {} : { deleted: scene.deleted }),
    },
    {
      spec: { replicas, template: template('43'), ...scene.spec },
      status: {
        observedGeneration: 1,
        replicas: total,
        updatedReplicas: updated,
        readyReplicas: ready,
        availableReplicas: available,
        conditions: scene.conditions ?? [progressing('NewReplicaSetAvailable')],
      },
    },
  );
  const plain = historyInputOf(
    deployment,
    workload,
    scene.sources ?? sets(updated, total - updated),
    scene.pods ?? [],
  );
  const input = { ...plain, workload: { ...plain.workload, editedAt: scene.edited ?? null }, now: scene.now };
  const history = deployment.history(input);
  return deriveStatus(deployment.facts({ ...input, history }));
}

const sets = (updated: number, old: number) => [
  replicaSet(42, '42', { replicas: old }),
  replicaSet(43, '43', { replicas: updated, ready: 0, created: 5 }),
];

const pods = (set: number, amount: number, parts: PodParts = {}) =>
  Array.from({ length: amount }, (_, index) =>
    pod(`p-${set}-${index}`, { owner: `uid-checkout-${set}`, ...parts }),
  );

const crashing: PodParts = { waiting: 'CrashLoopBackOff', exitCode: 1, restarts: 9 };

describe('the line of kubectl rollout status', () => {
  test.each(
    // prettier-ignore
    [
    [{ generation: 2 }, 'Waiting for deployment spec update to be observed...', 'waiting'],
    [{ conditions: [progressing('ProgressDeadlineExceeded', 'False')] }, 'error: deployment "checkout" exceeded its progress deadline', 'error'],
    [{ generation: 2, conditions: [progressing('ProgressDeadlineExceeded', 'False')] }, 'Waiting for deployment spec update to be observed...', 'waiting'],
    [{ counts: [6, 15, 9, 9] }, 'Waiting for deployment "checkout" rollout to finish: 6 out of 12 new replicas have been updated...', 'waiting'],
    [{ counts: [12, 14, 12, 12] }, 'Waiting for deployment "checkout" rollout to finish: 2 old replicas are pending termination...', 'waiting'],
    [{ counts: [12, 12, 11, 11] }, 'Waiting for deployment "checkout" rollout to finish: 11 of 12 updated replicas are available...', 'waiting'],
    [{}, 'deployment "checkout" successfully rolled out', 'done'],
    [{ spec: { paused: true } }, 'deployment "checkout" successfully rolled out', 'done'],
  ] satisfies [Scene, string, string][],
  )('%j', (scene, text, verdict) => {
    expect(statusOf(scene).kubectl).toEqual({ text, verdict });
  });
});

test('complete since the rollout ended or the last pod became ready, whichever is later', () => {
  const ready = pods(43, 12);
  expect(statusOf({ pods: ready })).toMatchObject({
    state: 'complete',
    message: '12 of 12 ready',
    sentence: 'All 12 pods run revision 43 and are ready.',
    since: at(10),
  });
  const late = pod('late', {
    owner: 'uid-checkout-43',
    status: { conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: at(30) }] },
  });
  expect(statusOf({ pods: [...ready, late] }).since).toBe(at(30));
  expect(statusOf({ replicas: 0 })).toMatchObject({ state: 'complete', message: 'scaled to 0' });
});

test('unknown while the controller has not observed the last edit, or the workload is being deleted', () => {
  expect(statusOf({ generation: 2 }).state).toBe('unknown');
  expect(statusOf({ deleted: at(5) })).toMatchObject({
    state: 'unknown',
    message: 'being deleted',
    since: at(5),
  });
});

test('rolling reports the progress, and which pods are starting', () => {
  const starting = [...pods(42, 9), ...pods(43, 5), pod('new', { owner: 'uid-checkout-43', ready: false })];
  expect(
    statusOf({ counts: [6, 15, 14, 14], conditions: [progressing('ReplicaSetUpdated')], pods: starting }),
  ).toMatchObject({
    state: 'rolling',
    message: '6 of 12 updated; new is not ready yet',
    sentence:
      '6 of 12 pods updated to revision 43, 14 pods are ready in total. Revision 42 still serves with 9 of 12 pods.',
    since: at(5),
    blockers: [],
  });
});

test('one pod of several "runs", in the singular', () => {
  expect(statusOf({ counts: [1, 13, 12, 12], spec: { paused: true } }).sentence).toContain(
    '1 of 12 pods runs revision 43, 12 of 12 are ready.',
  );
});

test('counts the pods themselves, which the controller counts later', () => {
  const scene = {
    counts: [0, 12, 0, 0] as [number, number, number, number],
    pods: [...pods(42, 9), ...pods(43, 5)],
  };
  expect(statusOf({ ...scene, conditions: [progressing('ReplicaSetUpdated')] }).sentence).toContain(
    '5 of 12 pods updated to revision 43, 14 pods are ready in total.',
  );
  expect(statusOf({ ...scene, spec: { paused: true } }).sentence).toContain(
    '5 of 12 pods run revision 43, 14 pods are ready in total.',
  );
});

describe('stuck', () => {
  const stuckPods = [...pods(42, 9), ...pods(43, 6, crashing)];

  test('names the reason and what still serves', () => {
    const status = statusOf({
      counts: [6, 15, 9, 9],
      conditions: [progressing('ReplicaSetUpdated')],
      pods: stuckPods,
    });
    expect(status).toMatchObject({
      state: 'stuck',
      message: '0 of 6 pods of revision 43 are ready; app exits with code 1, restarted 9 times per pod',
      sentence:
        '0 of 6 pods of revision 43 are ready: app exits with code 1, restarted 9 times per pod. Revision 42 still serves with 9 of 12 pods.',
      since: at(2),
    });
    expect(status.blockers).toHaveLength(6);
    expect(status.blockers[0]).toMatchObject({ pod: 'p-43-0', revision: 43, block: { kind: 'crashLoop' } });
  });

  test('holds past the deadline too, even when only one pod is blocked', () => {
    const one = [
      ...pods(42, 9),
      ...pods(43, 5, { ready: false }),
      pod('bad', { owner: 'uid-checkout-43', waiting: 'ImagePullBackOff' }),
    ];
    const late = [progressing('ProgressDeadlineExceeded', 'False')];
    expect(statusOf({ counts: [6, 15, 9, 9], conditions: late, pods: one })).toMatchObject({
      state: 'stuck',
      blockers: [{ pod: 'bad' }],
    });
  });

  test('is not reported while another pod is starting, or while the controller can still move', () => {
    const moving = { counts: [6, 15, 9, 9], conditions: [progressing('ReplicaSetUpdated')] } satisfies Scene;
    expect(
      statusOf({ ...moving, pods: [...stuckPods, pod('new', { owner: 'uid-checkout-43', ready: false })] })
        .state,
    ).toBe('rolling');
    expect(statusOf({ ...moving, pods: stuckPods, sources: sets(2, 9) }).state).toBe('rolling');
  });

  test('quota is described in the words of the API', () => {
    const failure = {
      type: 'ReplicaFailure',
      status: 'True',
      reason: 'FailedCreate',
      message: 'pods "x" is forbidden: exceeded quota: small',
      lastTransitionTime: at(7),
    };
    expect(
      statusOf({
        counts: [0, 9, 9, 9],
        conditions: [progressing('ReplicaSetUpdated'), failure],
        sources: sets(12, 3),
        pods: pods(42, 9),
      }),
    ).toMatchObject({
      state: 'stuck',
      message: 'no pod of revision 43 could be created; quota exceeded',
      since: at(7),
    });
  });
});

test('past the deadline without evidence, the deadline itself is the reason', () => {
  const unready = [...pods(42, 9), ...pods(43, 6, { ready: false })];
  const status = statusOf({
    counts: [6, 15, 9, 9],
    conditions: [progressing('ProgressDeadlineExceeded', 'False')],
    pods: unready,
  });
  expect(status).toMatchObject({
    state: 'deadlineExceeded',
    message: 'progress deadline (10 min) exceeded; 9 of 12 available',
    since: at(8),
  });
  expect(status.blockers).toHaveLength(6);
});

test('scaled to 0 it is complete, paused or not: no pod waits for anything', () => {
  expect(statusOf({ spec: { paused: true, replicas: 0 }, counts: [0, 0, 0, 0] })).toMatchObject({
    state: 'complete',
    message: 'scaled to 0',
  });
});

test('paused, with its progress and since when', () => {
  const scene = { spec: { paused: true }, counts: [3, 12, 12, 12] } satisfies Scene;
  expect(statusOf({ ...scene, conditions: [progressing('DeploymentPaused', 'Unknown')] })).toMatchObject({
    state: 'paused',
    message: '3 of 12 pods on revision 43',
    since: at(10),
  });
  expect(statusOf({ ...scene, sources: [replicaSet(42, '42')] })).toMatchObject({
    state: 'paused',
    sentence: 'The current template has no revision until the workload is resumed.',
  });
});

test('degraded once the rollout is over and pods fail later', () => {
  const failing = [
    ...pods(43, 10),
    ...pods(43, 2, crashing).map((raw, index) => ({
      ...raw,
      metadata: { ...raw.metadata, uid: `bad-${index}` },
    })),
  ];
  expect(statusOf({ counts: [12, 12, 10, 10], pods: failing })).toMatchObject({
    state: 'degraded',
    message: '10 of 12 available; app exits with code 1, restarted 9 times per pod',
  });
});

test('without a deadline there is no condition, and a rollout is not reported as degraded', () => {
  const last = [...pods(43, 11), pod('new', { owner: 'uid-checkout-43', ready: false })];
  expect(statusOf({ counts: [12, 12, 11, 11], conditions: [], pods: last }).state).toBe('rolling');
});

test('a controller that has not recorded the template yet is waited for', () => {
  const scene = { counts: [0, 12, 12, 12], conditions: [progressing('ReplicaSetUpdated')] } satisfies Scene;
  expect(statusOf({ ...scene, sources: [replicaSet(42, '42')] })).toMatchObject({
    state: 'rolling',
    message: 'waiting for the controller to create a revision',
  });
});

test.each([
  [{}, 'RollingUpdate, surge 25%, unavailable 25%'],
  [
    { strategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: '10%' } } },
    'RollingUpdate, surge 1, unavailable 10%',
  ],
  [{ strategy: { type: 'Recreate' } }, 'Recreate'],
])('the strategy of %j reads %s', (spec, words) => {
  const input = historyInputOf(deployment, object('Deployment', { owner: null }, { spec }), []);
  expect(deployment.settings(input.workload).strategy).toBe(words);
});

test('the condition of a former rollout proves nothing about the next one', () => {
  const former = {
    ...progressing('NewReplicaSetAvailable'),
    message: 'ReplicaSet "checkout-42" has progressed.',
  };
  const scene = { counts: [0, 0, 0, 0], conditions: [former] } satisfies Scene;
  expect(statusOf({ ...scene, sources: [replicaSet(42, '42', { replicas: 0 })] }).state).toBe('rolling');
  expect(statusOf({ ...scene, sources: sets(0, 0) }).state).toBe('rolling');
});

test('Recreate waits for its old pods to end, and is stuck when one does not', () => {
  const ending = pod('old', { owner: 'uid-checkout-42', deleted: at(1), ready: false });
  const scene = {
    counts: [0, 0, 0, 0],
    spec: { strategy: { type: 'Recreate' } },
    sources: [replicaSet(42, '42', { replicas: 0 })],
    pods: [ending],
  } satisfies Scene;
  expect(statusOf({ ...scene, now: at(1) })).toMatchObject({
    state: 'rolling',
    message: '1 old pod terminating',
  });
  expect(statusOf({ ...scene, now: at(2) })).toMatchObject({
    state: 'stuck',
    blockers: [{ pod: 'old', block: { kind: 'terminating' } }],
  });
});

test('raised in number, it is scaling until its new pods are ready, for at most ten minutes', () => {
  const added = pod('new', { owner: 'uid-checkout-43', ready: false, created: 60 });
  const scene = { counts: [12, 12, 11, 11], pods: [...pods(43, 11), added], edited: at(60) } satisfies Scene;
  expect(statusOf({ ...scene, now: at(65) })).toMatchObject({
    state: 'scaling',
    message: '11 of 12 available; new is not ready yet',
    since: at(60),
  });
  expect(statusOf({ ...scene, now: at(70) }).state).toBe('degraded');
  const failing = pod('new', { owner: 'uid-checkout-43', created: 60, ...crashing });
  expect(statusOf({ ...scene, pods: [...pods(43, 11), failing], now: at(65) }).state).toBe('degraded');
});

test('a first pod that fails after a rollout without pods is a failure of that rollout', () => {
  const failing = pods(43, 2, { ...crashing, created: 60 });
  const scene = { replicas: 2, counts: [2, 2, 0, 0], pods: failing, edited: at(60) } satisfies Scene;
  expect(statusOf({ ...scene, sources: sets(2, 0), now: at(65) }).state).toBe('stuck');
});

test('an evicted pod that was replaced is no cause', () => {
  const evicted = pod('evicted', {
    owner: 'uid-checkout-43',
    phase: 'Failed',
    status: { reason: 'Evicted' },
  });
  const scene = { counts: [1, 13, 12, 12], conditions: [progressing('ReplicaSetUpdated')] } satisfies Scene;
  const limits = { strategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } };
  const all = [...pods(42, 12), ...pods(43, 1), evicted];
  expect(statusOf({ ...scene, spec: limits, pods: all })).toMatchObject({ state: 'rolling', blockers: [] });
});

test('without a deadline of its own it has that of the other kinds', () => {
  const slow = pods(43, 12, { ready: false });
  const scene = {
    counts: [12, 12, 0, 0],
    conditions: [progressing('ReplicaSetUpdated')],
    pods: slow,
    now: at(20),
  } satisfies Scene;
  expect(statusOf(scene).state).toBe('rolling');
  expect(statusOf({ ...scene, spec: { progressDeadlineSeconds: 2_147_483_647 } }).state).toBe('stuck');
});
