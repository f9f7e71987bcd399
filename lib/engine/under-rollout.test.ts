import { expect, test } from 'vitest';
import { deriveStatusUnderRollout } from '@/lib/messages/workload-status';
import type { WorkloadStatus } from '@/lib/engine/status';
import type { WorkloadState } from '@/lib/api/workload-values';
import type { RolloutState } from '@/lib/api/rollout-values';

const pods = { desired: 3, ready: 3, updated: 3, available: 3 };

function under(state: WorkloadState, rollout: RolloutState, counts = pods): WorkloadStatus {
  const status = {
    state,
    message: 'own words',
    sentence: 'Own words.',
    since: null,
    pods: counts,
    blockers: [],
  };
  const said = {
    state: rollout,
    message: 'Step 1 of 2 is waiting for approval.',
    since: null,
    isWorkload: false,
    blockers: [],
  };
  return deriveStatusUnderRollout(status as unknown as WorkloadStatus, said);
}

test('a blue-green rollout that waits is held, not in progress', () => {
  expect(under('rolling', 'waiting')).toMatchObject({
    state: 'held',
    message: 'step 1 of 2 is waiting for approval',
    sentence: 'Step 1 of 2 is waiting for approval. 3 of 3 pods are ready.',
  });
  expect(under('rolling', 'waiting', { ...pods, ready: 2 }).state).toBe('rolling');
  // The controller sets minReadySeconds meanwhile.
  expect(under('rolling', 'waiting', { ...pods, available: 0 }).state).toBe('held');
  // Both revisions run in full.
  expect(under('rolling', 'waiting', { ...pods, ready: 6 }).sentence).toMatch(
    /6 pods are ready, 3 desired\.$/,
  );
});

test('a workload whose own pods are complete is held while its rollout waits', () => {
  expect(under('complete', 'waiting').state).toBe('held');
  expect(under('complete', 'paused').state).toBe('held');
  expect(under('complete', 'completed').state).toBe('complete');
});

test('pods that are added while a rollout is in progress belong to it', () => {
  for (const rollout of ['progressing', 'waiting', 'paused', 'completing'] as const)
    expect(under('scaling', rollout, { ...pods, available: 1 }).state).toBe('rolling');
  expect(under('scaling', 'completed').state).toBe('scaling');
});

test('a rollout that has failed is a failed workload, unless the workload itself reports a problem', () => {
  for (const state of ['held', 'paused', 'rolling', 'complete'] as const)
    expect(under(state, 'failed').state).toBe('failed');
  for (const state of ['stuck', 'degraded', 'deadlineExceeded'] as const)
    expect(under(state, 'failed')).toMatchObject({ state, message: 'own words' });
});

test('a pause or OnDelete during a rollout belongs to the rollout', () => {
  for (const rollout of ['starting', 'progressing', 'completing', 'disabling', 'rollingBack'] as const)
    expect([under('paused', rollout).state, under('waiting', rollout).state]).toEqual(['held', 'held']);
  for (const rollout of ['idle', 'completed', 'disabled', 'rolledBack'] as const)
    expect([under('paused', rollout).state, under('waiting', rollout).state]).toEqual(['paused', 'waiting']);
});
