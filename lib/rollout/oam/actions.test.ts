import { describe, expect, test } from 'vitest';
import { oamRolloutSystem } from '@/lib/rollout/oam/oam-systems';
import { byReference, inPlace, inputOf, type OamParts, recordedOf } from '@/lib/rollout/oam/testing/scenario';
import type { RolloutActionName } from '@/lib/api/action-values';
import type { RolloutActionRequest } from '@/lib/rollout/system';
import { at } from '@/lib/workloads/testing/objects';

type Members = Parameters<typeof inputOf>[1];

const PATH = '/apis/standard.oam.dev/v1alpha1/namespaces/shop/rollouts/cart';
const metadata = { resourceVersion: '1' };

const plan = (
  ask: Partial<RolloutActionRequest> & { action: RolloutActionName },
  parts?: OamParts,
  members?: Members,
) => oamRolloutSystem.plan(inputOf(parts, members), { step: null, ...ask });
const actionOf = (name: RolloutActionName, parts?: OamParts, members?: Members) =>
  oamRolloutSystem.derive(inputOf(parts, members)).actions.find((action) => action.name === name);
const refusal = (...args: Parameters<typeof plan>) => {
  const planned = plan(...args);
  return planned.kind === 'refused' ? planned.findings[0]?.message : undefined;
};

describe('an approval', () => {
  test('raises the partition to the next batch, under the name that the plan has for it', () => {
    expect(plan({ action: 'approve' })).toMatchObject({
      kind: 'write',
      plan: {
        title: 'Approve batch 2 of 4',
        write: {
          kind: 'merge',
          path: PATH,
          body: { metadata, spec: { rolloutPlan: { batchPartition: 2 } } },
        },
        needs: { verb: 'patch', group: 'standard.oam.dev', resource: 'rollouts' },
        steps: ['Batch 3 runs: 3 → 5 pods of cart-v2.', 'It then waits for approval again.'],
      },
      goal: { until: 'step', from: 2, to: 3, runId: 'cart-v2' },
    });
    const old = { plan: { batchPartition: null, lastBatchToRollout: 1 } };
    expect(plan({ action: 'approve' }, old)).toMatchObject({
      plan: { write: { body: { spec: { rolloutPlan: { lastBatchToRollout: 2 } } } } },
    });
  });

  test('can include several batches, and never an approved one: the partition only goes up', () => {
    expect(actionOf('approve')?.steps).toEqual([3, 4]);
    expect(plan({ action: 'approve', step: 4 })).toMatchObject({
      plan: { write: { body: { spec: { rolloutPlan: { batchPartition: 3 } } } } },
      goal: { to: null },
    });
    for (const step of [1, 2])
      expect(refusal({ action: 'approve', step })).toBe(
        `Batch ${step} is already approved. The partition can only increase.`,
      );
    expect(refusal({ action: 'approve', step: 5 })).toBe('Batch 5 does not exist: the plan has 4.');
  });

  test('can come before the current batch is done, and reports that', () => {
    expect(actionOf('approve', { status: { batchRollingState: 'batchVerifying' } })).toMatchObject({
      allowed: true,
      consequence: 'Batch 2 is still in progress: batch 3 starts automatically when it is done.',
    });
  });

  test.each<[string, OamParts]>([
    ['Batch 3 is already approved.', { plan: { batchPartition: 2 } }],
    ['Batch 3 is already approved.', { plan: { batchPartition: null } }],
    ['This is the last batch: none is left to approve.', { status: { currentBatch: 3 } }],
    ['The Rollout is paused. Resume it first.', { plan: { paused: true } }],
    ['No batch has started yet.', { status: { rollingState: 'verifyingSpec' } }],
    ['The rollout is finished.', { status: { rollingState: 'rolloutSucceed' } }],
    ['The Rollout is being deleted.', { deleted: at(3) }],
    [
      'Application shop renders this Rollout and would revert the change: change it there.',
      { labels: { 'app.oam.dev/name': 'shop' } },
    ],
  ])('is refused before it is sent: %s', (message, parts) => {
    expect(refusal({ action: 'approve' }, parts)).toBe(message);
  });
});

describe('a rollback', () => {
  test('of a rollout by revisions leads to the revision that it came from, which must still exist', () => {
    expect(plan({ action: 'rollback' })).toMatchObject({
      kind: 'write',
      plan: {
        title: 'Roll back cart to cart-v1',
        write: { body: { metadata, spec: { targetRevisionName: 'cart-v1' } } },
        stays: ['The plan does not change: the rollback waits for approval after batch 2.'],
      },
      findings: [{ severity: 'warning', code: 'consequence' }],
      goal: { until: 'step', from: 0, to: 2, runId: 'cart-v1' },
    });
    expect(refusal({ action: 'rollback' }, {}, { component: recordedOf('cart', []) })).toBe(
      'The component revision cart-v1 no longer exists.',
    );
  });

  test('of one that names its source names the former target there', () => {
    const parts = { spec: { sourceRevisionName: 'cart-v1' } };
    expect(plan({ action: 'rollback' }, parts)).toMatchObject({
      plan: { write: { body: { spec: { targetRevisionName: 'cart-v1', sourceRevisionName: 'cart-v2' } } } },
    });
  });

  test('of one by workloads swaps source and target', () => {
    const ref = (name: string) => ({ apiVersion: 'apps/v1', kind: 'Deployment', name });
    expect(plan({ action: 'rollback' }, byReference)).toMatchObject({
      plan: { write: { body: { spec: { targetRef: ref('cart-v1'), sourceRef: [ref('cart-v2')] } } } },
    });
    expect(refusal({ action: 'rollback' }, byReference, { others: [] })).toBe(
      'The source Deployment cart-v1 no longer exists.',
    );
  });

  test('is possible after the end as well, and without a partition runs through', () => {
    const over = { plan: { batchPartition: null }, status: { rollingState: 'rolloutSucceed' } };
    expect(plan({ action: 'rollback' }, over)).toMatchObject({ goal: { to: null } });
    expect(actionOf('rollback', over)?.consequence).toBe(
      'The rollback runs in batches, from cart-v2 to cart-v1.',
    );
  });

  test.each<[string, OamParts]>([
    ['Nothing has been rolled out yet.', { status: { rollingState: '' } }],
    ['The rollout has no source to roll back to.', { status: { LastSourceRevision: null } }],
    [
      'The target has just changed, and the controller has not started with it yet.',
      { spec: { targetRevisionName: 'cart-v3' } },
    ],
  ])('is refused before it is sent: %s', (message, parts) => {
    expect(refusal({ action: 'rollback' }, parts)).toBe(message);
  });

  test('of a workload in place without a named revision is planned by the workload', () => {
    const ref = { targetRef: { apiVersion: 'apps.kruise.io/v1alpha1', kind: 'CloneSet', name: 'cart' } };
    const parts = { ...inPlace, spec: ref, status: { lastTargetRevision: 'cart' } };
    expect(refusal({ action: 'rollback' }, parts)).toContain('Roll back');
    const back = oamRolloutSystem.derive(inputOf(parts)).actions.find(({ name }) => name === 'rollback');
    expect(back?.instead).toBe('workload');
  });
});

describe('a deletion', () => {
  const ours: OamParts = { ...byReference, plan: { revertOnDelete: true } };

  test('is of this version of this object, and leaves the workloads unchanged', () => {
    expect(plan({ action: 'delete' })).toMatchObject({
      plan: {
        write: { kind: 'delete', path: PATH, preconditions: { uid: 'uid-cart', resourceVersion: '1' } },
        needs: { verb: 'delete', resource: 'rollouts' },
        stays: ['The current pods of source and target remain.'],
        kubectl: 'kubectl -n shop delete rollouts.standard.oam.dev cart --wait=false',
      },
      goal: { until: 'deleted' },
    });
    expect(actionOf('delete')?.revert).toBeUndefined();
  });

  test('reverts the changes where Shiplog’s controller runs it, if the viewer chooses so', () => {
    expect(actionOf('delete', ours)?.revert).toBe(true);
    const asked = plan({ action: 'delete' }, ours);
    expect(asked).toMatchObject({ plan: { title: 'Delete cart and revert its changes' } });
    expect(asked).not.toHaveProperty('plan.then');
    expect(plan({ action: 'delete', revert: false }, ours)).toMatchObject({
      plan: {
        title: 'Delete cart',
        write: { kind: 'merge', body: { metadata, spec: { rolloutPlan: { revertOnDelete: false } } } },
        needs: { verb: 'patch' },
        then: { write: { kind: 'delete', preconditions: { uid: 'uid-cart' } }, needs: { verb: 'delete' } },
      },
    });
  });

  test('reverts nothing where no controller would, or where nothing changed', () => {
    expect(refusal({ action: 'delete', revert: true })).toContain('Only Shiplog’s own controller');
    const over = { ...ours, status: { rollingState: 'rolloutSucceed' } };
    expect(refusal({ action: 'delete', revert: true }, over)).toContain('has succeeded');
  });

  test('does not wait for a controller that is not needed', () => {
    const quiet: OamParts = { plan: { batchPartition: 2 }, written: { spec: 5, status: 3 } };
    expect(refusal({ action: 'delete' }, quiet, { now: at(30) })).toContain('No active controller');
    expect(plan({ action: 'delete' }, { ...quiet, finalizers: [] }, { now: at(30) }).kind).toBe('write');
  });
});

test('a pause and its end are written to the plan, and take effect when written', () => {
  expect(plan({ action: 'pause' })).toMatchObject({
    plan: { write: { body: { metadata, spec: { rolloutPlan: { paused: true } } } } },
    goal: { until: 'written' },
  });
  expect(refusal({ action: 'resume' })).toBe('The Rollout is not paused.');
  expect(plan({ action: 'resume' }, { plan: { paused: true } })).toMatchObject({
    plan: { write: { body: { spec: { rolloutPlan: { paused: false } } } } },
  });
  expect(refusal({ action: 'jump', step: 3 })).toBe('This OAM Rollout has no such action.');
});
