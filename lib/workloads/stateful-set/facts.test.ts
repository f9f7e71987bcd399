import { deriveStatus } from '@/lib/messages/workload-status';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '@/lib/kube/json';
import type { KubeObject } from '@/lib/kube/object';
import type { StatusInput } from '@/lib/workloads/kind';
import { statefulSet } from '@/lib/workloads/kinds/stateful-set';
import { statefulSetFacts } from '@/lib/workloads/stateful-set/facts';
import type { WorkloadStatus } from '@/lib/engine/status';
import {
  at,
  controllerRevision,
  historyInputOf,
  object,
  pod,
  type PodParts,
  template,
} from '@/lib/workloads/testing/objects';

interface Scene {
  replicas?: number;
  /** updated, ready */
  counts?: [number, number];
  current?: string;
  spec?: JsonObject;
  status?: JsonObject;
  generation?: number;
  sources?: KubeObject[];
  pods?: KubeObject[];
  events?: StatusInput['events'];
  now?: string;
}

function statusOf(scene: Scene): WorkloadStatus {
  const replicas = scene.replicas ?? 3;
  const [updated, ready] = scene.counts ?? [replicas, replicas];
  const workload = object(
    'StatefulSet',
    { uid: 'uid-workload', owner: null, name: 'db', generation: scene.generation ?? 1 },
    {
      spec: {
        replicas,
        template: template('16'),
        updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0 } },
        ...scene.spec,
      },
      status: {
        observedGeneration: 1,
        replicas,
        updatedReplicas: updated,
        currentReplicas: 0,
        readyReplicas: ready,
        availableReplicas: ready,
        currentRevision: scene.current ?? 'db-15',
        updateRevision: 'db-16',
        ...scene.status,
      },
    },
  );
  const sources = scene.sources ?? [
    controllerRevision(15, '15', { name: 'db-15' }),
    controllerRevision(16, '16', { name: 'db-16', created: 5 }),
  ];
  const input = historyInputOf(statefulSet, workload, sources, scene.pods);
  const { now, events = [] } = scene;
  return deriveStatus(statefulSetFacts({ ...input, history: statefulSet.history(input), events, now }));
}

const db = (index: number, revision: number, parts: PodParts = {}) =>
  pod(`db-${index}`, { labels: { 'controller-revision-hash': `db-${revision}` }, ...parts });

const partition = (value: number): JsonObject => ({
  updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: value } },
});
const onDelete: JsonObject = { updateStrategy: { type: 'OnDelete' } };

describe('the line of kubectl rollout status', () => {
  test.each(
    // prettier-ignore
    [
    [{ spec: onDelete }, 'error: rollout status is only available for RollingUpdate strategy type', 'error'],
    [{ generation: 2 }, 'Waiting for statefulset spec update to be observed...', 'waiting'],
    [{ generation: 0, status: { observedGeneration: 0 } }, 'Waiting for statefulset spec update to be observed...', 'waiting'],
    [{ counts: [3, 1] }, 'Waiting for 2 pods to be ready...', 'waiting'],
    [{ counts: [1, 3] }, 'Waiting for partitioned roll out to finish: 1 out of 3 new pods have been updated...', 'waiting'],
    [{ counts: [1, 3], spec: partition(2) }, 'partitioned roll out complete: 1 new pods have been updated...', 'done'],
    [{ spec: { updateStrategy: { type: 'RollingUpdate' } } }, 'waiting for statefulset rolling update to complete 3 pods at revision db-16...', 'waiting'],
    [
      {
        spec: { updateStrategy: { type: 'RollingUpdate' } },
        current: 'db-16',
        status: { currentReplicas: 3 },
      },
      'statefulset rolling update complete 3 pods at revision db-16...',
      'done',
    ],
  ] satisfies [Scene, string, string][],
  )('%j', (scene, text, verdict) => {
    expect(statusOf(scene).kubectl).toEqual({ text, verdict });
  });
});

test('complete when all pods run the target and are ready', () => {
  expect(statusOf({ pods: [db(0, 16), db(1, 16), db(2, 16)] })).toMatchObject({
    state: 'complete',
    message: '3 of 3 ready',
    sentence: 'All 3 pods run revision 16 and are ready.',
    since: at(2),
  });
});

test('held when only the partition holds pods, and they are named', () => {
  expect(
    statusOf({ counts: [1, 3], spec: partition(2), pods: [db(0, 15), db(1, 15), db(2, 16)] }),
  ).toMatchObject({
    state: 'held',
    message: 'partition 2: db-0 and db-1 stay on revision 15',
    blockers: [],
  });
  const shifted = { ...partition(1), ordinals: { start: 5 } };
  expect(statusOf({ counts: [2, 3], spec: shifted, pods: [db(5, 15), db(6, 16), db(7, 16)] }).message).toBe(
    'partition 1: db-5 stays on revision 15',
  );
  expect(statusOf({ spec: partition(2), pods: [db(0, 16), db(1, 16), db(2, 16)] }).state).toBe('complete');
});

test('waiting for deletion names the pods that still run an older revision', () => {
  expect(statusOf({ counts: [1, 3], spec: onDelete, pods: [db(0, 15), db(1, 15), db(2, 16)] })).toMatchObject(
    {
      state: 'waiting',
      message: '2 pods to delete: db-0 and db-1',
    },
  );
  expect(statusOf({ spec: onDelete, pods: [db(0, 16), db(1, 16), db(2, 16)] }).state).toBe('complete');
});

test('rolling reports the progress, and which pod is starting', () => {
  const pods = [db(0, 15), db(1, 15), db(2, 16, { ready: false })];
  expect(statusOf({ counts: [1, 2], pods })).toMatchObject({
    state: 'rolling',
    message: '1 of 3 updated; db-2 is not ready yet',
    since: at(5),
    blockers: [],
  });
});

describe('stuck', () => {
  test('when the pod of the target is blocked', () => {
    const pods = [db(0, 15), db(1, 15), db(2, 16, { waiting: 'ImagePullBackOff' })];
    expect(statusOf({ counts: [1, 2], pods })).toMatchObject({
      state: 'stuck',
      message: 'db-2: the image of app cannot be pulled',
      sentence:
        'The only pod of revision 16 is not ready: the image of app cannot be pulled. Revision 15 still serves with 2 of 3 pods.',
    });
  });

  test('when an ordered update waits for a blocked pod of another revision, which must be deleted', () => {
    const pods = [db(0, 16), db(1, 16), db(2, 15, { waiting: 'CrashLoopBackOff', exitCode: 1, restarts: 5 })];
    const status = statusOf({ counts: [2, 2], current: 'db-16', pods });
    expect(status).toMatchObject({
      state: 'stuck',
      message: 'db-2 blocks the update: app exits with code 1, restarted 5 times',
      blockers: [{ pod: 'db-2', revision: 15 }],
    });
    expect(status.sentence).toContain('delete the pod to continue');
  });

  test('not when pods are managed in parallel, or when the pod is below the partition', () => {
    const pods = [db(0, 15, { waiting: 'ImagePullBackOff' }), db(1, 16), db(2, 16)];
    expect(
      statusOf({ counts: [2, 2], spec: { podManagementPolicy: 'Parallel' }, pods }).message,
    ).not.toContain('blocks');
    expect(statusOf({ counts: [2, 2], spec: partition(1), pods }).message).not.toContain('blocks');
  });

  test('a pod that merely is not ready counts after ten minutes, where the time is known', () => {
    const pods = [db(0, 15), db(1, 15), db(2, 16, { ready: false })];
    expect(statusOf({ counts: [1, 2], pods, now: at(10) }).state).toBe('rolling');
    expect(statusOf({ counts: [1, 2], pods, now: at(11) })).toMatchObject({
      state: 'stuck',
      message: 'db-2: app is running but not ready',
      since: at(1),
    });
  });
});

test('degraded when the update is over and a pod fails later', () => {
  const pods = [db(0, 16), db(1, 16), db(2, 16, { waiting: 'CrashLoopBackOff', exitCode: 137, restarts: 4 })];
  expect(statusOf({ counts: [3, 2], current: 'db-16', pods })).toMatchObject({
    state: 'degraded',
    message: '2 of 3 ready; db-2: app exits with code 137, restarted 4 times',
  });
});

test('a first revision that never became ready is stuck, not degraded', () => {
  const pods = [db(0, 16, { waiting: 'ImagePullBackOff' })];
  const sources = [controllerRevision(16, '16', { name: 'db-16' })];
  expect(statusOf({ replicas: 1, counts: [1, 0], current: 'db-16', sources, pods }).state).toBe('stuck');
});

test('unknown while the controller has not observed the spec', () => {
  expect(statusOf({ generation: 2 }).state).toBe('unknown');
});

test('a first revision is rolled out until its pods are ready, though it is the current one from the start', () => {
  const first = {
    counts: [3, 2],
    current: 'db-16',
    sources: [controllerRevision(16, '16', { name: 'db-16' })],
    pods: [db(0, 16), db(1, 16), db(2, 16, { ready: false })],
  } satisfies Scene;
  expect(statusOf({ ...first, now: at(5) })).toMatchObject({
    state: 'rolling',
    message: '2 of 3 ready; db-2 is not ready yet',
  });
  expect(statusOf({ ...first, now: at(30) }).state).toBe('degraded');
});

test('pods that cannot be created are a reason, which only events of the controller tell', () => {
  const event = { reason: 'FailedCreate', count: 3, first: at(6), last: at(8) };
  const message = 'create Pod db-2 in StatefulSet db failed: exceeded quota: compute';
  const scene = { counts: [0, 2], pods: [db(0, 15), db(1, 15)], now: at(9) } satisfies Scene;
  expect(statusOf(scene).state).toBe('rolling');
  expect(statusOf({ ...scene, events: [{ ...event, message }] })).toMatchObject({
    state: 'stuck',
    message: 'no pod of revision 16 could be created; quota exceeded',
    since: at(6),
  });
  // All pods are there again.
  const whole = [db(0, 15), db(1, 15), db(2, 16, { ready: false, created: 9 })];
  expect(statusOf({ ...scene, pods: whole, events: [{ ...event, message }] }).state).toBe('rolling');
});

test('a pod on a lost node that does not end blocks the update, whatever its readiness says', () => {
  const lost = db(2, 15, {
    ready: false,
    deleted: at(1),
    status: {
      conditions: [
        { type: 'Ready', status: 'False' },
        { type: 'DisruptionTarget', status: 'True', reason: 'DeletionByTaintManager' },
      ],
    },
  });
  const scene = { counts: [0, 2], pods: [db(0, 15), db(1, 15), lost] } satisfies Scene;
  expect(statusOf({ ...scene, now: at(1) }).state).toBe('rolling');
  expect(statusOf({ ...scene, now: at(2) })).toMatchObject({
    state: 'stuck',
    message: 'db-2: it is terminating on a node that does not respond',
    since: at(1),
  });
});
