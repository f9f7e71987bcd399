import { customResource } from '@/sandbox/crds/custom-resource';

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
