/**
 * Every field that a pod template can hold, by Go struct, derived from the tags and markers of the API types of July
 * 2026 (https://github.com/kubernetes/api/blob/master/core/v1/types.go). Inlined structs are written out.
 * `fields.ts` reads it:
 *
 *     name          scalar           name*         pointer to a scalar: absent differs from zero
 *     name=S        struct S         name*S        pointer to a struct
 *     name[]  []S   list             name[]S(k,l)  list with keys        name[]!  set
 *     name[]S~(k)   list that is replaced completely; k identifies its entries for a reader
 *     name{}        map of strings   name{%}       map of quantities     name%    quantity
 *     name#         number or string name?         opaque                +S       all fields of S
 */
export const POD_TEMPLATE_FIELDS = `
AWSElasticBlockStoreVolumeSource: volumeID fsType partition readOnly
Affinity: nodeAffinity*NodeAffinity podAffinity*PodAffinity podAntiAffinity*PodAntiAffinity
AppArmorProfile: type localhostProfile*
AzureDiskVolumeSource: diskName diskURI cachingMode* fsType* readOnly* kind*
AzureFileVolumeSource: secretName shareName readOnly
CSIVolumeSource: driver readOnly* fsType* volumeAttributes{} nodePublishSecretRef*LocalObjectReference
Capabilities: add[]! drop[]!
CephFSVolumeSource: monitors[] path user secretFile secretRef*LocalObjectReference readOnly
CinderVolumeSource: volumeID fsType readOnly secretRef*LocalObjectReference
ClusterTrustBundleProjection: name* signerName* labelSelector*LabelSelector optional* path user*
ConfigMapEnvSource: name optional*
ConfigMapKeySelector: name key optional*
ConfigMapProjection: name items[]KeyToPath~(path) optional*
ConfigMapVolumeSource: name items[]KeyToPath~(path) defaultMode* optional* defaultUser*
Container: name image command[] args[] workingDir ports[]ContainerPort(containerPort,protocol)
  envFrom[]EnvFromSource~(prefix,configMapRef.name,secretRef.name) env[]EnvVar(name)
  resources=ResourceRequirements resizePolicy[]ContainerResizePolicy~(resourceName) restartPolicy*
  restartPolicyRules[]ContainerRestartRule volumeMounts[]VolumeMount(mountPath)
  volumeDevices[]VolumeDevice(devicePath) livenessProbe*Probe readinessProbe*Probe startupProbe*Probe
  lifecycle*Lifecycle terminationMessagePath terminationMessagePolicy imagePullPolicy
  securityContext*SecurityContext stdin stdinOnce tty
ContainerPort: name hostPort containerPort protocol hostIP
ContainerResizePolicy: resourceName restartPolicy
ContainerRestartRule: action exitCodes*ContainerRestartRuleOnExitCodes
ContainerRestartRuleOnExitCodes: operator values[]!
DownwardAPIProjection: items[]DownwardAPIVolumeFile~(path)
DownwardAPIVolumeFile: path fieldRef*ObjectFieldSelector resourceFieldRef*ResourceFieldSelector mode* user*
DownwardAPIVolumeSource: items[]DownwardAPIVolumeFile~(path) defaultMode* defaultUser*
EmptyDirVolumeSource: medium sizeLimit*% mode*
EnvFromSource: prefix configMapRef*ConfigMapEnvSource secretRef*SecretEnvSource
EnvVar: name value valueFrom*EnvVarSource
EnvVarSource: fieldRef*ObjectFieldSelector resourceFieldRef*ResourceFieldSelector
  configMapKeyRef*ConfigMapKeySelector secretKeyRef*SecretKeySelector fileKeyRef*FileKeySelector
EphemeralContainer: +Container targetContainerName
EphemeralVolumeSource: volumeClaimTemplate*PersistentVolumeClaimTemplate
EvictionResponder: name priority*
ExecAction: command[]
FCVolumeSource: targetWWNs[] lun* fsType readOnly wwids[]
FileKeySelector: volumeName path key optional*
FlexVolumeSource: driver fsType secretRef*LocalObjectReference readOnly options{}
FlockerVolumeSource: datasetName datasetUUID
GCEPersistentDiskVolumeSource: pdName fsType partition readOnly
GRPCAction: port service* mode*
GitRepoVolumeSource: repository revision directory
GlusterfsVolumeSource: endpoints path readOnly
HTTPGetAction: path port# host scheme httpHeaders[]HTTPHeader~(name) protocol*
HTTPHeader: name value
HostAlias: ip hostnames[]
HostPathVolumeSource: path type*
ISCSIVolumeSource: targetPortal iqn lun iscsiInterface fsType readOnly portals[] chapAuthDiscovery
  chapAuthSession secretRef*LocalObjectReference initiatorName*
ImageVolumeSource: reference pullPolicy
KeyToPath: key path mode* user*
LabelSelector: matchLabels{} matchExpressions[]LabelSelectorRequirement
LabelSelectorRequirement: key operator values[]
Lifecycle: postStart*LifecycleHandler preStop*LifecycleHandler stopSignal*
LifecycleHandler: exec*ExecAction httpGet*HTTPGetAction tcpSocket*TCPSocketAction sleep*SleepAction
LocalObjectReference: name
NFSVolumeSource: server path readOnly
NodeAffinity: requiredDuringSchedulingIgnoredDuringExecution*NodeSelector
  preferredDuringSchedulingIgnoredDuringExecution[]PreferredSchedulingTerm
NodeSelector: nodeSelectorTerms[]NodeSelectorTerm
NodeSelectorRequirement: key operator values[]
NodeSelectorTerm: matchExpressions[]NodeSelectorRequirement matchFields[]NodeSelectorRequirement
ObjectFieldSelector: apiVersion fieldPath
ObjectMeta: name generateName namespace selfLink uid resourceVersion generation creationTimestamp
  deletionTimestamp* deletionGracePeriodSeconds* labels{} annotations{} ownerReferences[]OwnerReference(uid)
  finalizers[]! managedFields?
OwnerReference: apiVersion kind name uid controller* blockOwnerDeletion*
PersistentVolumeClaimSpec: accessModes[] selector*LabelSelector resources=VolumeResourceRequirements
  volumeName storageClassName* volumeMode* dataSource*TypedLocalObjectReference
  dataSourceRef*TypedObjectReference volumeAttributesClassName*
PersistentVolumeClaimTemplate: metadata=ObjectMeta spec=PersistentVolumeClaimSpec
PersistentVolumeClaimVolumeSource: claimName readOnly
PhotonPersistentDiskVolumeSource: pdID fsType
PodAffinity: requiredDuringSchedulingIgnoredDuringExecution[]PodAffinityTerm
  preferredDuringSchedulingIgnoredDuringExecution[]WeightedPodAffinityTerm
PodAffinityTerm: labelSelector*LabelSelector namespaces[] topologyKey namespaceSelector*LabelSelector
  matchLabelKeys[] mismatchLabelKeys[]
PodAntiAffinity: +PodAffinity
PodCertificateProjection: signerName keyType maxExpirationSeconds* credentialBundlePath keyPath
  certificateChainPath userAnnotations{} user*
PodDNSConfig: nameservers[] searches[] options[]PodDNSConfigOption~(name)
PodDNSConfigOption: name value*
PodOS: name
PodReadinessGate: conditionType
PodResourceClaim: name resourceClaimName* resourceClaimTemplateName*
PodSchedulingGate: name
PodSchedulingGroup: podGroupName*
PodSecurityContext: seLinuxOptions*SELinuxOptions windowsOptions*WindowsSecurityContextOptions runAsUser*
  runAsGroup* runAsNonRoot* supplementalGroups[] supplementalGroupsPolicy* fsGroup* sysctls[]Sysctl~(name)
  fsGroupChangePolicy* seccompProfile*SeccompProfile appArmorProfile*AppArmorProfile seLinuxChangePolicy*
PodSpec: volumes[]Volume(name) initContainers[]Container(name) containers[]Container(name)
  ephemeralContainers[]EphemeralContainer(name) restartPolicy terminationGracePeriodSeconds*
  activeDeadlineSeconds* dnsPolicy nodeSelector{} serviceAccountName serviceAccount
  automountServiceAccountToken* nodeName hostNetwork hostPID hostIPC shareProcessNamespace*
  securityContext*PodSecurityContext imagePullSecrets[]LocalObjectReference(name) hostname subdomain
  affinity*Affinity schedulerName tolerations[]Toleration~(key,operator,value,effect)
  hostAliases[]HostAlias(ip) priorityClassName priority* dnsConfig*PodDNSConfig
  readinessGates[]PodReadinessGate~(conditionType) runtimeClassName* enableServiceLinks* preemptionPolicy*
  overhead{%} topologySpreadConstraints[]TopologySpreadConstraint(topologyKey,whenUnsatisfiable)
  setHostnameAsFQDN* os*PodOS hostUsers* schedulingGates[]PodSchedulingGate(name)
  resourceClaims[]PodResourceClaim(name) resources*ResourceRequirements hostnameOverride*
  schedulingGroup*PodSchedulingGroup evictionResponders[]EvictionResponder(name)
PodTemplateSpec: metadata=ObjectMeta spec=PodSpec
PortworxVolumeSource: volumeID fsType readOnly
PreferredSchedulingTerm: weight preference=NodeSelectorTerm
Probe: initialDelaySeconds timeoutSeconds periodSeconds successThreshold failureThreshold
  terminationGracePeriodSeconds* exec*ExecAction httpGet*HTTPGetAction tcpSocket*TCPSocketAction
  grpc*GRPCAction
ProjectedVolumeSource: sources[]VolumeProjection defaultMode* defaultUser*
QuobyteVolumeSource: registry volume readOnly user group tenant
RBDVolumeSource: monitors[] image fsType pool user keyring secretRef*LocalObjectReference readOnly
ResourceClaim: name request
ResourceFieldSelector: containerName resource divisor%
ResourceRequirements: limits{%} requests{%} claims[]ResourceClaim(name)
SELinuxOptions: user role type level
ScaleIOVolumeSource: gateway system secretRef*LocalObjectReference sslEnabled protectionDomain storagePool
  storageMode volumeName fsType readOnly
SeccompProfile: type localhostProfile*
SecretEnvSource: name optional*
SecretKeySelector: name key optional*
SecretProjection: name items[]KeyToPath~(path) optional*
SecretVolumeSource: secretName items[]KeyToPath~(path) defaultMode* optional* defaultUser*
SecurityContext: capabilities*Capabilities privileged* seLinuxOptions*SELinuxOptions
  windowsOptions*WindowsSecurityContextOptions runAsUser* runAsGroup* runAsNonRoot* readOnlyRootFilesystem*
  allowPrivilegeEscalation* procMount* seccompProfile*SeccompProfile appArmorProfile*AppArmorProfile
ServiceAccountTokenProjection: audience expirationSeconds* path user*
SleepAction: seconds
StorageOSVolumeSource: volumeName volumeNamespace fsType readOnly secretRef*LocalObjectReference
Sysctl: name value
TCPSocketAction: port# host
Toleration: key operator value effect tolerationSeconds*
TopologySpreadConstraint: maxSkew topologyKey whenUnsatisfiable labelSelector*LabelSelector minDomains*
  nodeAffinityPolicy* nodeTaintsPolicy* matchLabelKeys[]
TypedLocalObjectReference: apiGroup* kind name
TypedObjectReference: apiGroup* kind name namespace*
Volume: name hostPath*HostPathVolumeSource emptyDir*EmptyDirVolumeSource
  gcePersistentDisk*GCEPersistentDiskVolumeSource awsElasticBlockStore*AWSElasticBlockStoreVolumeSource
  gitRepo*GitRepoVolumeSource secret*SecretVolumeSource nfs*NFSVolumeSource iscsi*ISCSIVolumeSource
  glusterfs*GlusterfsVolumeSource persistentVolumeClaim*PersistentVolumeClaimVolumeSource
  rbd*RBDVolumeSource flexVolume*FlexVolumeSource cinder*CinderVolumeSource cephfs*CephFSVolumeSource
  flocker*FlockerVolumeSource downwardAPI*DownwardAPIVolumeSource fc*FCVolumeSource
  azureFile*AzureFileVolumeSource configMap*ConfigMapVolumeSource
  vsphereVolume*VsphereVirtualDiskVolumeSource quobyte*QuobyteVolumeSource azureDisk*AzureDiskVolumeSource
  photonPersistentDisk*PhotonPersistentDiskVolumeSource projected*ProjectedVolumeSource
  portworxVolume*PortworxVolumeSource scaleIO*ScaleIOVolumeSource storageos*StorageOSVolumeSource
  csi*CSIVolumeSource ephemeral*EphemeralVolumeSource image*ImageVolumeSource
VolumeDevice: name devicePath
VolumeMount: name readOnly recursiveReadOnly* mountPath subPath mountPropagation* subPathExpr
  bindMountOptions[]!
VolumeProjection: secret*SecretProjection downwardAPI*DownwardAPIProjection configMap*ConfigMapProjection
  serviceAccountToken*ServiceAccountTokenProjection clusterTrustBundle*ClusterTrustBundleProjection
  podCertificate*PodCertificateProjection
VolumeResourceRequirements: limits{%} requests{%}
VsphereVirtualDiskVolumeSource: volumePath fsType storagePolicyName storagePolicyID
WeightedPodAffinityTerm: weight podAffinityTerm=PodAffinityTerm
WindowsSecurityContextOptions: gmsaCredentialSpecName* gmsaCredentialSpec* runAsUserName* hostProcess*
`;
