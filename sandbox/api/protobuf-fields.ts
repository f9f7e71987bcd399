/**
 * Numbers of the fields that kubectl writes in protobuf form, by message
 * (https://github.com/kubernetes/api/blob/master/core/v1/generated.proto and its neighbors). A line is a message, an
 * entry the number and the name of a field, followed by
 *
 *     nothing   text       #    whole number    ?    truth          !    bytes (base64 in JSON)
 *     =M        message M  []   list of texts   []M  list of M      @    time
 *     {}        map of texts                    {!}  map of bytes   -    left out
 */
export const FIELD_NUMBERS = `
Unknown: 1typeMeta=TypeMeta 2raw! 3contentEncoding- 4contentType-
TypeMeta: 1apiVersion 2kind
TextEntry: 1key 2value
BytesEntry: 1key 2value!
Time: 1seconds# 2nanos#
ObjectMeta: 1name 2generateName 3namespace 5uid 6resourceVersion 7generation# 8creationTimestamp@ 11labels{} 12annotations{} 14finalizers[]
LabelSelector: 1matchLabels{}
Namespace: 1metadata=ObjectMeta 2spec=NamespaceSpec 3status-
NamespaceSpec: 1finalizers[]
ConfigMap: 1metadata=ObjectMeta 2data{} 3binaryData{!} 4immutable?
Secret: 1metadata=ObjectMeta 2data{!} 3type 4stringData{} 5immutable?
ServiceAccount: 1metadata=ObjectMeta
Deployment: 1metadata=ObjectMeta 2spec=DeploymentSpec 3status-
DeploymentSpec: 1replicas# 2selector=LabelSelector 3template=PodTemplateSpec 4strategy=DeploymentStrategy 5minReadySeconds# 6revisionHistoryLimit# 7paused? 9progressDeadlineSeconds#
DeploymentStrategy: 1type
PodTemplateSpec: 1metadata=ObjectMeta 2spec=PodSpec
PodSpec: 2containers[]Container 3restartPolicy 4terminationGracePeriodSeconds# 6dnsPolicy 7nodeSelector{} 8serviceAccountName 14securityContext-
Container: 1name 2image 3command[] 4args[] 5workingDir 6ports[]ContainerPort 7env[]EnvVar 8resources- 13terminationMessagePath 14imagePullPolicy 20terminationMessagePolicy
ContainerPort: 1name 2hostPort# 3containerPort# 4protocol 5hostIP
EnvVar: 1name 2value
HorizontalPodAutoscaler: 1metadata=ObjectMeta 2spec=HorizontalPodAutoscalerSpec 3status-
HorizontalPodAutoscalerSpec: 1scaleTargetRef=CrossVersionObjectReference 2minReplicas# 3maxReplicas# 4metrics[]MetricSpec
CrossVersionObjectReference: 1kind 2name 3apiVersion
MetricSpec: 1type 4resource=ResourceMetricSource
ResourceMetricSource: 1name 2target=MetricTarget
MetricTarget: 1type 4averageUtilization#
DeleteOptions: 1gracePeriodSeconds# 2preconditions=Preconditions 3orphanDependents? 4propagationPolicy 5dryRun[]
Preconditions: 1uid 2resourceVersion
SelfSubjectAccessReview: 1metadata- 2spec=SelfSubjectAccessReviewSpec 3status-
SelfSubjectAccessReviewSpec: 1resourceAttributes=ResourceAttributes 2nonResourceAttributes=NonResourceAttributes
ResourceAttributes: 1namespace 2verb 3group 4version 5resource 6subresource 7name
NonResourceAttributes: 1path 2verb
SelfSubjectRulesReview: 1metadata- 2spec=SelfSubjectRulesReviewSpec 3status-
SelfSubjectRulesReviewSpec: 1namespace
SelfSubjectReview: 1metadata- 2status-
`;
