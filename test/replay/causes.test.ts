import { expect, test } from 'vitest';
import { Replay } from '@/test/replay/replay';

const causesOf = async (play: Replay, name: string) =>
  (await play.records(name)).map(({ images, cause }) => [images.map(({ image }) => image).join(), cause]);

test('a cause that is written before the change is that of the rollout which follows, and of no revision before', async () => {
  const play = await Replay.begin('lws/04-cause-before-image');
  await play.toEnd();
  expect(await causesOf(play, 'qwen')).toEqual([
    ['r.io/qwen:5', null],
    ['r.io/qwen:6', 'upgrade to 6'],
    ['r.io/qwen:7-slow', 'upgrade to 7, written during the rollout'],
  ]);
  const { revisions } = await play.workload('leaderworkersets.leaderworkerset.x-k8s.io', 'qwen');
  expect(revisions.map(({ number, changeCause }) => [number, changeCause])).toEqual([
    [3, 'upgrade to 7, written during the rollout'],
    [2, 'upgrade to 6'],
    [1, null],
  ]);
});

test('a cause that stands there still is not that of a later rollout, and is that of one which no revision records', async () => {
  const play = await Replay.begin('rollouts/11-canary-broken-then-approved');
  await play.toEnd();
  expect(await causesOf(play, 'shop')).toEqual([
    ['r.io/shop:1.0', 'shop 1.0'],
    ['r.io/shop:1.1-broken', 'shop 1.1'],
    ['r.io/shop:1.2', null],
  ]);
});
