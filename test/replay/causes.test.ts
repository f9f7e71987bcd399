import { expect, test } from 'vitest';
import { Replay } from '@/test/replay/replay';

const causesOf = async (replay: Replay, name: string) =>
  (await replay.records(name)).map(({ images, cause }) => [images.map(({ image }) => image).join(), cause]);

test('a change cause that is written before the change belongs to the next rollout, and to no earlier revision', async () => {
  const replay = await Replay.start('lws/04-cause-before-image');
  await replay.advanceToEnd();
  expect(await causesOf(replay, 'qwen')).toEqual([
    ['r.io/qwen:5', null],
    ['r.io/qwen:6', 'upgrade to 6'],
    ['r.io/qwen:7-slow', 'upgrade to 7, written during the rollout'],
  ]);
  const { revisions } = await replay.workload('leaderworkersets.leaderworkerset.x-k8s.io', 'qwen');
  expect(revisions.map(({ number, changeCause }) => [number, changeCause])).toEqual([
    [3, 'upgrade to 7, written during the rollout'],
    [2, 'upgrade to 6'],
    [1, null],
  ]);
});

test.each([0, 300])(
  'a change cause stands at the revision that it was given for, also where its copy is observed %d ms earlier',
  async (lateMs) => {
    const replay = await Replay.start('kubernetes/22-native', { Deployment: lateMs });
    const causes = async () => {
      await replay.settleRecords();
      const { revisions } = await replay.workload('deployments.apps', 'web');
      return revisions.map(({ number, changeCause, causeInheritedFrom: from }) => [
        number,
        changeCause,
        from,
      ]);
    };
    await replay.advanceTo(17_000);
    expect(await causes()).toEqual([
      [3, 'web 3.0: new cache', null],
      [2, null, null],
      [1, null, null],
    ]);
    await replay.advanceTo(22_000);
    expect(await causes()).toEqual([
      [4, null, null],
      [3, 'web 3.0: new cache', null],
      [1, null, null],
    ]);
  },
);

test('an old change cause does not belong to a later rollout, except to one that no revision records', async () => {
  const replay = await Replay.start('rollouts/11-canary-broken-then-approved');
  await replay.advanceToEnd();
  expect(await causesOf(replay, 'shop')).toEqual([
    ['r.io/shop:1.0', 'shop 1.0'],
    ['r.io/shop:1.1-broken', 'shop 1.1'],
    ['r.io/shop:1.2', null],
  ]);
});
