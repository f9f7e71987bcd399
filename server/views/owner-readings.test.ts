import { expect, test } from 'vitest';
import { workloadDetailSchema } from '@/lib/api/workloads';
import type { JsonObject } from '@/lib/kube/json';
import type { KubeObject } from '@/lib/kube/object';
import { object, template } from '@/lib/workloads/testing/objects';
import { whatUndoes } from '@/lib/owners/what-undoes';
import { apiError, FakeCluster } from '@/server/actions/testing/fake-cluster';
import { ana, deployment, ref } from '@/server/actions/testing/shop';
import { ChangeSummaries } from '@/server/views/change-summaries';
import type { ReadContext } from '@/server/views/context';
import { findWorkload } from '@/server/views/find-workload';
import { readOwners } from '@/server/views/owner-readings';
import { workloadDetail } from '@/server/reads/workload-detail';
import { ViewCache } from '@/server/views/workload-view';
import { Keys } from '@/server/shared/keys';
import { viewerNamed } from '@/server/shared/testing/viewers';
import type { Viewer } from '@/server/shared/viewer';
import { parseAnswer } from '@/test/parse-answer';

const API = 'https://prod.example:6443';

function application(spec: JsonObject): KubeObject {
  const found = object('Application', { name: 'shop', owner: null }, { spec });
  return {
    ...found,
    apiVersion: 'argoproj.io/v1alpha1',
    metadata: { ...found.metadata, namespace: 'argocd' },
  };
}

/** A workload of Argo CD in one cluster, and another cluster that has the application with this destination. */
function openClusters(destination: JsonObject) {
  const cluster = new FakeCluster();
  cluster.identity = { ...cluster.identity, server: API };
  const annotations = { 'argocd.argoproj.io/tracking-id': 'shop:apps/Deployment:shop/checkout' };
  const workload = deployment(template('1'));
  cluster.put({ ...workload, metadata: { ...workload.metadata, annotations } });
  const hub = new FakeCluster();
  const syncPolicy = { automated: { selfHeal: true } };
  hub.store(application({ destination, syncPolicy }));
  const viewer = viewerNamed('ana@hub');
  async function verdict() {
    const summary = cluster.cache.workload(ref.resource, ref.namespace, ref.name);
    if (summary === undefined) throw new Error('no workload');
    const reader = { cluster, viewer: ana, hubs: [{ cluster: hub, viewer }], timeoutMs: 1_000 };
    const [reading] = await readOwners(reader, summary);
    return reading && whatUndoes(reading, summary, 0);
  }
  return { cluster, hub, verdict };
}

const healed = { when: 'unlessWindow', then: { when: 'seconds' } };

test('an application in another cluster is found by the address of its destination', async () => {
  const { hub, verdict } = openClusters({ server: `${API}/` });
  expect(await verdict()).toEqual(healed);
  // With the rights that the person has there, never with those of Shiplog.
  expect(hub.requests.map(({ credential }) => credential)).toEqual(
    hub.requests.map(() => viewerNamed('ana@hub').credential),
  );
});

test('or by the name that its Argo CD has for the cluster, where the configuration tells that', async () => {
  const { cluster, verdict } = openClusters({ name: 'production' });
  cluster.argocd = { ...cluster.argocd, name: 'production' };
  expect(await verdict()).toEqual(healed);
});

test.each([{ name: 'production' }, { server: 'https://other.example' }, {}])(
  'one that deploys elsewhere, as far as known, is none: %j',
  async (destination) => {
    const { verdict } = openClusters(destination);
    expect(await verdict()).toEqual({ when: 'unknown', because: 'absent' });
  },
);

test('a person without the right in the other cluster gets unknown', async () => {
  const { hub, verdict } = openClusters({ server: API });
  hub.onRequest = () => {
    throw apiError(403, 'Forbidden', 'no');
  };
  expect(await verdict()).toEqual({ when: 'unknown', because: 'unreadable' });
});

test('a cluster whose Argo CD is configured elsewhere is not read for it', async () => {
  const { cluster, verdict } = openClusters({ server: API });
  cluster.store(application({ syncPolicy: {} }));
  cluster.argocd = { ...cluster.argocd, cluster: 'hub' };
  expect(await verdict()).toEqual(healed);
  expect(cluster.requests).toEqual([]);
});

test('the page of a workload says what its owner does, as the viewer can know it', async () => {
  const { cluster, hub } = openClusters({ server: API });
  const keys = new Keys(Buffer.alloc(32));
  const now = () => 0;
  const context: ReadContext = {
    cluster,
    keys,
    views: new ViewCache(cluster, keys.mask, now),
    summaries: new ChangeSummaries(keys.mask),
    hubsOf: (viewer) => [{ cluster: hub, viewer }],
    config: { links: [] },
    now,
  };
  const ownersFor = async (viewer: Viewer) => {
    const detail = await workloadDetail(context, viewer, await findWorkload(context, viewer, ref));
    return parseAnswer(workloadDetailSchema, detail).workload.owners;
  };
  expect(await ownersFor(ana)).toMatchObject([
    {
      tool: 'Argo CD',
      name: 'shop',
      when: 'unlessWindow',
      note: expect.stringMatching(/^Argo CD reverts this within seconds/) as string,
      command: 'argocd app set shop --sync-policy none',
    },
  ]);
  hub.onRequest = () => {
    throw apiError(403, 'Forbidden', 'no');
  };
  expect(await ownersFor(viewerNamed('ben'))).toMatchObject([{ when: 'unknown' }]);
});

test('what was just read is not read again for the same person', async () => {
  const { hub, verdict } = openClusters({ server: API });
  await verdict();
  const count = hub.requests.length;
  await verdict();
  expect(hub.requests).toHaveLength(count);
});
