import { type JsonObject } from '@/lib/kube/json';
import {
  AGE_COLUMN,
  customResource,
  type CustomResource,
  type PrinterColumn,
} from '@/sandbox/crds/custom-resource';

/** https://github.com/openkruise/rollouts/blob/master/config/crd/bases/rollouts.kruise.io_trafficroutings.yaml */
const trafficRoutingCrd = customResource({
  group: 'rollouts.kruise.io',
  kind: 'TrafficRouting',
  plural: 'trafficroutings',
  versions: ['v1alpha1'],
  columns: [
    { name: 'STATUS', type: 'string', jsonPath: '.status.phase' },
    { name: 'MESSAGE', type: 'string', jsonPath: '.status.message' },
    AGE_COLUMN,
  ],
});

/** https://github.com/openkruise/rollouts/blob/master/api/v1alpha1/rollouthistory_types.go */
export const rolloutHistoryCrd = customResource({
  group: 'rollouts.kruise.io',
  kind: 'RolloutHistory',
  plural: 'rollouthistories',
  versions: ['v1alpha1'],
});

/** https://github.com/openkruise/rollouts/blob/master/config/crd/bases/rollouts.kruise.io_rollouts.yaml */
export const rolloutCrd = customResource({
  group: 'rollouts.kruise.io',
  kind: 'Rollout',
  plural: 'rollouts',
  versions: ['v1beta1', 'v1alpha1'],
  columns: { v1beta1: columns('.status'), v1alpha1: columns('.status.canaryStatus') },
});

/** The path of the step differs between the versions. */
function columns(at: string): PrinterColumn[] {
  return [
    { name: 'STATUS', type: 'string', jsonPath: '.status.phase' },
    { name: 'CANARY_STEP', type: 'integer', jsonPath: `${at}.currentStepIndex` },
    { name: 'CANARY_STATE', type: 'string', jsonPath: `${at}.currentStepState` },
    { name: 'MESSAGE', type: 'string', jsonPath: '.status.message' },
    AGE_COLUMN,
  ];
}

/** https://github.com/openkruise/kruise/blob/master/config/crd/bases/apps.kruise.io_clonesets.yaml */
const cloneSetResource: CustomResource = {
  group: 'apps.kruise.io',
  kind: 'CloneSet',
  plural: 'clonesets',
  versions: ['v1beta1', 'v1alpha1'],
  shortNames: ['clone'],
  scale: {
    replicas: '.spec.replicas',
    statusReplicas: '.status.replicas',
    selector: '.status.labelSelector',
  },
  columns: [
    { name: 'DESIRED', type: 'integer', jsonPath: '.spec.replicas' },
    { name: 'UPDATED', type: 'integer', jsonPath: '.status.updatedReplicas' },
    { name: 'UPDATED_READY', type: 'integer', jsonPath: '.status.updatedReadyReplicas' },
    { name: 'READY', type: 'integer', jsonPath: '.status.readyReplicas' },
    { name: 'TOTAL', type: 'integer', jsonPath: '.status.replicas' },
    AGE_COLUMN,
    { name: 'CONTAINERS', type: 'string', jsonPath: '.spec.template.spec.containers[*].name', priority: 1 },
    { name: 'IMAGES', type: 'string', jsonPath: '.spec.template.spec.containers[*].image', priority: 1 },
    { name: 'SELECTOR', type: 'string', jsonPath: '.status.labelSelector', priority: 1 },
  ],
};

export const cloneSetCrd = customResource(cloneSetResource);

/** https://github.com/openkruise/rollouts/blob/master/config/crd/bases/rollouts.kruise.io_batchreleases.yaml */
export const batchReleaseCrd = customResource({
  group: 'rollouts.kruise.io',
  kind: 'BatchRelease',
  plural: 'batchreleases',
  versions: ['v1beta1', 'v1alpha1'],
  columns: [
    { name: 'KIND', type: 'string', jsonPath: '.spec.targetReference.workloadRef.kind' },
    { name: 'PHASE', type: 'string', jsonPath: '.status.phase' },
    { name: 'BATCH', type: 'integer', jsonPath: '.status.canaryStatus.currentBatch' },
    { name: 'BATCH-STATE', type: 'string', jsonPath: '.status.canaryStatus.batchState' },
    AGE_COLUMN,
  ],
});

/** https://github.com/openkruise/kruise/blob/master/config/crd/bases/apps.kruise.io_statefulsets.yaml */
const advancedStatefulSetCrd = customResource({
  group: 'apps.kruise.io',
  kind: 'StatefulSet',
  plural: 'statefulsets',
  versions: ['v1beta1', 'v1alpha1'],
  shortNames: ['sts', 'asts'],
  scale: {
    replicas: '.spec.replicas',
    statusReplicas: '.status.replicas',
    selector: '.status.labelSelector',
  },
  columns: [
    { name: 'DESIRED', type: 'integer', jsonPath: '.spec.replicas' },
    { name: 'CURRENT', type: 'integer', jsonPath: '.status.replicas' },
    { name: 'UPDATED', type: 'integer', jsonPath: '.status.updatedReplicas' },
    { name: 'READY', type: 'integer', jsonPath: '.status.readyReplicas' },
    AGE_COLUMN,
    { name: 'CONTAINERS', type: 'string', jsonPath: '.spec.template.spec.containers[*].name', priority: 1 },
    { name: 'IMAGES', type: 'string', jsonPath: '.spec.template.spec.containers[*].image', priority: 1 },
  ],
});

/** https://github.com/openkruise/kruise/blob/master/config/crd/bases/apps.kruise.io_daemonsets.yaml */
const advancedDaemonSetCrd = customResource({
  group: 'apps.kruise.io',
  kind: 'DaemonSet',
  plural: 'daemonsets',
  versions: ['v1beta1', 'v1alpha1'],
  shortNames: ['daemon', 'ads'],
  columns: [
    { name: 'DESIREDNUMBER', type: 'integer', jsonPath: '.status.desiredNumberScheduled' },
    { name: 'CURRENTNUMBER', type: 'integer', jsonPath: '.status.currentNumberScheduled' },
    { name: 'UPDATEDNUMBERSCHEDULED', type: 'integer', jsonPath: '.status.updatedNumberScheduled' },
    AGE_COLUMN,
    { name: 'CONTAINERS', type: 'string', jsonPath: '.spec.template.spec.containers[*].name', priority: 1 },
    { name: 'IMAGES', type: 'string', jsonPath: '.spec.template.spec.containers[*].image', priority: 1 },
  ],
});

/** The definitions that OpenKruise installs in a cluster, to be created unchanged. */
export const kruiseCrds: readonly JsonObject[] = [
  cloneSetCrd,
  advancedStatefulSetCrd,
  advancedDaemonSetCrd,
  rolloutCrd,
  batchReleaseCrd,
  trafficRoutingCrd,
  rolloutHistoryCrd,
];
