import { expect, test } from 'vitest';
import { Replay } from '@/test/replay/replay';
import { toldOf } from '@/test/replay/told';

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
  const play = await Replay.begin(name);
  const unknown = new Set<string>();
  await play.toEnd(() => {
    for (const { resource, name: workload } of play.cluster.cache.workloads()) {
      const status = play.statusOf(resource, workload);
      if (status?.state === 'unknown') unknown.add(`${workload}: ${status.message}`);
    }
  });
  expect([...unknown]).toEqual([]);
});

test('an edit that its controller has not observed yet is awaited', async () => {
  const play = await Replay.begin('lws/01-image-change');
  await play.toMark('created');
  const told: string[] = [];
  await play.toMark('in the middle', () => {
    const status = play.statusOf('leaderworkersets.leaderworkerset.x-k8s.io', 'llama');
    if (status?.unobserved === true) told.push(toldOf(status));
  });
  expect([...new Set(told)]).toEqual(['rolling: waiting for the controller to observe the last edit']);
});
