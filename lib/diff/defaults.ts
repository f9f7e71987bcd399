import { effectiveTag } from '@/lib/kube/image';
import type { Json, JsonObject } from '@/lib/kube/json';

const FILE_MODE = 420; // 0644

/** Per struct, the API server's default for an absent or zero field. */
// prettier-ignore
const DEFAULTS: Readonly<Record<string, readonly (readonly [string, Json])[]>> = {
  PodSpec: [
    ['restartPolicy', 'Always'],
    ['dnsPolicy', 'ClusterFirst'],
    ['terminationGracePeriodSeconds', 30],
    ['schedulerName', 'default-scheduler'],
    ['securityContext', {}],
  ],
  Container: [['terminationMessagePath', '/dev/termination-log'], ['terminationMessagePolicy', 'File']],
  ContainerPort: [['protocol', 'TCP']],
  Probe: [['timeoutSeconds', 1], ['periodSeconds', 10], ['successThreshold', 1], ['failureThreshold', 3]],
  HTTPGetAction: [['path', '/'], ['scheme', 'HTTP']],
  GRPCAction: [['service', '']],
  ObjectFieldSelector: [['apiVersion', 'v1']],
  FileKeySelector: [['optional', false]],
  SecretVolumeSource: [['defaultMode', FILE_MODE]],
  ConfigMapVolumeSource: [['defaultMode', FILE_MODE]],
  DownwardAPIVolumeSource: [['defaultMode', FILE_MODE]],
  ProjectedVolumeSource: [['defaultMode', FILE_MODE]],
  ServiceAccountTokenProjection: [['expirationSeconds', 3600]],
  HostPathVolumeSource: [['type', '']],
  PersistentVolumeClaimTemplate: [['spec', { volumeMode: 'Filesystem' }]],
  PersistentVolumeClaimSpec: [['volumeMode', 'Filesystem']],
  ISCSIVolumeSource: [['iscsiInterface', 'default']],
  RBDVolumeSource: [['pool', 'rbd'], ['user', 'admin'], ['keyring', '/etc/ceph/keyring']],
  AzureDiskVolumeSource: [['cachingMode', 'ReadWrite'], ['fsType', 'ext4'], ['readOnly', false], ['kind', 'Shared']],
  GroupTemplate: [['networkConfig', { subdomainPolicy: 'Shared' }]],
  GroupNetworkConfig: [['subdomainPolicy', 'Shared']],
  LeaderWorkerTemplate: [['size', 1], ['restartPolicy', 'RecreateGroupOnPodRestart']],
  SubGroupPolicy: [['subGroupPolicyType', 'LeaderWorker']],
  GroupVolumeClaim: [['spec', { volumeMode: 'Filesystem' }]],
  GroupClaimRetention: [['whenDeleted', 'Retain'], ['whenScaled', 'Retain']],
  ScaleIOVolumeSource: [['storageMode', 'ThinProvisioned'], ['fsType', 'xfs']],
};

/**
 * Adds to a struct without zero values the defaults that the API server adds to a pod template on write.
 * Changes `object`. https://github.com/kubernetes/kubernetes/blob/master/pkg/apis/core/v1/defaults.go
 */
export function applyDefaults(struct: string, object: JsonObject): void {
  const name = struct === 'EphemeralContainer' ? 'Container' : struct;
  for (const [field, value] of DEFAULTS[name] ?? []) object[field] ??= value;
  if (name === 'Container') object.imagePullPolicy ??= pullPolicyFor(object.image);
  if (name === 'ImageVolumeSource') object.pullPolicy ??= pullPolicyFor(object.reference);
  if (name === 'Volume' && !Object.keys(object).some((key) => key !== 'name')) object.emptyDir = {};
}

/** Set once by the server when the template is written; a later change of the tag does not update it. */
function pullPolicyFor(image: Json | undefined): string {
  return typeof image === 'string' && effectiveTag(image) === 'latest' ? 'Always' : 'IfNotPresent';
}
