import { expect, test } from 'vitest';
import { applicationObject, applicationRevision, generatedLabels } from '@/lib/workloads/testing/application';
import { NAMESPACE, object } from '@/lib/workloads/testing/objects';
import { FakeCluster } from '@/server/actions/testing/fake-cluster';
import { Keys } from '@/server/shared/keys';
import { compositionOf } from '@/server/reads/generated-workloads';
import type { ReadContext } from '@/server/views/context';
import { ViewCache } from '@/server/views/workload-view';
import { viewerNamed } from '@/server/shared/testing/viewers';

const viewer = viewerNamed('ana');
const rollout = {
  ...object('Rollout', { name: 'web-steps', owner: null, labels: generatedLabels(2) }),
  apiVersion: 'rollouts.kruise.io/v1beta1',
  spec: {
    workloadRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
    strategy: { canary: { steps: [{ replicas: '20%' }] } },
  },
};

function open() {
  const cluster = new FakeCluster();
  const keys = new Keys(Buffer.alloc(32, 7));
  const context = { cluster, keys, views: new ViewCache(cluster, keys.mask) } as unknown as ReadContext;
  const services = [{ name: 'web', healthy: false, message: 'postgres://app:hunter2@db is away' }];
  cluster.put(applicationObject({ status: { services } }));
  cluster.put(applicationRevision(2, '2'));
  const spec = { replicas: 2, selector: { matchLabels: { app: 'web' } } };
  const made = (name: string, labels: Record<string, string>) =>
    cluster.put(object('Deployment', { name, owner: null, labels }, { spec }));
  made('web', generatedLabels(2));
  made('stray', generatedLabels(2, 'gone'));
  made('elsewhere', { ...generatedLabels(2), 'app.oam.dev/namespace': 'other' });
  cluster.put(rollout);
  const look = (resource: string, name: string) => {
    const workload = cluster.cache.workload(resource, NAMESPACE, name);
    if (workload === undefined) throw new Error(`no ${name}`);
    return compositionOf(context, viewer, context.views.view(workload));
  };
  return { cluster, look };
}

test('an Application and its generated workloads link to each other, with the rollout that drives them', async () => {
  const { look } = open();
  const { components, generator } = await look('applications.core.oam.dev', 'checkout');
  expect(generator).toBeUndefined();
  expect(components).toMatchObject([
    {
      ...{ name: 'web', type: 'webservice', healthy: false, hidden: 0 },
      workloads: [{ name: 'web', rollout: { resource: 'rollouts.rollouts.kruise.io', name: 'web-steps' } }],
    },
    { name: 'gone', healthy: null, workloads: [{ name: 'stray', rollout: null }] },
  ]);
  expect(JSON.stringify(components)).not.toContain('hunter2');
  expect(await look('deployments.apps', 'web')).toEqual({
    generator: {
      resource: 'applications.core.oam.dev',
      kind: 'Application',
      namespace: NAMESPACE,
      name: 'checkout',
    },
  });
  expect(await look('deployments.apps', 'elsewhere')).toEqual({});
});

test("only counts what the viewer can't see", async () => {
  const { cluster, look } = open();
  cluster.answerAccess = ({ resource }) => ({
    allowed: resource !== 'deployments' && resource !== 'applications',
  });
  const { components } = await look('applications.core.oam.dev', 'checkout');
  expect(components?.map(({ workloads, hidden }) => [workloads.length, hidden])).toEqual([
    [0, 1],
    [0, 1],
  ]);
  expect(await look('deployments.apps', 'web')).toEqual({});
});
