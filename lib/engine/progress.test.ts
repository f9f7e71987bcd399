import { describe, expect, it, test } from 'vitest';
import type { Wait } from '@/lib/api/rollouts';
import { type Course, describeProgress } from '@/lib/engine/progress';

const approval: Wait = { kind: 'approval', text: 'Waiting for approval of step 1.' };

test.each<[Course, string]>([
  ['unread', 'starting'],
  ['none', 'idle'],
  ['preparing', 'starting'],
  ['underWay', 'progressing'],
  ['finishing', 'completing'],
  ['succeeded', 'completed'],
  ['failed', 'failed'],
  ['reverting', 'rollingBack'],
  ['reverted', 'rolledBack'],
  ['leaving', 'disabling'],
  ['off', 'disabled'],
  ['deleting', 'terminating'],
  ['withoutWorkload', 'missing'],
  ['unrecognized', 'unknown'],
])('a rollout that is %s is %s, and nothing is made up', (course, state) => {
  expect(describeProgress({ course, message: 'So it is.' })).toEqual({
    state,
    message: 'So it is.',
    waitsFor: null,
    since: null,
  });
});

describe('a rollout under way', () => {
  it.each<[Wait, string]>([
    [approval, 'waiting'],
    [{ kind: 'resume', text: 'Waiting to be resumed.' }, 'paused'],
    [{ kind: 'pods', text: '1 of 2 pods is ready.', missing: 1 }, 'progressing'],
  ])('is in the state of what it waits for', (waitsFor, state) => {
    expect(describeProgress({ course: 'underWay', message: '', waitsFor }).state).toBe(state);
  });

  it('is not waiting for a person where its course is another one', () => {
    expect(describeProgress({ course: 'deleting', message: '', waitsFor: approval }).state).toBe(
      'terminating',
    );
  });
});

test('without a controller a rollout is stalled, whatever else is known of it', () => {
  const since = '2026-11-21T00:00:00Z';
  const facts = { course: 'underWay', message: '', waitsFor: approval, since } as const;
  expect(describeProgress(facts, 'No reaction.', 'the controller of tests')).toEqual({
    state: 'stalled',
    message: 'No reaction.',
    waitsFor: { kind: 'controller', text: 'Waiting for the controller of tests.' },
    since,
  });
});
