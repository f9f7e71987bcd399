import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { AppError } from '@/lib/errors';
import type { JsonObject } from '@/lib/kube/json';
import { cloneSet } from '@/lib/workloads/kinds/clone-set';
import { retainedTarget } from '@/lib/workloads/rollback-target';
import { workloadKinds } from '@/lib/workloads/kinds/table';
import { loadCredentials } from '@/server/cluster/credentials';
import { LiveCluster } from '@/server/cluster/live-cluster';
import { createTransport } from '@/server/cluster/transport';
import { sendWrite } from '@/server/actions/write';
import { silentLogger } from '@/server/shared/log';
import { startSandboxApi } from '@/sandbox/api/sandbox-api';
import { cloneSetCrd } from '@/sandbox/crds/crds';

const NAMESPACE = 'default';
const labels = { app: 'shop' };
const selector = { matchLabels: labels };
const template = (image: string) => ({
  metadata: { labels },
  spec: { containers: [{ name: 'main', image: `shop:${image}` }] },
});

/** A sandbox that serves CloneSets, without controllers, and a cluster that follows it. */
async function begin() {
  const api = await startSandboxApi();
  const directory = mkdtempSync(join(tmpdir(), 'shiplog-kruise-'));
  writeFileSync(join(directory, 'kubeconfig'), api.kubeconfig('admin'));
  const credentials = loadCredentials({ kind: 'kubeconfig', files: [join(directory, 'kubeconfig')] });
  const transport = createTransport({ credentials, readOnly: false });
  const send = async (method: 'POST' | 'PATCH' | 'DELETE', path: string, body: JsonObject = {}) =>
    (await transport.json({
      method,
      path,
      ...(method === 'PATCH' && { contentType: 'application/merge-patch+json' }),
      body: JSON.stringify(body),
    })) as { metadata: { uid: string } };
  await send('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', cloneSetCrd);
  const cluster = new LiveCluster({
    credentials,
    readOnly: false,
    namespaces: [],
    kinds: workloadKinds,
    log: silentLogger,
  });
  onTestFinished(async () => {
    await cluster.stop();
    await transport.close();
    await api.stop();
    rmSync(directory, { recursive: true });
  });
  cluster.start();
  await vi.waitFor(() => expect(cluster.ready).toBe(true), 20_000);
  return { cluster, send };
}

function ownerOf(kind: string, name: string, uid: string) {
  return [{ apiVersion: 'apps.kruise.io/v1alpha1', kind, name, uid, controller: true }];
}

test('reads a CloneSet in the served version and rolls it back in it, but never over another user’s change', async () => {
  const { cluster, send } = await begin();
  const sets = `/apis/apps.kruise.io/v1alpha1/namespaces/${NAMESPACE}/clonesets`;
  const { uid } = (
    await send('POST', sets, {
      metadata: { name: 'shop' },
      spec: {
        replicas: 1,
        selector,
        template: template('v2'),
        updateStrategy: { partition: '50%', paused: true },
      },
    })
  ).metadata;
  for (const revision of [1, 2]) {
    await send('POST', `/apis/apps/v1/namespaces/${NAMESPACE}/controllerrevisions`, {
      metadata: { name: `shop-h${revision}`, labels, ownerReferences: ownerOf('CloneSet', 'shop', uid) },
      revision,
      data: { spec: { template: { $patch: 'replace', ...template(`v${revision}`) } } },
    });
  }
  const { cache } = cluster;
  const cached = () => cache.workload('clonesets.apps.kruise.io', NAMESPACE, 'shop');
  await vi.waitFor(() => {
    const workload = cached();
    expect(workload && cache.sourcesOf(workload)).toHaveLength(2);
  }, 20_000);

  const { object, summary } = await cluster.readWorkload(cluster.self, cloneSet, NAMESPACE, 'shop');
  expect(summary.version).toBe('v1beta1');
  expect(cloneSet.settings(summary).strategy).toContain('partition 50%, unavailable 20%, paused');
  const input = { workload: summary, sources: cache.sourcesOf(summary), orphans: [], pods: [] };
  const history = cloneSet.history(input);
  const [first] = history.revisions.toReversed();
  if (first === undefined) throw new Error('no revision');
  const { plan } = cloneSet.writes.rollback({
    ...input,
    currentTemplate: object.spec?.template as JsonObject,
    history,
    to: retainedTarget(first),
    template: template('v1'),
    reason: '',
    likeKubectl: false,
  });
  if (plan === null) throw new Error('refused');
  expect(plan.write.path).toBe('/apis/apps.kruise.io/v1beta1/namespaces/default/clonesets/shop');
  await send('PATCH', `${sets}/shop`, { spec: { replicas: 3 } });
  const answer = await sendWrite(cluster, cluster.self, plan.write, { dryRun: false });
  expect(answer).toMatchObject({ spec: { replicas: 3, template: template('v1') } });
  expect(JSON.stringify(answer)).not.toContain('$patch');
  await expect(sendWrite(cluster, cluster.self, plan.write, { dryRun: false })).rejects.toThrow(AppError);
});

test('a canary Deployment is no workload but a child of its Deployment, with its own sources and pods', async () => {
  const { cluster, send } = await begin();
  const deployments = `/apis/apps/v1/namespaces/${NAMESPACE}/deployments`;
  const spec = { replicas: 1, selector, template: template('v1') };
  await send('POST', deployments, { metadata: { name: 'web' }, spec });
  const canary = await send('POST', deployments, {
    metadata: { name: 'web-4zrds', labels: { 'rollouts.kruise.io/canary-deployment': 'web' } },
    spec: { ...spec, template: template('v2') },
  });
  const { uid } = canary.metadata;
  await send('POST', `/apis/apps/v1/namespaces/${NAMESPACE}/replicasets`, {
    metadata: { name: 'web-4zrds-1', ownerReferences: ownerOf('Deployment', 'web-4zrds', uid) },
    spec: { replicas: 1, selector, template: template('v2') },
  });
  const { cache } = cluster;
  const whole = () => cache.workload('deployments.apps', NAMESPACE, 'web');
  const parts = () => {
    const workload = whole();
    return workload === undefined ? [] : cache.childrenOf(workload);
  };
  await vi.waitFor(() => {
    expect(parts().flatMap((part) => cache.sourcesOf(part))).toMatchObject([{ name: 'web-4zrds-1' }]);
  }, 20_000);
  expect([...cache.workloads()].map(({ name }) => name)).toEqual(['web']);
  expect(cache.workload('deployments.apps', NAMESPACE, 'web-4zrds')).toBeUndefined();

  const told: string[] = [];
  cluster.onChange((keys) => told.push(...keys.map(({ name }) => name)));
  const versions = () => parts().map((part) => cache.versionOf(part));
  const [before = 0] = versions();
  await send('PATCH', `${deployments}/web-4zrds`, { spec: { replicas: 2 } });
  await vi.waitFor(() => expect(parts()).toMatchObject([{ spec: { replicas: 2 } }]), 20_000);
  expect(versions()[0]).toBeGreaterThan(before);
  await send('DELETE', `${deployments}/web-4zrds`);
  await vi.waitFor(() => expect(parts()).toEqual([]), 20_000);
  await vi.waitFor(() => expect(told).toContain('web'), 20_000);
  expect(told).not.toContain('web-4zrds');
});
