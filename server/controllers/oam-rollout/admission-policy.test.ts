import { expect, test } from 'vitest';
import { AppError } from '@/lib/errors';
import type { Json, JsonObject } from '@/lib/kube/json';
import { VirtualClock } from '@/server/cluster/testing/virtual-clock';
import { AdmissionPolicy } from '@/server/controllers/oam-rollout/admission-policy';
import { manifest } from '@/server/controllers/oam-rollout/testing/manifest';
import { silentLogger } from '@/server/shared/log';

type Spec = JsonObject & {
  matchConstraints: JsonObject & { resourceRules: JsonObject[] };
  variables: JsonObject[];
  validations: JsonObject[];
};
interface Served {
  policies: (JsonObject & { spec: Spec })[];
  bindings: (JsonObject & { spec: JsonObject })[];
}

/** The objects of the file as the API server answers with them. */
function shipped(): Served {
  const [policy, binding] = structuredClone(manifest('policy.yaml')) as [
    Served['policies'][0],
    Served['bindings'][0],
  ];
  const { matchConstraints } = policy.spec;
  Object.assign(matchConstraints, { matchPolicy: 'Equivalent', namespaceSelector: {}, objectSelector: {} });
  for (const rule of matchConstraints.resourceRules) rule.scope = '*';
  return { policies: [policy], bindings: [binding] };
}

function begin(served: Served) {
  const clock = new VirtualClock();
  const state = { served, failure: undefined as AppError | undefined };
  const json = ({ path }: { path: string }): Promise<Json> => {
    if (state.failure !== undefined) return Promise.reject(state.failure);
    const { policies, bindings } = state.served;
    return Promise.resolve({ items: path.endsWith('bindings') ? bindings : policies });
  };
  return { clock, state, policy: new AdmissionPolicy({ transport: { json }, clock, log: silentLogger }) };
}

async function problemOf(change: (served: Served) => void): Promise<string | undefined> {
  const served = shipped();
  change(served);
  const { policy } = begin(served);
  expect(policy.isEnforced).toBe(false);
  await policy.check();
  expect(policy.isEnforced).toBe(policy.state.is === 'enforced');
  return policy.state.is === 'missing' ? policy.state.problem : undefined;
}

const specOf = ({ policies: [policy] }: Served) => policy?.spec as Spec;
const bindingOf = ({ bindings: [binding] }: Served) => binding?.spec as JsonObject;

test.for<[string, (served: Served) => void]>([
  ['as shipped', () => undefined],
  [
    'under another name',
    ({ policies: [policy], bindings: [binding] }) => {
      Object.assign(policy?.metadata as object, { name: 'mine' });
      Object.assign(binding?.spec as object, { policyName: 'mine' });
    },
  ],
  ['with one more validation', (served) => specOf(served).validations.push({ expression: 'false' })],
  ['besides another', ({ policies }) => policies.unshift({ metadata: { name: 'a' }, spec: {} } as never)],
  [
    'that also audits',
    (served) => Object.assign(bindingOf(served), { validationActions: ['Audit', 'Deny'] }),
  ],
])('the policy %s is enough', async ([, change]) => {
  expect(await problemOf(change)).toBeUndefined();
});

test.for<[string, (served: Served) => void]>(
  // prettier-ignore
  [
  ['is not there', ({ policies }) => policies.pop()],
  ['lacks a validation', (served) => specOf(served).validations.shift()],
  ['has another expression', (served) => Object.assign(specOf(served).validations[0] ?? {}, { expression: 'true' })],
  ['has another variable', (served) => Object.assign(specOf(served).variables[0] ?? {}, { expression: "'x'" })],
  ['ignores failures', (served) => Object.assign(specOf(served), { failurePolicy: 'Ignore' })],
  ['has a condition', (served) => Object.assign(specOf(served), { matchConditions: [{ name: 'a', expression: 'false' }] })],
  ['needs parameters', (served) => Object.assign(specOf(served), { paramKind: { apiVersion: 'v1', kind: 'ConfigMap' } })],
  ['leaves a namespace out', (served) => Object.assign(specOf(served).matchConstraints, { namespaceSelector: { matchLabels: { a: 'b' } } })],
  ['leaves objects out', (served) => Object.assign(specOf(served).matchConstraints, { excludeResourceRules: [{ resources: ['*'] }] })],
  ['is about one name', (served) => Object.assign(specOf(served).matchConstraints.resourceRules[0] ?? {}, { resourceNames: ['a'] })],
  ['is not about updates', (served) => Object.assign(specOf(served).matchConstraints.resourceRules[0] ?? {}, { operations: ['CREATE'] })],
],
)('a policy that %s is not enough', async ([, change]) => {
  expect(await problemOf(change)).toContain(
    'The cluster has no ValidatingAdmissionPolicy with the rules of this version',
  );
});

test.for<[string, (served: Served) => void]>([
  ['is not there', ({ bindings }) => bindings.pop()],
  ['is of another policy', (served) => Object.assign(bindingOf(served), { policyName: 'other' })],
  ['only warns', (served) => Object.assign(bindingOf(served), { validationActions: ['Warn'] })],
  [
    'is for some namespaces',
    (served) =>
      Object.assign(bindingOf(served), {
        matchResources: { namespaceSelector: { matchLabels: { a: 'b' } } },
      }),
  ],
])('a binding that %s is not enough', async ([, change]) => {
  expect(await problemOf(change)).toMatch(
    /^ValidatingAdmissionPolicy shiplog-oam-rollout has no .*Binding that denies/,
  );
});

test.for<[number, string]>([
  [403, 'deploy/rbac/oam-rollout.yaml'],
  [404, 'Kubernetes 1.30'],
  [500, "can't be read"],
])('an answer of %i is no permission to act', async ([status, told]) => {
  const { policy, state } = begin(shipped());
  state.failure = new AppError('cluster_error', 'no', { status });
  await policy.check();
  expect(policy.isEnforced).toBe(false);
  expect(policy.state).toMatchObject({ is: 'missing', problem: expect.stringContaining(told) as string });
});

test('a policy that is deleted stops the controller within ten seconds, and one that comes back starts it', async () => {
  const { clock, policy, state } = begin(shipped());
  policy.start();
  await clock.settle();
  expect(policy.isEnforced).toBe(true);
  state.served = { ...shipped(), bindings: [] };
  await clock.advance(10_000);
  expect(policy.isEnforced).toBe(false);
  state.served = shipped();
  await clock.advance(10_000);
  expect(policy.isEnforced).toBe(true);
  await policy.stop();
});

test('a failed request stops nothing for half a minute', async () => {
  const { clock, policy, state } = begin(shipped());
  policy.start();
  await clock.settle();
  state.failure = new AppError('cluster_error', 'no', { status: 500 });
  await clock.advance(20_000);
  expect([policy.isEnforced, policy.state.is]).toEqual([true, 'enforced']);
  await clock.advance(20_000);
  expect([policy.isEnforced, policy.state.is]).toEqual([false, 'missing']);
  await policy.stop();
});
