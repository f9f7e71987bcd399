import { expect, test } from 'vitest';
import { Replay } from '@/test/replay/replay';
import { describeStatus } from '@/test/replay/describe';

const SET = 'leaderworkersets.leaderworkerset.x-k8s.io';

test('an image change is in progress until the last group runs it', async () => {
  const replay = await Replay.start('lws/01-image-change');
  const state = () => describeStatus(replay.statusOf(SET, 'llama'));
  await replay.advanceToMark('created');
  expect(state()).toBe('complete: 4 of 4 groups ready');
  await replay.advanceToMark('in the middle');
  expect(state()).toBe('rolling: 2 of 4 groups updated; group 2 is starting');
  await replay.advanceToMark('rollout done');
  expect(state()).toBe('complete: 4 of 4 groups ready');
});

test('groups that wait for their leader are starting', async () => {
  const replay = await Replay.start('lws/06-leader-ready');
  await replay.advanceToMark('leaders are starting');
  expect(describeStatus(replay.statusOf(SET, 'qwen'))).toBe(
    'rolling: 0 of 2 groups updated; groups 0 and 1 are starting',
  );
});

test('a partition with surge becomes idle, whatever surplus remains', async () => {
  const replay = await Replay.start('lws/02-partition-with-surge');
  await replay.advanceToMark('held at partition 3');
  expect(replay.statusOf(SET, 'llama')).toMatchObject({
    state: 'held',
    message: 'partition 3: groups 0, 1 and 2 stay on revision 1',
    sentence:
      '1 of 4 groups runs revision 2 and all are ready; partition 3 holds the rest: groups 0, 1 and 2 stay on revision 1. Surge group 4 stays until the partition moves.',
  });
  await replay.advanceToMark('still held');
  expect(replay.statusOf(SET, 'llama')?.state).toBe('held');
  await replay.advanceToMark('held at partition 1');
  expect(describeStatus(replay.statusOf(SET, 'llama'))).toBe(
    'held: partition 1: group 0 stays on revision 1',
  );
  await replay.advanceToMark('done');
  expect(describeStatus(replay.statusOf(SET, 'llama'))).toBe('complete: 4 of 4 groups ready');
  const [, change] = await replay.records('llama');
  expect(change?.steps.map(({ name, state }) => `${name} ${state}`)).toEqual([
    'Partition 3 completed',
    'Partition 1 completed',
    'Partition 0 completed',
  ]);
});

test('a group that is recreated repeatedly is stuck all that time, with the number of recreations', async () => {
  const replay = await Replay.start('lws/03-worker-crash');
  const state = () => describeStatus(replay.statusOf(SET, 'qwen'));
  await replay.advanceToMark('created');
  const before: string[] = [];
  await replay.advanceTo(9_500, () => before.push(state()));
  expect(before).not.toContain('complete: 2 of 2 groups ready');
  const meanwhile: string[] = [];
  await replay.advanceToMark('60 s', () => meanwhile.push(state()));
  const counts = meanwhile.map(
    (each) => /^stuck: group 1 recreated (\d+) times; qwen-1-1 fails$/.exec(each)?.[1],
  );
  expect(counts.length).toBeGreaterThan(1_000);
  expect([...new Set(counts)]).toEqual(Array.from({ length: 40 }, (_, index) => String(index + 3)));
  expect(replay.statusOf(SET, 'qwen')).toMatchObject({
    state: 'stuck',
    sentence:
      'Group 1 was recreated 42 times on revision 2: qwen-1-1 fails, and the restart policy recreates the whole group each time. Revision 1 still serves with 2 of 4 pods.',
  });
  const afterwards: string[] = [];
  await replay.advanceToMark('fixed', () => afterwards.push(state()));
  expect(afterwards.filter((each) => each.startsWith('stuck'))).toEqual([]);
  expect(state()).toBe('complete: 2 of 2 groups ready');
});
