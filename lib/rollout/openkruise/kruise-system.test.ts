import { describe, expect, it } from 'vitest';
import type { JsonObject } from '@/lib/kube/json';
import { parseBatchRelease } from '@/lib/rollout/openkruise/related-objects';
import { kruiseRolloutSystem } from '@/lib/rollout/openkruise/kruise-system';
import { parseKruiseRollout } from '@/lib/rollout/openkruise/parse';
import {
  action,
  cloneSetFacts,
  deploymentFacts,
  found,
  inputOf,
  line,
  deriveFrom,
  rolloutObject,
  type RolloutParts,
  routed,
  SOON,
  statusOf,
  web,
} from '@/lib/rollout/openkruise/testing/objects';
import type { ProgressiveRollout } from '@/lib/rollout/rollout';

const at = (changes: Parameters<typeof line>[0] = {}, parts: RolloutParts = {}, rest = {}) =>
  deriveFrom(rolloutObject({ ...parts, status: statusOf(line(changes)) }), rest);

const stepStates = ({ steps }: ProgressiveRollout) => steps.map(({ state }) => state).join(' ');
const canary = { workload: web, canary: { enableExtraWorkloadForCanary: true } };

describe('the style', () => {
  it.each<[string, RolloutParts]>([
    ['canary', canary],
    ['partition', { workload: web }],
    ['partition', { canary: { enableExtraWorkloadForCanary: true } }],
    ['blueGreen', { blueGreen: {} }],
    ['canary', { version: 'v1alpha1', workload: web }],
    [
      'partition',
      {
        version: 'v1alpha1',
        workload: web,
        metadata: { annotations: { 'rollouts.kruise.io/rolling-style': 'partition' } },
      },
    ],
    ['partition', { version: 'v1alpha1' }],
    ['unknown', { spec: { strategy: {} } }],
  ])('%s follows from the strategy and the kind of the workload (%o)', (style, parts) => {
    expect(at({}, parts).style).toBe(style);
  });
});

describe('a Rollout of v1alpha1', () => {
  it('is read with its workload and with weights that mean pods as well', () => {
    const rollout = at(
      {},
      {
        version: 'v1alpha1',
        workload: web,
        steps: [
          { weight: 5, pause: {} },
          { weight: 40, replicas: 3 },
        ],
      },
      found(deploymentFacts('checkout', ['v1'], [])),
    );
    expect(rollout.workload).toMatchObject({
      resource: 'deployments.apps',
      name: 'checkout',
      state: 'found',
    });
    expect(
      rollout.steps.map(({ replicas, traffic }) => [replicas.requested, replicas.planned, traffic.planned]),
    ).toEqual([
      ['5%', 1, { kind: 'weight', percent: 5 }],
      ['3', 3, { kind: 'weight', percent: 40 }],
    ]);
  });
});

describe('a blue-green Rollout', () => {
  it('is read from a status of its own, with terms of its own', () => {
    const status = statusOf(line({ updated: 'v2', hash: '', pods: 5, ready: 4, state: 'StepUpgrade' }), true);
    const rollout = deriveFrom(
      rolloutObject({ blueGreen: routed, steps: [{ replicas: '100%', traffic: '0%', pause: {} }], status }),
      found(cloneSetFacts(['v1', 'v2'], [{ name: 'new', of: 'v2', id: 'v2', batch: 1 }])),
    );
    expect(rollout).toMatchObject({
      style: 'blueGreen',
      replicas: { updated: 5, ready: 4 },
      revisions: { updated: { number: 2 } },
      waitsFor: { kind: 'pods', missing: 1 },
      routes: [{ kind: 'Service' }, { kind: 'Ingress' }],
    });
    expect(rollout.steps[0]).toMatchObject({
      traffic: { planned: { kind: 'weight', percent: 0 } },
      pods: [{ name: 'new' }],
    });
  });
});

describe('the state', () => {
  const before: Parameters<typeof line>[0] = { step: 3, next: -1, state: 'Completed' };
  it.each<[string, string, Parameters<typeof line>[0], RolloutParts?]>([
    ['idle', 'planned planned planned', { ...before, phase: 'Healthy', progressing: '' }],
    ['starting', 'planned planned planned', { ...before, progressing: 'Initializing' }],
    ['progressing', 'done starting planned', { step: 2, next: 3, state: 'BeforeStepUpgrade' }],
    ['progressing', 'upgrading planned planned', { state: 'StepUpgrade' }],
    ['progressing', 'routing planned planned', { state: 'StepTrafficRouting' }],
    ['progressing', 'analysing planned planned', { state: 'StepMetricsAnalysis' }],
    ['waiting', 'waiting planned planned', {}],
    ['progressing', 'done pausing planned', { step: 2, next: 3 }],
    ['progressing', 'done done approved', { step: 3, next: -1 }],
    ['progressing', 'approved planned planned', { state: 'StepReady' }],
    ['progressing', 'unknown planned planned', { state: 'StepWhatever' }],
    ['paused', 'waiting planned planned', { progressing: 'Paused' }],
    [
      'paused',
      'waiting planned planned',
      {},
      { spec: { strategy: { paused: true, canary: { steps: [{ replicas: 1, pause: {} }, {}, {}] } } } },
    ],
    ['rollingBack', 'abandoned planned planned', { progressing: 'Cancelling' }],
    ['completing', 'done done done', { ...before, progressing: 'Finalising' }],
    ['completing', 'done done done', before],
    [
      'completed',
      'done done done',
      { ...before, phase: 'Healthy', progressing: 'Completed', succeeded: 'True' },
    ],
    [
      'rolledBack',
      'done abandoned planned',
      { phase: 'Healthy', progressing: 'Completed', succeeded: 'False', step: 2, next: 3 },
    ],
    ['disabling', 'abandoned planned planned', { phase: 'Disabling' }],
    ['disabling', 'abandoned planned planned', {}, { spec: { disabled: true } }],
    [
      'disabled',
      'done done done',
      { ...before, phase: 'Disabled', progressing: '' },
      { spec: { disabled: true } },
    ],
    ['terminating', 'abandoned planned planned', { phase: 'Terminating' }],
    ['terminating', 'waiting', {}, { steps: [{}], metadata: { deletionTimestamp: SOON } }],
    ['unknown', 'unknown unknown unknown', { phase: 'Completed' }],
  ])('%s: %s', (state, steps, changes, parts = {}) => {
    const rollout = at(changes, parts);
    expect(rollout.state).toBe(state);
    if (parts.spec?.disabled === undefined && parts.metadata === undefined)
      expect(stepStates(rollout)).toBe(steps);
    expect(rollout.message).toMatch(/^[A-Z].*\.$/);
  });

  it('is idle before the first rollout, although the first status looks like a finished one', () => {
    const rollout = at(
      { phase: 'Healthy', progressing: '', step: 3, next: -1, state: 'Completed', pods: 0, ready: 0 },
      {},
      found(cloneSetFacts(['v1'], [{ name: 'a', of: 'v1' }])),
    );
    expect(rollout).toMatchObject({
      state: 'idle',
      step: { index: 0 },
      unassignedPods: [],
      revisions: { updated: null },
    });
    expect(rollout.revisions.stable?.number).toBe(1);
  });

  it.each<[string, string, RolloutParts]>([
    ['DaemonSet', 'up to version 0.6', { workload: { apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'a' } }],
    [
      'StatefulSet in blue-green',
      'not for a StatefulSet',
      { blueGreen: {}, workload: { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'a' } },
    ],
  ])('says of a native %s that OpenKruise does not roll it out', (_, words, parts) => {
    const { notes } = at({ phase: 'Initial' }, parts, found(cloneSetFacts(['v1'], [])));
    expect(notes.join(' ')).toContain(words);
  });

  it('is missing only where the workload is known not to exist', () => {
    expect(at({ phase: 'Initial' }, {}, { workload: { state: 'missing' } }).state).toBe('missing');
    expect(at({ phase: 'Initial' }, {}, { workload: { state: 'unknown' } }).state).toBe('starting');
  });

  it.each<[string, RolloutParts, JsonObject | undefined]>([
    [
      'nobody has read a change for a minute',
      {
        metadata: {
          generation: 2,
          managedFields: [{ manager: 'kubectl', operation: 'Update', time: '2026-11-21T00:58:00Z' }],
        },
      },
      statusOf(line()),
    ],
    ['nobody has taken it up', {}, undefined],
    [
      'an approval is not taken up',
      { metadata: approvedAt('2026-11-21T00:50:00Z') },
      late({ state: 'StepReady' }),
    ],
    ['a wait is over', {}, late({ step: 2, next: 3 })],
  ])('is stalled when %s', (_, parts, status) => {
    const rollout = deriveFrom(rolloutObject({ ...parts, ...(status !== undefined && { status }) }));
    expect(rollout).toMatchObject({ state: 'stalled', waitsFor: { kind: 'controller' } });
  });

  it('is not stalled by a change of the last seconds, nor by a missing approval', () => {
    const fresh = { generation: 2, managedFields: [{ manager: 'kubectl', operation: 'Update', time: SOON }] };
    expect(at({}, { metadata: fresh }).state).toBe('waiting');
    expect(deriveFrom(rolloutObject({ status: late({}) })).state).toBe('waiting');
    // The time of the step is the one at which it began to wait.
    const approved = { status: late({ state: 'StepReady' }), metadata: approvedAt(SOON) };
    expect(deriveFrom(rolloutObject(approved)).state).toBe('progressing');
  });
});

function approvedAt(time: string) {
  return {
    managedFields: [{ manager: 'kubectl-kruise', operation: 'Update' as const, subresource: 'status', time }],
  };
}

function late(changes: Parameters<typeof line>[0]): JsonObject {
  return JSON.parse(
    JSON.stringify(statusOf(line(changes))).replaceAll(SOON, '2026-11-21T00:50:00Z'),
  ) as JsonObject;
}

describe('the current step', () => {
  const rest = found(cloneSetFacts(['v1', 'v2'], []));

  it('reports what it waits for', () => {
    expect(at({ state: 'StepUpgrade', step: 2, next: 3, ready: 1 }, {}, rest).waitsFor).toEqual({
      kind: 'pods',
      text: '1 of 3 pods of the new revision are ready.',
      missing: 2,
    });
    expect(at({ step: 2, next: 3 }, {}, rest).waitsFor).toMatchObject({
      kind: 'time',
      seconds: 30,
      until: '2026-11-21T01:00:28.000Z',
    });
    expect(at({}, {}, rest).waitsFor).toMatchObject({ kind: 'approval' });
    expect(
      at({ progressing: 'Finalising', state: 'Completed', finalising: 'ResumeWorkload' }).waitsFor,
    ).toMatchObject({ kind: 'cleanup' });
  });

  it('is waiting for approval at the end unless all pods are requested as 100%, and in blue-green even then', () => {
    const last = (replicas: string | number, parts: RolloutParts = {}) =>
      at({ step: 1, next: -1 }, { steps: [{ replicas, pause: {} }], ...parts }, rest).state;
    expect([last('100%'), last(5), last('100%', { blueGreen: {} })]).toEqual([
      'progressing',
      'waiting',
      'waiting',
    ]);
  });

  it('reports which traffic is set only once the controller has passed it', () => {
    const actual = (changes: Parameters<typeof line>[0]) =>
      at(changes, { canary: routed }, rest).steps[0]?.traffic.actual;
    expect(actual({})).toEqual({ kind: 'weight', percent: 20 });
    expect(actual({ state: 'StepTrafficRouting' })).toBeNull();
    expect(actual({ state: 'StepUpgrade' })).toEqual({ kind: 'weight', percent: 0 });
    expect(at({}, {}, rest).steps[0]?.traffic.actual).toBeNull();
  });

  it('reads the time at which its pods were ready from its own BatchRelease alone', () => {
    const batch = (uid: string) =>
      parseBatchRelease({
        apiVersion: 'rollouts.kruise.io/v1beta1',
        kind: 'BatchRelease',
        metadata: {
          name: 'checkout-ro',
          namespace: 'shop',
          uid: 'b',
          resourceVersion: '1',
          creationTimestamp: SOON,
          ownerReferences: [{ apiVersion: 'x', kind: 'Rollout', name: 'checkout-ro', uid, controller: true }],
        },
        status: {
          phase: 'Progressing',
          canaryStatus: { currentBatch: 0, batchState: 'Ready', batchReadyTime: SOON },
        },
      });
    expect(at({}, {}, { relatedObjects: [batch('uid-rollout')] }).steps[0]?.readyAt).toBe(SOON);
    expect(at({}, {}, { relatedObjects: [batch('another')] }).steps[0]?.readyAt).toBeNull();
  });

  it('reports a requested jump', () => {
    expect(at({ next: 3 }).step.next).toBe(3);
    expect(at({ next: 2 }).step.next).toBeNull();
    expect(at({ step: 3, next: -1 }).step.next).toBeNull();
  });
});

describe('the revisions', () => {
  it('of a CloneSet are found by the hash in the name', () => {
    const { stable, updated } = at({}, {}, found(cloneSetFacts(['v1', 'v2'], []))).revisions;
    expect([stable?.number, updated?.number]).toEqual([1, 2]);
  });

  it.each(['controller.kubernetes.io/hash', 'controller-revision-hash'])(
    'of any other kind are found by the label %s as well',
    (key) => {
      const facts = cloneSetFacts(['v1', 'v2'], []);
      const revisions = facts.history.revisions.map((revision) => {
        const labels = { [key]: revision.name?.replace('checkout-', '') ?? '' };
        return { ...revision, source: { ...revision.source, name: `odd-${revision.number}`, labels } };
      });
      const { stable, updated } = at(
        {},
        {},
        found({ ...facts, history: { ...facts.history, revisions } }),
      ).revisions;
      expect([stable?.number, updated?.number]).toEqual([1, 2]);
    },
  );

  it('of a Deployment are found by the pod-template-hash, never by the hash of OpenKruise’s own', () => {
    const facts = deploymentFacts('checkout', ['aaa', 'bbb'], []);
    const named = (changes: Parameters<typeof line>[0]) =>
      at(changes, { workload: web }, found(facts)).revisions.updated;
    expect(named({ stable: 'aaa', hash: 'bbb', updated: 'zzz' })?.number).toBe(2);
    expect(named({ stable: 'bbb', hash: 'zzz', updated: 'aaa' })).toMatchObject({
      hash: 'zzz',
      id: null,
      number: null,
    });
  });

  it('say that a template is pending while a canary Deployment alone carries it', () => {
    const stable = deploymentFacts('checkout', ['aaa'], [{ name: 'old', of: 'aaa' }], 'bbb');
    const extra = deploymentFacts('checkout-x1', ['bbb'], [{ name: 'new', of: 'bbb', id: 'v2', batch: 1 }]);
    const rollout = at({ stable: 'aaa', hash: 'bbb' }, canary, { ...found(stable), auxiliaries: [extra] });
    expect(rollout.revisions.updated).toMatchObject({ hash: 'bbb', pending: true, id: null });
    expect(rollout.auxiliaries).toEqual([{ resource: 'deployments.apps', name: 'checkout-x1' }]);
    expect(rollout.steps[0]?.pods.map(({ name, revision }) => [name, revision])).toEqual([['new', null]]);
    expect(rollout.unassignedPods).toEqual([]);
  });

  it('name the abandoned one after a rollback, while the workload is restored', () => {
    const rollout = at(
      { phase: 'Healthy', progressing: 'Completed', succeeded: 'False', updated: 'v1', hash: 'v2' },
      {},
      found(cloneSetFacts(['v1', 'v2'], [], 'v1')),
    );
    expect([rollout.revisions.stable?.number, rollout.revisions.updated?.number]).toEqual([1, 2]);
  });
});

describe('another template during a rollout', () => {
  const now = (target: string, parts: RolloutParts = {}, changes = {}) =>
    at(changes, parts, found(cloneSetFacts(['v1', 'v2', 'v3'], [], target))).notes.join(' ');

  it('is reported as a rollout that starts anew, as a rejection of blue-green, or as a rollback', () => {
    expect(now('v2')).toBe('');
    expect(now('v3')).toContain('about to start with step 1');
    expect(now('v3', { blueGreen: {} }, {})).toContain('does not accept');
    expect(now('v1')).toContain('about to be canceled');
    expect(now('v1', {}, { progressing: 'Paused' })).toContain('when the Rollout is resumed');
  });
});

describe('an action', () => {
  const facts = found(cloneSetFacts(['v1', 'v2'], []));
  const allowed = (changes: Parameters<typeof line>[0], parts: RolloutParts = {}, rest: object = facts) =>
    at(changes, parts, rest)
      .actions.filter((entry) => entry.allowed)
      .map(({ name }) => name);

  it('is offered where the controller would process it, by the fields of the status', () => {
    expect(allowed({})).toEqual(['approve', 'jump', 'pause', 'disable', 'rollback']);
    expect(allowed({ state: 'StepUpgrade' })).toEqual(['jump', 'pause', 'disable', 'rollback']);
    expect(allowed({ progressing: 'Initializing' })).toEqual(['pause', 'disable', 'rollback']);
    expect(allowed({}, { spec: { disabled: true } })).toEqual(['enable']);
    expect(allowed({}, { metadata: { deletionTimestamp: SOON } })).toEqual([]);
    const paused = rolloutObject({ status: statusOf(line({ progressing: 'Paused' })) });
    (paused.spec?.strategy as JsonObject).paused = true;
    expect(
      deriveFrom(paused, facts)
        .actions.filter((entry) => entry.allowed)
        .map(({ name }) => name),
    ).toEqual(['resume', 'disable']);
  });

  it('is rejected on a leftover step of a rollback, with the reason', () => {
    const rollout = at({ phase: 'Healthy', progressing: 'Completed', succeeded: 'False' }, {}, facts);
    expect(rollout.reported.stepState).toBe('StepPaused');
    expect(action(rollout, 'approve')).toMatchObject({
      allowed: false,
      reason: expect.stringContaining('outdated') as string,
    });
    expect(action(rollout, 'rollback').reason).toContain('Roll back CloneSet checkout instead');
  });

  it('jumps anywhere but to the next step', () => {
    expect(action(at({}, {}, facts), 'jump').steps).toEqual([1, 3]);
    expect(action(at({ step: 3, next: -1 }, {}, facts), 'jump').steps).toEqual([1, 2, 3]);
  });

  it('warns beforehand that disabling midway promotes, and that a DaemonSet never rolls back at once', () => {
    expect(action(at({}, {}, facts), 'disable').consequence).toContain('all pods at once');
    const workload = { apiVersion: 'apps.kruise.io/v1alpha1', kind: 'DaemonSet', name: 'checkout' };
    expect(action(at({}, { workload }, facts), 'rollback').consequence).toContain('a new rollout');
  });

  it('cannot roll back to an unknown revision', () => {
    const rest = found(cloneSetFacts(['v2'], []));
    expect(action(at({}, {}, rest), 'rollback')).toMatchObject({ allowed: false });
  });
});

describe('the precondition of an action', () => {
  const text = (changes: Parameters<typeof line>[0], target = 'v2') =>
    kruiseRolloutSystem.preconditionText(
      inputOf(
        rolloutObject({ status: statusOf(line(changes)) }),
        found(cloneSetFacts(['v1', 'v2'], [], target)),
      ),
    );

  it('changes with every step of the rollout and of the workload’s template, and not while pods start', () => {
    const texts = [
      {},
      { step: 2 },
      { state: 'StepReady' },
      { next: 3 },
      { hash: 'v3' },
      { phase: 'Healthy' },
      { progressing: 'Paused' },
    ].map((changes) => text(changes));
    expect(new Set([...texts, text({}, 'v1')]).size).toBe(8);
    expect(text({ pods: 3, ready: 2 })).toBe(text({}));
  });
});

describe('hostile input', () => {
  it('is cut and never throws', () => {
    const steps = Array.from({ length: 5_000 }, () => ({
      replicas: '9'.repeat(500),
      traffic: { a: 1 },
      matches: [null, 3],
      pause: 'x',
    }));
    const status = {
      ...statusOf(line()),
      message: 'm'.repeat(100_000),
      conditions: Array.from({ length: 900 }, () => ({ type: 3 })),
    } as unknown as JsonObject;
    const rollout = deriveFrom(rolloutObject({ steps, status }), found(cloneSetFacts(['v1'], [])));
    expect(rollout.steps).toHaveLength(100);
    expect(JSON.stringify(rollout).length).toBeLessThan(100_000);
    for (const spec of [undefined, {}, { strategy: 3 }, { strategy: { canary: { steps: 'x' } } }] as (
      JsonObject | undefined
    )[])
      expect(() =>
        deriveFrom({
          ...rolloutObject(),
          ...(spec === undefined ? {} : { spec }),
          status: [] as unknown as JsonObject,
        }),
      ).not.toThrow();
    expect(
      parseKruiseRollout(rolloutObject({ spec: { workloadRef: { kind: '__proto__' } } })).workload.resource,
    ).toBeNull();
  });
});
