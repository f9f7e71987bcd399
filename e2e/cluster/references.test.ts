import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectTo, userWithToken } from '@/e2e/cluster/connection';
import { kubectl } from '@/e2e/cluster/fixtures';
import { needs } from '@/e2e/cluster/needs';
import { startControlPlane } from '@/e2e/controlplane/control-plane';
import type { ControlPlane } from '@/e2e/controlplane/running-cluster';
import { READER_NAMESPACE, type User } from '@/e2e/controlplane/users';
import type { JsonObject } from '@/lib/kube/json';
import { textAt } from '@/lib/kube/read';
import type { CheckInput } from '@/server/actions/checks/check';
import { checkReferences } from '@/server/actions/checks/named-objects';
import type { LiveCluster } from '@/server/cluster/live-cluster';

const namespace = READER_NAMESPACE;
const hasKubectl = await needs('References', 'kubectl');
let controlPlane: ControlPlane;
let cluster: LiveCluster;

beforeAll(async () => {
  controlPlane = await startControlPlane();
  cluster = connectTo(controlPlane);
  await create(
    object('ConfigMap', 'v1', 'cfg', { data: { here: 'x' } }),
    object('Secret', 'v1', 'db', { stringData: { here: 'hunter2' } }),
  );
});
afterAll(async () => {
  await cluster?.stop();
  await controlPlane?.stop();
});

function object(kind: string, apiVersion: string, name: string, body: JsonObject): JsonObject {
  return { apiVersion, kind, metadata: { name }, ...body };
}

async function create(...objects: JsonObject[]): Promise<void> {
  const input = objects.map((entry) => JSON.stringify(entry)).join('\n');
  await kubectl(controlPlane, ['-n', namespace, 'create', '-f', '-'], input);
}

/** The findings for a rollback to a template with this pod spec, read with the rights of the user. */
async function findingsFor(user: User, spec: JsonObject): Promise<string[]> {
  const viewer = userWithToken(controlPlane, user);
  const input = { cluster, viewer, current: { workload: { namespace } } };
  const template = { called: 'revision 1', to: null, template: { spec } };
  // Of the workload the check needs the namespace alone.
  const findings = await checkReferences(input as unknown as CheckInput, template);
  expect(JSON.stringify(findings)).not.toContain('hunter2');
  return findings.map(({ severity, message }) => `${severity} ${message}`);
}

const fromKey = (name: string, source: 'configMapKeyRef' | 'secretKeyRef', of: string, key: string) => ({
  name,
  valueFrom: { [source]: { name: of, key } },
});

/** A pod that needs an object of every kind, and keys of two. */
const needy: JsonObject = {
  priorityClassName: 'shop-high',
  runtimeClassName: 'gvisor',
  resourceClaims: [
    { name: 'gpu', resourceClaimTemplateName: 'gpu-tmpl' },
    { name: 'shared', resourceClaimName: 'shared-gpu' },
  ],
  containers: [
    {
      name: 'app',
      image: 'app:1',
      env: [
        fromKey('A', 'configMapKeyRef', 'cfg', 'here'),
        fromKey('B', 'configMapKeyRef', 'cfg', 'gone'),
        fromKey('C', 'secretKeyRef', 'db', 'here'),
        fromKey('D', 'secretKeyRef', 'db', 'gone'),
      ],
    },
  ],
  volumes: [
    {
      name: 'cache',
      ephemeral: {
        volumeClaimTemplate: { spec: { storageClassName: 'fast', volumeAttributesClassName: 'gold' } },
      },
    },
  ],
};

/** What it needs, as the check finds it: volumes first, then the pod. */
const needed: JsonObject[] = [
  object('StorageClass', 'storage.k8s.io/v1', 'fast', { provisioner: 'example.com/fast' }),
  object('VolumeAttributesClass', 'storage.k8s.io/v1', 'gold', {
    driverName: 'example.com',
    parameters: { a: 'b' },
  }),
  object('PriorityClass', 'scheduling.k8s.io/v1', 'shop-high', { value: 1000 }),
  object('RuntimeClass', 'node.k8s.io/v1', 'gvisor', { handler: 'runsc' }),
  object('ResourceClaimTemplate', 'resource.k8s.io/v1', 'gpu-tmpl', { spec: { spec: {} } }),
  object('ResourceClaim', 'resource.k8s.io/v1', 'shared-gpu', { spec: {} }),
];

const missingKeys = ['ConfigMap cfg', 'Secret db'].map(
  (name) => `warning Key gone of ${name}, required by revision 1, does not exist: pods will not start.`,
);

describe.runIf(hasKubectl)('the check of referenced objects', () => {
  it('says of every kind that an object of it is missing', async () => {
    const findings = await findingsFor('admin', needy);
    expect(findings.slice(needed.length)).toEqual(missingKeys);
    expect(findings.slice(0, needed.length).map((text) => text.replace(/,.*/, ''))).toEqual(
      needed.map((entry) => `warning ${textAt(entry, 'kind')} ${textAt(entry, 'metadata', 'name')}`),
    );
  });

  it('says of every kind that it cannot be read without the right to', async () => {
    const findings = await findingsFor('viewer', needy);
    const unread = findings.map(
      (text) => /^info References to (\w+)s could not be checked: .*forbidden/.exec(text)?.[1],
    );
    const kinds = ['ConfigMap', 'Secret', ...needed.map((entry) => textAt(entry, 'kind') ?? '')];
    expect(unread).toEqual(kinds.map((kind) => kind.replace(/s$/, 'se')));
  });

  it('says of a kind that the cluster does not serve that it was not checked', async () => {
    const sources = [{ clusterTrustBundle: { name: 'corp', path: 'ca.pem' } }];
    expect(await findingsFor('admin', { volumes: [{ name: 'ca', projected: { sources } }] })).toEqual([
      'info References to ClusterTrustBundles could not be checked: the cluster does not serve them.',
    ]);
  });

  it('finds each of them with no right but those of read-write.yaml', async () => {
    await create(...needed);
    const role = readFileSync(new URL('../../deploy/rbac/read-write.yaml', import.meta.url), 'utf8');
    await kubectl(controlPlane, ['create', '-f', '-'], role);
    await kubectl(controlPlane, [
      'create',
      'clusterrolebinding',
      'checks',
      '--clusterrole=shiplog-read-write',
      '--user=nobody',
    ]);
    expect(await findingsFor('nobody', needy)).toEqual(missingKeys);
  });
});
