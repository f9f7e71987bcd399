import { expect, test } from 'vitest';
import { Replay } from '@/test/replay/replay';
import { toldOf } from '@/test/replay/told';

const SET = 'leaderworkersets.leaderworkerset.x-k8s.io';

test('an image change is in progress until the last group runs it', async () => {
  const play = await Replay.begin('lws/01-image-change');
  const told = () => toldOf(play.statusOf(SET, 'llama'));
  await play.toMark('created');
  expect(told()).toBe('complete: 4 of 4 groups ready');
  await play.toMark('in the middle');
  expect(told()).toBe('rolling: 2 of 4 groups updated; group 2 is starting');
  await play.toMark('rollout done');
  expect(told()).toBe('complete: 4 of 4 groups ready');
});

test('groups that wait for their leader are starting', async () => {
  const play = await Replay.begin('lws/06-leader-ready');
  await play.toMark('leaders are starting');
  expect(toldOf(play.statusOf(SET, 'qwen'))).toBe(
    'rolling: 0 of 2 groups updated; groups 0 and 1 are starting',
  );
});
