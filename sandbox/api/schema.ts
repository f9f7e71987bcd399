import { readStructs, type Struct, structNamed } from '@/lib/kube/fields';
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
