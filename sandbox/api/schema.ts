import { readStructs, type Struct, structNamed } from '@/lib/kube/fields';
import { effectiveTag } from '@/lib/kube/image';
import { isJsonObject, type Json, type JsonObject } from '@/lib/kube/json';
import { POD_TEMPLATE_FIELDS } from '@/lib/kube/pod-template-fields';

/**
 * The fields around those of a pod template, in the notation of its table. A pointer is also what is written when it is
 * zero; what only matters as a single value is opaque. https://github.com/kubernetes/api
 */
const FIELDS = `
Object: apiVersion kind metadata=ObjectMeta
WorkloadSpec: selector*LabelSelector template=PodTemplateSpec
Condition: type status lastUpdateTime lastTransitionTime reason message observedGeneration lastProbeTime?
  lastHeartbeatTime?
ConfigMap: +Object data{} binaryData{} immutable*
ControllerRevision: +Object data? revision*
DaemonSet: +Object spec=DaemonSetSpec status=DaemonSetStatus
DaemonSetSpec: +WorkloadSpec revisionHistoryLimit* minReadySeconds updateStrategy=DaemonSetUpdateStrategy
DaemonSetStatus: observedGeneration updatedNumberScheduled numberAvailable numberUnavailable
  currentNumberScheduled* numberMisscheduled* desiredNumberScheduled* numberReady* collisionCount*
  conditions[]Condition(type)
DaemonSetUpdateStrategy: type rollingUpdate*RollingUpdateDaemonSet
Deployment: +Object spec=DeploymentSpec status=DeploymentStatus
DeploymentSpec: +WorkloadSpec replicas* revisionHistoryLimit* progressDeadlineSeconds* minReadySeconds paused
  strategy=DeploymentStrategy
DeploymentStatus: observedGeneration replicas updatedReplicas readyReplicas availableReplicas
  unavailableReplicas terminatingReplicas* collisionCount* conditions[]Condition(type)
DeploymentStrategy: type rollingUpdate*RollingUpdateDeployment
Event: +Object involvedObject? source? series? related? eventTime? firstTimestamp? lastTimestamp? reason
  message type count action reportingComponent* reportingInstance*
HorizontalPodAutoscaler: +Object spec? status?
IP: ip
Lease: +Object spec?
LimitRange: +Object spec?
Namespace: +Object spec=NamespaceSpec status=NamespaceStatus
NamespaceSpec: finalizers[]
NamespaceStatus: phase conditions[]Condition(type)
Node: +Object spec=NodeSpec status=NodeStatus
NodeAddress: type address
NodeSpec: podCIDR providerID unschedulable externalID podCIDRs[] taints[] configSource?
NodeStatus: capacity{%} allocatable{%} addresses[]NodeAddress(type) conditions[]Condition(type) phase config?
  daemonEndpoints? features? images? nodeInfo? runtimeHandlers? volumesAttached? volumesInUse?
  declaredFeatures?
PersistentVolumeClaim: +Object spec=PersistentVolumeClaimSpec status=PersistentVolumeClaimStatus
PersistentVolumeClaimStatus: phase accessModes[] capacity{%} conditions[]Condition(type) allocatedResources?
  allocatedResourceStatuses? modifyVolumeStatus? currentVolumeAttributesClassName*
Pod: +Object spec=PodSpec status=PodStatus
PodDisruptionBudget: +Object spec? status?
PodStatus: observedGeneration phase message reason nominatedNodeName hostIP podIP startTime qosClass resize
  conditions[]Condition(type) hostIPs[]IP podIPs[]IP(ip) containerStatuses? initContainerStatuses?
  ephemeralContainerStatuses? allocatedResources? resources? resourceClaimStatuses?
  extendedResourceClaimStatus?
ReplicaSet: +Object spec=ReplicaSetSpec status=ReplicaSetStatus
ReplicaSetSpec: +WorkloadSpec replicas* minReadySeconds
ReplicaSetStatus: fullyLabeledReplicas readyReplicas availableReplicas observedGeneration replicas*
  terminatingReplicas* conditions[]Condition(type)
ResourceQuota: +Object spec? status?
RollingUpdateDaemonSet: maxUnavailable* maxSurge*
RollingUpdateDeployment: maxUnavailable* maxSurge*
RollingUpdateStatefulSet: partition* maxUnavailable*
Secret: +Object data{} stringData{} type immutable*
Service: +Object spec? status?
ServiceAccount: +Object secrets? imagePullSecrets[]LocalObjectReference(name) automountServiceAccountToken*
StatefulSet: +Object spec=StatefulSetSpec status=StatefulSetStatus
StatefulSetClaimRetention: whenDeleted whenScaled
StatefulSetOrdinals: start*
StatefulSetSpec: +WorkloadSpec replicas* revisionHistoryLimit* serviceName podManagementPolicy
  minReadySeconds volumeClaimTemplates[]PersistentVolumeClaim updateStrategy=StatefulSetUpdateStrategy
  persistentVolumeClaimRetentionPolicy*StatefulSetClaimRetention ordinals*StatefulSetOrdinals
StatefulSetStatus: observedGeneration readyReplicas currentReplicas updatedReplicas currentRevision
  updateRevision replicas* availableReplicas* collisionCount* conditions[]Condition(type)
StatefulSetUpdateStrategy: type rollingUpdate*RollingUpdateStatefulSet
`;

const STRUCTS = readStructs(POD_TEMPLATE_FIELDS.trimEnd() + FIELDS);

/** The fields of a built-in kind. Throws Error on one that the table does not have. */
export function schemaOf(kind: string): Struct {
  return structNamed(kind, STRUCTS);
}

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
  SecretVolumeSource: { defaultMode: FILE_MODE },
  ConfigMapVolumeSource: { defaultMode: FILE_MODE },
  DownwardAPIVolumeSource: { defaultMode: FILE_MODE },
  ProjectedVolumeSource: { defaultMode: FILE_MODE, sources: null },
  ServiceAccountTokenProjection: { expirationSeconds: 3600 },
  HostPathVolumeSource: { type: '' },
  PersistentVolumeClaimTemplate: { spec: { volumeMode: 'Filesystem' } },

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
  // Either of the two names sets the other.
  const account = name === 'PodSpec' ? (object.serviceAccountName ?? object.serviceAccount) : undefined;
  if (account !== undefined) Object.assign(object, { serviceAccountName: account, serviceAccount: account });
  if (name === 'Volume' && Object.keys(object).every((key) => key === 'name')) object.emptyDir = {};
}

function addRollingUpdate(strategy: JsonObject, struct: string): void {
  if (strategy.type === 'RollingUpdate') strategy.rollingUpdate ??= { ...DEFAULTS[struct] };
}

function pullPolicyFor(image: Json | undefined): string {
  return typeof image === 'string' && effectiveTag(image) === 'latest' ? 'Always' : 'IfNotPresent';
}
