import { expect, test } from 'vitest';
import { Replay } from '@/test/replay/replay';
import { describeStatus, describeRollout } from '@/test/replay/describe';

const ROLLOUT = 'rollouts.argoproj.io';
/** Between the promotion of step 2 and the controller's answer to it. */
const PROMOTED_MS = 14_470;

test('a canary waits for promotion, then for time, then is the stable one', async () => {
  const replay = await Replay.start('argo/18-canary-promote');
  const state = () => describeRollout(replay.rolloutOf(ROLLOUT, 'guest'));
  await replay.advanceToMark('created');
  expect(state()).toBe('idle 0/4: No rollout yet.');
  await replay.advanceToMark('waits at step 2');
  expect(state()).toBe('waiting 2/4: Step 2 of 4 is waiting for promotion.');
  expect(describeStatus(replay.statusOf(ROLLOUT, 'guest'))).toBe('held: at step 2 of 4; 1 of 5 pods updated');
  await replay.advanceToMark('waits at step 4');
  expect(state()).toBe('progressing 4/4: Step 4 of 4: pause for 8 s.');
  await replay.advanceToMark('2 is the stable revision');
  expect(state()).toBe('completed 4/4: Revision 2 is stable.');
});

test('a blue-green rollout is promoted, and the next one aborted', async () => {
  const replay = await Replay.start('argo/19-blue-green');
  const state = () => describeRollout(replay.rolloutOf(ROLLOUT, 'pay'));
  await replay.advanceToMark('2 is the preview');
  expect(state()).toBe('waiting 1/1: Revision 2 runs as a preview and is waiting for promotion.');
  await replay.advanceToMark('2 serves');
  expect(state()).toBe('completed 1/1: Revision 2 is stable.');
  await replay.advanceToMark('aborted');
  expect(state()).toBe('failed 0/1: Aborted: revision 2 is serving; the spec still requests revision 3.');
});

test('a promotion that no controller acts upon is stalled', async () => {
  const replay = await Replay.start('argo/18-canary-promote');
  await replay.advanceToMark('waits at step 2');
  await replay.advanceTo(PROMOTED_MS);
  expect(describeRollout(replay.rolloutOf(ROLLOUT, 'guest'))).toBe(
    'progressing 2/4: Step 2 of 4 is done; the controller continues.',
  );
  await replay.passTime(70_000);
  expect(describeRollout(replay.rolloutOf(ROLLOUT, 'guest'))).toBe(
    'stalled 2/4: Step 2 was promoted, but the controller has not reacted.',
  );
  expect(replay.statusOf(ROLLOUT, 'guest')?.state).toBe('stuck');
});
