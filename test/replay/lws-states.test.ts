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

test('a partition with surge comes to rest, whatever surplus stays', async () => {
  const play = await Replay.begin('lws/02-partition-with-surge');
  await play.toMark('held at partition 3');
  expect(play.statusOf(SET, 'llama')).toMatchObject({
    state: 'held',
    message: 'partition 3: groups 0, 1 and 2 stay on 1',
    sentence:
      '1 of 4 groups runs revision 2 and all are ready; the partition 3 holds the rest: groups 0, 1 and 2 stay on 1. Surge group 4 stays until the partition moves.',
  });
  await play.toMark('still held');
  expect(play.statusOf(SET, 'llama')?.state).toBe('held');
  await play.toMark('held at partition 1');
  expect(toldOf(play.statusOf(SET, 'llama'))).toBe('held: partition 1: group 0 stays on 1');
  await play.toMark('done');
  expect(toldOf(play.statusOf(SET, 'llama'))).toBe('complete: 4 of 4 groups ready');
  const [, change] = await play.records('llama');
  expect(change?.steps.map(({ name, state }) => `${name} ${state}`)).toEqual([
    'Partition 3 completed',
    'Partition 1 completed',
    'Partition 0 completed',
  ]);
});
