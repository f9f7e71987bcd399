import { type Struct } from '@/lib/diff/fields';
import { AGE } from '@/sandbox/api/columns/age';
import {
  CONFIG_MAP_COLUMNS,
  CUSTOM_RESOURCE_DEFINITION_COLUMNS,
  ENDPOINTS_COLUMNS,
  EVENT_COLUMNS,
  INGRESS_COLUMNS,
  NAMESPACE_COLUMNS,
  NODE_COLUMNS,
  SECRET_COLUMNS,
  SERVICE_COLUMNS,
} from '@/sandbox/api/columns/cluster';
import { POD_COLUMNS } from '@/sandbox/api/columns/pods';
import {
  CONTROLLER_REVISION_COLUMNS,
  DAEMON_SET_COLUMNS,
  DEPLOYMENT_COLUMNS,
  REPLICA_SET_COLUMNS,
  STATEFUL_SET_COLUMNS,
} from '@/sandbox/api/columns/workloads';
import { type ReviewKind } from '@/sandbox/api/kind-table';
import { type TableColumn, type ResourceKind, type RestStrategy } from '@/sandbox/api/objects/resource-kind';
import { NEW_EVENT, SCHEMAS } from '@/sandbox/api/schema';
import {
  autoscalerStrategy,
  budgetStrategy,
  claimStrategy,
  limitRangeStrategy,
  podStrategy,
  secretStrategy,
  serviceStrategy,
  namespaceStrategy,
} from '@/sandbox/api/strategies/core';
import { eventStrategy, fromCoreEvent, newEventStrategy, toCoreEvent } from '@/sandbox/api/strategies/event';
import { customResourceDefinitionStrategy } from '@/sandbox/api/strategies/custom-resource-definition';

import {
  controllerRevisionStrategy,
  daemonSetStrategy,
  deploymentStrategy,
  replicaSetStrategy,
  statefulSetStrategy,
} from '@/sandbox/api/strategies/workload';

type KindParts = Pick<ResourceKind, 'group' | 'kind' | 'plural'> & Partial<ResourceKind>;

/** Fills in the defaults of most kinds. */
export function defineKind(parts: KindParts): ResourceKind {
  return {
    versions: ['v1'],
    singular: parts.kind.toLowerCase(),
    shortNames: [],
    categories: [],
    namespaced: true,
    subresources: [],
    hasGeneration: false,
    schema: undefined,
    keyedLists: undefined,
    fields: [],
    columns: [AGE],
    strategy: {},
    names: 'subdomain',
    createOnUpdate: false,
    ...parts,
  };
}

const STRATEGIES: Readonly<Record<string, RestStrategy>> = {
  ControllerRevision: controllerRevisionStrategy,
  CustomResourceDefinition: customResourceDefinitionStrategy,
  DaemonSet: daemonSetStrategy,
  Deployment: deploymentStrategy,
  Event: eventStrategy,
  HorizontalPodAutoscaler: autoscalerStrategy,
  LimitRange: limitRangeStrategy,
  Namespace: namespaceStrategy,
  PersistentVolumeClaim: claimStrategy,
  Pod: podStrategy,
  PodDisruptionBudget: budgetStrategy,
  ReplicaSet: replicaSetStrategy,
  Secret: secretStrategy,
  Service: serviceStrategy,
  StatefulSet: statefulSetStrategy,
};
/** Of kinds that people list; of the others `kubectl get` prints name and age. */
const COLUMNS: Readonly<Record<string, readonly TableColumn[]>> = {
  ConfigMap: CONFIG_MAP_COLUMNS,
  ControllerRevision: CONTROLLER_REVISION_COLUMNS,
  CustomResourceDefinition: CUSTOM_RESOURCE_DEFINITION_COLUMNS,
  DaemonSet: DAEMON_SET_COLUMNS,
  Deployment: DEPLOYMENT_COLUMNS,
  Endpoints: ENDPOINTS_COLUMNS,
  Event: EVENT_COLUMNS,
  Ingress: INGRESS_COLUMNS,
  Namespace: NAMESPACE_COLUMNS,
  Node: NODE_COLUMNS,
  Pod: POD_COLUMNS,
  ReplicaSet: REPLICA_SET_COLUMNS,
  Secret: SECRET_COLUMNS,
  Service: SERVICE_COLUMNS,
  StatefulSet: STATEFUL_SET_COLUMNS,
};
const KNOWN_SCHEMAS: Readonly<Record<string, Struct>> = SCHEMAS;

function builtin(parts: KindParts): ResourceKind {
  const strategy = STRATEGIES[parts.kind];

  return defineKind({
    schema: KNOWN_SCHEMAS[parts.kind],
    columns: COLUMNS[parts.kind] ?? [AGE],
    ...(strategy === undefined ? {} : { strategy }),
    ...parts,
  });
}

const ALL = ['all'];
const POD_FIELDS = [
  'spec.nodeName',
  'spec.restartPolicy',
  'spec.schedulerName',
  'spec.serviceAccountName',
  'spec.hostNetwork',
  'status.phase',
  'status.podIP',
  'status.podIPs',
  'status.nominatedNodeName',
];
const EVENT_FIELDS = [
  'involvedObject.kind',
  'involvedObject.namespace',
  'involvedObject.name',
  'involvedObject.uid',
  'involvedObject.apiVersion',
  'involvedObject.resourceVersion',
  'involvedObject.fieldPath',
  'reason',
  'reportingComponent',
  'source',
  'type',
];

/** The built-in kinds of Kubernetes. */
export const BUILTIN_KINDS: readonly ResourceKind[] = [
  builtin({
    group: '',
    kind: 'Namespace',
    plural: 'namespaces',
    shortNames: ['ns'],
    namespaced: false,
    subresources: ['status', 'finalize'],
    fields: ['status.phase'],
    names: 'label',
  }),
  builtin({
    group: '',
    kind: 'Node',
    plural: 'nodes',
    shortNames: ['no'],
    namespaced: false,
    subresources: ['status'],
    fields: ['spec.unschedulable'],
  }),
  builtin({
    group: '',
    kind: 'Pod',
    plural: 'pods',
    shortNames: ['po'],
    categories: ALL,
    subresources: ['status', 'log', 'binding'],
    hasGeneration: true,
    fields: POD_FIELDS,
  }),
  builtin({
    group: '',
    kind: 'Event',
    plural: 'events',
    shortNames: ['ev'],
    fields: EVENT_FIELDS,
    createOnUpdate: true,
  }),
  builtin({ group: '', kind: 'ConfigMap', plural: 'configmaps', shortNames: ['cm'] }),
  builtin({ group: '', kind: 'Secret', plural: 'secrets', fields: ['type'] }),
  builtin({ group: '', kind: 'ServiceAccount', plural: 'serviceaccounts', shortNames: ['sa'] }),
  builtin({
    group: '',
    kind: 'Service',
    plural: 'services',
    shortNames: ['svc'],
    categories: ALL,
    subresources: ['status'],
    fields: ['spec.clusterIP', 'spec.type'],
    names: 'label',
  }),
  builtin({
    group: '',
    kind: 'Endpoints',
    plural: 'endpoints',
    singular: 'endpoints',
    shortNames: ['ep'],
  }),
  builtin({
    group: '',
    kind: 'PersistentVolumeClaim',
    plural: 'persistentvolumeclaims',
    shortNames: ['pvc'],
    subresources: ['status'],
  }),
  builtin({
    group: '',
    kind: 'ResourceQuota',
    plural: 'resourcequotas',
    shortNames: ['quota'],
    subresources: ['status'],
  }),
  builtin({ group: '', kind: 'LimitRange', plural: 'limitranges', shortNames: ['limits'] }),
  builtin({
    group: 'apps',
    kind: 'Deployment',
    plural: 'deployments',
    shortNames: ['deploy'],
    categories: ALL,
    subresources: ['status', 'scale'],
    hasGeneration: true,
  }),
  builtin({
    group: 'apps',
    kind: 'ReplicaSet',
    plural: 'replicasets',
    shortNames: ['rs'],
    categories: ALL,
    subresources: ['status', 'scale'],
    hasGeneration: true,
    fields: ['status.replicas'],
  }),
  builtin({
    group: 'apps',
    kind: 'StatefulSet',
    plural: 'statefulsets',
    shortNames: ['sts'],
    categories: ALL,
    subresources: ['status', 'scale'],
    hasGeneration: true,
  }),
  builtin({
    group: 'apps',
    kind: 'DaemonSet',
    plural: 'daemonsets',
    shortNames: ['ds'],
    categories: ALL,
    subresources: ['status'],
    hasGeneration: true,
  }),
  builtin({ group: 'apps', kind: 'ControllerRevision', plural: 'controllerrevisions' }),
  builtin({
    group: 'events.k8s.io',
    kind: 'Event',
    plural: 'events',
    shortNames: ['ev'],
    createOnUpdate: true,
    schema: NEW_EVENT,
    strategy: newEventStrategy,
    storedAs: { collection: 'events', toStored: toCoreEvent, fromStored: fromCoreEvent },
  }),
  builtin({
    group: 'policy',
    kind: 'PodDisruptionBudget',
    plural: 'poddisruptionbudgets',
    shortNames: ['pdb'],
    subresources: ['status'],
    hasGeneration: true,
  }),
  builtin({
    group: 'autoscaling',
    versions: ['v2'],
    kind: 'HorizontalPodAutoscaler',
    plural: 'horizontalpodautoscalers',
    shortNames: ['hpa'],
    categories: ALL,
    subresources: ['status'],
  }),
  builtin({
    group: 'apiextensions.k8s.io',
    kind: 'CustomResourceDefinition',
    plural: 'customresourcedefinitions',
    shortNames: ['crd', 'crds'],
    categories: ['api-extensions'],
    namespaced: false,
    subresources: ['status'],
    hasGeneration: true,
  }),
  builtin({
    group: 'networking.k8s.io',
    kind: 'Ingress',
    plural: 'ingresses',
    shortNames: ['ing'],
    subresources: ['status'],
    hasGeneration: true,
  }),
  builtin({ group: 'coordination.k8s.io', kind: 'Lease', plural: 'leases', createOnUpdate: true }),
];

/** Reviews, which are answered at once and not stored. */
// prettier-ignore
export const REVIEW_KINDS: readonly ReviewKind[] = [
  { group: 'authentication.k8s.io', version: 'v1', kind: 'SelfSubjectReview', plural: 'selfsubjectreviews', namespaced: false },
  { group: 'authorization.k8s.io', version: 'v1', kind: 'LocalSubjectAccessReview', plural: 'localsubjectaccessreviews', namespaced: true },
  { group: 'authorization.k8s.io', version: 'v1', kind: 'SelfSubjectAccessReview', plural: 'selfsubjectaccessreviews', namespaced: false },
  { group: 'authorization.k8s.io', version: 'v1', kind: 'SelfSubjectRulesReview', plural: 'selfsubjectrulesreviews', namespaced: false },
  { group: 'authorization.k8s.io', version: 'v1', kind: 'SubjectAccessReview', plural: 'subjectaccessreviews', namespaced: false },
];
