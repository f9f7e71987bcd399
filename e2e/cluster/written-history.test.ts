import { afterAll, beforeAll, expect, test } from 'vitest';
import { deploy, shownAt } from '@/e2e/cluster/deployments';
import { kubectl, rolledOut, until } from '@/e2e/cluster/fixtures';
import { startControlPlane } from '@/e2e/controlplane/control-plane';
import type { ControlPlane } from '@/e2e/controlplane/running-cluster';
import { seedNamespace } from '@/e2e/controlplane/seed';
import { type Shiplog, startShiplog } from '@/e2e/support/shiplog';
import type { RecordAnswer, RecordList } from '@/lib/api/records';
import type { WorkloadDetail } from '@/lib/api/workloads';
import type { JsonObject } from '@/lib/kube/json';
import type { KubeObject } from '@/lib/kube/object';
import { rolloutHistoryCrd } from '@/sandbox/crds/crds';

const namespace = 'written';
const here = ['-n', namespace];
const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const HISTORIES = `/apis/rollouts.kruise.io/v1alpha1/namespaces/${namespace}/rollouthistories`;

interface RolloutHistory extends KubeObject {
  spec: { workload: JsonObject };
  status?: { phase: string; canarySteps: { pods?: { name: string }[] }[] };
}

let cluster: ControlPlane;
let shiplog: Shiplog;

beforeAll(async () => {
  cluster = await startControlPlane();
  await cluster.client().create(CRDS, rolloutHistoryCrd);
  await seedNamespace(cluster, namespace);
  shiplog = await startShiplog({
    kubeconfig: cluster.kubeconfigs.admin,
    env: { SHIPLOG_WATCH_CONFIG: '1', SHIPLOG_WRITE_ROLLOUTHISTORY: '1' },
  });
});

afterAll(async () => {
  await shiplog?.stop();
  await cluster?.stop();
});

test('a record shows that a Secret was changed before the restart, and nothing of its content', async () => {
  await kubectl(cluster, [...here, 'create', 'configmap', 'settings', '--from-literal=level=info']);
  await kubectl(cluster, [
    ...here,
    'create',
    'secret',
    'generic',
    'login',
    '--from-literal=password=hunter2!',
  ]);
  const envFrom = [{ configMapRef: { name: 'settings' } }, { secretRef: { name: 'login' } }];
  await deploy(cluster, namespace, 'configured', ['1.0'], { container: { envFrom } });
  const patch = '{"stringData":{"password":"correct-horse"}}';
  await kubectl(cluster, [...here, 'patch', 'secret', 'login', '-p', patch]);
  await kubectl(cluster, [...here, 'rollout', 'restart', 'deployment/configured']);
  await rolledOut(cluster, 'deployment', namespace, 'configured');

  const record = await recordOf('configured', 2);
  const configEvents = record.events.filter(({ reason }) => reason === 'ConfigChanged');
  const message = /^Secret login, which the template names, was changed by kubectl/;
  expect(configEvents).toContainEqual(expect.objectContaining({ message: expect.stringMatching(message) }));
  expect(JSON.stringify(record)).not.toMatch(/hunter2|correct-horse|aHVudGVyMi|Y29ycmVjdC1ob3/);
});

test('stores a completed rollout in the cluster as a RolloutHistory', async () => {
  await deploy(cluster, namespace, 'chronicled', ['1.0', '1.1']);
  const record = await recordOf('chronicled', 2);
  const written = await until('the RolloutHistory is complete', async () => {
    const { items } = await cluster.client().get<{ items: RolloutHistory[] }>(HISTORIES);
    return items.find(
      ({ metadata, status }) =>
        metadata.annotations?.['shiplog.dev/record'] === record.id && status?.phase === 'completed',
    );
  });

  expect(written.spec.workload).toMatchObject({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    name: 'chronicled',
    data: { template: { spec: { containers: [{ image: 'registry.example.com/app:1.1' }] } } },
  });
  const names = written.status?.canarySteps.flatMap(({ pods = [] }) => pods.map(({ name }) => name));
  const pods = await kubectl(cluster, [...here, 'get', 'pods', '-l', 'app=chronicled', '-o', 'name']);
  expect(names).toEqual(
    pods
      .trim()
      .split('\n')
      .map((line) => line.replace('pod/', '')),
  );
  const text = await kubectl(cluster, [...here, 'get', 'rollouthistories', written.metadata.name]);
  expect(text).toContain(written.metadata.name);
});

async function recordOf(name: string, number: number): Promise<RecordAnswer> {
  const { id } = await until(`the rollout to ${number} of ${name} is recorded`, async () => {
    const { items }: RecordList = await shiplog.get(`/api/records?namespace=${namespace}&name=${name}`);
    return items.find((item) => item.to.number === number && item.outcome === 'completed');
  });
  const { workload }: WorkloadDetail = await shiplog.get(shownAt(namespace, name));
  expect(workload.name).toBe(name);
  return shiplog.get(`/api/records/${id}`);
}
