import { expect, test } from 'vitest';
import { Replay } from '@/test/replay/replay';
import { toldOf, toldOfRollout } from '@/test/replay/told';

const ROLLOUT = 'rollouts.argoproj.io';
/** Between the promotion of step 2 and the controller's answer to it. */
const PROMOTED_MS = 14_470;

test('a canary waits for promotion, then for time, then is the stable one', async () => {
  const play = await Replay.begin('argo/18-canary-promote');
  const told = () => toldOfRollout(play.rolloutOf(ROLLOUT, 'guest'));
  await play.toMark('created');
  expect(told()).toBe('idle 0/4: Nothing has been released through this Rollout so far.');
  await play.toMark('waits at step 2');
  expect(told()).toBe('waiting 2/4: Step 2 of 4 waits for promotion.');
  expect(toldOf(play.statusOf(ROLLOUT, 'guest'))).toBe('held: at step 2 of 4; 1 of 5 pods updated');
  await play.toMark('waits at step 4');
  expect(told()).toBe('progressing 4/4: Step 4 of 4 waits 8 seconds.');
  await play.toMark('2 is the stable revision');
  expect(told()).toBe('completed 4/4: Revision 2 is the stable one.');
});

test('a blue-green release is promoted, and the next one aborted', async () => {
  const play = await Replay.begin('argo/19-blue-green');
  const told = () => toldOfRollout(play.rolloutOf(ROLLOUT, 'pay'));
  await play.toMark('2 is the preview');
  expect(told()).toBe('waiting 1/1: Revision 2 is previewed and waits for promotion.');
  await play.toMark('2 serves');
  expect(told()).toBe('completed 1/1: Revision 2 is the stable one.');
  await play.toMark('aborted');
  expect(told()).toBe('failed 0/1: Aborted: revision 2 serves, and the spec still asks for revision 3.');
});

test('a promotion that no controller acts upon is stalled', async () => {
  const play = await Replay.begin('argo/18-canary-promote');
  await play.toMark('waits at step 2');
  await play.to(PROMOTED_MS);
  expect(toldOfRollout(play.rolloutOf(ROLLOUT, 'guest'))).toBe(
    'progressing 2/4: Step 2 of 4 is done; the controller continues.',
  );
  await play.silence(70_000);
  expect(toldOfRollout(play.rolloutOf(ROLLOUT, 'guest'))).toBe(
    'stalled 2/4: Step 2 was promoted, and no controller has gone on.',
  );
  expect(play.statusOf(ROLLOUT, 'guest')?.state).toBe('stuck');
});
