import { expect, test } from 'vitest';
import { kruiseRolloutHistorySchema } from '@/lib/api/rollout-histories';
import { buildRolloutHistory } from '@/lib/view/kruise-rollout-history';
import { masked } from '@/test/masked';
import { parseAnswer } from '@/test/parse-answer';
import { sampleRecordAnswer } from '@/test/record-samples';

/** All of it is described. */
function historyOf(...parameters: Parameters<typeof buildRolloutHistory>) {
  return parseAnswer(kruiseRolloutHistorySchema, buildRolloutHistory(...parameters));
}

test('a record as RolloutHistory has the steps with their pods, and phase completed once it has ended', () => {
  const history = historyOf(sampleRecordAnswer({ id: 'R_1' }), masked({ spec: {} }));
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
  const open = historyOf(sampleRecordAnswer({ outcome: null, endedAt: null, steps: [] }), null);
  expect(open).toMatchObject({ status: { phase: '', canarySteps: [] } });
  expect(open).not.toHaveProperty('spec.workload.data');
});

test('it carries no label by which another controller would treat it as its own', () => {
  const { metadata } = historyOf(sampleRecordAnswer(), null);
  expect(JSON.stringify(metadata)).not.toContain('rollouts.kruise.io/');
});

test('for a progressive rollout it has its controller, plan and routes, and only the pods observed in its steps', () => {
  const pod = { name: 'cart-6-a', uid: 'pod', ip: null, node: 'node-2', readyAt: null, restarts: 0 };
  const record = sampleRecordAnswer({
    outcome: 'rolledBack',
    steps: [1, 2].map((index) => ({
      ...{ index, name: `Step ${index}`, kind: 'canary' as const, planned: `${index} of 3 pods` },
      ...{ startedAt: null, endedAt: null, removed: [] },
      state: index === 1 ? ('abandoned' as const) : ('planned' as const),
      pods: index === 1 ? [pod] : [],
    })),
    progressiveRollout: {
      ...{ system: 'openkruise', resource: 'rollouts.rollouts.kruise.io', name: 'cart-ro', uid: 'ro' },
      ...{ id: '6f86847bb', style: 'canary', planEditedAt: null, jumps: [], result: 'rolledBack' },
      routes: [
        { kind: 'Service', name: 'cart' },
        { kind: 'Ingress', name: 'cart-in' },
      ],
      plan: [
        { index: 1, replicas: '20%', traffic: { kind: 'weight', percent: 5 }, pause: { kind: 'approval' } },
        { index: 2, replicas: '3', traffic: null, pause: { kind: 'time', seconds: 30 } },
      ],
      unassigned: [{ ...pod, uid: 'other' }],
    },
  });
  expect(historyOf(record, null)).toMatchObject({
    metadata: { annotations: { 'shiplog.dev/result': 'rolledBack', 'shiplog.dev/style': 'canary' } },
    spec: {
      rollout: {
        name: 'cart-ro',
        rolloutID: '6f86847bb',
        data: {
          objectRef: { workloadRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'cart' } },
          strategy: {
            canary: {
              steps: [
                { weight: 5, replicas: '20%', pause: {} },
                { replicas: 3, pause: { duration: 30 } },
              ],
              trafficRoutings: [{ service: 'cart', ingress: { name: 'cart-in' } }],
            },
          },
        },
      },
      service: { name: 'cart' },
      trafficRouting: { ingress: { name: 'cart-in' } },
    },
    status: {
      phase: 'completed',
      canarySteps: [
        { canaryStepIndex: 1, pods: [{ name: 'cart-6-a', nodeName: 'node-2' }] },
        { canaryStepIndex: 2 },
      ],
    },
  });
});
