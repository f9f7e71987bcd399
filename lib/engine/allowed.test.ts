import { expect, test } from 'vitest';
import {
  type ActionTable,
  listActions,
  refuseAll,
  refuseDeleted,
  refuseSecondPause,
  refuseUnpaused,
} from '@/lib/engine/allowed';

interface Context {
  isDeleted: boolean;
  isPaused: boolean;
}

const table: ActionTable<Context> = {
  pause: { refusals: [refuseDeleted, refuseSecondPause], consequence: () => 'Everything stops.' },
  resume: { refusals: [refuseDeleted, refuseUnpaused], steps: () => [2, 3] },
  rollback: { refusals: [() => ({ reason: 'Roll back the workload.', instead: 'workload' })] },
  delete: { refusals: [], reverts: ({ isPaused }) => (isPaused ? undefined : false) },
};

test('an action is offered with what follows from it, in the order of the table', () => {
  expect(listActions(table, { isDeleted: false, isPaused: false })).toEqual([
    { name: 'pause', allowed: true, reason: null, consequence: 'Everything stops.', steps: null },
    { name: 'resume', allowed: false, reason: 'The Rollout is not paused.', consequence: null, steps: null },
    {
      name: 'rollback',
      allowed: false,
      reason: 'Roll back the workload.',
      instead: 'workload',
      consequence: null,
      steps: null,
    },
    { name: 'delete', allowed: true, reason: null, consequence: null, steps: null, revert: false },
  ]);
});

test('the first reason against an action counts', () => {
  const reasons = listActions(table, { isDeleted: true, isPaused: true }).map(({ reason }) => reason);
  expect(reasons).toEqual([
    'The Rollout is being deleted.',
    'The Rollout is being deleted.',
    'Roll back the workload.',
    null,
  ]);
});

test('a read-only rollout names its actions, and one reason against all', () => {
  const actions = refuseAll(table, 'Read-only.');
  expect(actions.map(({ name }) => name)).toEqual(['pause', 'resume', 'rollback', 'delete']);
  expect(actions.every(({ allowed, reason }) => !allowed && reason === 'Read-only.')).toBe(true);
});
