import { expect, test } from 'vitest';
import { Replay } from '@/test/replay/replay';
import { describeStatus } from '@/test/replay/describe';

const healthy = [
  'lws/01-image-change',
  'lws/02-partition-with-surge',
  'lws/04-cause-before-image',
  'lws/06-leader-ready',
  'kruise/07-in-place-and-back',
  'kruise/08-failed-update-left-behind',
  'kruise/10-daemonset-partition',
  'rollouts/12-end-of-a-canary',
  'rollouts/14-jump',
  'rollouts/15-rollback-in-batch',
  'rollouts/16-native-daemonset',
  'rollouts/17-disable-enable',
  'argo/18-canary-promote',
  'argo/19-blue-green',
  'argo/21-workload-ref',
];

test.each(healthy)('no workload of the healthy %s is unknown at any moment', async (name) => {
  const replay = await Replay.start(name);
  const unknown = new Set<string>();
  await replay.advanceToEnd(() => {
    for (const { resource, name: workload } of replay.cluster.cache.workloads()) {
      const status = replay.statusOf(resource, workload);
      if (status?.state === 'unknown') unknown.add(`${workload}: ${status.message}`);
    }
  });
  expect([...unknown]).toEqual([]);
});

test('an edit that its controller has not observed yet is in progress', async () => {
  const replay = await Replay.start('lws/01-image-change');
  await replay.advanceToMark('created');
  const observed: string[] = [];
  await replay.advanceToMark('in the middle', () => {
    const status = replay.statusOf('leaderworkersets.leaderworkerset.x-k8s.io', 'llama');
    if (status?.unobserved === true) observed.push(describeStatus(status));
  });
  expect([...new Set(observed)]).toEqual(['rolling: waiting for the controller to observe the last change']);
});
