import { describe, expect, test } from 'vitest';
import type { JsonObject } from '@/lib/kube/json';
import { isStuck } from '@/lib/pods/blockers';
import { isPersistentBlock, podBlockOf, podSummaryOf } from '@/lib/pods/pod-block';
import { describeBlock } from '@/lib/messages/pods';
import { at, pod, type PodParts } from '@/lib/workloads/testing/objects';

function blockOf(parts: PodParts) {
  return podBlockOf(pod('p', parts));
}

const pending = (conditions: object[], more = {}) => ({
  phase: 'Pending',
  status: { conditions, containerStatuses: [], ...more } as never,
});

test.each([
  ['ready', {}],
  ['finished', { phase: 'Succeeded' }],
] satisfies [string, PodParts][])('a pod that is %s is not blocked', (_, parts) => {
  expect(blockOf(parts)).toBeNull();
});

const scheduled = (reason: string, message: string) =>
  pending([{ type: 'PodScheduled', status: 'False', reason, message, lastTransitionTime: at(0) }]);

test.each([
  ['that ends', { ready: false, deleted: at(0) }, 'terminating', 1],
  ['behind a scheduling gate', scheduled('SchedulingGated', 'gated'), 'gated', 60],
  ['without its claim', scheduled('Unschedulable', 'persistentvolumeclaim "x" not found'), 'volume', 10],
] satisfies [string, PodParts, string, number][])(
  'a pod %s has time until its limit',
  (_, parts, kind, minutes) => {
    const block = blockOf(parts);
    expect(block?.kind).toBe(kind);
    const after = (ms: number) => new Date(Date.parse(at(0)) + minutes * 60_000 + ms).toISOString();
    expect(block && isStuck(block, { now: after(-1) })).toBe(false);
    expect(block && isStuck(block, { now: after(0) })).toBe(true);
    expect(block && isStuck(block, {})).toBe(false);
    // A controller with a deadline of its own is waited for, but a pod that does not end is late for all.
    expect(block && isStuck(block, { now: after(0), hasDeadline: true })).toBe(kind === 'terminating');
  },
);

test('the node of a pod that was deleted by its taints is lost, whatever its readiness says', () => {
  const status = {
    conditions: [
      { type: 'Ready', status: 'False' },
      { type: 'DisruptionTarget', status: 'True', reason: 'DeletionByTaintManager' },
    ],
  };
  expect(blockOf({ deleted: at(9), status })?.reason).toBe('NodeLost');
});

test('a sidecar is a container that serves: it is not ready, or crashes, and never finishes', () => {
  const sidecar = (state: JsonObject) => ({
    spec: { initContainers: [{ name: 'proxy', restartPolicy: 'Always' }] },
    status: {
      initContainerStatuses: [{ name: 'proxy', started: true, ready: false, restartCount: 4, ...state }],
      containerStatuses: [{ name: 'app', ready: true, restartCount: 0, state: { running: {} } }],
      conditions: [{ type: 'Ready', status: 'False', reason: 'ContainersNotReady' }],
    },
  });
  expect(blockOf(sidecar({ state: { running: {} } }))).toMatchObject({
    kind: 'readiness',
    container: 'proxy',
  });
  const crash = { state: { waiting: { reason: 'CrashLoopBackOff' } } };
  expect(blockOf(sidecar(crash))).toMatchObject({ kind: 'crashLoop', container: 'proxy' });
});

describe('evidence that a pod will not become ready', () => {
  test.each(
    // prettier-ignore
    [
    ['ErrImagePull', { waiting: 'ErrImagePull' }, 'imagePull', 'the image of app cannot be pulled'],
    ['ImagePullBackOff', { waiting: 'ImagePullBackOff' }, 'imagePull', 'the image of app cannot be pulled'],
    ['a crash loop', { waiting: 'CrashLoopBackOff', exitCode: 1, restarts: 9 }, 'crashLoop', 'app exits with code 1'],
    ['a crash loop between two crashes', { ready: false, exitCode: 3, restarts: 4 }, 'crashLoop', 'app exits with code 3'],
    ['a missing ConfigMap', { waiting: 'CreateContainerConfigError' }, 'configError', 'app cannot be created: CreateContainerConfigError'],
    ['no room', pending([{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: '0/3 nodes' }]), 'unschedulable', 'no node fits'],
    ['an eviction', { phase: 'Failed', status: { reason: 'Evicted' } }, 'failed', 'it failed: Evicted'],
    [
      'a failing init container',
      pending([], {
        initContainerStatuses: [
          {
            name: 'wait',
            restartCount: 5,
            state: { waiting: { reason: 'CrashLoopBackOff' } },
            lastState: { terminated: { exitCode: 2 } },
          },
        ],
      }),
      'init',
      'init container wait exits with code 2',
    ],
  ] satisfies [string, PodParts, string, string][],
  )('%s', (_, parts, kind, words) => {
    const block = blockOf(parts);
    expect(block?.kind).toBe(kind);
    expect(block && isPersistentBlock(block)).toBe(true);
    expect(block && describeBlock(block)).toBe(words);
  });
});

describe('a pod that is merely starting', () => {
  test.each(
    // prettier-ignore
    [
    ['running, not ready', { ready: false }, 'readiness'],
    [
      'after its first crash',
      {
        ready: false,
        status: {
          containerStatuses: [
            { name: 'app', restartCount: 0, state: { terminated: { exitCode: 1, reason: 'Error' } } },
          ],
        },
      },
      'crashLoop',
    ],
    ['creating its containers', { waiting: 'ContainerCreating' }, 'notStarted'],
    ['not reported of', pending([{ type: 'PodScheduled', status: 'True', lastTransitionTime: at(1) }]), 'notStarted'],
    ['in its init container', pending([], { initContainerStatuses: [{ name: 'wait', ready: false, restartCount: 0, state: { running: {} } }] }), 'init'],
    ['held by a finalizer while it ends', { deleted: at(9) }, 'terminating'],
  ] satisfies [string, PodParts, string][],
  )('%s', (_, parts, kind) => {
    const raw = pod('p', parts);
    if (kind === 'terminating') raw.metadata.finalizers = ['example.org/hold'];
    const block = podBlockOf(raw);
    expect(block?.kind).toBe(kind);
    expect(block && isPersistentBlock(block)).toBe(false);
  });
});

test('an init container that has completed is ignored', () => {
  const done = { name: 'wait', ready: true, restartCount: 2, state: { terminated: { exitCode: 0 } } };
  const raw = pod('p', { waiting: 'ImagePullBackOff' });
  raw.status = { ...raw.status, initContainerStatuses: [done] };
  expect(podBlockOf(raw)).toMatchObject({ kind: 'imagePull', container: 'app' });
});

test('the worst container decides', () => {
  const raw = pod('p', { ready: false });
  raw.status = {
    ...raw.status,
    containerStatuses: [
      { name: 'a', ready: false, restartCount: 0, state: { running: {} } },
      { name: 'b', ready: false, restartCount: 0, state: { waiting: { reason: 'InvalidImageName' } } },
    ],
  };
  expect(podBlockOf(raw)).toMatchObject({ kind: 'imagePull', container: 'b' });
});

test('a summary keeps what tells pods apart, and accepts a pod without a status', () => {
  expect(
    podSummaryOf(pod('p', { labels: { 'controller-revision-hash': 'abc' }, restarts: 2 })),
  ).toMatchObject({
    uid: 'uid-p',
    controllerUid: 'uid-workload',
    node: 'node-1',
    ready: true,
    readyAt: at(2),
    restarts: 2,
    revisionLabel: 'abc',
    images: [{ container: 'app', image: 'checkout:1', imageId: null }],
    block: null,
  });
  const bare = pod('p');
  delete bare.status;
  delete bare.spec;
  expect(podSummaryOf(bare)).toMatchObject({
    phase: 'Unknown',
    ready: false,
    images: [],
    block: { kind: 'notStarted' },
  });
});
