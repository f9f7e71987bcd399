import { expect, test } from 'vitest';
import { Replay } from '@/test/replay/replay';
import { toldOf, toldOfRollout } from '@/test/replay/told';

const ROLLOUT = 'rollouts.rollouts.kruise.io';
const DEPLOYMENT = 'deployments.apps';
const DAEMON_SET = 'daemonsets.apps';

test('a canary waits for approval at each step, and holds its Deployment', async () => {
  const play = await Replay.begin('rollouts/14-jump');
  const told = () => toldOfRollout(play.rolloutOf(ROLLOUT, 'shop-ro'));
  await play.toMark('created');
  expect(told()).toBe('idle 0/3: Nothing has been released through this Rollout so far.');
  await play.toMark('step 1 of 3 waits');
  expect(told()).toBe('waiting 1/3: Step 1 of 3 waits for approval.');
  expect(play.statusOf(DEPLOYMENT, 'shop')?.state).toBe('held');
  await play.toMark('released');
  expect(told()).toBe('completed 3/3: All 3 steps are done.');
  expect(toldOf(play.statusOf(DEPLOYMENT, 'shop'))).toBe('complete: 5 of 5 ready');
});

test('a Deployment is held by its Rollout until the release is cleared away, and offers no resume', async () => {
  const play = await Replay.begin('rollouts/12-end-of-a-canary');
  await play.toMark('step 1 of 2 waits');
  const states = new Set<string | undefined>();
  const note = () => states.add(play.statusOf(DEPLOYMENT, 'shop')?.state);
  await play.toMark('finalising: step 2 Completed, finalisingStep RestoreStableService', note);
  expect(play.rolloutOf(ROLLOUT, 'shop-ro')?.state).toBe('completing');
  expect(play.statusOf(DEPLOYMENT, 'shop')).toMatchObject({ state: 'held' });
  const { controls, paused } = (await play.workload(DEPLOYMENT, 'shop')).workload;
  expect(controls.find(({ action }) => action === 'resume')).toMatchObject({ enabled: false });
  expect(paused).toBe(false);
  await play.toEnd(note);
  expect([...states]).not.toContain('paused');
});

test('a Deployment whose Rollout is being disabled is held by it, then rolls out by itself', async () => {
  const play = await Replay.begin('rollouts/17-disable-enable');
  const states = new Set<string | undefined>();
  await play.toMark('3 s after disable', () => states.add(play.statusOf(DEPLOYMENT, 'shop')?.state));
  expect(play.statusOf(DEPLOYMENT, 'shop')?.state).toBe('held');
  expect([...states]).not.toContain('paused');
  await play.toMark('disabled');
  expect(toldOf(play.statusOf(DEPLOYMENT, 'shop'))).toBe('complete: 5 of 5 ready');
});

test('under a Rollout no pod of a DaemonSet has to be deleted by hand', async () => {
  const play = await Replay.begin('rollouts/16-native-daemonset');
  const states = new Set<string | undefined>();
  const note = () => states.add(play.statusOf(DAEMON_SET, 'nodelog')?.state);
  await play.toMark('step 1 of 2 waits', note);
  expect(play.statusOf(DAEMON_SET, 'nodelog')).toMatchObject({
    state: 'held',
    message: 'Rollout nodelog-ro: 1 of 3 nodes on 2',
    sentence:
      'Rollout nodelog-ro replaces the pods step by step: 1 of 3 nodes runs revision 2, 3 of 3 pods are ready. Revision 1 still serves with 2 of 3.',
  });
  await play.toEnd(note);
  expect([...states]).not.toContain('waiting');
});

test('a canary that cannot start is stalled, by its pod, on the Rollout and on its workload', async () => {
  const play = await Replay.begin('rollouts/11-canary-broken-then-approved');
  await play.toMark('step 1 cannot start');
  const seen = play.rolloutOf(ROLLOUT, 'shop-ro');
  const pod = seen?.unassignedPods[0]?.name ?? seen?.steps[0]?.pods[0]?.name;
  const said = `tep 1 of 3 is stalled: ${pod}: the image of web cannot be pulled`;
  expect(toldOfRollout(seen)).toBe(`stalled 1/3: S${said}.`);
  const { workload } = await play.workload(DEPLOYMENT, 'shop');
  expect(workload).toMatchObject({
    state: 'stuck',
    message: `Rollout shop-ro: s${said}`,
    blockers: [{ pod, block: { kind: 'imagePull' } }],
  });
  await play.toMark('1.2 has taken the place');
  expect(toldOfRollout(play.rolloutOf(ROLLOUT, 'shop-ro'))).toBe(
    'waiting 1/3: Step 1 of 3 waits for approval.',
  );
  expect(play.statusOf(DEPLOYMENT, 'shop')?.state).toBe('held');
});

test('what blocked a release is no trouble of the one that takes its place', async () => {
  const play = await Replay.begin('rollouts/11-canary-broken-then-approved');
  await play.toMark('step 1 cannot start');
  const states = new Set<string | undefined>();
  await play.toMark('1.2 has taken the place', () => {
    const [shop] = play.cluster.cache.workloads();
    if (shop?.images[0]?.image === 'r.io/shop:1.2') states.add(play.statusOf(DEPLOYMENT, 'shop')?.state);
  });
  expect([...states]).toEqual(['rolling', 'held']);
  const [, , record] = await play.records('shop');
  expect(record?.spans.map(({ kind }) => kind)).not.toContain('stuck');
});

test.each([
  ['15-rollback-in-batch', 'cart', 3],
  ['16-native-daemonset', 'nodelog', 2],
])('in %s no wait of a release is told of the next one', async (name, workload, total) => {
  const play = await Replay.begin(`rollouts/${name}`);
  await play.toEnd();
  const last = (await play.records(workload)).at(-1);
  const waits = [1, 2].map((step) => `Step ${step} of ${total} waits for approval.`);
  expect(last?.spans.map(({ reason }) => reason)).toEqual(waits);
});

test.each([
  [16_098, 'stalled 1/3: Step 1 was approved, and no controller has gone on.'],
  [54_400, 'stalled 3/3: All pods of step 3 are ready, and no controller has seen that.'],
])('a controller that dies %i ms into a release is said to be silent', async (t, told) => {
  const play = await Replay.begin('rollouts/15-rollback-in-batch');
  await play.to(t);
  const before = play.rolloutOf(ROLLOUT, 'cart-ro');
  expect(before?.state).toBe('progressing');
  await play.silence(70_000);
  expect(toldOfRollout(play.rolloutOf(ROLLOUT, 'cart-ro'))).toBe(told);
  expect((await play.rollout(ROLLOUT, 'cart-ro')).waitsFor).toMatchObject({ kind: 'controller' });
});

test('no controller that works is ever said to be silent', async () => {
  for (const name of ['12-end-of-a-canary', '14-jump', '15-rollback-in-batch', '16-native-daemonset']) {
    const play = await Replay.begin(`rollouts/${name}`);
    const said = new Set<string>();
    await play.toEnd(() => {
      for (const { resource, name: rollout } of play.cluster.rollouts.rollouts())
        said.add(play.rolloutOf(resource, rollout)?.state ?? '');
    });
    expect([...said]).not.toContain('stalled');
  }
});

test('after disabling and enabling nothing is released, though a release went through the Rollout', async () => {
  const play = await Replay.begin('rollouts/17-disable-enable');
  await play.toMark('created');
  expect(play.rolloutOf(ROLLOUT, 'shop-ro')?.message).toContain('Nothing has been released');
  await play.toMark('enabled again');
  expect(toldOfRollout(play.rolloutOf(ROLLOUT, 'shop-ro'))).toBe(
    'idle 0/3: Nothing is being released. The last release ended when the Rollout was disabled.',
  );
});
