import { expect, test } from 'vitest';
import type { JsonObject } from '@/lib/kube/json';
import { flaggerSystem } from '@/lib/rollout/flagger/flagger-system';
import { rolloutActionNames } from '@/lib/api/action-values';
import type { RolloutState } from '@/lib/api/rollout-values';
import { deployment } from '@/lib/workloads/kinds/deployment';
import { at, historyInputOf, object, pod, replicaSet, template } from '@/lib/workloads/testing/objects';

const analysis = {
  threshold: 5,
  stepWeight: 20,
  maxWeight: 50,
  webhooks: [
    { type: 'confirm-promotion', name: 'gate' },
    { type: 'rollout', name: 'load' },
  ],
};

function deriveFrom(status: JsonObject, spec: JsonObject = {}) {
  const canary = object(
    'Canary',
    { name: 'checkout', owner: null },
    {
      apiVersion: 'flagger.app/v1beta1',
      spec: { targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'checkout' }, analysis, ...spec },
      status,
    },
  );
  const target = object(
    'Deployment',
    { owner: null, uid: 'uid-workload' },
    { spec: { replicas: 1, template: template('2') } },
  );
  const set = replicaSet(2, '2', { replicas: 1 });
  const input = historyInputOf(deployment, target, [set], [pod('a', { owner: set.metadata.uid })]);
  const facts = {
    workload: input.workload,
    history: deployment.history(input),
    pods: input.pods,
    desired: 1,
  };
  const given = {
    object: flaggerSystem.parse(canary),
    workload: { state: 'found' as const, facts },
    auxiliaries: [],
    relatedObjects: [],
    now: at(9),
  };
  return {
    rollout: flaggerSystem.derive(given),
    plan: (action: (typeof rolloutActionNames)[number]) => flaggerSystem.plan(given, { action, step: null }),
  };
}

test.each<[string, RolloutState]>([
  ['', 'starting'],
  ['Initializing', 'starting'],
  ['Initialized', 'idle'],
  ['Waiting', 'waiting'],
  ['Progressing', 'progressing'],
  ['WaitingPromotion', 'waiting'],
  ['Promoting', 'completing'],
  ['Finalising', 'completing'],
  ['Succeeded', 'completed'],
  ['Failed', 'failed'],
  ['Terminating', 'terminating'],
  ['Terminated', 'terminating'],
  ['Dancing', 'unknown'],
])('the phase %j is the state %s', (phase, state) => {
  expect(deriveFrom({ phase }).rollout.state).toBe(state);
});

test('a rollout reports its weight, its failed checks, its target and the copy that serves', () => {
  const { rollout } = deriveFrom({
    phase: 'Progressing',
    canaryWeight: 20,
    failedChecks: 1,
    lastTransitionTime: at(5),
  });
  expect(rollout).toMatchObject({
    message: 'Progressing: 20% of traffic to the canary, 1 of 5 failed checks before rollback.',
    since: at(5),
    workload: { resource: 'deployments.apps', name: 'checkout' },
    auxiliaries: [{ resource: 'deployments.apps', name: 'checkout-primary' }],
    step: { index: 1, total: 2 },
    revisions: { stable: { name: 'checkout-primary' }, updated: { number: 2 } },
    sources: [{ resource: 'deployments.apps', name: 'checkout-primary' }],
  });
  expect(rollout.steps.map(({ state, traffic }) => [state, traffic.actual])).toEqual([
    ['analysing', { kind: 'weight', percent: 20 }],
    ['planned', null],
  ]);
  expect(rollout.unassignedPods.map(({ name }) => name)).toEqual(['a']);
  expect(rollout.notes[0]).toBe(
    'Flagger overwrites Deployment checkout-primary with each promotion: change Deployment checkout instead.',
  );
});

test('a failed rollout is told with its failed checks, unless something else ended it', () => {
  const rest =
    'Deployment checkout-primary keeps serving; Deployment checkout still requests the failed template.';
  const messageOf = (failedChecks: number) => deriveFrom({ phase: 'Failed', failedChecks }).rollout.message;
  expect(messageOf(5)).toBe(`Failed after 5 failed checks: ${rest}`);
  expect(messageOf(1)).toBe(`Failed: ${rest}`);
});

test('a gate is reported as out of reach, and no action is possible from here', () => {
  const { rollout, plan } = deriveFrom({ phase: 'WaitingPromotion', canaryWeight: 40 });
  expect(rollout.message).toMatch(/^Waiting for a webhook to confirm the promotion \(“gate”\)/);
  expect(rollout.waitsFor?.text).toMatch(/^Waiting for the confirm-promotion webhook “gate”/);
  expect(rollout.actions.find(({ name }) => name === 'rollback')?.instead).toBe('workload');
  expect(rollout.actions.every(({ allowed, reason }) => !allowed && reason !== null)).toBe(true);
  expect(rolloutActionNames.map((name) => plan(name).kind)).toEqual(rolloutActionNames.map(() => 'refused'));
});

test('between releases a target without pods is normal', () => {
  expect(deriveFrom({ phase: 'Succeeded' }).rollout.notes.join()).toMatch(
    /scales Deployment checkout to 0 between rollouts/,
  );
});
