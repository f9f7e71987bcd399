import { expect, test } from 'vitest';
import { FINALIZER } from '@/lib/oam/reconcile';
import { RolloutSimulation } from '@/lib/oam/testing/rollout-simulation';
import { CLAIM_ANNOTATION } from '@/lib/workloads/owner-checks';
import type { JsonObject } from '@/lib/kube/json';

const target = (name: string, kind = 'Deployment', apiVersion = 'apps/v1') => ({ apiVersion, kind, name });

function begin(plan: JsonObject = {}, spec: JsonObject = {}): RolloutSimulation {
  const simulation = new RolloutSimulation();
  simulation.deploy('a', 8, spec);
  simulation.deploy('b', 0, { paused: true });
  simulation.roll({
    targetRef: target('b'),
    sourceRef: [target('a')],
    rolloutPlan: { rolloutBatches: [{ replicas: 2 }, { replicas: '100%' }], ...plan },
  });
  return simulation;
}

/** Reconciles while no pod of the target becomes ready. */
function moveWithoutPods(simulation: RolloutSimulation, moves = 40): void {
  for (let made = 0; made < moves && simulation.rollout !== undefined; made += 1) {
    simulation.reconcile();
    simulation.advancePods('a');
    simulation.advancePods('b', 0);
    simulation.nowMs += 5_000;
  }
}

const stateOf = (simulation: RolloutSimulation) => [
  simulation.status?.position?.rolling,
  simulation.status?.position?.batch,
];
const messageOf = (simulation: RolloutSimulation, type: string) =>
  simulation.status?.conditions.find((condition) => condition.type === type)?.message;

test('pods that never become ready end no pod of the source, and do not block a deletion', () => {
  const simulation = begin({ revertOnDelete: true });
  moveWithoutPods(simulation);
  expect(stateOf(simulation)).toEqual(['rollingInBatches', 'batchInRolling']);
  expect([simulation.size('a'), simulation.size('b')]).toEqual([8, 2]);
  expect(messageOf(simulation, 'RolloutInProgress')).toBe(
    'the batch 0 is not ready yet with 0 target pods ready and 8 source pods with 0 unavailable allowed',
  );
  simulation.delete();
  moveWithoutPods(simulation);
  expect(simulation.rollout).toBeUndefined();
  expect([simulation.size('a'), simulation.size('b')]).toEqual([8, 0]);
});

test('as many pods of a batch may be missing as the batch allows', () => {
  const simulation = begin({
    rolloutBatches: [{ replicas: 4, maxUnavailable: '25%' }, { replicas: '100%' }],
    batchPartition: 0,
  });
  for (let made = 0; made < 40; made += 1) {
    simulation.reconcile();
    simulation.advancePods('a');
    simulation.advancePods('b', made < 20 ? 1 : 0, 2);
  }
  simulation.runUntil(() => simulation.status?.position?.batch === 'batchReady');
  expect([simulation.size('a'), simulation.size('b')]).toEqual([4, 4]);
});

test('a missing webhook blocks a rollout and not its deletion', () => {
  const simulation = begin({
    rolloutWebhooks: [{ type: 'finalize-rollout', name: 'gate', url: 'http://gate' }],
  });
  simulation.answers.set('gate', { is: 'refused', problem: 'it could not be reached' });
  simulation.runUntil(() => simulation.status?.position?.rolling === 'finalising');
  for (let made = 0; made < 5; made += 1) simulation.reconcile();
  expect(stateOf(simulation)[0]).toBe('finalising');
  expect(messageOf(simulation, 'RolloutFinalizing')).toBe(
    'failed to invoke a post rollout webhook: it could not be reached',
  );
  simulation.delete();
  simulation.runUntil(() => simulation.rollout === undefined);
  expect(simulation.workloads.map(({ claim }) => claim)).toEqual([undefined, undefined]);
});

test.for<[string, RolloutSimulation, string]>([
  [
    'is not settled',
    begin({}, { replicas: 9 }),
    'the source deployment a is still being reconciled, need to be paused or stable',
  ],
  [
    'has the template of the target',
    withTemplate('b:1'),
    'there is no difference between the source and target, hash = ',
  ],
])('a source that %s is not begun with', ([, simulation, message]) => {
  for (let made = 0; made < 5; made += 1) simulation.reconcile();
  expect(stateOf(simulation)[0]).toBe('rolloutFailed');
  expect(messageOf(simulation, 'RolloutSpecVerifying')).toContain(message);
  expect(simulation.workloads.map(({ claim }) => claim)).toEqual([undefined, undefined]);
});

test.for<[string, (metadata: JsonObject) => void, string]>([
  [
    'another Rollout rolls',
    (metadata) => Object.assign(metadata, { annotations: { [CLAIM_ANNOTATION]: 'other/uid-other' } }),
    'the target deployment b has a controller owner, the Rollout other',
  ],
  [
    'has a controller',
    (metadata) =>
      Object.assign(metadata, { ownerReferences: [{ kind: 'App', name: 'x', uid: 'x', controller: true }] }),
    'the target deployment b has a controller owner',
  ],
])('a workload that %s is not begun with', ([, edit, message]) => {
  const simulation = begin();
  edit(simulation.objects.get('b')?.metadata as never);
  simulation.runUntil(() => simulation.status?.position?.rolling === 'rolloutFailed');
  expect(messageOf(simulation, 'RolloutSpecVerifying')).toBe(message);
});

test('an object of another group is no target, though it has the same name', () => {
  const simulation = begin();
  simulation.editSpec({ targetRef: target('b', 'Deployment', 'extensions/v1beta1') });
  simulation.runUntil(() => simulation.status?.position?.rolling === 'rolloutFailed');
  expect(messageOf(simulation, 'RolloutFailed')).toBe('Unsupported workload');
});

test('a missing target is waited for', () => {
  const simulation = begin();
  simulation.objects.delete('b');
  for (let made = 0; made < 5; made += 1) simulation.reconcile();
  expect([stateOf(simulation)[0], messageOf(simulation, 'RolloutFailed')]).toEqual([
    'locatingTargetApp',
    'Deployment b not found',
  ]);
  simulation.deploy('b', 0, { paused: true });
  simulation.runUntil(() => simulation.status?.position?.rolling === 'rolloutSucceed');
});

test('changes nothing where the definition drops the status', () => {
  const simulation = begin();
  for (let made = 0; made < 20; made += 1) {
    simulation.reconcile();
    const { run: _run, origin: _origin, ...kept } = simulation.rollout?.status ?? {};
    if (simulation.rollout !== undefined) simulation.rollout.status = kept;
  }
  expect(stateOf(simulation)[0]).toBe('rolloutFailed');
  expect([simulation.size('a'), simulation.size('b')]).toEqual([8, 0]);
  expect(messageOf(simulation, 'RolloutSpecVerifying')).toContain(
    'apply the one from Shiplog’s deploy folder',
  );
});

test('a Rollout that is deleted before its first reconcile is released', () => {
  const simulation = begin();
  simulation.reconcile();
  expect(simulation.rollout?.metadata.finalizers).toEqual([FINALIZER]);
  simulation.delete();
  simulation.runUntil(() => simulation.rollout === undefined);
  expect([simulation.size('a'), simulation.size('b')]).toEqual([8, 0]);
});

test('pods of a batch follow each other after its interval, each replaced before the next', () => {
  const simulation = begin({ rolloutBatches: [{ replicas: 3, instanceInterval: 30 }, { replicas: '100%' }] });
  simulation.editPlan({ batchPartition: 0 });
  const seen: number[][] = [];
  const beginMs = simulation.nowMs;
  simulation.runUntil(
    () => simulation.status?.position?.batch === 'batchReady',
    () => {
      const sizes = [simulation.size('a'), simulation.size('b')];
      if (String(sizes) !== String(seen.at(-1))) seen.push(sizes);
    },
  );
  expect(seen).toEqual([
    [8, 0],
    [8, 1],
    [7, 1],
    [7, 2],
    [6, 2],
    [6, 3],
    [5, 3],
  ]);
  expect(simulation.nowMs - beginMs).toBeGreaterThanOrEqual(60_000);
});

test('pods of an incomplete batch are deleted, and not just requested to end, before another target starts', () => {
  const simulation = begin({ rolloutBatches: [{ replicas: 4 }, { replicas: '100%' }] });
  simulation.deploy('c', 0, { paused: true });
  simulation.runUntil(() => simulation.size('b') === 4);
  simulation.advancePods('b', 0);
  simulation.editSpec({ targetRef: target('c') });
  for (let made = 0; made < 20; made += 1) simulation.reconcile();
  expect([stateOf(simulation)[0], simulation.size('a'), simulation.size('b')]).toEqual([
    'rolloutAbandoning',
    8,
    0,
  ]);
  simulation.advancePods('b');
  // Pods of the source that are not ready are no reason to stay with the abandoned target.
  const source = simulation.objects.get('a');
  if (source !== undefined) source.status = { ...source.status, readyReplicas: 7 };
  for (let made = 0; made < 20; made += 1) simulation.reconcile();
  expect([stateOf(simulation)[0], simulation.size('c')]).toEqual(['rollingInBatches', 4]);
});

test('a revert ends no serving pod before another one serves', () => {
  const simulation = begin({ revertOnDelete: true, batchPartition: 0 });
  simulation.runUntil(() => simulation.status?.position?.batch === 'batchReady');
  simulation.delete();
  for (let made = 0; made < 20; made += 1) {
    simulation.reconcile();
    simulation.advancePods('a', 0);
    simulation.advancePods('b');
  }
  expect([simulation.size('a'), simulation.size('b')]).toEqual([8, 2]);
  simulation.runUntil(() => simulation.rollout === undefined);
  expect([simulation.size('a'), simulation.size('b')]).toEqual([8, 0]);
});

test.for(['batchInRolling', 'batchVerifying', 'batchFinalizing', 'batchReady'])(
  'changed batches that have begun, written past the policy, end the rollout in %s at once',
  (state) => {
    const simulation = begin({ batchPartition: 0 });
    simulation.runUntil(() => simulation.status?.position?.batch === state);
    const sizes = [simulation.size('a'), simulation.size('b')];
    simulation.editPlan({ rolloutBatches: [{ replicas: 1 }, { replicas: 3 }, { replicas: '100%' }] });
    simulation.reconcile();
    expect(stateOf(simulation)[0]).toBe('rolloutFailing');
    simulation.runUntil(() => simulation.status?.position?.rolling === 'rolloutFailed');
    expect([simulation.size('a'), simulation.size('b')]).toEqual(sizes);
  },
);

test('a revert of decreasing first misses no more pods than the largest batch', () => {
  const rolloutBatches = [{ replicas: 2 }, { replicas: 2 }, { replicas: 2 }, { replicas: '100%' }];
  const simulation = begin({
    rolloutBatches,
    revertOnDelete: true,
    batchPartition: 2,
    rolloutStrategy: 'DecreaseFirst',
  });
  simulation.runUntil(
    () => simulation.status?.position?.batch === 'batchReady' && simulation.status.currentBatch === 2,
  );
  expect([simulation.size('a'), simulation.size('b')]).toEqual([2, 6]);
  simulation.delete();
  const sums: number[] = [];
  simulation.runUntil(
    () => simulation.rollout === undefined,
    () => sums.push(simulation.size('a') + simulation.size('b')),
  );
  expect([Math.min(...sums), Math.max(...sums)]).toEqual([6, 8]);
  expect([simulation.size('a'), simulation.size('b')]).toEqual([8, 0]);
});

test('a claim that arrives after the end is released', () => {
  const simulation = begin();
  simulation.runUntil(() => simulation.status?.position?.rolling === 'rolloutSucceed');
  const { metadata } = simulation.objects.get('b') ?? {};
  Object.assign(metadata ?? {}, { annotations: { [CLAIM_ANNOTATION]: 'web/uid-rollout' } });
  simulation.reconcile();
  expect(simulation.workloads.map(({ claim }) => claim)).toEqual([undefined, undefined]);
});

test.for(['initializing', 'rollingInBatches'])('what another Rollout claims in %s is left to it', (state) => {
  const simulation = begin({ revertOnDelete: true });
  simulation.runUntil(() => simulation.status?.position?.rolling === state);
  const theirs = { annotations: { [CLAIM_ANNOTATION]: 'other/uid-other' } };
  Object.assign(simulation.objects.get('b')?.metadata ?? {}, theirs);
  const before = simulation.objects.get('b')?.spec;
  simulation.runUntil(() => simulation.status?.position?.rolling === 'rolloutFailed');
  simulation.delete();
  simulation.runUntil(() => simulation.rollout === undefined);
  expect(simulation.workloads.map(({ claim }) => claim)).toEqual([undefined, 'other/uid-other']);
  expect(simulation.objects.get('b')?.spec).toBe(before);
});

function withTemplate(image: string): RolloutSimulation {
  return begin({}, { template: { spec: { containers: [{ name: 'app', image }] } } });
}
