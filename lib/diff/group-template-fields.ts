/**
 * The template of a LeaderWorkerSet, as its revisions record it, in the notation of the pod template's table; it uses
 * the structs of that one. https://github.com/kubernetes-sigs/lws/blob/main/api/leaderworkerset/v1/leaderworkerset_types.go
 */
export const GROUP_TEMPLATE_FIELDS = `
GroupTemplate: leaderWorkerTemplate=LeaderWorkerTemplate networkConfig=GroupNetworkConfig
LeaderWorkerTemplate: leaderTemplate*PodTemplateSpec workerTemplate=PodTemplateSpec size* restartPolicy
  subGroupPolicy*SubGroupPolicy volumeClaimTemplates[]GroupVolumeClaim(metadata.name)
  persistentVolumeClaimRetentionPolicy*GroupClaimRetention
SubGroupPolicy: subGroupPolicyType* subGroupSize*
GroupNetworkConfig: subdomainPolicy*
GroupVolumeClaim: metadata=ObjectMeta spec=PersistentVolumeClaimSpec status=GroupClaimStatus
GroupClaimStatus: phase
GroupClaimRetention: whenDeleted whenScaled
`;
