import { customResource } from '@/sandbox/crds/custom-resource';

// Of each of these projects the sandbox plays one kind.

/** https://github.com/kubernetes-sigs/gateway-api/blob/main/config/crd/standard/gateway.networking.k8s.io_httproutes.yaml */
export const httpRouteCrd = customResource({
  group: 'gateway.networking.k8s.io',
  kind: 'HTTPRoute',
  plural: 'httproutes',
  versions: ['v1', 'v1beta1'],
});

/** https://github.com/fluxcd/flagger/blob/main/artifacts/flagger/crd.yaml */
export const canaryCrd = customResource({
  group: 'flagger.app',
  kind: 'Canary',
  plural: 'canaries',
  versions: ['v1beta1'],
  shortNames: ['cd'],
});

/** https://github.com/kubernetes-sigs/lws/blob/main/config/crd/bases/leaderworkerset.x-k8s.io_leaderworkersets.yaml */
export const leaderWorkerSetCrd = customResource({
  group: 'leaderworkerset.x-k8s.io',
  kind: 'LeaderWorkerSet',
  plural: 'leaderworkersets',
  versions: ['v1'],
  shortNames: ['lws'],
  scale: {
    replicas: '.spec.replicas',
    statusReplicas: '.status.replicas',
    selector: '.status.hpaPodSelector',
  },
});

/** https://github.com/vllm-project/aibrix/blob/main/config/crd/orchestration/orchestration.aibrix.ai_stormservices.yaml */
export const stormServiceCrd = customResource({
  group: 'orchestration.aibrix.ai',
  kind: 'StormService',
  plural: 'stormservices',
  versions: ['v1alpha1'],
});
