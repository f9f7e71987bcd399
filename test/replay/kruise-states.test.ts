import { expect, test } from 'vitest';
import { Replay } from '@/test/replay/replay';
import { toldOf } from '@/test/replay/told';

const DAEMON_SET = 'daemonsets.apps.kruise.io';
const CLONE_SET = 'clonesets.apps.kruise.io';

test('a partition holds pods of a CloneSet that are updated in place, and lets go of them', async () => {
  const play = await Replay.begin('kruise/07-in-place-and-back');
  const told = () => toldOf(play.statusOf(CLONE_SET, 'cart'));
  await play.toMark('3.1 again');
  expect(told()).toBe('complete: 5 of 5 ready');
  await play.toMark('3.3 in place with partition 3');
  expect(told()).toBe('held: partition 3: cart-kv2ns, cart-jgfvh and cart-mvcft stay on 3');
  await play.toMark('3.3 done');
  expect(told()).toBe('complete: 5 of 5 ready');
});

test('a partition holds pods of an Advanced DaemonSet', async () => {
  const play = await Replay.begin('kruise/10-daemonset-partition');
  const told = () => toldOf(play.statusOf(DAEMON_SET, 'agent'));
  await play.toMark('created');
  expect(told()).toBe('complete: 3 of 3 ready');
  await play.toMark('partition 2');
  expect(told()).toBe('held: partition 2: agent-kfbg8 and agent-zhqw9 stay on 1');
  await play.toMark('back to 1.0');
  expect(told()).toBe('complete: 3 of 3 ready');
});

test.each(['07-in-place-and-back', '08-failed-update-left-behind'])(
  'a write conflict that the controller has left behind never stalls a rollout (%s)',
  async (name) => {
    const play = await Replay.begin(`kruise/${name}`);
    const states = new Set<string | undefined>();
    await play.toEnd(() => states.add(play.statusOf(CLONE_SET, 'cart')?.state));
    expect([...states]).not.toContain('stuck');
    const spans = (await play.records('cart')).flatMap((record) => record.spans.map(({ kind }) => kind));
    expect(spans).not.toContain('stuck');
  },
);
