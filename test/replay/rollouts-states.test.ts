import { expect, test } from 'vitest';
import { Replay } from '@/test/replay/replay';
import { describeStatus, describeRollout } from '@/test/replay/describe';

const ROLLOUT = 'rollouts.rollouts.kruise.io';
const DEPLOYMENT = 'deployments.apps';
const DAEMON_SET = 'daemonsets.apps';

test('a canary is waiting for approval at each step, and holds its Deployment', async () => {
  const replay = await Replay.start('rollouts/14-jump');
  const state = () => describeRollout(replay.rolloutOf(ROLLOUT, 'shop-ro'));
  await replay.advanceToMark('created');
  expect(state()).toBe('idle 0/3: No rollout yet.');
  await replay.advanceToMark('step 1 of 3 waits');
  expect(state()).toBe('waiting 1/3: Step 1 of 3 is waiting for approval.');
  expect(replay.statusOf(DEPLOYMENT, 'shop')?.state).toBe('held');
  await replay.advanceToMark('released');
  expect(state()).toBe('completed 3/3: All 3 steps are done.');
  expect(describeStatus(replay.statusOf(DEPLOYMENT, 'shop'))).toBe('complete: 5 of 5 ready');
});

test('a Deployment is held by its Rollout until the rollout is cleaned up, and offers no resume', async () => {
  const replay = await Replay.start('rollouts/12-end-of-a-canary');
  await replay.advanceToMark('step 1 of 2 waits');
  const states = new Set<string | undefined>();
  const note = () => states.add(replay.statusOf(DEPLOYMENT, 'shop')?.state);
  await replay.advanceToMark('finalising: step 2 Completed, finalisingStep RestoreStableService', note);
  expect(replay.rolloutOf(ROLLOUT, 'shop-ro')?.state).toBe('completing');
  expect(replay.statusOf(DEPLOYMENT, 'shop')).toMatchObject({ state: 'held' });
  const { controls, paused } = (await replay.workload(DEPLOYMENT, 'shop')).workload;
  expect(controls.find(({ action }) => action === 'resume')).toMatchObject({ enabled: false });
  expect(paused).toBe(false);
  await replay.advanceToEnd(note);
  expect([...states]).not.toContain('paused');
});

test('a Deployment whose Rollout is being disabled is held by it, then rolls out by itself', async () => {
  const replay = await Replay.start('rollouts/17-disable-enable');
  const states = new Set<string | undefined>();
  await replay.advanceToMark('3 s after disable', () =>
    states.add(replay.statusOf(DEPLOYMENT, 'shop')?.state),
  );
  expect(replay.statusOf(DEPLOYMENT, 'shop')?.state).toBe('held');
  expect([...states]).not.toContain('paused');
  await replay.advanceToMark('disabled');
  expect(describeStatus(replay.statusOf(DEPLOYMENT, 'shop'))).toBe('complete: 5 of 5 ready');
});

test('under a Rollout no pod of a DaemonSet has to be deleted by hand', async () => {
  const replay = await Replay.start('rollouts/16-native-daemonset');
  const states = new Set<string | undefined>();
  const note = () => states.add(replay.statusOf(DAEMON_SET, 'nodelog')?.state);
  await replay.advanceToMark('step 1 of 2 waits', note);
  expect(replay.statusOf(DAEMON_SET, 'nodelog')).toMatchObject({
    state: 'held',
    message: 'Rollout nodelog-ro: 1 of 3 nodes on revision 2',
    sentence:
      'Rollout nodelog-ro updates the pods in steps: 1 of 3 nodes runs revision 2, 3 of 3 pods are ready. Revision 1 still serves with 2 of 3 pods.',
  });
  await replay.advanceToEnd(note);
  expect([...states]).not.toContain('waiting');
});

test('a canary that cannot start is stalled, by its pod, on the Rollout and on its workload', async () => {
  const replay = await Replay.start('rollouts/11-canary-broken-then-approved');
  await replay.advanceToMark('step 1 cannot start');
  const seen = replay.rolloutOf(ROLLOUT, 'shop-ro');
  const pod = seen?.unassignedPods[0]?.name ?? seen?.steps[0]?.pods[0]?.name;
  const observed = `tep 1 of 3 is stalled: ${pod}: the image of web cannot be pulled`;
  expect(describeRollout(seen)).toBe(`stalled 1/3: S${observed}.`);
  const { workload } = await replay.workload(DEPLOYMENT, 'shop');
  expect(workload).toMatchObject({
    state: 'stuck',
    message: `s${observed}`,
    blockers: [{ pod, block: { kind: 'imagePull' } }],
  });
  await replay.advanceToMark('1.2 has taken the place');
  expect(describeRollout(replay.rolloutOf(ROLLOUT, 'shop-ro'))).toBe(
    'waiting 1/3: Step 1 of 3 is waiting for approval.',
  );
  expect(replay.statusOf(DEPLOYMENT, 'shop')?.state).toBe('held');
});

test('what blocked a rollout does not affect the one that supersedes it', async () => {
  const replay = await Replay.start('rollouts/11-canary-broken-then-approved');
  await replay.advanceToMark('step 1 cannot start');
  const states = new Set<string | undefined>();
  await replay.advanceToMark('1.2 has taken the place', () => {
    const [shop] = replay.cluster.cache.workloads();
    if (shop?.images[0]?.image === 'r.io/shop:1.2') states.add(replay.statusOf(DEPLOYMENT, 'shop')?.state);
  });
  expect([...states]).toEqual(['rolling', 'held']);
  const [, , record] = await replay.records('shop');
  expect(record?.spans.map(({ kind }) => kind)).not.toContain('stuck');
});

test.each([
  ['15-rollback-in-batch', 'cart', 3],
  ['16-native-daemonset', 'nodelog', 2],
])('in %s no wait of a rollout is attributed to the next one', async (name, workload, total) => {
  const replay = await Replay.start(`rollouts/${name}`);
  await replay.advanceToEnd();
  const last = (await replay.records(workload)).at(-1);
  const waits = [1, 2].map((step) => `Step ${step} of ${total} is waiting for approval.`);
  expect(last?.spans.map(({ reason }) => reason)).toEqual(waits);
});

test.each([
  [16_098, 'stalled 1/3: Step 1 was approved, but the controller has not reacted.'],
  [54_400, 'stalled 3/3: All pods of step 3 are ready, but the controller has not reacted.'],
])('a controller that dies %i ms into a rollout is reported as silent', async (t, state) => {
  const replay = await Replay.start('rollouts/15-rollback-in-batch');
  await replay.advanceTo(t);
  const before = replay.rolloutOf(ROLLOUT, 'cart-ro');
  expect(before?.state).toBe('progressing');
  await replay.passTime(70_000);
  expect(describeRollout(replay.rolloutOf(ROLLOUT, 'cart-ro'))).toBe(state);
  expect((await replay.rollout(ROLLOUT, 'cart-ro')).waitsFor).toMatchObject({ kind: 'controller' });
});

test('a working controller is never reported as silent', async () => {
  for (const name of ['12-end-of-a-canary', '14-jump', '15-rollback-in-batch', '16-native-daemonset']) {
    const replay = await Replay.start(`rollouts/${name}`);
    const observed = new Set<string>();
    await replay.advanceToEnd(() => {
      for (const { resource, name: rollout } of replay.cluster.rollouts.rollouts())
        observed.add(replay.rolloutOf(resource, rollout)?.state ?? '');
    });
    expect([...observed]).not.toContain('stalled');
  }
});

test('after disabling and enabling nothing is rolled out, though the Rollout has had one', async () => {
  const replay = await Replay.start('rollouts/17-disable-enable');
  await replay.advanceToMark('created');
  expect(replay.rolloutOf(ROLLOUT, 'shop-ro')?.message).toBe('No rollout yet.');
  await replay.advanceToMark('enabled again');
  expect(describeRollout(replay.rolloutOf(ROLLOUT, 'shop-ro'))).toBe(
    'idle 0/3: No rollout in progress. The last one ended when the Rollout was disabled.',
  );
});
