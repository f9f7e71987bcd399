import { object, template } from '@/lib/workloads/testing/objects';
import { rolloutSystems } from '@/lib/rollout/systems/table';
import type { KubeObject } from '@/lib/kube/object';
import { FakeCluster } from '@/server/actions/testing/fake-cluster';
import { sampleAction } from '@/server/archive/testing/sample-actions';
import { TestArchive } from '@/server/archive/testing/test-archive';
import type { ReviewEntry } from '@/lib/api/activity-event';
import { createRouter } from '@/server/http/router';
import { ChangeSummaries } from '@/server/views/change-summaries';
import { clusterInfo, clusterItem, connectionState } from '@/server/reads/cluster';
import type { ReadContext } from '@/server/views/context';
import { ViewCache } from '@/server/views/workload-view';
import type { ClusterRuntime } from '@/server/runtime/cluster-runtime';
import { fixedIdentity } from '@/server/identity/testing/fixed-identity';
import type { Runtime } from '@/server/runtime/runtime';
import { clustersOf } from '@/server/runtime/testing/clusters-of';
import { IdempotencyStore } from '@/server/shared/idempotency-store';
import { Keys } from '@/server/shared/keys';
import { silentLogger } from '@/server/shared/log';
import { recordsNowMs, sampleRecord } from '@/test/record-samples';
import { processViewer } from '@/server/shared/testing/viewers';
import type { Viewer } from '@/server/shared/viewer';

const admin = processViewer('admin', 'process');

interface FakeClusterOfSeveral {
  name: string;
  /** In every text of its objects and records, and in no other cluster's. */
  marker: string;
  stage: string;
  cluster: FakeCluster;
}

/** A Shiplog of these clusters, each with shop/cart and a workload of its own, in the cache and in the archive. */
export async function severalClusters(names: readonly string[]) {
  const archive = await TestArchive.open();
  const keys = new Keys(Buffer.alloc(32, 7));
  const clusters = names.map((name, index): FakeClusterOfSeveral => {
    const marker = `mark${index}x`;
    return {
      name,
      marker,
      stage: index === 0 ? 'staging' : 'production',
      cluster: fakeCluster(name, marker),
    };
  });
  for (const { name, cluster, marker } of clusters) {
    await archive.clusters.saw({ id: cluster.identity.id, name, aliases: [] }, recordsNowMs);
    await addNamespace(archive, cluster, { namespace: 'shop', marker });
  }
  const runtimes = clusters.map((each) =>
    // The viewer of a cluster has its marker in their name.
    runtimeOf(each, archive, keys, processViewer(`user of ${each.marker}`, `user:${each.marker}`)),
  );
  const shared = { keys, config: { links: [] }, archive, now: () => recordsNowMs };
  const running = {
    clusters: await clustersOf(runtimes, true),
    configuration: { problem: null, gap: null },
    config: { readOnly: false, sandbox: false },
    shared,
    journal: { settled: () => Promise.resolve() },
    metrics: { observe: () => undefined, text: () => Promise.resolve(''), contentType: 'text/plain' },
    edge: {
      ...{ log: silentLogger, keys, publicUrl: undefined },
      idempotency: new IdempotencyStore(),
      identity: fixedIdentity(() => admin),
    },
  } as unknown as Runtime;
  const serve = createRouter(() => Promise.resolve(running));
  const get = async (path: string) => {
    const request = new Request(`http://localhost:8440${path}`, { headers: { host: 'localhost:8440' } });
    const response = await serve(request);
    const text = await response.text();
    return { status: response.status, text, json: () => JSON.parse(text) as never };
  };
  return { clusters, archive, running, get };
}

/** Workloads and a progressive rollout with this marker, in the cache and in the archive. */
export async function addNamespace(
  archive: TestArchive,
  cluster: FakeCluster,
  { namespace, marker }: MarkedNamespace,
): Promise<void> {
  for (const name of ['cart', `only-${marker}`]) putWorkload(cluster, name, { namespace, marker });
  putRollout(cluster, { namespace, marker });
  await remember(archive, cluster.identity.id, { namespace, marker });
}

interface MarkedNamespace {
  namespace: string;
  marker: string;
}

function fakeCluster(name: string, marker: string): FakeCluster {
  const cluster = new FakeCluster();
  cluster.identity = { id: `uid-of-${name}`, name, server: `https://${marker}.example`, version: 'v1.36.0' };
  return cluster;
}

function putWorkload(cluster: FakeCluster, name: string, { namespace, marker }: MarkedNamespace): void {
  const uid = namespace === 'shop' ? `uid-${name}` : `uid-${namespace}-${name}`;
  const annotations = {
    'kubernetes.io/change-cause': `release ${marker}`,
    'deployment.kubernetes.io/revision': '2',
  };
  const put = (made: KubeObject) => cluster.put({ ...made, metadata: { ...made.metadata, namespace } });
  const body = { spec: { replicas: 1, template: template(marker) } };
  put(object('Deployment', { name, uid, owner: null, labels: { marker }, annotations }, body));
  for (const number of ['1', '2'])
    put(
      object(
        'ReplicaSet',
        {
          ...{ name: `${name}-${number}`, uid: `${uid}-rs-${number}`, owner: uid },
          annotations: { ...annotations, 'deployment.kubernetes.io/revision': number },
        },
        { spec: { replicas: 1, template: template(number === '2' ? marker : `${marker}-before`) } },
      ),
    );
}

/** A progressive rollout of `only-…`, and the object in which its system recorded an earlier one. */
function putRollout(cluster: FakeCluster, { namespace, marker }: MarkedNamespace): void {
  const group = 'rollouts.kruise.io';
  const target = { apiVersion: 'apps/v1', kind: 'Deployment', name: `only-${marker}` };
  const metadata = {
    namespace,
    resourceVersion: '1',
    creationTimestamp: new Date(recordsNowMs).toISOString(),
  };
  cluster.put({
    apiVersion: `${group}/v1beta1`,
    kind: 'Rollout',
    metadata: { ...metadata, name: `rollout-${marker}`, uid: `uid-rollout-${marker}` },
    spec: { workloadRef: target, strategy: { canary: { steps: [{ traffic: '5%' }] } } },
  });
  const [system] = rolloutSystems.filter(({ records }) => records?.resource.group === group);
  const history = {
    apiVersion: `${group}/v1alpha1`,
    kind: 'RolloutHistory',
    metadata: { ...metadata, name: `history-${marker}`, uid: `uid-history-${marker}` },
    spec: {
      rollout: { name: `rollout-${marker}`, rolloutID: marker },
      workload: { ...target, data: { template: template(marker) } },
    },
  };
  cluster.store(history);
  const value = system?.records?.parse(history, () => `template-${marker}`);
  if (value === undefined) throw new Error(`${group} records nothing.`);
  cluster.rollouts.changeRecord({ type: 'added', value });
}

async function remember(
  archive: TestArchive,
  id: string,
  { namespace, marker }: MarkedNamespace,
): Promise<void> {
  const { workload } = sampleRecord('');
  const uid = namespace === 'shop' ? workload.uid : `uid-${namespace}-cart`;
  const own = { ...workload, namespace, uid, cluster: id, labels: { ...workload.labels, marker } };
  const texts = { cause: `release ${marker}`, summary: `app: image ${marker}` };
  const images = [{ container: 'app', image: `registry.example/cart:${marker}` }];
  await archive.put([
    sampleRecord(`record-${marker}`, { workload: own, ...texts, images }),
    sampleRecord(`due-${marker}`, { activation: 2, workload: own, ...texts, images }),
  ]);
  const followUp = { person: `person of ${marker}`, due: '2026-12-01' };
  const at = new Date(recordsNowMs).toISOString();
  await archive.reviews.save(`due-${marker}`, { verdict: 'followUp', by: 'ben', at, followUp }, 0);
  const action = sampleAction(1, {
    id: `action-${marker}`,
    cluster: id,
    namespace,
    uid,
    reason: `because of ${marker}`,
  });
  const review: ReviewEntry = {
    ...{ at, event: 'pin', by: { id: 'ben', name: `ben of ${marker}` }, record: `record-${marker}` },
    workload: { cluster: id, resource: 'deployments.apps', namespace, name: 'cart', uid },
    ...{ verdict: null, comment: null, code: null, origin: null, idempotencyKey: null },
  };
  const reviewed = { id: `event-${marker}`, entry: review };
  const journal = { id: marker, bytes: 1, damaged: 0, mark: '', actions: [action], events: [reviewed] };
  await archive.actions.saveJournal(journal);
}

/** A cluster as the process reads it, for this viewer. */
export function runtimeOf(
  { name, stage, cluster }: Omit<FakeClusterOfSeveral, 'marker'>,
  archive: TestArchive,
  keys: Keys,
  viewer: Viewer,
): ClusterRuntime {
  const entry = {
    ...{ name, title: `Cluster ${name}`, stage, formerNames: [], id: null, namespaces: [], readOnly: false },
    source: { kind: stage === 'staging' ? 'in_cluster' : 'kubeconfig', files: [] },
  };
  const now = () => recordsNowMs;
  const reads: ReadContext = {
    ...{ cluster, keys, archive, now },
    views: new ViewCache(cluster, keys.mask, now),
    summaries: new ChangeSummaries(keys.mask),
    config: { links: [] },
  };
  const sources = {
    ...{ cluster, reads, entry, objects: 4, templateBytes: 100, controllers: undefined, moved: null },
    config: { namespaces: [], readOnly: false, sandbox: false },
    recorderState: { state: 'recording' as const, since: 0, reason: null },
  };
  return {
    ...{ entry, cluster, reads },
    actions: { latest: () => [], owns: () => Promise.resolve(false) },
    isReadAs: (other: { name: string }) => other.name === name,
    stop: () => Promise.resolve(),
    viewerOf: () => viewer,
    viewedBy: () => ({ entry, context: reads, viewer }),
    itemFor: () => clusterItem(sources, viewer),
    infoFor: () => clusterInfo(sources, viewer),
    connectionFor: () => connectionState(cluster, viewer, keys.mask),
  } as unknown as ClusterRuntime;
}
