import type { ResourceType } from '@/lib/kube/resource';

export const leaderWorkerSets: ResourceType = {
  id: 'leaderworkersets.leaderworkerset.x-k8s.io',
  group: 'leaderworkerset.x-k8s.io',
  versions: ['v1'],
  plural: 'leaderworkersets',
  kind: 'LeaderWorkerSet',
  isCustom: true,
};
