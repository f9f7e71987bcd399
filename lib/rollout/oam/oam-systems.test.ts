import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import type { Json, JsonObject } from '@/lib/kube/json';
import { batchStates, rollingStates } from '@/lib/oam/states';
import { appDeploymentSystem } from '@/lib/rollout/oam/app-deployment';
import {
  applicationDeploymentSystem,
  appRolloutSystem,
  oamRolloutSystem,
  rolloutTraitSystem,
} from '@/lib/rollout/oam/oam-systems';
import {
  byReference,
  cloneSetOf,
  deploymentOf,
  FOUR_BATCHES,
  inPlace,
  inputOf,
  type OamParts,
  oamObject,
  recordedOf,
} from '@/lib/rollout/oam/testing/scenario';
import type { ProgressiveRollout } from '@/lib/rollout/rollout';
import { at, object } from '@/lib/workloads/testing/objects';

type Members = Parameters<typeof inputOf>[1];

const deriveFrom = (parts?: OamParts, members?: Members): ProgressiveRollout =>
  oamRolloutSystem.derive(inputOf(parts, members));
const inState = (rollingState: string, status: OamParts['status'] = {}): OamParts => ({
  status: { rollingState, batchRollingState: 'batchInitializing', ...status },
});
const inBatch = (batchRollingState: string, status: OamParts['status'] = {}): OamParts => ({
  status: { batchRollingState, ...status },
});
const planned = ({ steps }: ProgressiveRollout) => steps.map(({ replicas }) => replicas.planned);
const podsOf = ({ steps }: ProgressiveRollout) => steps.map(({ pods }) => pods.map(({ name }) => name));
describe('batches', () => {
  test('are steps, with the pods after each by the arithmetic of the controllers', () => {
    const rollout = deriveFrom();
    expect(rollout).toMatchObject({
      state: 'waiting',
      message: 'Batch 2 of 4 is waiting for approval.',
      since: at(3),
      style: 'batch',
      step: { index: 2, total: 4, state: 'waiting' },
      waitsFor: { kind: 'approval', text: 'Waiting for approval of batch 2.' },
      replicas: { desired: 8, updated: 3, ready: 3 },
      phase: 'rollingInBatches',
      reported: { stepState: 'batchReady' },
    });
    expect(rollout.steps.map(({ state }) => state)).toEqual(['done', 'waiting', 'planned', 'planned']);
    expect(planned(rollout)).toEqual([1, 3, 5, 8]);
    expect(rollout.steps.map(({ replicas }) => replicas.requested)).toEqual(['1', '25%', '25%', '25%']);
    expect(rollout.steps.map(({ pause }) => pause?.kind)).toEqual(['none', 'approval', 'approval', 'none']);
  });

  test('round shares up, and the last one includes all remaining pods', () => {
    const shares = [{ replicas: '25%' }, { replicas: '25%' }, { replicas: '100%' }];
    const eleven = { plan: { rolloutBatches: shares }, status: { rolloutTargetSize: 11 } };
    expect(planned(deriveFrom(eleven))).toEqual([3, 6, 11]);
    const numbered = { plan: { rolloutBatches: [], numBatches: 3 }, status: { rolloutTargetSize: 8 } };
    expect(planned(deriveFrom(numbered))).toEqual([2, 5, 8]);
  });

  test('of a scale start from the previous size, down as well as up', () => {
    const scaled = (from: number, to: number): OamParts => ({
      plan: { rolloutBatches: [{ replicas: 2 }, { replicas: '100%' }] },
      status: { rolloutOriginalSize: from, rolloutTargetSize: to, LastSourceRevision: null, currentBatch: 0 },
    });
    expect(planned(deriveFrom(scaled(4, 10)))).toEqual([6, 10]);
    const down = deriveFrom(scaled(10, 4));
    expect(planned(down)).toEqual([8, 4]);
    expect(down.plan?.[0]).toBe('2 batches from 10 to 4 pods, with the same pod template.');
  });

  test('have the pods in the order of their creation, and none that existed before', () => {
    const rollout = deriveFrom();
    expect(podsOf(rollout)).toEqual([['cart-v2-0'], ['cart-v2-1', 'cart-v2-2'], [], []]);
    expect(rollout.notes).toContain(
      'Pods are assigned to batches by creation order: OAM does not label them.',
    );
    const run = { kind: 'Deployment', target: 'cart-v2', startingReplicas: 2 };
    const later = deriveFrom({ status: { run } });
    expect(podsOf(later)).toEqual([[], ['cart-v2-2'], [], []]);
    expect(later.unassignedPods.map(({ name }) => name)).toEqual(['cart-v2-0', 'cart-v2-1']);
  });

  test('of a CloneSet have those of its pods that run the new revision', () => {
    const rollout = deriveFrom(inPlace, {
      workload: { state: 'found', facts: cloneSetOf('cart', 8, 3) },
      others: [],
    });
    expect(rollout).toMatchObject({
      workload: { resource: 'clonesets.apps.kruise.io', name: 'cart' },
      revisions: { stable: { hash: 'cart-v1', number: 1 }, updated: { hash: 'cart-v2', number: 2 } },
      replicas: { updated: 3 },
    });
    expect(rollout.comparison).toBeUndefined();
    expect(podsOf(rollout).map((pods) => pods.length)).toEqual([1, 2, 0, 0]);
  });

  it.each([
    ['batchInitializing', {}, 'starting', 'progressing'],
    ['batchInRolling', {}, 'upgrading', 'progressing'],
    ['batchVerifying', {}, 'upgrading', 'progressing'],
    ['batchVerifyFailed', {}, 'failed', 'progressing'],
    ['batchFinalizing', {}, 'analysing', 'progressing'],
    ['batchReady', {}, 'waiting', 'waiting'],
    ['batchReady', { currentBatch: 3 }, 'done', 'progressing'],
  ])('in %s are current as such', (state, status, step, whole) => {
    expect(deriveFrom(inBatch(state, status))).toMatchObject({ state: whole, step: { state: step } });
  });

  test('with metrics are being analyzed once their pods exist, if a controller reads metrics', () => {
    const metrics = { canaryMetric: [{ name: 'error-rate', metricsRange: { max: 5 } }] };
    const parts = { ...inBatch('batchVerifying'), plan: metrics };
    const ours = deriveFrom({ ...parts, labels: { 'shiplog.dev/controller': 'shiplog' } });
    expect(ours.steps[1]).toMatchObject({ state: 'analysing', does: 'Analysis: error-rate ≤ 5' });
    expect(ours.plan).toContain('Metrics: error-rate ≤ 5.');
    const theirs = deriveFrom(parts);
    expect(theirs.steps[1]?.state).toBe('upgrading');
    expect(theirs.plan).toContain('Metrics: error-rate ≤ 5. The controllers of KubeVela ignore metrics.');
  });
});

describe('a rollout', () => {
  test.each([
    ['locatingTargetApp', 'starting'],
    ['verifyingSpec', 'starting'],
    ['initializing', 'starting'],
    ['finalising', 'completing'],
    ['rolloutFailing', 'failed'],
    ['rolloutAbandoning', 'starting'],
    ['RolloutDeletingState', 'terminating'],
    ['rolloutSucceed', 'completed'],
    ['rolloutFailed', 'failed'],
    ['lost', 'unknown'],
  ])('in %s is %s', (state, said) => {
    expect(deriveFrom(inState(state)).state).toBe(said);
  });

  test('that is deleted is rolling back where its controller reverts it', () => {
    const deleted = { ...inState('RolloutDeletingState'), plan: { revertOnDelete: true } };
    expect(deriveFrom(deleted).state).toBe('terminating');
    expect(deriveFrom({ ...deleted, labels: { 'shiplog.dev/controller': 'shiplog' } }).state).toBe(
      'rollingBack',
    );
  });

  test('is read in the spellings of every version', () => {
    expect(deriveFrom(inState('verifying')).message).toContain('Verifying');
    expect(deriveFrom(inState('rolloutAbandoned')).message).toContain('The target changed');
    const old = deriveFrom({ plan: { batchPartition: null, lastBatchToRollout: 1 } });
    expect(old.state).toBe('waiting');
    const both = deriveFrom({ plan: { batchPartition: 2, lastBatchToRollout: 1 } });
    expect(both.step.state).toBe('approved');
    expect(both.notes[0]).toContain('batchPartition counts');
  });

  test('that failed reports the reason, from the condition of the stage that failed', () => {
    const conditions = [
      { type: 'RolloutFailed', status: 'True', lastTransitionTime: at(3) },
      { type: 'BatchVerifying', status: 'False', message: 'no pods came.', lastTransitionTime: at(2) },
      { type: 'BatchPaused', status: 'False', message: 'of old', lastTransitionTime: at(3) },
    ];
    const failed = {
      type: 'BatchRolloutFailed',
      status: 'False',
      message: 'no approval',
      lastTransitionTime: at(3),
    };
    expect(deriveFrom(inState('rolloutFailed', { conditions: [...conditions, failed] })).message).toContain(
      'no pods came.',
    );
    expect(deriveFrom(inState('rolloutFailed', { conditions })).message).toBe(
      'Failed in batch 2 of 4: no pods came. Nothing was rolled back.',
    );
  });

  test('has failed since the last write of its status: nothing writes to it any more', () => {
    const conditions = [
      { type: 'RolloutFailing', status: 'True', lastTransitionTime: at(1) },
      { type: 'RolloutFailed', status: 'True', lastTransitionTime: at(2) },
    ];
    expect(deriveFrom(inState('rolloutFailing', { conditions })).since).toBe(at(1));
    expect(deriveFrom(inState('rolloutFailed', { conditions })).since).toBe(at(3));
  });

  test('is paused by its spec alone: no condition of it is ever cleared', () => {
    expect(deriveFrom({ plan: { paused: true } })).toMatchObject({ state: 'paused', paused: true });
    const left = [{ type: 'BatchPaused', status: 'True', lastTransitionTime: at(1) }];
    expect(deriveFrom({ status: { conditions: left } }).state).toBe('waiting');
  });

  test('moves between two workloads, and is compared where their component is recorded', () => {
    const rollout = deriveFrom();
    expect(rollout.revisions).toMatchObject({
      stable: { hash: 'cart-v1', images: [{ image: 'checkout:1' }] },
      updated: { hash: 'cart-v2', images: [{ image: 'checkout:2' }] },
    });
    expect(rollout.comparison).toEqual({
      resource: 'controllerrevisions.apps',
      name: 'cart.abcdef',
      from: 'uid-cart-v1',
      to: 'uid-cart-v2',
    });
    expect(rollout.relatedObjects).toMatchObject([
      { kind: 'Deployment', name: 'cart-v1', phase: 'source', message: '5 of 5 pods ready, 5 desired' },
    ]);
    expect(deriveFrom({}, { component: recordedOf('cart', ['1']) }).comparison).toBeNull();
  });

  test('has the templates of both: of the workloads, or of the records once one is deleted', () => {
    expect(oamRolloutSystem.sides?.(inputOf())).toMatchObject({
      before: { images: [{ image: 'checkout:1' }] },
      after: { images: [{ image: 'checkout:2' }] },
    });
    const recorded = oamRolloutSystem.sides?.(inputOf({}, { others: [] }));
    expect(recorded).toMatchObject({ before: { name: 'cart-v1' }, after: { name: 'cart-v2' } });
  });

  test('in the fields of the design names workloads, and is run by Shiplog', () => {
    const rollout = deriveFrom(byReference, { component: undefined });
    expect(rollout).toMatchObject({
      workload: { resource: 'deployments.apps', name: 'cart-v2' },
      revisions: { stable: { hash: 'cart-v1' }, updated: { hash: 'cart-v2' } },
      comparison: null,
    });
  });

  test('changed midway has not started with the new target before the controller processes it', () => {
    expect(deriveFrom({ spec: { targetRevisionName: 'cart-v3' } })).toMatchObject({
      state: 'starting',
      step: { index: 0 },
      run: { id: 'cart-v3' },
    });
    expect(deriveFrom({ plan: { targetSize: 9 } }).state).toBe('starting');
    expect(deriveFrom({ plan: { targetSize: 9 }, status: { rolloutTargetSize: -1 } }).state).toBe('waiting');
  });

  test('describes the effect of a deletion on the workloads', () => {
    const last = (rollout: ProgressiveRollout) => rollout.plan?.at(-1);
    const revert = { plan: { revertOnDelete: true } };
    const ours = { labels: { 'shiplog.dev/controller': 'shiplog' } };
    expect(last(deriveFrom())).toBe('On deletion: the pods of both revisions stay.');
    expect(last(deriveFrom({ ...revert, ...ours }))).toContain('reverts to the state before the first batch');
    expect(last(deriveFrom(revert))).toContain('stay');
    expect(deriveFrom(revert).notes).toContain(
      'revertOnDelete is set, but no KubeVela controller supports it.',
    );
  });
});

describe('a missing controller', () => {
  const late = { now: at(30) };

  test.each<[string, OamParts, string]>([
    [
      'was never taken up',
      { status: { rollingState: '' }, written: { spec: 5, status: 3 } },
      'no controller has processed it',
    ],
    [
      'was changed',
      { spec: { targetRevisionName: 'cart-v3' }, written: { spec: 5, status: 3 } },
      'it changed',
    ],
    ['was approved', { plan: { batchPartition: 2 }, written: { spec: 5, status: 3 } }, 'batch 3 is approved'],
    ['is held by a finalizer', { deleted: at(5) }, 'it was deleted'],
  ])('and %s seems unmanaged after a while', (_, parts, words) => {
    const soon = deriveFrom(parts, { now: at(8) });
    expect(soon.state).not.toBe('stalled');
    const rollout = deriveFrom(parts, late);
    expect(rollout.state).toBe('stalled');
    expect(rollout.message.toLowerCase()).toContain(words.toLowerCase());
    expect(rollout.actions.filter(({ allowed }) => allowed)).toEqual([]);
    const until = oamRolloutSystem.validUntil(inputOf(parts, { now: at(8) }));
    expect(oamRolloutSystem.derive(inputOf(parts, { now: new Date(until).toISOString() })).state).toBe(
      'stalled',
    );
  });

  test('differs from a wait for a person, or for pods', () => {
    expect(deriveFrom({}, late).state).toBe('waiting');
    expect(deriveFrom({ plan: { paused: true, batchPartition: 2 } }, late).state).toBe('paused');
    expect(deriveFrom(inBatch('batchVerifying'), late).state).toBe('progressing');
    expect(deriveFrom(inState('rolloutSucceed', { upgradedReplicas: 8 }), late).state).toBe('completed');
  });
});

describe('impossible combinations are shown as found, and explained', () => {
  const noted = (parts: OamParts, members?: Members) => deriveFrom(parts, members).notes.join(' ');

  test('of states', () => {
    expect(noted(inState('verifyingSpec', { batchRollingState: 'batchVerifying' }))).toContain(
      'no controller writes both together',
    );
    expect(noted(inState('rolloutSucceed', { batchRollingState: 'batchReady' }))).not.toContain('together');
    expect(noted(inBatch('batchDreaming'))).toContain('batchDreaming');
    expect(deriveFrom(inBatch('batchDreaming')).step.state).toBe('unknown');
  });

  test('of numbers', () => {
    expect(noted({ status: { currentBatch: 9 } })).toContain('batch 10, but the plan has only 4');
    expect(noted({ plan: { numBatches: 7 } })).toContain('4 batches are listed');
    expect(noted({ status: { upgradedReadyReplicas: 6 } })).toContain('inconsistent');
    expect(noted({ plan: { batchPartition: 0 } })).toContain('batch 2 has started');
  });

  test('of workloads', () => {
    const third = { status: { origin: [{ name: 'cart-v0', replicas: 8 }] } };
    const others = [deploymentOf('cart-v1', '1', 5), deploymentOf('cart-v0', '0', 2)];
    expect(noted(third, { others })).toContain('Deployment cart-v0 has 2 pods and is not part');
    expect(noted({}, { others: [] })).toContain('The source Deployment cart-v1 does not exist.');
  });
});

test('legacy generations are read in their own names, and read-only', () => {
  const app = object(
    'AppRollout',
    { name: 'shop', owner: null },
    {
      apiVersion: 'core.oam.dev/v1beta1',
      spec: {
        targetAppRevisionName: 'shop-v2',
        sourceAppRevisionName: 'shop-v1',
        componentList: ['cart'],
        revertOnDelete: true,
        rolloutPlan: { rolloutBatches: FOUR_BATCHES, batchPartition: 0 },
      },
      status: {
        rollingState: 'rollingInBatches',
        batchRollingState: 'batchReady',
        rolloutTargetSize: 8,
        upgradedReplicas: 1,
        lastTargetAppRevision: 'shop-v2',
        LastSourceAppRevision: 'shop-v1',
      },
    },
  );
  const rollout = appRolloutSystem.derive({
    object: appRolloutSystem.parse(app),
    workload: { state: 'unknown' },
    auxiliaries: [],
    relatedObjects: [],
    now: at(4),
  });
  expect(rollout).toMatchObject({
    state: 'waiting',
    workload: { resource: null, kind: 'Component', name: 'cart' },
    revisions: { stable: { hash: 'shop-v1' }, updated: { hash: 'shop-v2' } },
    step: { index: 1, total: 4 },
    replicas: { desired: 8, updated: 1 },
  });
  expect(rollout.actions.filter(({ allowed }) => allowed)).toEqual([]);
  expect(rollout.actions[0]?.reason).toContain('read-only');
});

test('a RolloutTrait, which no controller ever worked on, says so', () => {
  const trait = object(
    'RolloutTrait',
    { name: 'cart', owner: null },
    {
      apiVersion: 'standard.oam.dev/v1alpha1',
      spec: {
        targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'cart' },
        rolloutPlan: { numBatches: 2, targetSize: 4 },
      },
    },
  );
  const rollout = rolloutTraitSystem.derive({
    object: rolloutTraitSystem.parse(trait),
    workload: { state: 'missing' },
    auxiliaries: [],
    relatedObjects: [],
    now: at(30),
  });
  expect(rollout).toMatchObject({ state: 'stalled', step: { index: 0, total: 2 } });
  expect(rollout.notes[0]).toContain('No version of KubeVela had a controller');
});

test('an AppDeployment reports what runs where, and the share of the requests of each', () => {
  const deployment = object(
    'AppDeployment',
    { name: 'shop', owner: null },
    {
      apiVersion: 'core.oam.dev/v1beta1',
      spec: {
        appRevisions: [
          { revisionName: 'shop-v1', placement: [{ distribution: { replicas: 1 } }] },
          {
            revisionName: 'shop-v2',
            placement: [{ clusterSelector: { name: 'eu' }, distribution: { replicas: 3 } }],
          },
        ],
        traffic: {
          hosts: ['shop.example'],
          http: [{ weightedTargets: [{ revisionName: 'shop-v2', componentName: 'cart', weight: 20 }] }],
        },
      },
      status: {
        phase: 'Rolling',
        placement: [{ revisionName: 'shop-v2', clusters: [{ clusterName: 'eu', replicas: 2 }] }],
      },
    },
  );
  const tell = (status: JsonObject) =>
    appDeploymentSystem.derive({
      object: appDeploymentSystem.parse({ ...deployment, status }),
      workload: { state: 'unknown' },
      auxiliaries: [],
      relatedObjects: [],
      now: at(4),
    });
  expect(tell(deployment.status ?? {})).toMatchObject({
    state: 'progressing',
    message:
      'Pods move from old revisions of the application to new ones. Requested: 1 pod of shop-v1 and 3 pods of shop-v2 in eu.',
    plan: ['Traffic: shop-v2 (cart) 20%.'],
    relatedObjects: [{ name: 'shop-v2', phase: 'eu', message: '2 pods' }],
    routes: [{ kind: 'host', name: 'shop.example' }],
  });
  expect(tell({ phase: 'Failed' }).state).toBe('failed');
  expect(tell({ phase: 7, placement: 'x' }).state).toBe('starting');
});

test('reads any object and never throws', () => {
  const odd: fc.Arbitrary<Json> = fc.letrec<{ value: Json }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom<Json>(null, true, -1, 0, 3, 2.5, 1e12, '', '25%', 'batchReady', 'cart-v2', []),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(
        fc.constantFrom(
          'name',
          'replicas',
          'rolloutBatches',
          'metricsRange',
          'min',
          'kind',
          'apiVersion',
          'run',
          'sources',
        ),
        tie('value'),
        { maxKeys: 4 },
      ),
    ),
  })).value;
  const members = (...names: string[]) => fc.dictionary(fc.constantFrom(...names), odd, { maxKeys: 5 });
  const parts = fc.record({
    plan: members(
      'rolloutBatches',
      'numBatches',
      'batchPartition',
      'lastBatchToRollout',
      'targetSize',
      'paused',
      'canaryMetric',
      'rolloutWebhooks',
      'rolloutStrategy',
    ),
    spec: members(
      'targetRevisionName',
      'sourceRevisionName',
      'targetRef',
      'sourceRef',
      'componentName',
      'componentList',
    ),
    status: fc
      .tuple(
        fc.constantFrom(...rollingStates, '', 'lost'),
        fc.constantFrom(...batchStates, ''),
        members(
          'currentBatch',
          'rolloutTargetSize',
          'rolloutOriginalSize',
          'upgradedReplicas',
          'run',
          'origin',
          'conditions',
          'lastTargetRevision',
        ),
      )
      .map(([rollingState, batchRollingState, rest]) => ({ rollingState, batchRollingState, ...rest })),
    annotations: fc.dictionary(
      fc.constantFrom('trait.oam.dev/workload-gvk', 'trait.oam.dev/workload-name'),
      fc.constantFrom('', '{}', '[]', '{"kind":"StatefulSet","apiVersion":"apps/v1"}', 'x'),
    ),
  });
  fc.assert(
    fc.property(parts, fc.boolean(), (given, isThere) => {
      const input = inputOf(
        given,
        isThere ? {} : { workload: { state: 'missing' }, others: [], component: undefined },
      );
      const rollout = oamRolloutSystem.derive(input);
      expect(rollout.steps.length).toBeLessThanOrEqual(100);
      expect(rollout.step.index).toBeLessThanOrEqual(rollout.step.total);
      expect(rollout.message).not.toBe('');
      expect(oamRolloutSystem.preconditionText(input)).not.toBe('');
      oamRolloutSystem.validUntil(input);
      for (const { name } of rollout.actions) oamRolloutSystem.plan(input, { action: name, step: null });
      for (const system of [appRolloutSystem, applicationDeploymentSystem])
        system.derive({ ...input, object: system.parse(oamObject(given)) });
    }),
  );
});
