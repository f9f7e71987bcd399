import { effectiveTag } from '@/lib/kube/image';
import { isJsonObject, type Json, type JsonObject } from '@/lib/kube/json';

const FILE_MODE = 420; // 0644
const QUARTER = '25%';

/** An Event is written with all of these. */
export const EMPTY_EVENT: JsonObject = {
  firstTimestamp: null,
  lastTimestamp: null,
  eventTime: null,
  reportingComponent: '',
  reportingInstance: '',
};

/** Per struct, what a member is when it is not given, and what Go writes even when it is empty. */
// prettier-ignore
const DEFAULTS: Readonly<Record<string, JsonObject>> = {
  PodSpec: { restartPolicy: 'Always', dnsPolicy: 'ClusterFirst', terminationGracePeriodSeconds: 30, schedulerName: 'default-scheduler', securityContext: {} },
  Container: { terminationMessagePath: '/dev/termination-log', terminationMessagePolicy: 'File' },
  ContainerPort: { protocol: 'TCP' },
  Probe: { timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3 },
  HTTPGetAction: { path: '/', scheme: 'HTTP' },
  HTTPHeader: { value: '' },
  GRPCAction: { service: '' },
  SleepAction: { seconds: 0 },
  ObjectFieldSelector: { apiVersion: 'v1' },
  ResourceFieldSelector: { divisor: '0' },
  Sysctl: { value: '' },
  SecretVolumeSource: { defaultMode: FILE_MODE },
  ConfigMapVolumeSource: { defaultMode: FILE_MODE },
  DownwardAPIVolumeSource: { defaultMode: FILE_MODE },
  ProjectedVolumeSource: { defaultMode: FILE_MODE, sources: null },
  ServiceAccountTokenProjection: { expirationSeconds: 3600 },
  HostPathVolumeSource: { type: '' },
  PersistentVolumeClaimTemplate: { spec: { volumeMode: 'Filesystem' } },
  ISCSIVolumeSource: { iscsiInterface: 'default', lun: 0 },
  RBDVolumeSource: { pool: 'rbd', user: 'admin', keyring: '/etc/ceph/keyring' },
  AzureDiskVolumeSource: { cachingMode: 'ReadWrite', fsType: 'ext4', readOnly: false, kind: 'Shared' },

  DeploymentSpec: { replicas: 1, revisionHistoryLimit: 10, progressDeadlineSeconds: 600 },
  DeploymentStrategy: { type: 'RollingUpdate' },
  RollingUpdateDeployment: { maxUnavailable: QUARTER, maxSurge: QUARTER },
  ReplicaSetSpec: { replicas: 1 },
  StatefulSetSpec: { replicas: 1, podManagementPolicy: 'OrderedReady', revisionHistoryLimit: 10, serviceName: '', persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain', whenScaled: 'Retain' } },
  StatefulSetClaimRetention: { whenDeleted: 'Retain', whenScaled: 'Retain' },
  RollingUpdateStatefulSet: { partition: 0 },
  PersistentVolumeClaim: { apiVersion: 'v1', kind: 'PersistentVolumeClaim' },
  PersistentVolumeClaimSpec: { volumeMode: 'Filesystem' },
  PersistentVolumeClaimStatus: { phase: 'Pending' },
  DaemonSetSpec: { revisionHistoryLimit: 10 },
  DaemonSetUpdateStrategy: { type: 'RollingUpdate' },
  RollingUpdateDaemonSet: { maxUnavailable: 1, maxSurge: 0 },
  ControllerRevision: { revision: 0 },

  Event: EMPTY_EVENT,
  Secret: { type: 'Opaque' },
};

/**
 * Adds the defaults of a struct. Changes `object`.
 * https://github.com/kubernetes/kubernetes/tree/master/pkg/apis (`defaults.go` of core and apps)
 */
export function applyDefaults(struct: string, object: JsonObject): void {
  const name = struct === 'EphemeralContainer' ? 'Container' : struct;
  // A StatefulSet whose strategy has a type keeps its missing block.
  if (name === 'StatefulSetUpdateStrategy' && object.type === undefined)
    Object.assign(object, { type: 'RollingUpdate', rollingUpdate: object.rollingUpdate ?? { partition: 0 } });
  for (const [field, value] of Object.entries(DEFAULTS[name] ?? {}))
    object[field] ??= isJsonObject(value) ? { ...value } : value;
  if (name === 'DeploymentStrategy') addRollingUpdate(object, 'RollingUpdateDeployment');
  if (name === 'DaemonSetUpdateStrategy') addRollingUpdate(object, 'RollingUpdateDaemonSet');
  if (name === 'Container') object.imagePullPolicy ??= pullPolicyFor(object.image);
  if (name === 'ImageVolumeSource') object.pullPolicy ??= pullPolicyFor(object.reference);
  if (name === 'Volume' && Object.keys(object).every((key) => key === 'name')) object.emptyDir = {};
}

function addRollingUpdate(strategy: JsonObject, struct: string): void {
  if (strategy.type === 'RollingUpdate') strategy.rollingUpdate ??= { ...DEFAULTS[struct] };
}

function pullPolicyFor(image: Json | undefined): string {
  return typeof image === 'string' && effectiveTag(image) === 'latest' ? 'Always' : 'IfNotPresent';
}
