import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { type Json, type JsonObject } from '@/lib/kube/json';
import { batchStates, rollingStates } from '@/lib/oam/states';
import { appDeploymentSystem } from '@/lib/rollout/oam/app-deployment';
import {
  applicationDeploymentSystem,
  appRolloutSystem,
  oamRollouts,
  rolloutTraitSystem,
} from '@/lib/rollout/oam/oam-rollouts';
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
} from '@/lib/rollout/oam/testing/scene';
import { type Rollout } from '@/lib/rollout/rollout';
import { at, object } from '@/lib/workloads/testing/objects';

type Members = Parameters<typeof inputOf>[1];

const see = (parts?: OamParts, members?: Members): Rollout => oamRollouts.derive(inputOf(parts, members));
const inState = (rollingState: string, status: OamParts['status'] = {}): OamParts => ({
  status: { rollingState, batchRollingState: 'batchInitializing', ...status },
});
const inBatch = (batchRollingState: string, status: OamParts['status'] = {}): OamParts => ({
  status: { batchRollingState, ...status },
});
const planned = ({ steps }: Rollout) => steps.map(({ replicas }) => replicas.planned);
const podsOf = ({ steps }: Rollout) => steps.map(({ pods }) => pods.map(({ name }) => name));
describe('batches', () => {
  test('are steps, with the pods that there are to be after each by the arithmetic of the controllers', () => {
    const rollout = see();
    expect(rollout).toMatchObject({
      state: 'waiting',
      message: 'Batch 2 of 4 is done and waits for approval.',
      since: at(3),
      style: 'batch',
      step: { index: 2, total: 4, state: 'waiting' },
      waitsFor: { kind: 'approval', text: 'Somebody has to approve batch 2 before batch 3 of 4 begins.' },
      replicas: { desired: 8, updated: 3, ready: 3 },
      phase: 'rollingInBatches',
      reported: { stepState: 'batchReady' },
    });
    expect(rollout.steps.map(({ state }) => state)).toEqual(['done', 'waiting', 'planned', 'planned']);
    expect(planned(rollout)).toEqual([1, 3, 5, 8]);
    expect(rollout.steps.map(({ replicas }) => replicas.asked)).toEqual(['1', '25%', '25%', '25%']);
    expect(rollout.steps.map(({ pause }) => pause?.kind)).toEqual(['none', 'approval', 'approval', 'none']);
  });

  test('round shares up, and the last one takes whatever is left', () => {
    const shares = [{ replicas: '25%' }, { replicas: '25%' }, { replicas: '100%' }];
    const eleven = { plan: { rolloutBatches: shares }, status: { rolloutTargetSize: 11 } };
    expect(planned(see(eleven))).toEqual([3, 6, 11]);
    const numbered = { plan: { rolloutBatches: [], numBatches: 3 }, status: { rolloutTargetSize: 8 } };
    expect(planned(see(numbered))).toEqual([2, 5, 8]);
  });

  test('of a scale go from the size that there was, down as well as up', () => {
    const scaled = (from: number, to: number): OamParts => ({
      plan: { rolloutBatches: [{ replicas: 2 }, { replicas: '100%' }] },
      status: { rolloutOriginalSize: from, rolloutTargetSize: to, LastSourceRevision: null, currentBatch: 0 },
    });
    expect(planned(see(scaled(4, 10)))).toEqual([6, 10]);
    const down = see(scaled(10, 4));
    expect(planned(down)).toEqual([8, 4]);
    expect(down.plan?.[0]).toBe('2 batches from 10 to 4 pods, without another template.');
  });

  test('have the pods that were made one after the other, and none that were there before', () => {
    const rollout = see();
    expect(podsOf(rollout)).toEqual([['cart-v2-0'], ['cart-v2-1', 'cart-v2-2'], [], []]);
    expect(rollout.notes).toContain(
      'Nothing marks which batch brought a pod: it is estimated from the order in which they were made.',
    );
    const run = { kind: 'Deployment', target: 'cart-v2', startingReplicas: 2 };
    const later = see({ status: { run } });
    expect(podsOf(later)).toEqual([[], ['cart-v2-2'], [], []]);
    expect(later.unassignedPods.map(({ name }) => name)).toEqual(['cart-v2-0', 'cart-v2-1']);
  });

  test('of a CloneSet have those of its pods that run the new revision', () => {
    const rollout = see(inPlace, {
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
  ])('in %s are at hand as such', (state, status, step, whole) => {
    expect(see(inBatch(state, status))).toMatchObject({ state: whole, step: { state: step } });
  });

  test('that are measured are being judged once their pods are there, if a controller looks at metrics', () => {
    const metrics = { canaryMetric: [{ name: 'error-rate', metricsRange: { max: 5 } }] };
    const parts = { ...inBatch('batchVerifying'), plan: metrics };
    const ours = see({ ...parts, labels: { 'shiplog.dev/controller': 'shiplog' } });
    expect(ours.steps[1]).toMatchObject({ state: 'analysing', does: 'measures error-rate' });
    expect(ours.plan).toContain('Metrics: error-rate (at most 5).');
    const theirs = see(parts);
    expect(theirs.steps[1]?.state).toBe('upgrading');
    expect(theirs.plan).toContain(
      'Metrics: error-rate (at most 5). No controller of KubeVela looks at metrics.',
    );
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
    expect(see(inState(state)).state).toBe(said);
  });

  test('that is deleted is rolling back where its controller brings back what was before', () => {
    const deleted = { ...inState('RolloutDeletingState'), plan: { revertOnDelete: true } };
    expect(see(deleted).state).toBe('terminating');
    expect(see({ ...deleted, labels: { 'shiplog.dev/controller': 'shiplog' } }).state).toBe('rollingBack');
  });

  test('is read in the spellings of every version', () => {
    expect(see(inState('verifying')).message).toContain('being checked');
    expect(see(inState('rolloutAbandoned')).message).toContain('changed midway');
    const old = see({ plan: { batchPartition: null, lastBatchToRollout: 1 } });
    expect(old.state).toBe('waiting');
    const both = see({ plan: { batchPartition: 2, lastBatchToRollout: 1 } });
    expect(both.step.state).toBe('approved');
    expect(both.notes[0]).toContain('batchPartition counts');
  });

  test('that failed says why: that stands with the stage that could not be passed', () => {
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
    expect(see(inState('rolloutFailed', { conditions: [...conditions, failed] })).message).toContain(
      'no pods came.',
    );
    expect(see(inState('rolloutFailed', { conditions })).message).toBe(
      'Failed in batch 2 of 4: no pods came. The workloads are as they were left.',
    );
  });

  test('has failed since its status was last written: nothing writes to it any more', () => {
    const conditions = [
      { type: 'RolloutFailing', status: 'True', lastTransitionTime: at(1) },
      { type: 'RolloutFailed', status: 'True', lastTransitionTime: at(2) },
    ];
    expect(see(inState('rolloutFailing', { conditions })).since).toBe(at(1));
    expect(see(inState('rolloutFailed', { conditions })).since).toBe(at(3));
  });

  test('is paused by its spec alone: what a condition says of it is never cleared', () => {
    expect(see({ plan: { paused: true } })).toMatchObject({ state: 'paused', paused: true });
    const left = [{ type: 'BatchPaused', status: 'True', lastTransitionTime: at(1) }];
    expect(see({ status: { conditions: left } }).state).toBe('waiting');
  });

  test('goes between two workloads, and is compared where their component is recorded', () => {
    const rollout = see();
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
    expect(rollout.beside).toMatchObject([
      { kind: 'Deployment', name: 'cart-v1', phase: 'source', message: '5 of 5 pods ready, 5 asked for' },
    ]);
    expect(see({}, { component: recordedOf('cart', ['1']) }).comparison).toBeNull();
  });

  test('has the templates of both: of the workloads, or once one is gone as they are recorded', () => {
    expect(oamRollouts.sides?.(inputOf())).toMatchObject({
      before: { images: [{ image: 'checkout:1' }] },
      after: { images: [{ image: 'checkout:2' }] },
    });
    const recorded = oamRollouts.sides?.(inputOf({}, { others: [] }));
    expect(recorded).toMatchObject({ before: { name: 'cart-v1' }, after: { name: 'cart-v2' } });
  });

  test('as designed names workloads, and is ours to run', () => {
    const rollout = see(byReference, { component: undefined });
    expect(rollout).toMatchObject({
      workload: { resource: 'deployments.apps', name: 'cart-v2' },
      revisions: { stable: { hash: 'cart-v1' }, updated: { hash: 'cart-v2' } },
      comparison: null,
    });
  });

  test('changed midway has not begun with the new target before that is taken up', () => {
    expect(see({ spec: { targetRevisionName: 'cart-v3' } })).toMatchObject({
      state: 'starting',
      step: { index: 0 },
      release: { id: 'cart-v3' },
    });
    expect(see({ plan: { targetSize: 9 } }).state).toBe('starting');
    expect(see({ plan: { targetSize: 9 }, status: { rolloutTargetSize: -1 } }).state).toBe('waiting');
  });

  test('says what a deletion does to the workloads', () => {
    const last = (rollout: Rollout) => rollout.plan?.at(-1);
    const revert = { plan: { revertOnDelete: true } };
    const ours = { labels: { 'shiplog.dev/controller': 'shiplog' } };
    expect(last(see())).toBe('When it is deleted: the workloads stay as they are, with pods of both.');
    expect(last(see({ ...revert, ...ours }))).toContain('is brought back.');
    expect(last(see(revert))).toContain('stay as they are');
    expect(see(revert).notes).toContain(
      'revertOnDelete is set, and no controller that was ever released acts on it.',
    );
  });
});

describe('what nobody works on', () => {
  const late = { now: at(30) };

  test.each<[string, OamParts, string]>([
    [
      'was never taken up',
      { status: { rollingState: '' }, written: { spec: 5, status: 3 } },
      'no controller has taken it up',
    ],
    [
      'was changed',
      { spec: { targetRevisionName: 'cart-v3' }, written: { spec: 5, status: 3 } },
      'It was changed',
    ],
    ['was approved', { plan: { batchPartition: 2 }, written: { spec: 5, status: 3 } }, 'batch 3 may run'],
    ['is held by a finalizer', { deleted: at(5) }, 'it is to be deleted'],
  ])('and %s seems unmanaged after a while', (_, parts, words) => {
    const soon = see(parts, { now: at(8) });
    expect(soon.state).not.toBe('stalled');
    const rollout = see(parts, late);
    expect(rollout.state).toBe('stalled');
    expect(rollout.message.toLowerCase()).toContain(words.toLowerCase());
    expect(rollout.actions.filter(({ allowed }) => allowed)).toEqual([]);
    const until = oamRollouts.validUntil(inputOf(parts, { now: at(8) }));
    expect(oamRollouts.derive(inputOf(parts, { now: new Date(until).toISOString() })).state).toBe('stalled');
  });

  test('is not what waits for somebody, or for its pods', () => {
    expect(see({}, late).state).toBe('waiting');
    expect(see({ plan: { paused: true, batchPartition: 2 } }, late).state).toBe('paused');
    expect(see(inBatch('batchVerifying'), late).state).toBe('progressing');
    expect(see(inState('rolloutSucceed', { upgradedReplicas: 8 }), late).state).toBe('completed');
  });
});

describe('impossible combinations are shown as found, and explained', () => {
  const noted = (parts: OamParts, members?: Members) => see(parts, members).notes.join(' ');

  test('of states', () => {
    expect(noted(inState('verifyingSpec', { batchRollingState: 'batchVerifying' }))).toContain(
      'no controller writes the two together',
    );
    expect(noted(inState('rolloutSucceed', { batchRollingState: 'batchReady' }))).not.toContain('together');
    expect(noted(inBatch('batchDreaming'))).toContain('batchDreaming');
    expect(see(inBatch('batchDreaming')).step.state).toBe('unknown');
  });

  test('of numbers', () => {
    expect(noted({ status: { currentBatch: 9 } })).toContain('at batch 10, and the plan has 4');
    expect(noted({ plan: { numBatches: 7 } })).toContain('4 batches are listed');
    expect(noted({ status: { upgradedReadyReplicas: 6 } })).toContain('which can’t be');
    expect(noted({ plan: { batchPartition: 0 } })).toContain('batch 2 has begun');
  });

  test('of workloads', () => {
    const third = { status: { origin: [{ name: 'cart-v0', replicas: 8 }] } };
    const others = [deploymentOf('cart-v1', '1', 5), deploymentOf('cart-v0', '0', 2)];
    expect(noted(third, { others })).toContain('Deployment cart-v0 has 2 pods and is not part');
    expect(noted({}, { others: [] })).toContain(
      'Deployment cart-v1, which pods are to come from, is not there.',
    );
  });
});

test('forerunners are read in their own names, and for reading alone', () => {
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
    beside: [],
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
  expect(rollout.actions[0]?.reason).toContain('for reading alone');
});

test('a RolloutTrait, which nobody ever worked on, says so', () => {
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
    beside: [],
    now: at(30),
  });
  expect(rollout).toMatchObject({ state: 'stalled', step: { index: 0, total: 2 } });
  expect(rollout.notes[0]).toContain('No version of KubeVela had a controller');
});

test('an AppDeployment tells what is where, and which share of the requests it gets', () => {
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
      beside: [],
      now: at(4),
    });
  expect(tell(deployment.status ?? {})).toMatchObject({
    state: 'progressing',
    message:
      'Pods go from old revisions of the application to new ones. Asked for: 1 pod of shop-v1 and 3 pods of shop-v2 in eu.',
    plan: ['Requests are shared out: shop-v2 (cart) 20%.'],
    beside: [{ name: 'shop-v2', phase: 'eu', message: '2 pods' }],
    routes: [{ kind: 'host', name: 'shop.example' }],
  });
  expect(tell({ phase: 'Failed' }).state).toBe('failed');
  expect(tell({ phase: 7, placement: 'x' }).state).toBe('starting');
});

test('whatever is in an object, it is read and never throws', () => {
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
      const rollout = oamRollouts.derive(input);
      expect(rollout.steps.length).toBeLessThanOrEqual(100);
      expect(rollout.step.index).toBeLessThanOrEqual(rollout.step.total);
      expect(rollout.message).not.toBe('');
      expect(oamRollouts.seenText(input)).not.toBe('');
      oamRollouts.validUntil(input);
      for (const { name } of rollout.actions) oamRollouts.plan(input, { action: name, step: null });
      for (const system of [appRolloutSystem, applicationDeploymentSystem])
        system.derive({ ...input, object: system.parse(oamObject(given)) });
    }),
  );
});
