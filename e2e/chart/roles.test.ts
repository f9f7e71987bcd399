import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { type RenderedObject, objectsIn } from '@/e2e/chart/rendered';
import { renderChart } from '@/e2e/controlplane/helm';

const publicUrl = 'https://shiplog.example';
const oidc = { mode: 'oidc', oidc: { issuer: 'https://login.example', clientId: 'shiplog' } };
const features = { anyOwner: true, watchConfig: true, writeRolloutHistory: true, oamRollout: true };

async function rolesOf(values: object): Promise<RenderedObject[]> {
  return objectsIn(await renderChart(values)).filter(({ kind }) => kind === 'ClusterRole' || kind === 'Role');
}

const named = (roles: RenderedObject[]) =>
  roles.map(({ kind, metadata: { name, namespace = '' } }) => `${kind} ${namespace}/${name}`).sort();

function rulesOfRepository(name: string, index = 0): unknown {
  const path = fileURLToPath(new URL(`../../deploy/rbac/${name}.yaml`, import.meta.url));
  return objectsIn(readFileSync(path, 'utf8'))[index]?.rules;
}

describe('roles of the chart', () => {
  it('are those of the repository, rule by rule', async () => {
    const roles = await rolesOf({ publicUrl, auth: oidc, features });
    const expected = ['read-only', 'read-write', 'impersonate', 'any-owner', 'watch-config'];
    for (const name of [...expected, 'write-rollouthistory', 'oam-rollout'])
      expect(roles.find(({ metadata }) => metadata.name === `shiplog-${name}`)?.rules, name).toEqual(
        rulesOfRepository(name),
      );
    const lead = roles.find(({ metadata }) => metadata.name === 'shiplog-lead');
    expect(lead?.rules).toEqual(rulesOfRepository('oam-rollout', 1));
    expect(roles).toHaveLength(8);
  });

  it('are no more than the values need', async () => {
    expect(named(await rolesOf({}))).toEqual([
      'ClusterRole /shiplog-read-only',
      'ClusterRole /shiplog-read-write',
    ]);
    expect(named(await rolesOf({ rbac: { operatorRole: false } }))).toEqual([
      'ClusterRole /shiplog-read-only',
    ]);
    expect(named(await rolesOf({ rbac: { create: false } }))).toEqual([]);
    const elsewhere = { entries: [{ name: 'prod', source: { secret: { name: 'prod' } } }] };
    const [only, ...others] = await rolesOf({ clusters: elsewhere, publicUrl, auth: oidc });
    expect(others).toEqual([]);
    expect(only?.rules).toEqual([
      { apiGroups: [''], resources: ['secrets'], resourceNames: ['prod'], verbs: ['get'] },
    ]);
  });

  it('grant nothing in the whole cluster where the values name namespaces', async () => {
    const namespaces = ['payments', 'shop'];
    expect(named(await rolesOf({ namespaces }))).toEqual(
      [
        ...namespaces.map((namespace) => `Role ${namespace}/shiplog-read-only`),
        ...namespaces.map((namespace) => `Role ${namespace}/shiplog-read-write`),
      ].sort(),
    );
    const roles = await rolesOf({ namespaces: ['shop'], publicUrl, auth: oidc });
    const [ofCluster, ...more] = roles.filter(({ kind }) => kind === 'ClusterRole');
    expect(more).toEqual([]);
    const resources = (ofCluster?.rules as { resources: string[] }[]).flatMap((rule) => rule.resources);
    expect(resources.sort()).toEqual([
      'clustertrustbundles',
      'groups',
      'nodes',
      'priorityclasses',
      'runtimeclasses',
      'selfsubjectreviews',
      'storageclasses',
      'subjectaccessreviews',
      'users',
      'volumeattributesclasses',
    ]);
  });

  it('let the controller of OAM Rollouts read policies, which belong to no namespace', async () => {
    const roles = await rolesOf({ namespaces: ['shop'], features: { oamRollout: true } });
    const [ofCluster, ...more] = roles.filter(({ kind }) => kind === 'ClusterRole');
    expect(more).toEqual([]);
    expect(ofCluster?.rules).toEqual([
      {
        apiGroups: ['admissionregistration.k8s.io'],
        resources: ['validatingadmissionpolicies', 'validatingadmissionpolicybindings'],
        verbs: ['list'],
      },
    ]);
    const inShop = roles.find(
      ({ kind, metadata: { name } }) => kind === 'Role' && name === 'shiplog-oam-rollout',
    );
    expect(JSON.stringify(inShop?.rules)).not.toContain('admissionregistration');
  });

  it('are bound to the account of Shiplog, except the one for people', async () => {
    const objects = objectsIn(await renderChart({}));
    const bindings = objects.filter(({ kind }) => kind.endsWith('Binding'));
    expect(bindings.map(({ roleRef, subjects }) => ({ roleRef, subjects }))).toEqual([
      {
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'shiplog-read-only' },
        subjects: [{ kind: 'ServiceAccount', name: 'shiplog', namespace: 'shiplog' }],
      },
    ]);
  });
});

describe('the admission policy of OAM Rollouts', () => {
  const admission = async (values: object) =>
    objectsIn(await renderChart(values)).filter(
      ({ apiVersion }) => apiVersion === 'admissionregistration.k8s.io/v1',
    );

  it('comes with the controller, and is that of the repository', async () => {
    expect(await admission({})).toEqual([]);
    const path = fileURLToPath(new URL('../../deploy/oam-rollout/policy.yaml', import.meta.url));
    const [policy, binding] = objectsIn(readFileSync(path, 'utf8'));
    const rendered = await admission({ features: { oamRollout: true }, fullnameOverride: 'rollouts' });
    expect(rendered.map(({ kind, metadata, spec }) => ({ kind, name: metadata.name, spec }))).toEqual([
      { kind: policy?.kind, name: 'rollouts-oam-rollout', spec: policy?.spec },
      {
        kind: binding?.kind,
        name: 'rollouts-oam-rollout',
        spec: { ...(binding?.spec as object), policyName: 'rollouts-oam-rollout' },
      },
    ]);
  });
});
