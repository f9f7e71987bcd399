import { expect, test } from 'vitest';
import { Replay } from '@/test/replay/replay';
import { toldOf, toldOfRollout } from '@/test/replay/told';

const ROLLOUT = 'rollouts.rollouts.kruise.io';
const DEPLOYMENT = 'deployments.apps';

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
