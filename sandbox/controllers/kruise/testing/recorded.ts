const OWNERS = [
  {
    apiVersion: 'apps.kruise.io/v1alpha1',
    blockOwnerDeletion: true,
    controller: true,
    kind: 'CloneSet',
    name: 'shop',
  },
];
const LAST_APPLIED =
  '{"apiVersion":"apps.kruise.io/v1alpha1","kind":"CloneSet","metadata":{"annotations":{},"labels":{"app":"shop"},"name":"shop","namespace":"t3"},"spec":{"replicas":5,"selector":{"matchLabels":{"app":"shop"}},"template":{"metadata":{"labels":{"app":"shop"}},"spec":{"containers":[{"image":"shop:v1","name":"main"}],"terminationGracePeriodSeconds":0}}}}\n';
const DEFAULTS = { terminationMessagePath: '/dev/termination-log', terminationMessagePolicy: 'File' };

function template(image: string) {
  return {
    metadata: { creationTimestamp: null, labels: { app: 'shop' } },
    spec: {
      containers: [{ image, imagePullPolicy: 'Always', name: 'main', resources: {}, ...DEFAULTS }],
      dnsPolicy: 'ClusterFirst',
      restartPolicy: 'Always',
      schedulerName: 'default-scheduler',
      securityContext: {},
      terminationGracePeriodSeconds: 0,
    },
  };
}

/**
 * A CloneSet of five pods with one of them at a new revision, recorded from OpenKruise 1.6; without uids,
 * times and what a Rollout wrote on pods.
 */
export const recordedCloneSet = {
  apiVersion: 'apps.kruise.io/v1alpha1',
  kind: 'CloneSet',
  metadata: {
    annotations: {
      'batchrelease.rollouts.kruise.io/control-info':
        '{"apiVersion":"rollouts.kruise.io/v1beta1","kind":"BatchRelease","name":"shop-ro","uid":"f5899536-e89a-408c-b9be-570b32888c58","controller":true,"blockOwnerDeletion":true}',
      'kubectl.kubernetes.io/last-applied-configuration': LAST_APPLIED,
      'rollouts.kruise.io/in-progressing': '{"rolloutName":"shop-ro"}',
    },
    generation: 4,
    labels: { app: 'shop', 'rollouts.kruise.io/workload-type': 'cloneset' },
    name: 'shop',
  },
  spec: {
    replicas: 5,
    revisionHistoryLimit: 10,
    scaleStrategy: {},
    selector: { matchLabels: { app: 'shop' } },
    template: template('shop:v2'),
    updateStrategy: { maxSurge: 0, maxUnavailable: '20%', partition: '80%', paused: false, type: 'ReCreate' },
  },
  status: {
    availableReplicas: 5,
    collisionCount: 0,
    currentRevision: 'shop-579b48ff84',
    expectedUpdatedReplicas: 1,
    labelSelector: 'app=shop',
    observedGeneration: 4,
    readyReplicas: 5,
    replicas: 5,
    updateRevision: 'shop-fc9597d4f',
    updatedAvailableReplicas: 1,
    updatedReadyReplicas: 1,
    updatedReplicas: 1,
  },
};

/** Of shop, in their order. */
export const recordedRevisions = [
  {
    data: { spec: { template: { $patch: 'replace', ...template('shop:v1') } } },
    metadata: {
      annotations: { 'kubectl.kubernetes.io/last-applied-configuration': LAST_APPLIED },
      labels: { app: 'shop', 'controller.kubernetes.io/hash': '579b48ff84' },
      name: 'shop-579b48ff84',
      ownerReferences: OWNERS,
    },
    revision: 1,
  },
  {
    data: { spec: { template: { $patch: 'replace', ...template('shop:v2') } } },
    metadata: {
      annotations: {
        'kubectl.kubernetes.io/last-applied-configuration': LAST_APPLIED,
        'rollouts.kruise.io/in-progressing': '{"rolloutName":"shop-ro"}',
      },
      labels: { app: 'shop', 'controller.kubernetes.io/hash': 'fc9597d4f' },
      name: 'shop-fc9597d4f',
      ownerReferences: OWNERS,
    },
    revision: 2,
  },
];

/** One at each revision; of annotations the keys. */
export const recordedPods = [
  {
    metadata: {
      annotations: ['lifecycle.apps.kruise.io/timestamp'],
      generateName: 'shop-',
      labels: {
        app: 'shop',
        'controller-revision-hash': 'shop-579b48ff84',
        'lifecycle.apps.kruise.io/state': 'Normal',
        'pod-template-hash': '579b48ff84',
      },
      ownerReferences: OWNERS,
    },
    readinessGates: [{ conditionType: 'InPlaceUpdateReady' }],
    image: 'shop:v1',
  },
  {
    metadata: {
      annotations: ['lifecycle.apps.kruise.io/timestamp'],
      generateName: 'shop-',
      labels: {
        app: 'shop',
        'controller-revision-hash': 'shop-fc9597d4f',
        'lifecycle.apps.kruise.io/state': 'Normal',
        'pod-template-hash': 'fc9597d4f',
      },
      ownerReferences: OWNERS,
    },
    readinessGates: [{ conditionType: 'InPlaceUpdateReady' }],
    image: 'shop:v2',
  },
];
