import { describe, expect, it } from 'vitest';
import { type JsonObject, stringifyGo } from '@/lib/kube/json';
import { kruiseRolloutSystem } from '@/lib/rollout/openkruise/kruise-system';
import {
  cloneSetFacts,
  found,
  inputOf,
  line,
  rolloutObject,
  type RolloutParts,
  SOON,
  statusOf,
  threeSteps,
} from '@/lib/rollout/openkruise/testing/objects';
import { rolloutActionNames, type RolloutActionName } from '@/lib/api/action-values';
import type { RolloutInput, RolloutPlanResult } from '@/lib/rollout/system';

type Changes = Parameters<typeof line>[0];
type Scenario = [changes: Changes, parts?: RolloutParts, rest?: Partial<RolloutInput>];

const path = '/apis/rollouts.kruise.io/v1beta1/namespaces/shop/rollouts/checkout-ro';
const facts = found(cloneSetFacts(['v1', 'v2'], []));
const over: Changes = { phase: 'Healthy', progressing: 'Completed', step: 3, next: -1, state: 'Completed' };
const pausedSpec = { strategy: { paused: true, canary: { steps: threeSteps } } };

function plan(action: RolloutActionName, [changes, parts = {}, rest]: Scenario, step: number | null = 3) {
  const object = rolloutObject({
    ...parts,
    metadata: { resourceVersion: '4711', ...parts.metadata },
    status: statusOf(line(changes), parts.blueGreen !== undefined),
  });
  return kruiseRolloutSystem.plan(inputOf(object, rest ?? facts), { action, step });
}

function written(planned: RolloutPlanResult) {
  if (planned.kind !== 'write' || planned.plan.write.kind !== 'merge') throw new Error(planned.kind);
  return planned.plan.write;
}

const body = (planned: RolloutPlanResult) => stringifyGo(written(planned).body);

describe('what is sent', () => {
  const at = (change: string) => `{"metadata":{"resourceVersion":"4711"},${change}}`;

  it.each<[RolloutActionName, Scenario, string, string]>([
    ['approve', [{}], '/status', '"status":{"canaryStatus":{"currentStepState":"StepReady"}}'],
    [
      'approve',
      [{}, { blueGreen: {} }],
      '/status',
      '"status":{"blueGreenStatus":{"currentStepState":"StepReady"}}',
    ],
    ['jump', [{}], '/status', '"status":{"canaryStatus":{"nextStepIndex":3}}'],
    ['jump', [{}, { blueGreen: {} }], '/status', '"status":{"blueGreenStatus":{"nextStepIndex":3}}'],
    ['pause', [{}], '', '"spec":{"strategy":{"paused":true}}'],
    ['resume', [{}, { spec: pausedSpec }], '', '"spec":{"strategy":{"paused":false}}'],
    ['disable', [{}], '', '"spec":{"disabled":true}'],
    ['enable', [over, { spec: { disabled: true } }], '', '"spec":{"disabled":false}'],
  ])(
    'to %s is the merge patch of kubectl-kruise with the version that was read',
    (action, scene, sub, change) => {
      const planned = plan(action, scene);
      expect(written(planned).path).toBe(path + sub);
      expect(body(planned)).toBe(at(change));
      expect(planned.kind === 'write' && planned.plan.kubectl).toBe(
        `kubectl -n shop patch rollouts.rollouts.kruise.io checkout-ro ${sub === '' ? '' : '--subresource=status '}--type=merge -p '{${change}}'`,
      );
      expect(planned.kind === 'write' && planned.plan.needs).toEqual(
        kruiseRolloutSystem.rightOf(inputOf(rolloutObject({})).object, action),
      );
    },
  );

  it('goes to v1alpha1 where that is what the server has', () => {
    const planned = plan('approve', [{}, { version: 'v1alpha1' }]);
    expect(written(planned).path).toBe(`${path.replace('v1beta1', 'v1alpha1')}/status`);
  });

  it('for a rollback is a write to the workload, to the revision from which the rollout started', () => {
    const planned = plan('rollback', [{}]);
    expect(planned).toMatchObject({ kind: 'workload', revisionId: 'uid-checkout-v1' });
    expect(kruiseRolloutSystem.rightOf(inputOf(rolloutObject({})).object, 'rollback')).toBeNull();
  });
});

describe('what is allowed', () => {
  const spec = { disabled: true };
  it.each<[string, string, ...Scenario]>([
    ['not taken up', 'pause disable', { phase: 'Initial' }],
    ['without its workload', 'pause disable', {}, {}, { workload: { state: 'missing' } }],
    ['before the first rollout', 'pause disable', { ...over, progressing: '' }],
    ['beginning', 'pause disable rollback', { ...over, phase: 'Progressing', progressing: 'Initializing' }],
    ['bringing pods', 'jump pause disable rollback', { state: 'StepUpgrade' }],
    ['setting traffic', 'jump pause disable rollback', { state: 'StepTrafficRouting' }],
    ['waiting for approval', 'approve jump pause disable rollback', {}],
    ['waiting for its time', 'approve jump pause disable rollback', { step: 2, next: 3 }],
    ['approved', 'jump pause disable rollback', { state: 'StepReady' }],
    ['waiting in its last step', 'approve jump pause disable rollback', { step: 3, next: -1 }],
    [
      'waiting for approval, of a blue-green rollout',
      'approve jump pause disable rollback',
      {},
      { blueGreen: {} },
    ],
    ['paused', 'resume disable', {}, { spec: pausedSpec }],
    ['paused and not resumed from it', 'pause disable', { progressing: 'Paused' }],
    ['going back', 'pause disable', { progressing: 'Cancelling' }],
    ['being completed', 'pause disable', { progressing: 'Finalising', state: 'Completed' }],
    ['completed', 'pause disable', { ...over, succeeded: 'True' }],
    ['rolled back, with the step left over', 'pause disable', { phase: 'Healthy', succeeded: 'False' }],
    ['being disabled', 'enable', { phase: 'Disabling' }, { spec }],
    ['disabled', 'enable', { ...over, phase: 'Disabled' }, { spec }],
    ['being deleted', '', {}, { metadata: { deletionTimestamp: SOON } }],
    ['in an unknown phase', 'pause disable', { phase: 'Degraded' }],
  ])('%s: %s', (_, allowed, ...scene) => {
    const plans = rolloutActionNames.map((name) => [name, plan(name, scene, 1)] as const);
    const names = plans.flatMap(([name, planned]) => (planned.kind === 'refused' ? [] : [name]));
    expect(names.join(' ')).toBe(allowed);
    for (const [, planned] of plans) {
      if (planned.kind !== 'refused') continue;
      expect(planned.findings).toEqual([
        expect.objectContaining({ severity: 'refusal', code: 'wrong_state' }),
      ]);
      expect(planned.findings[0]?.message).toMatch(/^[A-Z].*\.$/);
    }
  });

  it('a pause after a rollout applies to the next', () => {
    const planned = plan('pause', [{ ...over, succeeded: 'True' }]);
    expect(planned.kind === 'write' && planned.plan.steps[0]).toBe(
      'The next rollout waits before its first step.',
    );
  });

  it.each<[number | null, Changes, string]>([
    [null, {}, 'A jump needs a target step.'],
    [0, {}, 'Step 0 does not exist: the Rollout has 3 steps.'],
    [4, {}, 'Step 4 does not exist: the Rollout has 3 steps.'],
    [2, {}, 'Step 2 is the next step. Approve step 1 instead.'],
  ])('no jump to %s', (step, changes, message) => {
    expect(plan('jump', [changes], step)).toMatchObject({
      kind: 'refused',
      findings: [{ code: 'no_such_step', message }],
    });
  });

  it('a jump where the status knows no next step', () => {
    const status = statusOf(line()) as { canaryStatus: JsonObject };
    delete status.canaryStatus.nextStepIndex;
    const planned = kruiseRolloutSystem.plan(inputOf(rolloutObject({ status }), facts), {
      action: 'jump',
      step: 3,
    });
    expect(planned).toMatchObject({ kind: 'refused', findings: [{ code: 'wrong_state' }] });
  });

  it('a rollback only where the stable template is known', () => {
    const gone = found(cloneSetFacts(['v2'], []));
    expect(plan('rollback', [{}, {}, gone]).kind).toBe('refused');
    expect(plan('rollback', [{}, {}, { workload: { state: 'unknown' } }]).kind).toBe('refused');
  });
});

describe('what is described beforehand', () => {
  const said = (planned: RolloutPlanResult) => (planned.kind === 'write' ? planned.plan.steps : []);

  it('of an approval is the step that begins, and how it ends', () => {
    expect(said(plan('approve', [{}]))).toEqual([
      'Step 2 of 3 starts: the new revision gets 3 of 5 pods.',
      'After a pause of 30 s, step 3 starts automatically.',
    ]);
    expect(said(plan('approve', [{ step: 2, next: 3 }]))).toEqual([
      'Step 3 of 3 starts: the new revision gets 5 of 5 pods.',
      'Then the rollout completes automatically.',
    ]);
    expect(said(plan('approve', [{ step: 3, next: -1 }]))).toEqual([
      'This is the last step: the rollout completes, and all pods of CloneSet checkout get the new revision.',
    ]);
  });

  it('of a jump names the skipped steps, and of one to the current step that it runs again', () => {
    expect(said(plan('jump', [{}], 3))[0]).toBe('Step 2 is skipped.');
    expect(plan('jump', [{}], 1)).toMatchObject({
      plan: {
        title: 'Run step 1 of 3 again',
        steps: [expect.stringContaining('20% of traffic'), 'It then waits for approval again.'],
      },
    });
  });

  it('of disabling midway is that it promotes, as a warning', () => {
    expect(plan('disable', [{}])).toMatchObject({
      findings: [{ severity: 'warning', message: expect.stringContaining('all pods at once') as string }],
    });
    expect(plan('disable', [over])).toMatchObject({ findings: [{ severity: 'info' }] });
  });

  it('knows when it is complete', () => {
    expect(plan('approve', [{}])).toMatchObject({ goal: { until: 'step', from: 1, to: 2, runId: 'v2' } });
    expect(plan('approve', [{ step: 3, next: -1 }])).toMatchObject({ goal: { from: 3, to: null } });
    expect(plan('approve', [{ next: 3 }])).toMatchObject({ goal: { from: 1, to: 3 } });
    expect(plan('jump', [{}], 1)).toMatchObject({ goal: { from: 1, to: 1 } });
    expect(plan('disable', [{}])).toMatchObject({ goal: { until: 'disabled' } });
  });
});
