import { expect, test } from 'vitest';
import { durationMs, parsePlan } from '@/lib/oam/plan';
import {
  targetNameOf,
  parseControlledRollout,
  type OamRolloutStatus,
  INITIAL_STATUS,
  writeStatus,
} from '@/lib/oam/rollout';
import type { JsonObject } from '@/lib/kube/json';

const rollout = (spec: JsonObject, status: JsonObject = {}) =>
  parseControlledRollout({
    apiVersion: 'standard.oam.dev/v1alpha1',
    kind: 'Rollout',
    metadata: { name: 'web', uid: 'u', resourceVersion: '1', creationTimestamp: '' },
    spec,
    status,
  });

test('a plan is read in the spelling of the design and in the shipped one', () => {
  expect(parsePlan({ lastBatchToRollout: 2 }).partition).toBe(2);
  expect(parsePlan({ batchPartition: 1, lastBatchToRollout: 2 }).partition).toBe(1);
  expect(parsePlan({}).partition).toBeUndefined();
});

test('a rollout names its target as a workload or as a component revision', () => {
  const plan = { rolloutPlan: {} };
  const design = rollout({
    ...plan,
    targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'b' },
    sourceRef: [{ name: 'a' }],
  });
  expect([design.target && targetNameOf(design.target), design.sources]).toEqual(['b', ['a']]);
  const shipped = rollout({
    ...plan,
    targetRevisionName: 'cart-v2',
    componentName: 'cart',
    sourceRevisionName: 'cart-v1',
  });
  expect([shipped.target && targetNameOf(shipped.target), shipped.sources]).toEqual(['cart-v2', ['cart-v1']]);
});

test('states of other versions are read as their equivalents', () => {
  const read = (rollingState: string) => rollout({}, { rollingState }).status.position?.rolling;
  expect(['verifying', 'rolloutAbandoned', 'RolloutDeletingState', ''].map(read)).toEqual([
    'verifyingSpec',
    'rolloutAbandoning',
    'RolloutDeletingState',
    undefined,
  ]);
});

test('a written status reads back the same', () => {
  const status: OamRolloutStatus = {
    ...INITIAL_STATUS,
    position: { rolling: 'rollingInBatches', batch: 'batchReady' },
    conditions: [
      { type: 'BatchReady', status: 'True', message: '', lastTransitionTime: '2026-03-01T12:00:00Z' },
    ],
    lastTarget: 'b',
    run: {
      kind: 'CloneSet',
      target: 'b',
      mode: 'scaling',
      base: 3,
      sources: [{ name: 'a', replicas: 4 }],
      startingReplicas: 1,
      finishedReplicas: 2,
      batchReplicas: 3,
      measures: [
        { name: 'errors#0', takenAt: '2026-03-01T12:00:00Z', value: 0.25, failures: 1, hasPassed: false },
        { name: 'errors#1', takenAt: '2026-03-01T12:00:00Z', value: null, failures: 0, hasPassed: false },
      ],
      pace: { replicas: 3, since: '2026-03-01T12:00:00.000Z' },
      isReverted: true,
    },
    origin: [{ name: 'a', replicas: 4, isPaused: false, partition: '20%', revision: 'a-1' }],
  };
  const written = JSON.parse(JSON.stringify(writeStatus(status))) as JsonObject;
  expect(rollout({}, written).status).toEqual(status);
});

test.for([
  ['90s', 90_000],
  ['1m30s', 90_000],
  ['1.5h', 5_400_000],
  ['250ms', 250],
  ['soon', undefined],
  ['', undefined],
] as const)('%s is a duration of %s ms', ([text, ms]) => {
  expect(durationMs(text)).toBe(ms);
});

test('bounds of a metric are numbers or text, and nothing unreadable is one', () => {
  const [metric] = parsePlan({
    canaryMetric: [
      {
        name: 'errors',
        interval: '10s',
        metricsRange: { min: 'much', max: '0.5' },
        templateRef: { name: 't' },
      },
    ],
  }).metrics;
  expect(metric).toEqual({ name: 'errors', intervalMs: 10_000, min: undefined, max: 0.5, template: 't' });
});
