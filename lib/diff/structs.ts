import { isApplicationBody } from '@/lib/kube/application-body';
import { readStructs, type Struct, structNamed } from '@/lib/kube/fields';
import type { JsonObject } from '@/lib/kube/json';
import { isRecordedData } from '@/lib/kube/recorded-data';
import { POD_TEMPLATE_FIELDS } from '@/lib/kube/pod-template-fields';
import { isGroupTemplate } from '@/lib/kube/pod-templates';

/**
 * The template of a LeaderWorkerSet, as its revisions record it, in the notation of the pod template's table; it uses
 * the structs of that one. https://github.com/kubernetes-sigs/lws/blob/main/api/leaderworkerset/v1/leaderworkerset_types.go
 */
const GROUP_TEMPLATE_FIELDS = `
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

/**
 * What a revision of an Application records, in the notation of the pod template's table: only the keys of
 * its list entries. Properties are defined by definitions, and compared as they are.
 * https://kubevela.io/docs/core-concepts/application
 */
const APPLICATION_FIELDS = `
ApplicationRecord: application*OamApplication
OamApplication: components[]OamComponent(name) policies[]OamPolicy(name) workflow*OamWorkflow
OamComponent: name type traits[]OamTrait(type)
OamTrait: type
OamPolicy: name type
OamWorkflow: steps[]OamStep(name)
OamStep: name type subSteps[]OamStep(name)
`;

const STRUCTS = readStructs(
  POD_TEMPLATE_FIELDS.trimEnd() + GROUP_TEMPLATE_FIELDS.trimEnd() + APPLICATION_FIELDS,
);

/** The struct of a pod template: `metadata` and `spec`. */
export const POD_TEMPLATE: Struct = structNamed('PodTemplateSpec', STRUCTS);

/** The struct of a container, in either list of a pod. */
export const CONTAINER: Struct = structNamed('Container', STRUCTS);

/** The struct of the template of groups of pods: two pod templates and their common settings. */
export const GROUP_TEMPLATE: Struct = structNamed('GroupTemplate', STRUCTS);

/** The struct of what a revision of an Application records. */
const APPLICATION: Struct = structNamed('ApplicationRecord', STRUCTS);

/** No field is known of the data of an unknown controller. */
const RECORDED_DATA: Struct = { name: 'RecordedData', fields: new Map() };

/** The struct of what a revision records. */
export function rootOf(template: JsonObject): Struct {
  if (isRecordedData(template)) return RECORDED_DATA;
  if (isApplicationBody(template)) return APPLICATION;
  return isGroupTemplate(template) ? GROUP_TEMPLATE : POD_TEMPLATE;
}
