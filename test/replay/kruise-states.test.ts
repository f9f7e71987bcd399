import { expect, test } from 'vitest';
import { Replay } from '@/test/replay/replay';
import { describeStatus } from '@/test/replay/describe';

const DAEMON_SET = 'daemonsets.apps.kruise.io';
const CLONE_SET = 'clonesets.apps.kruise.io';

test('a partition holds pods of a CloneSet that are updated in place, and releases them', async () => {
  const replay = await Replay.start('kruise/07-in-place-and-back');
  const state = () => describeStatus(replay.statusOf(CLONE_SET, 'cart'));
  await replay.advanceToMark('3.1 again');
  expect(state()).toBe('complete: 5 of 5 ready');
  await replay.advanceToMark('3.3 in place with partition 3');
  expect(state()).toBe('held: partition 3: cart-jgfvh, cart-kv2ns and cart-mvcft stay on revision 3');
  await replay.advanceToMark('3.3 done');
  expect(state()).toBe('complete: 5 of 5 ready');
});

test('a partition holds pods of an Advanced DaemonSet', async () => {
  const replay = await Replay.start('kruise/10-daemonset-partition');
  const state = () => describeStatus(replay.statusOf(DAEMON_SET, 'agent'));
  await replay.advanceToMark('created');
  expect(state()).toBe('complete: 3 of 3 ready');
  await replay.advanceToMark('partition 2');
  expect(state()).toBe('held: partition 2: agent-kfbg8 and agent-zhqw9 stay on revision 1');
  await replay.advanceToMark('back to 1.0');
  expect(state()).toBe('complete: 3 of 3 ready');
});

test.each(['07-in-place-and-back', '08-failed-update-left-behind'])(
  'an old write conflict of the controller never stalls a rollout (%s)',
  async (name) => {
    const replay = await Replay.start(`kruise/${name}`);
    const states = new Set<string | undefined>();
    await replay.advanceToEnd(() => states.add(replay.statusOf(CLONE_SET, 'cart')?.state));
    expect([...states]).not.toContain('stuck');
    const spans = (await replay.records('cart')).flatMap((record) => record.spans.map(({ kind }) => kind));
    expect(spans).not.toContain('stuck');
  },
);
