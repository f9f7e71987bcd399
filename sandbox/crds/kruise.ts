import { type JsonObject } from '@/lib/kube/json';
import { customResource, type CustomResource } from '@/sandbox/crds/custom-resource';

/** https://github.com/openkruise/rollouts/blob/master/config/crd/bases/rollouts.kruise.io_trafficroutings.yaml */
const trafficRoutingCrd = customResource({
  group: 'rollouts.kruise.io',
  kind: 'TrafficRouting',
  plural: 'trafficroutings',
  versions: ['v1alpha1'],
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
});

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
};

export const cloneSetCrd = customResource(cloneSetResource);

/** https://github.com/openkruise/rollouts/blob/master/config/crd/bases/rollouts.kruise.io_batchreleases.yaml */
export const batchReleaseCrd = customResource({
  group: 'rollouts.kruise.io',
  kind: 'BatchRelease',
  plural: 'batchreleases',
  versions: ['v1beta1', 'v1alpha1'],
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
});

/** https://github.com/openkruise/kruise/blob/master/config/crd/bases/apps.kruise.io_daemonsets.yaml */
const advancedDaemonSetCrd = customResource({
  group: 'apps.kruise.io',
  kind: 'DaemonSet',
  plural: 'daemonsets',
  versions: ['v1beta1', 'v1alpha1'],
  shortNames: ['daemon', 'ads'],
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
