import { object, template } from '@/lib/workloads/testing/objects';
import type { FakeCluster } from '@/server/actions/testing/fake-cluster';
import { sampleAction } from '@/server/archive/testing/sample-actions';
import type { PersonFacts } from '@/server/shared/viewer';
import { minutesAgo, sampleRecord } from '@/test/record-samples';

/** A namespace of a cluster. What is in it has these markers in its texts, and nothing elsewhere has them. */
export interface Place {
  /** Name of the cluster. */
  cluster: string;
  /** Id of the cluster. */
  id: string;
  namespace: string;
  marker: string;
  /** In its pods, and in what quotes them. */
  podMarker: string;
  /** In its events. */
  eventMarker: string;
  action: string;
}

/** A pod that blocks the rollout of `cart`. */
export function putBlockedPod(cluster: FakeCluster, { namespace, marker, podMarker }: Place): void {
  const uid = namespace === 'shop' ? 'uid-cart' : `uid-${namespace}-cart`;
  const deployment = object(
    'Deployment',
    {
      name: 'cart',
      uid,
      owner: null,
      labels: { marker },
      generation: 1,
      annotations: {
        'kubernetes.io/change-cause': `release ${marker}`,
        'deployment.kubernetes.io/revision': '2',
      },
    },
    {
      spec: { replicas: 1, template: template(marker) },
      status: { observedGeneration: 1, replicas: 1, updatedReplicas: 1, unavailableReplicas: 1 },
    },
  );
  cluster.put({ ...deployment, metadata: { ...deployment.metadata, namespace } });
  // The row of a Deployment names the container alone.
  const container = `app-${podMarker}`;
  const waiting = { reason: 'ImagePullBackOff', message: `cannot pull from ${podMarker}.example` };
  cluster.put({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: `cart-${podMarker}`,
      namespace,
      uid: `uid-${podMarker}`,
      resourceVersion: '5',
      creationTimestamp: minutesAgo(60),
      labels: { app: 'cart', 'pod-template-hash': '2' },
      ownerReferences: [
        { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'cart-2', uid: `${uid}-rs-2`, controller: true },
      ],
    },
    spec: { nodeName: `node-${podMarker}`, containers: [{ name: container, image: 'x' }] },
    status: {
      phase: 'Pending',
      containerStatuses: [
        { name: container, ready: false, restartCount: 9, image: 'x', imageID: '', state: { waiting } },
      ],
    },
  });
}

/** The record of `addNamespace`, with what was seen of pods and events. */
export function recordWithPods({ id, namespace, marker, podMarker, eventMarker }: Place) {
  const sample = sampleRecord('');
  const uid = namespace === 'shop' ? sample.workload.uid : `uid-${namespace}-cart`;
  const steps = sample.steps.map((step) => ({
    ...step,
    pods: step.pods.map((pod) => ({ ...pod, name: `cart-${podMarker}` })),
  }));
  const event = {
    at: minutesAgo(61),
    reason: 'Failed',
    message: `about ${eventMarker}`,
    object: 'Pod',
    count: 1,
  };
  return sampleRecord(`record-${marker}`, {
    workload: {
      ...sample.workload,
      namespace,
      uid,
      cluster: id,
      labels: { ...sample.workload.labels, marker },
    },
    cause: `release ${marker}`,
    summary: `app: image ${marker}`,
    steps,
    images: [{ container: 'app', image: `registry.example/cart:${marker}` }],
    spans: [{ kind: 'stuck', from: minutesAgo(62), to: minutesAgo(61), reason: `cart-${podMarker} fails` }],
    events: [event],
  } as unknown as Parameters<typeof sampleRecord>[1]);
}

/** A comment of this person, who may edit it. */
export function commentAt({ marker }: Place, person: PersonFacts) {
  return {
    recordId: `record-${marker}`,
    by: person.name,
    byId: person.id,
    at: minutesAgo(5),
    body: `said of ${marker}`,
    mentions: [],
    path: null,
    answers: null,
  };
}

/** An action whose progress was told in the words of the status. */
export function journalOf({ id, namespace, marker, podMarker, action }: Place) {
  const done = sampleAction(2, {
    id: action,
    cluster: id,
    namespace,
    reason: `because of ${marker}`,
    startedAt: minutesAgo(60),
    uid: namespace === 'shop' ? 'uid-cart' : `uid-${namespace}-cart`,
    message: `Done; remaining steps are manual: cart-${podMarker} is starting.`,
    progress: { desired: 1, updated: 1, ready: 0 },
  });
  return { id: `second-${marker}`, bytes: 1, damaged: 0, mark: '', actions: [done], events: [] };
}
