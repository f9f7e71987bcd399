import { expect, test } from 'vitest';
import { rolloutHistoryOf } from '@/lib/ledger/rollout-history';
import { sampleRecordAnswer } from '@/test/ledger';

test('a record as RolloutHistory has the steps with their pods, and phase completed once it has ended', () => {
  const history = rolloutHistoryOf(sampleRecordAnswer({ id: 'R_1' }), { spec: {} });
  expect(history).toMatchObject({
    apiVersion: 'rollouts.kruise.io/v1alpha1',
    metadata: { name: 'cart-r-1', namespace: 'shop' },
    spec: {
      rollout: { name: 'cart', rolloutID: 'R_1' },
      workload: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'cart', data: { template: { spec: {} } } },
      service: { name: '' },
    },
    status: {
      phase: 'completed',
      canarySteps: [{ canaryStepIndex: 1, pods: [{ name: 'cart-5-a', ip: '10.0.0.7', nodeName: 'node-1' }] }],
    },
  });
  const open = rolloutHistoryOf(sampleRecordAnswer({ outcome: null, endedAt: null, steps: [] }), null);
  expect(open).toMatchObject({ status: { phase: '', canarySteps: [] } });
  expect(open).not.toHaveProperty('spec.workload.data');
});

test('it carries no label by which another controller would take it for its own', () => {
  const { metadata } = rolloutHistoryOf(sampleRecordAnswer(), null);
  expect(JSON.stringify(metadata)).not.toContain('rollouts.kruise.io/');
});
