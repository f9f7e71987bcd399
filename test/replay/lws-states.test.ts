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

test('a group that is recreated again and again is stuck all that time, and says how often', async () => {
  const play = await Replay.begin('lws/03-worker-crash');
  const told = () => toldOf(play.statusOf(SET, 'qwen'));
  await play.toMark('created');
  const before: string[] = [];
  await play.to(9_500, () => before.push(told()));
  expect(before).not.toContain('complete: 2 of 2 groups ready');
  const meanwhile: string[] = [];
  await play.toMark('60 s', () => meanwhile.push(told()));
  const counts = meanwhile.map(
    (each) => /^stuck: group 1 recreated (\d+) times; qwen-1-1 fails$/.exec(each)?.[1],
  );
  expect(counts.length).toBeGreaterThan(1_000);
  expect([...new Set(counts)]).toEqual(Array.from({ length: 40 }, (_, index) => String(index + 3)));
  expect(play.statusOf(SET, 'qwen')).toMatchObject({
    state: 'stuck',
    sentence:
      'Group 1 was recreated 42 times on revision 2: qwen-1-1 fails, and the restart policy recreates the whole group each time. Revision 1 still serves with 2 of 4.',
  });
  const afterwards: string[] = [];
  await play.toMark('fixed', () => afterwards.push(told()));
  expect(afterwards.filter((each) => each.startsWith('stuck'))).toEqual([]);
  expect(told()).toBe('complete: 2 of 2 groups ready');
});
